#!/usr/bin/env python3
"""Tests that hostile submissions change no other grade and gain no points: test_hostile.py BUILD. Takes a minute."""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest

import malice
from book import exercises, manifest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
EXERCISE = pathlib.PurePosixPath("chapters/03_sequential_addressing/reduce.cuh")

# The points that a hostile submission may get. Submissions that are not listed get none.
HARMLESS = {
    "writes_much": {"right", "clean", "accuracy"},  # one block does nothing but write, and that counts
    "reaches_the_goal_for_blocks_of_256_only": {"right", "clean", "accuracy"},
    "hides_behind_an_empty_launch": {"right", "clean", "accuracy"},
    "is_wrong_for_floats_in_blocks_of_64": {"right", "clean"},
    # Its forks are refused, but the rest of it is right.
    "forks": {"right", "clean", "goal", "accuracy"},
}
# Text that the sheet has to contain for some of the other submissions.
WORDS = {
    "loops_in_host": "did not return",
    "exits_early": "its process",
    "forges_an_answer": "no thread wrote",
    "compile_bomb": "was stopped",
    "chooses_while_loaded": "ifunc",
    "includes_the_solution": "",
    "reads_the_journal_while_it_is_assembled": "assembly",
    "reads_it_in_a_section_name": "assembly",
    "includes_through_proc": "not its own",
    "has_a_mark_that_is_too_long": "not its own",
    "has_a_mark_with_a_nul": "not its own",
    "asks_for_the_time": "asks for the time",
    "is_a_link": "a link",
    "is_a_pipe": "regular file",
    "is_large": "bytes",
}


PR_SET_CHILD_SUBREAPER = 36  # sys/prctl.h


def living_children():
    """Returns {process: command line} of this process's children that have not ended."""
    found = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (process / "stat").read_text().rpartition(") ")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                words = (process / "cmdline").read_bytes().decode(errors="replace")
                found[int(process.name)] = words.replace("\0", " ").strip()
        except OSError:  # it has ended in the meantime
            pass
    return found


class Hostile(unittest.TestCase):
    place: tempfile.TemporaryDirectory[str]
    folder: pathlib.Path
    mark: pathlib.Path
    right: str
    submissions: pathlib.Path
    sheet: dict[str, typing.Any]

    @classmethod
    def setUpClass(cls):
        # If its parent ends, a process becomes a child of this process and not of the system's init process.
        assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
        cls.place = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.folder = pathlib.Path(cls.place.name)
        cls.mark = cls.folder / "written"
        solution = (ROOT / "solutions" / pathlib.Path(*EXERCISE.parts[1:])).read_text()
        start = exercises.start_text(manifest.load()[3])
        cls.right = solution.replace("::solution", "::exercise")
        cls.submissions = cls.folder / "all"
        honest = cls.write(cls.submissions, "ada", cls.right)
        places = {
            "MARK": cls.mark,
            "NEIGHBOUR": honest,
            "SOLUTION": ROOT / "solutions" / EXERCISE.relative_to("chapters"),
        }
        for name in malice.PIECES:
            cls.write(cls.submissions, name, malice.submission(solution, start, name, places))
        cls.write(cls.submissions, "is_large", cls.right + "//" + " " * 300000)
        cls.path(cls.submissions, "is_a_link").symlink_to(honest)
        os.mkfifo(cls.path(cls.submissions, "is_a_pipe"))
        cls.sheet = cls.grade(cls.submissions, "--no-bubblewrap")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @staticmethod
    def path(folder, name):
        path = folder / name / EXERCISE
        path.parent.mkdir(parents=True)
        return path

    @classmethod
    def write(cls, folder, name, text):
        path = cls.path(folder, name)
        path.write_text(text)
        return path

    @classmethod
    def grade(cls, submissions, *more):
        # If a file is honest, no step of the compiler takes more than half a second of processor time.
        out = cls.folder / f"sheet of {submissions.name}"
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "book",
                "grade",
                "--build",
                BUILD,
                "--submissions",
                submissions,
                "--chapters",
                "3",
                "--seed",
                "11",
                "--out",
                out,
                "--compile-seconds",
                "4",
                *more,
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=550,
        )
        assert done.returncode == 0, done.stderr
        data = json.loads((out / "sheet.json").read_text())
        return {row["name"]: row["chapters"]["3"] for row in data["submissions"]}

    def test_an_honest_neighbour_has_the_grade_that_it_has_alone(self):
        alone = self.folder / "alone"
        self.write(alone, "ada", self.right)
        self.assertEqual(self.grade(alone, "--no-bubblewrap")["ada"], self.sheet["ada"])
        self.assertEqual(self.sheet["ada"]["points"], 10)

    def test_no_malice_gives_a_point(self):
        self.assertEqual(len(self.sheet), len(malice.PIECES) + 4)
        for name, result in self.sheet.items():
            if name == "ada":
                continue
            with self.subTest(submission=name, words=result["words"]):
                got = {part for part in ("right", "clean", "goal", "accuracy") if result[part]}
                self.assertEqual(got, HARMLESS.get(name, set()))
                self.assertIn(WORDS.get(name, ""), " ".join(result["words"].split()))

    def test_nothing_is_written_and_nothing_is_left_running(self):
        self.assertFalse(self.mark.exists())
        until = time.monotonic() + 5  # a killed process takes a moment to end
        while (left := living_children()) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(left, {})

    def test_what_is_left_running_is_seen(self):
        subprocess.run(["sh", "-c", "sleep 60 &"], check=True)
        left = living_children()
        for process in left:
            os.kill(process, signal.SIGKILL)
        self.assertEqual(len(left), 1, left)  # `sleep`, or the shell that is about to exec it

    def test_foreign_files_are_refused_in_both_views(self):
        for name in ("includes_a_neighbour", "includes_the_solution"):
            self.assertEqual(self.sheet[name]["state"], "refused", self.sheet[name]["words"])
            self.assertIn("which is not its own", self.sheet[name]["words"])
        if shutil.which("bwrap") is None:
            return  # test_grade.py tests that the sheet reports it
        some = self.folder / "some"
        for name in ("ada", "includes_a_neighbour"):
            shutil.copytree(self.submissions / name, some / name)
        sheet = self.grade(some)
        self.assertEqual(sheet["ada"]["points"], 10)
        self.assertEqual(sheet["includes_a_neighbour"]["points"], 0)


if __name__ == "__main__":
    unittest.main()
