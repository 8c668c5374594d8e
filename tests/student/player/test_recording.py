"""Tests that a recording agrees with the emulator's counts: its steps add up to the counters, and omissions are
reported."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import schema

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads((HERE / "recording.schema.json").read_text(encoding="utf-8"))
Recording = dict[str, typing.Any]

FAULTS = r"""
#include <cstdio>
__global__ void doubles(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * i;
}
__global__ void races(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void parts(int* out) {
  for (int stride = 32; stride > 0; stride /= 2)
    if (threadIdx.x < stride) { out[threadIdx.x] = stride; __syncthreads(); }
}
int main(int, char** argv) {
  int* out;
  cudaMalloc(&out, 100 * sizeof(int));
  const char what = argv[1][0];
  if (what == 'l') { doubles<<<2, 64>>>(out, 100); doubles<<<1, 32>>>(out, 10); }
  if (what == 'r') races<<<1, 64>>>(out);
  if (what == 'f') doubles<<<2, 64>>>(out, 128);
  if (what == 'd') parts<<<1, 32>>>(out);
  if (what == 's') doubles<<<7, 16>>>(out, 110);
  if (what == '0') doubles<<<1, 0>>>(out, 100);
  cudaDeviceSynchronize();
  return 0;
}
"""


def run(*command: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, timeout=200,
        env={**os.environ, "EMULATOR_HOST_THREADS": "1"},
    )  # fmt: skip


class Recorded(unittest.TestCase):
    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.folder = pathlib.Path(kept.name)

    def read(self, path: pathlib.Path) -> Recording:
        recording: Recording = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(schema.complaints(recording, SCHEMA)[:5], [])
        return recording

    def assert_sums(self, launch: Recording) -> None:
        """Checks that the steps of a completely recorded launch add up to its counters."""
        self.assertEqual((launch["blocks_left_out"], launch["steps_left_out"]), (0, 0))
        sums: collections.Counter[str] = collections.Counter()
        for step in launch["steps"]:
            what = step["what"]
            sums["workbook__inst_executed.sum"] += step.get("instructions", 0)
            sums["workbook__thread_inst_executed.sum"] += step.get("thread_instructions", 0)
            sums["workbook__barriers.sum"] += what == "barrier"
            sums["workbook__barrier_instructions.sum"] += what == "arrive"
            sums["workbook__shuffles.sum"] += what == "shuffle"
            sums["workbook__divergent_branches.sum"] += what == "branch"
            if what in ("load", "store"):
                word = {"load": "ld", "store": "st"}[what]
                if step["space"] == "shared":
                    sums["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] += step["conflicts"]
                    sums[f"smsp__sass_inst_executed_op_shared_{word}.sum"] += 1
                if step["space"] == "global":
                    sums[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{word}.sum"] += step["sectors"]
                    sums[f"l1tex__t_requests_pipe_lsu_mem_global_op_{word}.sum"] += 1
        self.assertEqual(dict(sums), {name: launch["counters"][name] for name in sums})


class Chapters(Recorded):
    def record(self, number: int, *options: str) -> Recording:
        path = self.folder / "chapter.json"
        done = run(PROGRAMS / f"chapter{number}", "--profile", "reference", "--record", path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read(path)

    def test_steps_of_chapters_1_to_9_sum_to_the_counters(self) -> None:
        for number in range(1, 10):
            with self.subTest(chapter=number):
                recording = self.record(number, "--count", "1000", "--record-blocks", "8")
                self.assertGreater(len(recording["launches"]), 0)
                for launch in recording["launches"]:
                    self.assert_sums(launch)

    def test_two_runs_give_the_same_bytes(self) -> None:
        for number in (2, 12, 15):
            texts = []
            for _ in range(2):
                self.record(number, "--count", "1000")
                texts.append((self.folder / "chapter.json").read_bytes())
            self.assertEqual(texts[0], texts[1], number)

    def test_the_conflicts_of_a_block_of_chapter_2_are_105(self) -> None:
        first = self.record(2)["launches"][0]
        # With 256 threads, in steps with strides of 2, 4, 8 and 16, each of a warp's three accesses needs 1, 3, 7 and
        # 15 additional passes. The lesson derives the sum.
        self.assertEqual(sum(step.get("conflicts", 0) for step in first["steps"]), 105)
        self.assertEqual((first["blocks_recorded"], first["steps_left_out"]), (1, 0))
        self.assertEqual(first["blocks_left_out"], first["grid"][0] - 1)

    def test_what_was_moved_is_there_and_named(self) -> None:
        recording = self.record(3, "--count", "128")
        launch = recording["launches"][0]
        names = [v["name"] for v in launch["variables"]]
        self.assertEqual(names, ["in", "tile", "partials"])
        steps = [s for s in launch["steps"] if s.get("variable") == 0]
        self.assertTrue(all(s["what"] == "load" for s in steps))
        last = next(s for s in launch["steps"] if s.get("variable") == 2)
        loaded = sum(value for step in steps for value in step["values"])
        # Both numbers are the sum of the block, modulo 2^32 because an int may have overflowed.
        self.assertEqual((loaded - last["values"][0]) % 2**32, 0)
        text = recording["sources"][last["source"]]["text"][last["line"] - 1]
        self.assertIn("partials[", text)

    def test_bounds_are_kept_and_told(self) -> None:
        launch = self.record(1, "--count", "4096", "--record-blocks", "2", "--record-steps", "50")["launches"][0]
        self.assertEqual({step["block"] for step in launch["steps"]}, {0, 1})
        self.assertEqual(len(launch["steps"]), 100)
        self.assertGreater(launch["steps_left_out"], 0)
        self.assertEqual(launch["blocks_left_out"], 14)

    def test_a_path_that_cannot_be_written_is_refused_before_the_run(self) -> None:
        done = run(PROGRAMS / "chapter1", "--record", self.folder / "none" / "file")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this file cannot be written", done.stderr)

    def test_a_chapter_that_is_not_begun_plays_its_start_and_the_solution_only_to_who_asks(self) -> None:
        file = self.folder / "unnamed.json"
        words = ("--count", "4096", "--record", file)
        self.assertIn("as the chapter gave it", run(PROGRAMS / "chapter2", *words).stderr)
        self.assertNotIn("chapter2::solution", file.read_text(encoding="utf-8"))
        self.assertNotIn("as the chapter gave it", run(PROGRAMS / "chapter2", *words, "--profile", "reference").stderr)
        self.assertIn("chapter2::solution", file.read_text(encoding="utf-8"))

    def test_options_that_would_lose_something_are_refused(self) -> None:
        source = self.folder / "mine.cu"
        source.write_text("__global__ void mine() {}\nint main() { mine<<<1, 1>>>(); }\n", encoding="utf-8")
        for option in ("--record", "--play"):
            done = run(PROGRAMS / "emulate", "--quiet", option, source, source)
            self.assertEqual((done.returncode, "source text" in done.stderr), (2, True), done.stderr)
            done = run(PROGRAMS / "emulate", "--quiet", option, "", source)
            self.assertNotEqual(done.returncode, 0)
        self.assertIn("__global__", source.read_text(encoding="utf-8"))
        one = self.folder / "one"
        for words in (
            ["--record", one, "--play", one],
            ["--record", one, "--play", self.folder / "." / ".." / self.folder.name / "one"],
            ["--record", "-", "--play", "-"],
            ["--record-steps", "5"],
            ["--record-blocks", "1"],
            ["--record-launches", "1"],
        ):
            with self.subTest(words=words):
                done = run(PROGRAMS / "chapter1", "--count", "100", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "same file|it needs --record or --play")
                self.assertFalse(one.exists())

    def test_a_full_disk_is_said(self) -> None:
        done = run(PROGRAMS / "chapter1", "--record", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the disk took only a part", done.stderr)

    def test_a_trace_of_many_launches_does_not_fill_the_disk(self) -> None:
        trace = self.folder / "trace.jsonl"
        most = 256 << 20
        with trace.open("wb") as file:
            file.truncate(most)  # needs no disk space
        done = subprocess.run(
            [PROGRAMS / "chapter1", "--count", "1000"], capture_output=True, check=False, timeout=200,
            env={**os.environ, "EMULATOR_TRACE_FILE": str(trace)},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        with trace.open("rb") as file:
            file.seek(most)
            launches = [json.loads(line) for line in file]
        self.assertGreater(len(launches), 2)
        for launch in launches:
            self.assertEqual(launch["events"], [])
            self.assertGreater(launch["left_out"], 0)

    def test_it_does_not_go_with_what_runs_many_kernels(self) -> None:
        done = run(PROGRAMS / "chapter1", "--test", "--record", self.folder / "file")
        self.assertEqual(done.returncode, 2)
        self.assertIn("leave out", done.stderr)
        self.assertFalse((self.folder / "file").exists())


class Emulate(Recorded):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        (cls.folder / "faults.cu").write_text(FAULTS, encoding="utf-8")

    def record(self, word: str) -> Recording:
        path = self.folder / f"{word}.json"
        done = run(PROGRAMS / "emulate", "--record", path, self.folder / "faults.cu", "--", word)
        self.assertIn(done.returncode, (0, 86), done.stderr)
        return self.read(path)

    def test_two_launches_are_two(self) -> None:
        launches = self.record("launches")["launches"]
        self.assertEqual([launch["grid"][0] for launch in launches], [2, 1])
        self.assert_sums(launches[1])

    def test_a_race_is_its_two_accesses(self) -> None:
        launch = self.record("race")["launches"][0]
        (race,) = [f for f in launch["findings"] if f["check"] == "racecheck"]
        # No barrier orders the accesses. In this run, the first warp reads a word before the second one has written it.
        (unwritten,) = [f for f in launch["findings"] if f["check"] == "initcheck"]
        self.assertEqual((launch["steps"][unwritten["step"]]["warp"], unwritten["thread"] // 32), (0, 0))
        self.assertNotIn("other_step", unwritten)
        ends = [(launch["steps"][race[step]], race[thread]) for step, thread in
                (("step", "thread"), ("other_step", "other_thread"))]  # fmt: skip
        self.assertEqual([step["what"] for step, _ in ends], ["load", "store"])
        for step, thread in ends:
            self.assertEqual(step["warp"], thread // 32)
            active = [lane for lane in range(32) if step["mask"] >> lane & 1]
            self.assertEqual(step["at"][active.index(thread % 32)], race["address"])

    def test_a_fault_is_the_last_step_and_its_finding_is_there(self) -> None:
        launch = self.record("fault")["launches"][0]
        self.assertFalse(launch["completed"])
        self.assertEqual(launch["steps"][-1]["what"], "fault")
        self.assertEqual(launch["findings"][0]["step"], len(launch["steps"]) - 1)
        self.assertEqual(launch["findings"][0]["line"], launch["steps"][-1]["line"])

    def test_a_divergent_barrier_is_where_the_lanes_have_parted(self) -> None:
        launch = self.record("divergent")["launches"][0]
        (finding,) = [f for f in launch["findings"] if f["kind"] == "divergent barrier"]
        step = launch["steps"][finding["step"]]
        # All 32 lanes arrive the first time, and only half of them arrive the second time.
        self.assertEqual((step["what"], step["mask"]), ("arrive", 0xFFFF))

    def test_of_the_blocks_the_one_that_is_wrong_is_recorded_too(self) -> None:
        launch = self.record("seventh")["launches"][0]
        self.assertEqual(sorted({step["block"] for step in launch["steps"]}), [0, 6])
        self.assertEqual(launch["blocks_recorded"], 2)

    def test_a_source_that_is_no_utf_8_is_recorded(self) -> None:
        source, path = self.folder / "latin.cu", self.folder / "latin.json"
        source.write_bytes(FAULTS.replace("__shared__", "/* caf\xe9 */ __shared__").encode("latin-1"))
        done = run(PROGRAMS / "emulate", "--record", path, "--play", self.folder / "latin.html", source, "--", "race")
        self.assertIn(done.returncode, (0, 86), done.stderr)
        self.assertIn("caf\ufffd", "".join(self.read(path)["sources"][0]["text"]))

    def moves(self) -> list[Recording]:
        path = self.folder / "moves.json"
        if not path.exists():
            done = run(PROGRAMS / "emulate", "--record", path, HERE / "moves.cu")
            self.assertIn(done.returncode, (0, 86), done.stderr)
        launches: list[Recording] = self.read(path)["launches"]
        return launches

    def test_a_shuffle_tells_whose_value_each_lane_gets_and_which(self) -> None:
        launches = self.moves()
        for launch, half in zip(launches[:3], (int, float, float)):
            givers = [lane + 8 if lane + 8 < 32 else lane for lane in range(32)]
            shuffles = [step for step in launch["steps"] if step["what"] == "shuffle"]
            self.assertEqual([step["from"] for step in shuffles], [givers] * len(shuffles))
            if "double" in launch["kernel"]:
                # A double is moved in two halves, which are not numbers.
                self.assertEqual(["values" in step for step in shuffles], [False, False])
                continue
            (one,) = shuffles
            self.assertEqual(one["values"], [half(lane / 2) for lane in givers])

    def test_an_atomic_tells_what_each_lane_has_found(self) -> None:
        (one,) = [step for step in self.moves()[3]["steps"] if step["what"] == "atomic"]
        self.assertEqual(one["found"], [3 * k for k in range(16)])
        self.assertEqual(set(one["values"]), {48})

    def test_barriers_have_their_numbers_and_who_announces_does_not_wait(self) -> None:
        steps = [step for step in self.moves()[4]["steps"] if step["what"] in ("arrive", "announce", "barrier")]
        self.assertEqual([step["what"] for step in steps], ["announce", "arrive", "barrier"])
        self.assertEqual([step["barrier"] for step in steps], [1, 1, 1])
        for step in (step for step in self.moves()[5]["steps"] if step["what"] == "barrier"):
            self.assertNotIn("barrier", step)

    def test_warps_at_different_barriers_are_both_found(self) -> None:
        launch = self.moves()[5]
        (finding,) = launch["findings"]
        ends = [launch["steps"][finding[name]] for name in ("step", "other_step")]
        self.assertEqual([(step["what"], step["line"]) for step in ends],
                         [("arrive", finding["line"]), ("arrive", finding["other_line"])])  # fmt: skip
        self.assertEqual({step["warp"] for step in ends}, {0, 1})

    def test_of_a_race_between_blocks_both_are_recorded(self) -> None:
        launch = self.moves()[6]
        (race,) = launch["findings"]
        blocks = [launch["steps"][race[name]]["block"] for name in ("step", "other_step")]
        self.assertEqual(blocks, [race["block"], race["other_block"]])
        self.assertEqual(launch["blocks_recorded"], len({0, *blocks}))

    def test_a_page_that_is_heavy_is_said_to_be(self) -> None:
        source, page = self.folder / "heavy.cu", self.folder / "heavy.html"
        source.write_text(
            "__global__ void k(int* o) { for (int i = 0; i < 9000; ++i) atomicAdd(o + threadIdx.x, i); }\n"
            "int main() { int* p; cudaMalloc(&p, 256); cudaMemset(p, 0, 256); k<<<8, 64>>>(p); k<<<8, 64>>>(p); }\n",
            encoding="utf-8",
        )
        program = PROGRAMS / "emulate"
        done = run(program, "--play", page, "--record-blocks", "8", "--record-steps", "20000", source)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"The page has {page.stat().st_size // 1_000_000} MB", done.stderr)
        done = run(program, "--play", page, source)
        self.assertNotIn("The page has", done.stderr)

    def test_a_launch_of_no_threads_is_no_launch(self) -> None:
        self.assertEqual(self.record("0")["launches"], [])

    def test_a_path_that_cannot_be_written_is_refused_before_the_compiler(self) -> None:
        done = run(PROGRAMS / "emulate", "--play", "/nowhere/page.html", self.folder / "faults.cu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this file cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
