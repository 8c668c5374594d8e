#!/usr/bin/env python3
"""Tests an exercise that is saved while it is graded. The sheet is about the text that was read, and reports the
save."""

import pathlib
import tempfile
import types
import typing
import unittest

from course.grade import points, run, submissions
from course.grade.chapters import Chapter
from course.grade.result import Result, State
from course.grade.sheet import Sheet


class Saved(unittest.TestCase):
    def test_what_was_saved_since_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            chapters = [types.SimpleNamespace(number=n, exercise=pathlib.PurePath(f"{n}.cuh")) for n in (1, 2, 3)]
            # Only these two members are read.
            sheet = Sheet(typing.cast("list[Chapter]", chapters), {"seed": 1}, points.parse("right=4"), "")
            for chapter in chapters:
                (root / chapter.exercise).write_text("graded")
                state = State.NOT_STARTED if chapter.number == 3 else State.JUDGED
                file = submissions.read(root, chapter.exercise)
                assert file
                sheet.add(run.OWN, chapter.number, file.key, Result(state))
            self.assertEqual(run.saved_meanwhile(sheet, root), [])
            (root / "2.cuh").write_text("saved")
            (root / "3.cuh").write_text("begun")
            self.assertEqual(run.saved_meanwhile(sheet, root), [pathlib.PurePath("2.cuh")])
            (root / "1.cuh").unlink()
            self.assertEqual(len(run.saved_meanwhile(sheet, root)), 2)


if __name__ == "__main__":
    unittest.main()
