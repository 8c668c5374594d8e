#!/usr/bin/env python3
"""Tests that book.outputs inserts what a program prints, finds stale parts, and ignores differences in times."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = [sys.executable, "-m", "book.outputs"]
PAGE = "before\n<!-- output:chapter1 begin --count 4 -->\n<!-- output:chapter1 end -->\nafter\n"


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.md"
        self.page.write_text(PAGE)
        self.program('echo "arguments: $*"; echo "sum 10   in 1.25 ms"')

    def program(self, script):
        path = self.folder / "chapter1"
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)

    def run_tool(self, *options):
        return subprocess.run(
            [*TOOL, *options, "--programs", self.folder, self.page], capture_output=True, text=True, check=False
        )

    def test_writes_the_command_and_its_output_between_the_markers(self):
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertEqual(
            self.page.read_text(),
            """before
<!-- output:chapter1 begin --count 4 -->
```text
$ make chapter1 ARGS="--count 4"
arguments: --count 4 --device emulator
sum 10   in 1.25 ms
```
<!-- output:chapter1 end -->
after
""",
        )

    def test_a_profile_is_shown_as_it_is_asked_for(self):
        self.page.write_text(PAGE.replace("--count 4", "--profile yours --count 4"))
        self.program('echo "arguments: $*, columns: $COLUMNS"')
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertIn('$ make profile1 ARGS="yours --count 4"', self.page.read_text())
        self.assertIn("arguments: --profile yours --count 4 --device emulator, columns: 100", self.page.read_text())

    def test_paragraphs_can_be_left_out(self):
        self.program('printf "%s\\n" "the table" "" "on a GPU" "its times" "" "Goal: fewer" "" "The end: $*"')
        without = 'begin --count 4 | without "on a" Goal -->'
        self.page.write_text(PAGE.replace("begin --count 4 -->", without))
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertIn(
            '$ make chapter1 ARGS="--count 4"\nthe table\n\n…\n\nThe end: --count 4 --device emulator\n```',
            self.page.read_text(),
        )
        self.assertEqual(self.run_tool("--check").returncode, 0)
        self.page.write_text(PAGE.replace("begin --count 4 -->", without.replace("Goal", "Aim")))
        done = self.run_tool()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no paragraph of the output begins with `Aim`", done.stderr)

    def test_an_empty_block_is_stale(self):
        self.assertEqual(self.run_tool("--check").returncode, 1)
        self.assertEqual(self.page.read_text(), PAGE)

    def test_another_time_is_not_stale_but_another_sum_is(self):
        self.run_tool()
        self.program('echo "arguments: $*"; echo "sum 10   in 11.5 ms"')
        self.assertEqual(self.run_tool("--check").returncode, 0)
        self.program('echo "arguments: $*"; echo "sum 11   in 1.25 ms"')
        done = self.run_tool("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-sum 10   in 1.25 ms", done.stdout)
        self.assertIn("+sum 11   in 1.25 ms", done.stdout)

    def test_a_failing_program_is_an_error_and_changes_nothing(self):
        self.program("echo wrong; exit 1")
        done = self.run_tool()
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with 1", done.stderr)
        self.assertEqual(self.page.read_text(), PAGE)

    def test_a_kernel_of_the_zoo_has_to_have_a_finding(self):
        self.page.write_text(PAGE.replace("chapter1", "specimen").replace("--count 4", "volatile_warp 1000 int 256"))
        specimen = self.folder / "specimen"
        (self.folder / "chapter1").rename(specimen)
        specimen.write_text('#!/bin/sh\necho "racecheck: $*"; exit 1\n')
        self.assertEqual(self.run_tool().returncode, 0)
        shown = "$ build/bin/specimen volatile_warp 1000 int 256\nracecheck: volatile_warp 1000 int 256\n"
        self.assertIn(shown, self.page.read_text())
        specimen.write_text("#!/bin/sh\necho right\n")
        self.assertIn("ended with 0", self.run_tool("--check").stderr)

    def test_a_program_that_is_not_built_is_named(self):
        (self.folder / "chapter1").unlink()
        self.assertIn("is not built", self.run_tool("--check").stderr)

    def sass_page(self, listing):
        """Writes a page with a listing of machine code, and a program that prints a different listing for the same
        compiler."""
        self.page.write_text(
            '<!-- output:sass6 begin --table -->\n```text\n$ make sass6 ARGS="--table"\n'
            + listing
            + "```\n<!-- output:sass6 end -->\n"
        )
        (self.folder / "bin").mkdir()
        (self.folder / "sass" / "machine_code").mkdir(parents=True)
        (self.folder / "sass" / "machine_code" / "chapter6.fatbin").touch()
        program = self.folder / "bin" / "sass"
        program.write_text("#!/bin/sh\necho '0x0000 EXIT'; echo 'assembled by CUDA 13.0, read by nvdisasm 13.2'\n")
        program.chmod(0o755)
        return subprocess.run(
            [*TOOL, "--check", "--programs", self.folder / "bin", self.page],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_machine_code_of_todays_compiler_is_compared(self):
        done = self.sass_page("0x0000 NOP\nassembled by CUDA 13.0, read by nvdisasm 13.2\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("-0x0000 NOP", done.stdout)

    def test_machine_code_of_another_compiler_is_not_compared_and_both_are_named(self):
        done = self.sass_page("0x0000 NOP\nassembled by CUDA 12.6, read by nvdisasm 13.2\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("CUDA 12.6", done.stdout)
        self.assertIn("CUDA 13.0", done.stdout)

    def test_a_search_without_a_solver_is_not_compared_with_one_that_had_it(self):
        superopt = self.folder / "superopt"
        for shown, todays, status in (
            ("62 cycles, proved", "60 cycles\n  this build has no Z3", 0),
            ("62 cycles, proved", "61 cycles, proved", 1),
            ("9 cycles\n  this build has no Z3", "8 cycles\n  this build has no Z3", 1),
        ):
            with self.subTest(today=todays):
                self.page.write_text(
                    f"<!-- output:superopt begin -->\n```text\n$ make superopt\n{shown}\n```\n"
                    "<!-- output:superopt end -->\n"
                )
                superopt.write_text(f"#!/bin/sh\nprintf '%s\\n' '{todays}'\n")
                superopt.chmod(0o755)
                done = self.run_tool("--check")
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertEqual("has no Z3" in done.stdout, "has no Z3" in todays)

    def test_ranks_are_not_compared_where_the_build_has_no_mpi(self):
        self.page.write_text("<!-- output:ranks begin -->\n```text\nold\n```\n<!-- output:ranks end -->\n")
        done = self.run_tool("--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ranks not compared: this build has no MPI", done.stdout)

    def test_ranks_are_shown_as_a_plain_build_prints_them(self):
        self.page.write_text("<!-- output:ranks begin --count 5 -->\n<!-- output:ranks end -->\n")
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "ranks16").touch()
        mpirun = self.folder / "mpirun"
        mpirun.write_text('#!/bin/sh\necho "mpirun (Open MPI) 4.1.4; its words: $*"\n')
        mpirun.chmod(0o755)
        done = subprocess.run(
            [*TOOL, "--programs", programs, self.page],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(
            '$ make ranks ARGS="--count 5"\nmpirun -n 4 --oversubscribe --bind-to none build/bin/chapter16 --count 5\n',
            self.page.read_text(),
        )
        self.assertRegex(self.page.read_text(), "its words: -n 4 .*build/bin/chapter16 --device emulator --count 5\n")

    def step_page(self, marker):
        """Runs the tool on a page next to a step. The emulator prints the step and its name, and reports a finding."""
        (self.folder / "steps").mkdir()
        (self.folder / "steps" / "3_map.cu").write_text("if (i < n) work();\n")
        emulate = self.folder / "emulate"
        emulate.write_text(
            '#!/bin/sh\n[ "$1" != --profile ] || shift\ncat "$1"; echo "$1:1: said" >&2; grep -q if "$1" || exit 86\n'
        )
        emulate.chmod(0o755)
        self.page.write_text(f"<!-- {marker} -->\n<!-- {marker.split()[0]} end -->\n")
        return self.run_tool()

    def test_a_step_is_shown_with_what_it_prints_and_what_the_emulator_says(self):
        self.assertEqual(self.step_page("output:step3 begin").returncode, 0)
        self.assertIn("```text\n$ make step3\nif (i < n) work();\n3_map.cu:1: said\n```", self.page.read_text())

    def test_a_change_of_a_step_is_made_in_a_copy_and_may_fail(self):
        done = self.step_page('output:step3 begin "if (i < n) " ""')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("```text\n$ make step3\nwork();\n3_map.cu:1: said\n```", self.page.read_text())
        self.assertEqual((self.folder / "steps" / "3_map.cu").read_text(), "if (i < n) work();\n")

    def test_a_change_that_finds_no_place_in_the_step_is_an_error(self):
        done = self.step_page('output:step3 begin "if (i > n) " ""')
        self.assertEqual(done.returncode, 1)
        self.assertIn("has `if (i > n) ` 0 times", done.stderr)

    def test_any_program_beside_a_page_is_shown_with_the_command_that_runs_it(self):
        done = self.step_page('output:run begin steps/3_map.cu "if (i < n) " ""')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("```text\n$ build/bin/emulate 3_map.cu\nwork();\n3_map.cu:1: said\n```", self.page.read_text())
        self.page.write_text("<!-- output:run begin steps/4.cu -->\n<!-- output:run end -->\n")
        self.assertIn("names no file", self.run_tool().stderr)

    def test_a_report_is_that_of_a_program_in_which_something_is_found(self):
        self.step_page("output:step3 begin")
        (self.folder / "wrong.cu").write_text("work();\n")
        (self.folder / "right.cu").write_text("if (i < n) work();\n")
        self.page.write_text("<!-- output:report begin wrong.cu -->\n<!-- output:report end -->\n")
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertIn("```text\n$ build/bin/emulate wrong.cu\nwork();\nwrong.cu:1: said\n```", self.page.read_text())
        self.page.write_text("<!-- output:report begin right.cu -->\n<!-- output:report end -->\n")
        self.assertIn("right.cu ended with 0, not 86", self.run_tool().stderr)

    def test_of_a_profile_only_the_wanted_lines_are_shown(self):
        done = self.step_page('output:run begin steps/3_map.cu --profile "work|said" work rest "i < n" "i < m"')
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = "$ build/bin/emulate --profile 3_map.cu 2>&1 | grep -E 'work|said'\n3_map.cu:1: said\n```"
        self.assertIn(f"```text\n{shown}", self.page.read_text())
        self.page.write_text("<!-- output:run begin steps/3_map.cu --profile -->\n<!-- output:run end -->\n")
        self.assertIn("takes an expression", self.run_tool().stderr)

    def mistake_page(self, marker):
        """Runs the tool on a page with one mistake, in a build without a judge."""
        (self.folder / "bin").mkdir(exist_ok=True)
        self.page.write_text(f"<!-- {marker} -->\nas it was\n<!-- {marker.split()[0]} end -->\n")
        command: list[str | pathlib.Path] = [*TOOL, "--programs", self.folder / "bin", self.page]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_mistake_is_shown_as_the_lines_that_it_changes(self):
        done = self.mistake_page("mistake:change begin 3 unsigned_is_never_negative")
        self.assertEqual(done.returncode, 0, done.stderr)
        loop = "  for (unsigned stride = blockDim.x / 2; stride {} 0; stride /= 2) {{\n"
        self.assertIn(f"```diff\n-{loop.format('>')}+{loop.format('>=')}```\n", self.page.read_text())

    def test_a_build_without_a_judge_says_that_it_leaves_what_is_said_of_a_mistake(self):
        done = self.mistake_page("mistake:answer begin 3 unsigned_is_never_negative --count 2^16")
        self.assertEqual((done.returncode, "as it was" in self.page.read_text()), (0, True), done.stderr)
        self.assertIn("unsigned_is_never_negative not compared:", done.stdout)

    def test_a_mistake_that_is_not_there_is_an_error(self):
        for marker, said in (
            ("mistake:change begin 3 none", "no mistake none of chapter 3"),
            ("mistake:why begin 3 none", "it is `mistake:change` with a chapter"),
            ("mistake:answer begin 3", "it is `mistake:change` with a chapter"),
        ):
            with self.subTest(marker):
                done = self.mistake_page(marker)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)

    def listing_page(self, command, shown=""):
        """Writes a page with a listing of the vector addition, and a build whose compiler can only print its version.
        Returns a function that runs the tool."""
        (self.folder / "build" / "bin").mkdir(parents=True)
        nvcc = self.folder / "tools" / "nvcc"
        nvcc.parent.mkdir()
        nvcc.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 13.0, V13.0.88' || grep -c __global__ $1\n")
        nvcc.chmod(0o755)
        (self.folder / "build" / "CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={nvcc}\n")
        self.page.write_text(f"<!-- listing begin {command} -->\n{shown}<!-- listing end -->\n")

        def run(*options):
            command = [*TOOL, *options, "--programs", self.folder / "build" / "bin", self.page]
            return subprocess.run(command, capture_output=True, text=True, check=False)

        return run

    def test_a_listing_is_what_the_compiler_of_the_build_prints(self):
        run = self.listing_page("vector_add.cu: nvcc vector_add.cu")
        self.assertEqual(run().returncode, 0)
        self.assertIn("```text\n$ nvcc vector_add.cu\n1\n```\n<!-- by nvcc 13.0.88 -->\n", self.page.read_text())
        self.assertEqual(run("--check").returncode, 0)
        self.page.write_text(self.page.read_text().replace("\n1\n", "\n2\n"))
        self.assertEqual(run("--check").returncode, 1)

    def test_a_listing_of_another_compiler_is_not_compared_and_both_are_named(self):
        run = self.listing_page(
            "vector_add.cu: nvcc vector_add.cu",
            "```text\n$ nvcc vector_add.cu\n2\n```\n<!-- by nvcc 12.6.20 -->\n",
        )
        done = run("--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nvcc 12.6.20 made what is shown, and today it is nvcc 13.0.88", done.stdout)

    def test_a_listing_that_fails_is_an_error(self):
        for command, words in (
            ("vector_add.cu: false", "`false` ended with 1"),
            ("nothing.cu: true", "0 files nothing.cu"),
            ("vector_add.cu", "a file, a colon, and a command"),
        ):
            with self.subTest(command):
                self.setUp()
                done = self.listing_page(command)()
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_a_program_is_shown_as_it_stands_beside_the_page(self):
        self.assertEqual(self.step_page("source begin steps/3_map.cu").returncode, 0)
        self.assertIn("```cpp\nif (i < n) work();\n```\n<!-- source end -->", self.page.read_text())
        (self.folder / "steps" / "3_map.cu").write_text("work();\n")
        self.assertEqual(self.run_tool("--check").returncode, 1)

    def test_only_the_functions_that_a_page_names_are_shown(self):
        done = self.step_page("source begin steps/3_map.cu second")
        self.assertEqual(done.returncode, 1)
        self.assertIn("steps/3_map.cu has no function second", done.stderr)
        first, second = "int first() {\n  return 1;\n}\n", "// Two.\ntemplate <int>\nint second() {\n  return 2;\n}\n"
        (self.folder / "steps" / "3_map.cu").write_text(f"#include <a>\n\n{first}\n{second}\nint other() {{\n}}\n")
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertIn(f"```cpp\n{second}```\n<!-- source end -->", self.page.read_text())

    def test_a_begin_without_an_end_is_an_error(self):
        self.page.write_text(PAGE.replace("chapter1 end", "chapter2 end"))
        self.assertIn("without its end", self.run_tool("--check").stderr)


if __name__ == "__main__":
    unittest.main()
