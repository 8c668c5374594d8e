#!/usr/bin/env python3
"""Tests what a run of the grader leaves for the next run: the results that are already known, and no seed before that
is safe."""

import pathlib
import tempfile
import unittest

from course.grade.journal import Journal
from course.grade.result import Result, State


class Journals(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    JUDGED = Result(State.JUDGED, right=True)

    def test_an_interrupted_run_goes_on_with_its_seed_and_the_next_one_keeps_what_lasts(self):
        path = self.folder / "results.jsonl"
        settings = {"submissions": "x", "seed": None, "chapters": [1]}
        first = Journal(path, settings, fresh=False)
        first.begin("77")
        first.add((1, "a"), self.JUDGED)
        with path.open("a") as file:
            file.write('{"key": [1, "cut o')
        second = Journal(path, settings, fresh=False)
        self.assertTrue(second.resumed)
        self.assertEqual((second.settings["seed"], second.known), ("77", {(1, "a"): self.JUDGED}))
        second.begin("78")
        second.add((1, "slow"), Result(State.FAILED, "no verdict after 120 seconds"))
        second.add((1, "words"), Result(State.DOES_NOT_COMPILE, "expected a ;"))
        second.finish()
        third = Journal(path, settings, fresh=False)
        self.assertFalse(third.resumed)
        self.assertEqual((third.settings["seed"], third.last_seed), (None, "77"))
        self.assertEqual(list(third.known), [(1, "a"), (1, "words")])
        third.begin("79")
        # If a run is interrupted here, nothing is lost.
        fourth = Journal(path, settings, fresh=False)
        self.assertTrue(fourth.resumed)
        self.assertEqual((fourth.settings["seed"], list(fourth.known)), ("79", [(1, "a"), (1, "words")]))
        self.assertEqual(Journal(path, {**settings, "judges": "others"}, fresh=False).known, {})

    def test_nothing_is_kept_for_inputs_that_are_asked_for(self):
        path = self.folder / "results.jsonl"
        settings = {"submissions": "x", "seed": None, "chapters": [1]}
        for given, fresh in ((settings, True), ({**settings, "seed": "77"}, False)):
            first = Journal(path, settings, fresh=True)
            first.begin("77")
            first.add((1, "a"), self.JUDGED)
            first.finish()
            self.assertEqual(Journal(path, given, fresh).known, {})

    def test_a_run_with_other_settings_begins_anew(self):
        path = self.folder / "results.jsonl"
        Journal(path, {"submissions": "x", "seed": "5", "chapters": [1]}, fresh=False).begin("5")
        self.assertFalse(Journal(path, {"submissions": "x", "seed": "6", "chapters": [1]}, fresh=False).resumed)

    def test_what_the_system_kept_from_being_judged_is_tried_again(self):
        path = self.folder / "results.jsonl"
        settings = {"submissions": "x", "seed": None, "chapters": [1]}
        first = Journal(path, settings, fresh=False)
        first.begin("77")
        first.add((1, "a"), self.JUDGED)
        first.add((1, "b"), Result(State.NOT_JUDGED, "No space left on device"))
        first.finish()
        second = Journal(path, settings, fresh=False)
        self.assertTrue(second.resumed)
        self.assertEqual(list(second.known), [(1, "a")])

    def test_no_seed_is_on_the_disk_before_the_run_begins(self):
        path = self.folder / "results.jsonl"
        settings = {"submissions": "x", "seed": None, "chapters": [1]}
        Journal(path, settings, fresh=False).begin("77")
        Journal(path, settings, fresh=True)
        self.assertNotIn("77", path.read_text())
        path.write_bytes(b'\xff\xfe rubbish\n[1, 2]\n"words"\n')
        self.assertFalse(Journal(path, settings, fresh=False).resumed)


if __name__ == "__main__":
    unittest.main()
