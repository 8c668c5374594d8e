#!/usr/bin/env python3
"""Tests repairs of the zoo's kernels, which are compiled and judged like a student's: test_repair.py BUILD. Takes a
minute."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from student import repair
from student.specimen import all_specimens

ROOT = pathlib.Path(__file__).resolve().parents[2]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"

TREE = """  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
"""
# Repairs that a student might write: the kernel, a pattern that finds its mistake, and the replacement.
REPAIRS = {
    "missing_barrier_after_load": (r"(T\{\};\n)(  for)", r"\1  __syncthreads();\n\2"),  # racecheck
    "tile_too_small": (r"block_size / 2 \*", "block_size *"),  # memcheck
    "uninitialised_tile": (r"if \(i < n\) tile\[tid\] = in\[i\];", "tile[tid] = i < n ? in[i] : T{};"),  # initcheck
    "divergent_barrier": (r"      __syncthreads\(\);\n    \}", "    }\n    __syncthreads();"),  # synccheck
    "dropped_tail": (r"n / blockDim.x \* blockDim.x", "n"),  # verification
    "unchecked_grid": (r"static_cast<unsigned>\(n / block_size\)", "grid_size"),  # launch
    "endless_loop": (r"  for \(volatile.*\n", TREE),  # limit
    "wrong_member_mask": (r"  T sum = (.*\n){4}", ""),  # synccheck
    "narrow_accumulator": (r"int sum = 0;((.*\n)*?.*)static_cast<int>\(tile\[k\]\)", r"T sum{};\1tile[k]"),  # two types
    "last_block_without_fence": (
        r"    last = (.*\n)",  # racecheck, between blocks
        r"    __threadfence();\n    last = \1    if (last) __threadfence();\n",
    ),
    "use_after_free": (r"  cudaFree\(temporary\);\n(.*\n)", r"\1  cudaFree(temporary);\n"),  # memcheck, on the host
}


class Repairs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name)
        (self.tree / "tests/kernels").mkdir(parents=True)
        (self.tree / "tests/kernels/wrong_kernels").symlink_to(ROOT / "tests/kernels/wrong_kernels")
        self.named = {one.name: one for one in all_specimens(self.tree)}

    def play(self, own, *words):
        command = [sys.executable, "-m", "book", "zoo", "--root", self.tree, "--build", BUILD, str(own.number), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    def given(self, own):
        self.assertEqual(self.play(own, "--repair").returncode, 0)
        return repair.file_of(own, self.tree)

    def test_every_kernel_as_it_is_fails(self):
        for own in self.named.values():
            with self.subTest(kernel=own.name):
                verdict = repair.judge(own, BUILD / "bin/specimen", own.name)
                self.assertFalse(verdict.right)
                self.assertEqual(verdict.problem, own.shown_for)  # the first one
                self.assertTrue(verdict.said)

    def test_repaired_kernels_of_all_kinds_pass_and_are_remembered(self):
        checks = {self.named[name].check for name in REPAIRS}
        self.assertEqual(checks, {one.check for one in self.named.values()})
        for name, (pattern, by) in REPAIRS.items():
            own = self.named[name]
            with self.subTest(kernel=name):
                path = self.given(own)
                text, count = re.subn(pattern, by, path.read_text(), count=1)
                self.assertEqual(count, 1)
                path.write_text(text)
                done = self.play(own, "--repair")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("Repaired: right and without a finding", done.stdout)
                self.assertIn(f"It was: {own.fault}.", " ".join(done.stdout.split()))
        remembered = json.loads((self.tree / ".workbook/progress.json").read_text())["chapters"]["zoo repairs"]
        self.assertEqual(remembered, dict.fromkeys(REPAIRS, True))

    def test_a_kernel_that_is_only_touched_or_half_repaired_fails_in_words(self):
        for name, pattern, by, said in (
            ("missing_barrier_after_load", "n", "n", "racecheck: "),
            # Right for the block size that showed the fault, but wrong for another one.
            ("tile_too_small", r"block_size / 2 \* sizeof\(T\)", "128 * sizeof(T)", "in blocks of 256 threads"),
            # Right for the number of elements that showed the fault, but wrong for another one.
            ("wrong_for_one_size", "n == 1000", "n == 999", "With 999 elements"),
            ("narrow_accumulator", r"int sum = 0;", "float sum = 0;", "The sum is wrong"),
        ):
            own = self.named[name]
            with self.subTest(kernel=name):
                path = self.given(own)
                path.write_text(re.sub(pattern, by, path.read_text(), count=1) + "// looked at\n")
                done = self.play(own, "--repair")
                self.assertEqual(done.returncode, 1)
                self.assertIn("Not repaired yet.", done.stdout)
                self.assertIn(said, " ".join(done.stdout.split()))
                self.assertNotIn(own.name, done.stdout)
                for line in done.stdout.split("\n"):
                    self.assertLessEqual(len(line), 80, line)
        self.assertFalse((self.tree / ".workbook/progress.json").exists())

    def test_what_the_compiler_says_is_shown_as_it_is(self):
        own = self.named["off_by_one"]
        path = self.given(own)
        path.write_text(path.read_text().replace("__global__", "__globe__", 1))
        done = self.play(own, "--repair")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"{own.number}\.cuh\(\d+\): error: ")
        self.assertIn("It does not compile.", done.stdout)

    def test_a_kernel_that_breaks_its_program_is_not_repaired(self):
        own = self.named["off_by_one"]
        path = self.given(own)
        path.write_text(
            path.read_text().replace("  const unsigned grid_size", "  __builtin_trap();\n  const unsigned grid_size", 1)
        )
        done = self.play(own, "--repair")
        self.assertEqual(done.returncode, 1)
        self.assertIn("The program ended by itself.", done.stdout)
        self.assertNotIn("Traceback", done.stderr)

    def test_an_untouched_file_is_not_judged_and_reset_keeps_the_students(self):
        own = self.named["off_by_one"]
        path = self.given(own)
        first = path.read_text()
        done = self.play(own, "--repair")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not yet touched", done.stdout)
        path.write_text(first + "// mine\n")
        for _ in range(2):
            done = self.play(own, "--reset")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(path.read_text(), first)
        kept = sorted(path.parent.glob("*.bak"))
        self.assertEqual(len(kept), 2)
        self.assertTrue(any(one.read_text().endswith("// mine\n") for one in kept))


if __name__ == "__main__":
    unittest.main()
