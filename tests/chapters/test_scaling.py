#!/usr/bin/env python3
"""The programs `scaling` and `machine` on several GPUs, and their records:
test_scaling.py FOLDER_OF_PROGRAMS DATA [UNITTEST WORDS]"""

from __future__ import annotations

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

from book.outputs import scaling

PROGRAM = pathlib.Path(sys.argv[1]) / "scaling"
DATA = pathlib.Path(sys.argv[2])
RECORD = json.loads((DATA / "scaling_h100x2.json").read_text(encoding="utf-8"))
LINKS = json.loads((DATA / "links_h100.json").read_text(encoding="utf-8"))["links"]
MIB = 1 << 20


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


class OnTheEmulator(unittest.TestCase):
    def test_every_way_is_right_and_its_time_is_predicted(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "of three.json"
            done = run("--device", "emulator", "--gpus", 3, "--count", 1001, "--bytes", "4,2052,131076", "--json", file)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            record = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual([row["gpus"] for row in record["sums"]], [1, 2, 3, 1, 2, 3])
        self.assertTrue(all(row["right"] for row in record["sums"]))
        for row in record["all_reduce"]:
            self.assertEqual(row["right"], None if row["way"].startswith("NCCL") else True, row)
            self.assertIsNone(row["further_us"])
            if row["way"] in scaling.OWN:
                self.assertGreater(row["predicted_us"], 0)
        self.assertEqual({row["bytes"] for row in record["short_calls"]}, {4, 2052})  # the mailboxes' lengths
        for row in record["short_calls"]:
            graph_of_waits = row["way"] == "mailboxes" and "in graphs" in row["called"]
            self.assertEqual(row["right"], None if row["way"].startswith("NCCL") or graph_of_waits else True, row)
            if graph_of_waits:
                self.assertIn("the emulator runs a graph's kernels one after another", row["why_not"])

        def predicted(way: str) -> dict[int, float]:
            """Returns the predicted times of the shortest vector, a single float, by the number of GPUs."""
            rows = [row for row in record["all_reduce"] if (row["way"], row["bytes"]) == (way, 4)]
            return {row["gpus"]: row["predicted_us"] for row in rows}

        ring, tree, to_one = map(predicted, ("ring of copies", "tree of peers", scaling.TO_ONE[0]))
        pair = LINKS["pair"]
        self.assertAlmostEqual(tree[3] - tree[2], pair["kernel_step_us"] + pair["copy_relay_us"], 3)  # two rounds
        self.assertAlmostEqual(to_one[3] - to_one[2], pair["launch_us"], 3)
        self.assertAlmostEqual(ring[3] / ring[2], 2, 2)  # 2 (G - 1) steps

    def test_what_it_does_not_understand_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            damaged = pathlib.Path(folder) / "damaged.json"
            links_file = pathlib.Path(folder) / "links.json"
            links = json.loads((DATA / "links_h100.json").read_text(encoding="utf-8"))
            links_file.write_text(json.dumps(links), encoding="utf-8")
            links["links"]["pair"]["word_us"] = -1
            damaged.write_text(json.dumps(links), encoding="utf-8")
            refused: tuple[tuple[tuple[object, ...], str], ...] = (
                (("--gpus", 9), "--gpus"),
                (("--gpus", 0), "--gpus"),
                (("--parts", "sum"), "'sum' is not a part; it can be sums, all_reduce"),
                (("--bytes", "6"), "'6' is not the length of a vector of floats; give a multiple of 4"),
                (("--bytes", "0"), "'0' is not the length"),
                (("--bytes", "4KiB"), "'4KiB' is not the length"),
                (("--bytes", "2^32"), "GB of the host's memory"),
                (("--json", ""), "'' is not the name of a file"),
                (("--links", links_file, "--json", links_file), "which would be lost"),
                (("--links", folder), "no record of links"),
                (("--links", damaged), "a number above 0 is missing at /links/pair/word_us"),
            )
            for words, said in refused:
                done = run("--device", "emulator", *words)
                self.assertIn(done.returncode, (2, 3), words)
                self.assertIn(said, done.stderr)
                self.assertNotIn("terminate", done.stderr)
            self.assertEqual(json.loads(links_file.read_text(encoding="utf-8"))["device"], links["device"])
            of_no_gpus = pathlib.Path(folder) / "of no GPUs.json"
            rows = [dict(RECORD["all_reduce"][0], gpus=0)]
            of_no_gpus.write_text(json.dumps(dict(RECORD, all_reduce=rows)), encoding="utf-8")
            refused = (
                (("--predict-again", damaged, "--json", f"{folder}/x.json"), "that isn't a record of this program"),
                (("--predict-again", of_no_gpus, "--json", f"{folder}/x.json"), "that isn't a record of this program"),
                (("--predict-again", folder, "--json", f"{folder}/x.json"), "there is no such file"),
                (("--predict-again", damaged), "say with --json where"),
                (("--predict-again", damaged, "--json", "x", "--gpus", 2), "--gpus excludes --predict-again"),
            )
            for words, said in refused:
                done = run(*words)
                self.assertIn(done.returncode, (2, 3), words)
                self.assertIn(said, done.stderr)
                self.assertNotIn("terminate", done.stderr)


def counted(gpus: int, *lengths: int) -> dict[tuple[str, int], tuple[list[float], list[float]]]:
    """Returns the number of vectors that each of `gpus` emulated GPUs sends and receives, by method and length."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "traffic.json"
        words = ("--parts", "traffic", "--bytes", ",".join(map(str, lengths)), "--json", file)
        done = run("--device", "emulator", "--gpus", gpus, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        record = json.loads(file.read_text(encoding="utf-8"))
    assert record["traffic_counted_by"] == "the emulator"
    return {
        (row["way"], row["bytes"]): (
            [one / row["bytes"] for one in row["sent_bytes"]],
            [one / row["bytes"] for one in row["received_bytes"]],
        )
        for row in record["traffic"]
        if row["right"]
    }


class Traffic(unittest.TestCase):
    def test_every_gpu_sends_and_receives_what_the_method_says(self) -> None:
        short, long = 1 << 12, 3 << 16  # sent by mailboxes, and by shares, which have equal sizes on 3 and on 4 GPUs
        for gpus in (3, 4):
            found = counted(gpus, short, long)
            others, chunks = gpus - 1, 2 * (gpus - 1) / gpus
            # Each GPU but the first sends its vector up the tree once. In the second round GPU 2 sends the sum of its
            # own and GPU 3's vector, if there is a GPU 3. On the way down it sends the result to GPU 3.
            up = {3: ([0, 1, 1], [2, 0, 0]), 4: ([0, 1, 1, 1], [2, 0, 1, 0])}[gpus]
            both_ways = [sent + received for sent, received in zip(*up, strict=True)]
            for length in (short, long):
                equal = {"ring of copies": chunks, "ring of kernels": chunks, "the same, a thread per element": chunks}
                if length == short:
                    equal["exchange"] = 2 * others  # twice the bytes to each of the others
                expected: dict[str, tuple[typing.Sequence[float], typing.Sequence[float]]]
                expected = {way: ([each] * gpus, [each] * gpus) for way, each in equal.items()}
                expected["meet at GPU 0"] = ([others] + [1] * others, [others] + [1] * others)
                expected["tree, to GPU 0 alone"] = up
                expected["tree of peers"] = (both_ways, both_ways)
                for way, ports in expected.items():
                    for now, wanted in zip(found[way, length], ports, strict=True):
                        for one, other in zip(now, wanted, strict=True):
                            # Three chunks of 1024 floats differ by one element.
                            self.assertAlmostEqual(one, other, delta=0.005, msg=(way, length, gpus))
            for one in (*found["exchange", long][0], *found["exchange", long][1]):
                self.assertGreater(one, chunks)  # the bytes of the shares, and of flags
                self.assertLess(one, 1.02 * chunks)

    def test_the_times_of_the_record_fit_the_bytes_that_the_emulator_counts(self) -> None:
        """No port carries more than it can, and if all are busy all the time, it carries at least 0.8 of that."""
        gpus = max(row["gpus"] for row in RECORD["all_reduce"])
        sent_at = 1 << 18
        found = counted(gpus, sent_at)
        shorter, longer = scaling.lengths(RECORD)[-2:]
        most = max(LINKS["pair"]["copy_one_way_gb_per_s"], LINKS["pair"]["copy_both_ways_gb_per_s"])
        for way in scaling.OWN:
            busiest = max(max(ports) for ports in found[way, sent_at])
            # The difference of two lengths cancels the overhead of a step. GB/s are 10^3 bytes per microsecond.
            us = [scaling.row_of(RECORD, length, way)["further_us"] for length in (shorter, longer)]
            rate = busiest * (longer - shorter) / (us[1] - us[0]) / 1e3
            self.assertLess(rate, 1.02 * most, way)
            if way in ("ring of copies", "ring of kernels", "exchange"):
                self.assertGreater(rate, 0.8 * most, way)
                # The page gives the same rate, but from the method's formula; the emulator's counts include flags.
                self.assertAlmostEqual(float(scaling.carried(RECORD, str(shorter), str(longer), way)), rate, delta=2)


class OfLinks(unittest.TestCase):
    def test_every_pair_and_every_larger_ring_is_measured(self) -> None:
        """Uses the emulator, which has three GPUs here and no times."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "links.json"
            command = [str(PROGRAM.parent / "machine"), "--device", "emulator", "--parts", "links", "--json", str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            links = json.loads(file.read_text(encoding="utf-8"))["links"]
        pairs = [links["pair"], *links["other_pairs"]]
        self.assertEqual([one["gpus"] for one in pairs], [[0, 1], [0, 2], [1, 2]])
        self.assertEqual([one["gpus"] for one in links["rings"]], [[0, 1, 2]])
        for one in pairs:
            self.assertTrue(one["peers"])
            self.assertLessEqual(LINKS["pair"].keys(), one.keys() | {"sizes"})
        steps = {"wait_step_us", "copy_step_us", "kernel_step_us", "copy_kernel_step_us", "launch_us"}
        self.assertLessEqual(steps, links["rings"][0].keys())
        for one in (links["pair"], links["rings"][0]):
            self.assertEqual([row["bytes"] for row in one["sizes"]], [1 << 12, 1 << 16])


class OfShortCalls(unittest.TestCase):
    def test_the_table_has_a_row_for_each_way_and_how_it_is_called(self) -> None:
        """Uses made-up times."""

        def row(way: str, called: str, length: int, us: float | None) -> dict[str, object]:
            over = 9 / us if us and called.startswith("in graphs") and way != "NCCL" else None
            times = {"further_us": us, "alone_us": 30, "further_over_nccl": over}
            return {"gpus": 2, "bytes": length, "way": way, "called": called, **times}

        lengths = (8, 64, 512)
        record = {"short_calls": [row("mailboxes", "in graphs, dependent launches", n, 1 + n / 64) for n in lengths]}
        record["short_calls"] += [row("NCCL", "in graphs", n, 9) for n in lengths]
        record["short_calls"] += [row("mailboxes", "inside one kernel", n, 0.5) for n in lengths]
        record["short_calls"] += [row("mailboxes", "by nobody", 8, None)]
        # Rows for fewer GPUs than the largest number aren't part of the table, and never the fastest.
        record["short_calls"] += [{**row("mailboxes", "in graphs", 8, 0.1), "gpus": 1}]
        lines = scaling.short_calls(record).splitlines()
        self.assertIn("| us | further call, 8 bytes | further call, 512 bytes | alone, 8 bytes", lines[0])
        self.assertEqual(
            lines[2:],
            [
                "| mailboxes, in graphs, dependent launches | 1.12 | 9.00 | 30.00 | 30.00 | 8.00 | 1.00 |",
                "| NCCL, in graphs | 9.00 | 9.00 | 30.00 | 30.00 |  |  |",
                "| mailboxes, inside one kernel | 0.50 | 0.50 | 30.00 | 30.00 |  |  |",
            ],
        )
        dependent = ("mailboxes", "in_graphs,_dependent_launches")
        self.assertEqual(scaling.called_over(record, "64", "further", *dependent), "4.50")
        self.assertEqual(scaling.called_best(record, "8"), "8.00")
        with self.assertRaisesRegex(Exception, "NCCL is not called like `inside one kernel`"):
            scaling.called_over(record, "8", "further", "mailboxes", "inside_one_kernel")
        with self.assertRaisesRegex(Exception, "no time of `mailboxes` called `by nobody`"):
            scaling.called(record, "8", "further", "mailboxes", "by_nobody")

    def test_mailboxes_are_three_times_as_fast_as_nccl_with_dependent_launches(self) -> None:
        record = json.loads((DATA / "scaling_h100x2.json").read_text(encoding="utf-8"))
        rounds = record["provenance"]["repetitions"]
        for row in record["short_calls"]:
            self.assertTrue(row["right"])
            self.assertLess(row["late_rounds"], rounds / 10)  # too few to change a median
        for called in ("by one host thread", "by a host thread per GPU"):
            for length in (8, 64, 512, 4096):
                ours = scaling.short_row(record, length, "mailboxes", f"{called}, dependent launches")
                self.assertGreaterEqual(ours["further_over_nccl"], 3, (called, length))
        for length in (8, 64, 512):
            self.assertGreaterEqual(float(scaling.called_best(record, str(length))), 3, length)


class OfTheRecord(unittest.TestCase):
    def test_the_predictions_are_those_of_today_s_model(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "again.json"
            done = run("--predict-again", DATA / "scaling_h100x2.json", "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            again = json.loads(file.read_text(encoding="utf-8"))
        for old, new in zip(RECORD["all_reduce"], again["all_reduce"], strict=True):
            self.assertTrue(
                math.isclose(old["predicted_us"] or 0, new["predicted_us"] or 0, rel_tol=1e-9),
                "predicted anew: build/bin/scaling --predict-again FILE --json FILE",
            )

    def test_the_model_is_as_close_as_the_page_says(self) -> None:
        self.assertLess(scaling.off(RECORD, "all", 16 * MIB), 5)
        self.assertLess(scaling.off(RECORD, "all", 0), 14)
        self.assertLess(scaling.off(RECORD, "ring of copies", 0), 3)

    def test_two_gpus_bring_what_they_should(self) -> None:
        self.assertGreaterEqual(float(scaling.grows(RECORD, "for_each_GPU")), 1.95)
        for length in (n for n in scaling.lengths(RECORD) if n >= 16 * MIB):
            nccl = scaling.row_of(RECORD, length, "NCCL")["further_us"]
            self.assertGreaterEqual(nccl / scaling.row_of(RECORD, length, "exchange")["further_us"], 1)
            for ring in ("ring of copies", "ring of kernels"):
                self.assertGreaterEqual(nccl / scaling.row_of(RECORD, length, ring)["further_us"], 0.8)
        self.assertTrue(all(row["right"] for row in RECORD["all_reduce"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
