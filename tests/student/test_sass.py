#!/usr/bin/env python3
"""Tests what `make sassN` requests from build/bin/sass: the student's kernel, or the reference if it is asked for."""

import contextlib
import io
import pathlib
import stat
import tempfile
import unittest

from book import manifest
from student import sass
from student.failure import Failure
from student.workbook import Workbook

# Writes its arguments to a file. With --names, prints the kernels that the file's name selects.
PROGRAM = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$*" in
  *chapter9\\ --names*)
    echo "sm_90 chapter9::exercise::reduce_shuffles<256u, float>"
    echo "sm_90 chapter9::exercise::reduce_shuffles<256u, int>" ;;
  *--names*)
    echo "sm_90 chapter8::solution::reduce_vector_loads<256u, int>"
    echo "sm_90 chapter9::solution::reduce_shuffles<float, workbook::plus>"
    echo "sm_90 chapter9::solution::reduce_shuffles<int, workbook::plus>" ;;
esac
"""


class Book(Workbook):
    """A workbook with chapters 8 and 9, built in its own folder."""

    def __init__(self, folder, touched):
        self.build_folder = folder
        self.is_touched = touched

    def touched(self, _):
        return self.is_touched

    def program(self, number):
        return str(self.build_folder / "bin" / f"chapter{number}")

    def chapter(self, number):
        return manifest.load()[number]


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "sass" / "machine_code").mkdir(parents=True)
        (self.folder / "sass" / "machine_code" / "chapter9.fatbin").touch()
        program = self.folder / "bin" / "sass"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def calls(self, words, touched=False, number=9):
        """Returns the calls without --names. The path of the folder is removed from them."""
        with contextlib.redirect_stderr(io.StringIO()) as heard:
            self.status = sass.show(Book(self.folder, touched), number, words)
        self.said = heard.getvalue()
        said = (self.folder / "bin" / "calls").read_text(encoding="utf-8").replace(str(self.folder) + "/", "")
        return [line for line in said.splitlines() if "--names" not in line]

    def test_ones_own_kernel_for_ints_is_shown_and_the_reference_named_before_it_is_begun(self):
        for touched in (False, True):
            with self.subTest(touched=touched):
                calls = self.calls(["--loop", "1"], touched=touched)
                mine = "chapter9::exercise::reduce_shuffles<256u, int>"
                self.assertEqual(calls[-1:], [f"bin/chapter9 --kernel {mine} --loop 1"])
                self.assertFalse([call for call in calls if "solution" in call])
                self.assertEqual("ARGS=reference" in self.said, not touched)

    def test_the_reference_is_shown_to_who_asks_for_it(self):
        for touched in (False, True):
            with self.subTest(touched=touched):
                self.assertEqual(
                    self.calls(["reference", "--arch", "all"], touched=touched)[-1:],
                    ["sass/machine_code/chapter9.fatbin --kernel chapter9::solution:: --arch all"],
                )

    def test_ones_own_kernel_has_no_other_architectures(self):
        with self.assertRaisesRegex(Failure, 'sass9 ARGS="reference --arch all"'):
            sass.show(Book(self.folder, True), 9, ["--arch", "all"])

    def test_a_program_without_a_kernel_of_ones_own_is_told(self):
        program = self.folder / "bin" / "sass"
        program.write_text(PROGRAM.replace("::exercise::", "::other::"), encoding="utf-8")
        with self.assertRaisesRegex(Failure, "no machine code"):
            sass.show(Book(self.folder, True), 9, [])

    def test_a_difference_is_taken_from_the_chapter_before(self):
        self.assertEqual(
            self.calls(["--diff"]),
            [
                "sass/machine_code/chapter9.fatbin --diff chapter8::solution::reduce_vector_loads<256u, int> "
                "chapter9::solution::reduce_shuffles<int, workbook::plus>"
            ],
        )

    def test_a_name_of_ones_own_is_looked_for_in_the_chapters_program(self):
        self.assertEqual(self.calls(["--kernel", "float"]), ["bin/chapter9 --kernel float"])

    def test_a_table_holds_all_that_the_lesson_speaks_of(self):
        self.assertEqual(self.calls(["--table"]), ["sass/machine_code/chapter9.fatbin --kernel chapter9:: --table"])

    def test_chapter_0_comes_after_no_other(self):
        with self.assertRaises(Failure):
            sass.show(Book(self.folder, False), 0, ["--diff"])


if __name__ == "__main__":
    unittest.main()
