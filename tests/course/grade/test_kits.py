#!/usr/bin/env python3
"""Tests that the kits for Gradescope and Classroom 50 give the points of `make grade` if they are unpacked elsewhere
and run as their specifications require: test_kits.py BUILD. About half a minute. The kits use this build instead of one
made by setup.sh."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import tries
from book import exercises, manifest

ROOT = manifest.ROOT
BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
EXERCISE = pathlib.PurePosixPath("chapters/03_sequential_addressing/reduce.cuh")


@unittest.skipUnless((ROOT / ".git").exists(), "a kit holds the workbook as git knows it")
class Kits(unittest.TestCase):
    place: tempfile.TemporaryDirectory[str]
    folder: pathlib.Path
    root: pathlib.Path
    texts: dict[str, str | None]
    points: dict[str, int]

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.folder = pathlib.Path(cls.place.name)
        done = cls.book("grade", "--chapters", "3", "--out", cls.folder / "kits", "--format", "gradescope,classroom")
        assert done.returncode == 0, done.stderr
        cls.root = cls.folder / "autograder"
        with zipfile.ZipFile(cls.folder / "kits/gradescope.zip") as archive:
            archive.extractall(cls.root / "source")
        (cls.root / "results").mkdir()
        # Also test what is not committed yet.
        for part in ("book", "course", "student"):
            shutil.copytree(ROOT / "common" / part, cls.root / "source/workbook/common" / part, dirs_exist_ok=True)
        shutil.copy(cls.root / "source/run_autograder", cls.root / "run_autograder")
        (cls.root / "run_autograder").chmod(0o755)
        cls.texts = {
            "right": tries.second(3),
            "goal missed": tries.start(3),
            "wrong": tries.wrong(3),
            "as given": exercises.start_text(manifest.load()[3]),
            "missing": None,
        }
        for name, text in cls.texts.items():
            cls.hand_in(cls.folder / "class" / name, text)
        done = cls.book(
            "grade", "--submissions", cls.folder / "class", "--chapters", "3", "--out", cls.folder / "sheet"
        )
        assert done.returncode == 0, done.stderr
        data = json.loads((cls.folder / "sheet/sheet.json").read_text())
        cls.points = {row["name"]: row["points"] for row in data["submissions"]}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @classmethod
    def book(cls, *words):
        return subprocess.run(
            [sys.executable, "-m", "book", *words, *(("--build", BUILD) if words[0] == "grade" else ())],
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )

    @classmethod
    def hand_in(cls, folder, text):
        (folder / EXERCISE.parent).mkdir(parents=True)
        if text is not None:
            (folder / EXERCISE).write_text(text)

    def run_autograder(self, fill, build=BUILD):
        """Runs the autograder on a submission that `fill` makes. Returns the status and the results, or None if there
        are no results."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        (self.root / "submission").mkdir()
        fill(self.root / "submission")
        (self.root / "results/results.json").write_text("old")
        done = subprocess.run(
            [self.root / "run_autograder"],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "WORKBOOK_AUTOGRADER": str(self.root), "WORKBOOK_BUILD_DIR": str(build)},
        )
        path = self.root / "results/results.json"
        return done.returncode, json.loads(path.read_text()) if path.exists() else None

    def test_each_submission_gets_the_points_of_make_grade(self):
        self.assertEqual(self.points, {"right": 10, "goal missed": 8, "wrong": 0, "as given": 0, "missing": 0})
        for name, text in self.texts.items():
            status, results = self.run_autograder(lambda folder, text=text: self.hand_in(folder, text))
            self.assertEqual((status, results["score"]), (0, self.points[name]), name)
            self.assertEqual(sum(test["max_score"] for test in results["tests"]), 10)

    def test_a_file_without_folders_and_a_folder_within_a_folder_are_taken(self):
        status, results = self.run_autograder(lambda folder: (folder / "reduce.cuh").write_text(self.texts["right"]))
        self.assertEqual((status, results["score"]), (0, 10))
        self.assertIn("graded as chapter 3", results["output"])
        status, results = self.run_autograder(lambda folder: self.hand_in(folder / "my-workbook", self.texts["right"]))
        self.assertEqual((status, results["score"]), (0, 10))

    def test_no_link_leads_to_a_right_file_of_somebody_else(self):
        solutions = self.folder / "class/right/chapters"

        def file(folder):
            (folder / "reduce.cuh").symlink_to(solutions / "03_sequential_addressing/reduce.cuh")

        def chapter(folder):
            (folder / "chapters").mkdir()
            (folder / "chapters/03_sequential_addressing").symlink_to(solutions / "03_sequential_addressing")

        def everything(folder):
            (folder / "chapters").symlink_to(solutions)

        for fill in (file, chapter, everything):
            status, results = self.run_autograder(fill)
            self.assertEqual((status, results["score"]), (0, 0))
            self.assertIn("a link", results["output"])

    def test_where_the_grader_fails_nobody_gets_nothing(self):
        status, results = self.run_autograder(
            lambda folder: self.hand_in(folder, self.texts["right"]), build=self.folder / "no such build"
        )
        self.assertEqual((status, results), (1, None))

    def test_classroom_50_gets_a_result_in_the_checkout(self):
        for name in ("right", "goal missed", "missing"):
            checkout = self.folder / f"checkout of {name}"
            self.hand_in(checkout, self.texts[name])
            # The grader comes from the image, whatever the student's repository contains.
            (checkout / "common/book").mkdir(parents=True)
            (checkout / "common/book/__init__.py").write_text("raise SystemExit('the student\\'s own grader')")
            (checkout / "result.json").write_text('{"score": 10}')
            done = subprocess.run(
                [sys.executable, self.folder / "kits/classroom/autograder.py"],
                cwd=checkout,
                capture_output=True,
                text=True,
                env={**os.environ, "WORKBOOK_ROOT": str(ROOT), "WORKBOOK_BUILD_DIR": str(BUILD), "ASSIGNMENT": "three"},
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads((checkout / "result.json").read_text())
            self.assertEqual((result["score"], result["max-score"]), (self.points[name], 10))
            self.assertEqual(result["assignment"], "three")


if __name__ == "__main__":
    unittest.main()
