#!/usr/bin/env python3
"""Every program refuses unknown arguments in one line and with status 2, and prints its version:
test_command_lines.py FOLDER TREE"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("build/bin")
TREE = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
SELF = __file__

# The program, its arguments, and a text that the line on standard error must contain.
WRONG: list[tuple[str, list[str], str]] = [
    ("ladder", ["--type", "banana"], "'banana' is not a type; it can be int, unsigned, longlong, float, double"),
    ("ladder", ["--type", "3"], "'3' is not a type"),
    ("ladder", ["--device", "emulatr"], "--device: 'emulatr' is not a device; it can be gpu, emulator"),
    ("ladder", ["--device", "auto"], "'auto' is not a device"),
    ("ladder", ["--counts", "2^10,many"], "--counts: 'many' is not a number of elements"),
    ("ladder", ["--device", "emulator", "--counts", "10", "--block-size", "100"], "power of two"),
    ("ladder", ["--counts", "2^41"], "from 0 to 2^40"),
    ("ladder", ["--block-size", "5"], "--block-size"),
    ("ladder", ["--block-size", "128x"], "--block-size"),
    ("ladder", ["--repetitions", "-1"], "--repetitions"),
    ("ladder", ["--device", "emulator", "--counts", "1", "--json", "/no/such/folder/x.json"], "cannot be written"),
    ("tune", ["--types", "int,longlong"], "--types: 'longlong' is not a type; it can be int, float, double"),
    ("tune", ["--device", "cpu"], "'cpu' is not a device"),
    ("tune", ["--counts", "4Ti"], "'4Ti' is not a number of elements"),
    ("tune", ["--offsets", "-1"], "--offsets: '-1': give a whole number from 0 to 1048576"),
    ("tune", ["--finalists", "0"], "--finalists"),
    ("race_shapes", ["--types", "double"], "--types"),
    ("race_shapes", ["--most", "many"], "--most: 'many' is not a number of elements"),
    ("machine", ["--device", "emulatr"], "'emulatr' is not a device"),
    ("machine", ["--parts", "starts,banana"], "--parts: 'banana' is not a part; it can be starts, launches, latencies"),
    ("machine", ["--parts", "starts", "--cost-table", "x.json"], "--cost-table: the table is made of latencies"),
    ("limits", ["--device", "emulatr"], "'emulatr' is not a device"),
    ("limits", ["--counts", "2^41"], "from 0 to 2^40"),
    ("limits", ["--counts", "0"], "--counts"),
    ("limits", ["--block-sizes", "128,7"], "--block-sizes"),
    ("limits", ["--device", "emulator", "--counts", "64", "--block-sizes", "64,33"], "--block-sizes: "),
    ("limits", ["--repetitions", "0"], "--repetitions: '0': give a whole number from 1 to 100000"),
    (
        "limits",
        ["--device", "emulator", "--counts", "64", "--block-sizes", "64", "--json", "/no/such/folder/x.json"],
        "cannot be written",
    ),
    ("emulate", ["--check", "racechek", SELF], "--check: unknown check 'racechek'"),
    ("emulate", ["--gpu", "h2000", SELF], "--gpu: there is no GPU 'h2000'; it can be"),
    ("emulate", ["--host-threads", "5000", SELF], "--host-threads"),
    ("emulate", ["--max-instructions", "1e6", SELF], "--max-instructions"),
    ("emulate", ["--max-instructions", "-1", SELF], "--max-instructions"),
    ("emulate", ["banana"], "'banana' is neither an option, nor a .cu or .cpp file, nor a program"),
    ("superopt", ["--seconds", "-1"], "--seconds: '-1': give a number from 0"),
    ("superopt", ["--seconds", "nan"], "--seconds"),
    ("superopt", ["--penalty", "-5"], "--penalty"),
    ("superopt", ["--chains", "99999999"], "--chains: '99999999': give a whole number from 1 to 4096"),
    ("superopt", ["--name", "1x;y"], "'1x;y' isn't a name of a function"),
    ("sass", ["--arch", "hopper", SELF], "is no object file, program, fat binary or cubin"),
    ("sass", ["--loop", "first", SELF], "--loop"),
    ("sass", ["--lines", "9-3", SELF], "--lines 9-3 ends before it begins"),
    ("superopt", ["--target", "sum17"], "no target 'sum17'"),
    ("superopt", ["--cost", "volta"], "no cost table 'volta'"),
    ("superopt", ["--budget", "some"], "--budget: 'some' isn't a number of proposals"),
    ("superopt", ["--seed", "-1"], "--seed"),
    ("superopt", ["--threads", "all"], "--threads"),
    ("superopt", ["--opcodes", "SHFL.UP"], "unknown opcode 'SHFL.UP'"),
    ("agreement", ["--device", "emulatr"], "'emulatr' is not a device"),
    ("agreement", ["--data", "/no/such/folder"], "/no/such/folder"),
    ("julia_set", ["--device", "emulatr"], "'emulatr' is not a device"),
    ("julia_set", ["--width", "0"], "--width"),
    ("julia_set", ["--image", "/no/such/folder/x.pgm"], "cannot be written"),
    ("large_sum", ["--device", "emulatr"], "'emulatr' is not a device"),
    ("large_sum", ["--slice", "10"], "'10' is not the size of a slice"),
    ("ranks16", ["--gpus", "4"], "--gpus: every rank has one"),
    ("ranks16", ["--type", "banana"], "'banana' is not a type"),
    ("specimen", ["no_such_kernel", "100", "int", "128"], "no kernel of the zoo is named no_such_kernel"),
    ("specimen", ["no_such_kernel", "100", "banana", "128"], "'banana' is not a type"),
    ("specimen", ["no_such_kernel", "many", "int", "128"], "'many' is not a number of elements"),
    ("wrong_kernel", ["no_such_kernel", "100", "128", "int8"], "'int8' is not a type"),
    ("wrong_kernel", ["no_such_kernel", "100", "128", "int"], "no kernel of the zoo is named no_such_kernel"),
    ("make_seeds", ["seeds", "/no/such/file"], "/no/such/file"),
    ("make_seeds", ["seeds"], "files"),
    ("fuzz_ptx", [], "given"),
    ("fuzz_ptx", ["--seconds", "ten", SELF], "--seconds"),
    ("fuzz_ptx", ["/no/such/file"], "there is no file /no/such/file"),
    ("fuzz_fat_binary", ["--largest", "-1", SELF], "--largest"),
    ("exercise_host", [], "exercise_host LIBRARY"),
]
OPTIONS = ["ladder", "tune", "race_types", "race_shapes", "machine", "limits", "emulate", "sass", "superopt",
           "agreement", "julia_set", "large_sum", "ranks16",
           "bench_emulator", "bench_superopt", "specimen", "wrong_kernel", "make_seeds",
           "fuzz_ptx", "fuzz_fat_binary"]  # fmt: skip
# These programs report a missing required argument before an unknown one.
FIRST = {"emulate": "no source file", "make_seeds": "folder is required", "specimen": "name is required",
         "wrong_kernel": "name is required", "fuzz_ptx": "given is required",
         "fuzz_fat_binary": "given is required"}  # fmt: skip
WRONG += [(name, ["--frobnicate"], FIRST.get(name, "--frobnicate")) for name in OPTIONS]
# Programs that are missing if the build has no grader, or no MPI.
OPTIONAL = {"exercise_host", "ranks16"}
# The programs of Catch2 have its options. `student_program` takes only the name of a kernel.
WITHOUT_VERSION = re.compile(r"test_\w+|student_program")
# Python programs that `make` calls, as modules of common.
MODULES = ("book", "bootstrap")


def version_of_the_tree() -> str:
    """Returns the version in CMakeLists.txt, which is the only file that has it."""
    found = re.search(r"^project\(\w+ VERSION ([0-9.]+)", (TREE / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


class CommandLines(unittest.TestCase):
    @staticmethod
    def ran(program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([FOLDER / program, *words], capture_output=True, text=True, check=False, timeout=120)

    def test_what_a_program_does_not_know_is_refused_in_one_line(self) -> None:
        for program, words, expected in WRONG:
            if program in OPTIONAL and not (FOLDER / program).exists():
                continue
            with self.subTest(program=program, words=words):
                ran = self.ran(program, *words)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertEqual(ran.stdout, "")
                self.assertIn(expected, ran.stderr)
                self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
                self.assertIn(program, ran.stderr)

    def test_a_chapter_shows_the_rows_under_one_heading(self) -> None:
        for chapter, words, expected in (
            (
                "chapter13",
                ["--group", "banana"],
                "contains 'banana'; the headings are: the softmax of each row; the sum of (x",
            ),
            ("chapter13", ["--group", ""], "no heading of the table contains ''"),
            ("chapter13", ["--group", "bags", "--test"], "--test excludes --group"),
            ("chapter12", ["--group", "bags"], "this chapter's table has no headings: leave it out."),
        ):
            with self.subTest(chapter=chapter, words=words):
                refused = self.ran(chapter, *words)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertIn(expected, refused.stderr)
        bags = self.ran("chapter13", "--count", "4096", "--device", "emulator", "--group", "BAGS")
        self.assertEqual(bags.returncode, 0, bags.stderr)
        self.assertIn("\nbalanced ", bags.stdout)
        self.assertNotIn("three passes", bags.stdout)
        self.assertNotIn("Goal", bags.stdout)
        self.assertIn("Your kernel is under another heading: `make chapter13` shows all.", bags.stdout)
        whole = self.ran("chapter13", "--count", "4096", "--device", "emulator", "--group", "softmax")
        self.assertIn("\nthree passes ", whole.stdout)
        self.assertIn("\nGoal", whole.stdout)

    def test_every_program_prints_the_version_of_the_tree(self) -> None:
        programs = [path for path in sorted(FOLDER.iterdir()) if path.is_file() and os.access(path, os.X_OK)]
        programs = [path for path in programs if not WITHOUT_VERSION.fullmatch(path.name)]
        self.assertGreater(len(programs), 20)
        for program in programs:
            with self.subTest(program=program.name):
                ran = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=120)
                expected = f"{program.name} {version_of_the_tree()} (Reduction Workbook)\n"
                self.assertEqual((ran.returncode, ran.stdout), (0, expected))
                # A judge without an exercise says so before its options are read.
                if not program.name.startswith("judge"):
                    self.assertEqual(ran.stderr, "")

    def test_every_python_program_prints_the_version_of_the_tree(self) -> None:
        for module in MODULES:
            with self.subTest(module=module):
                ran = subprocess.run(
                    [sys.executable, "-m", module, "--version"],
                    env={**os.environ, "PYTHONPATH": str(TREE / "common")},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=120,
                )
                expected = f"{module} {version_of_the_tree()} (Reduction Workbook)\n"
                self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, expected, ""))

    def test_help_is_no_error(self) -> None:
        for program in OPTIONS:
            if program in OPTIONAL and not (FOLDER / program).exists():
                continue
            with self.subTest(program=program):
                ran = self.ran(program, "--help")
                self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main()
