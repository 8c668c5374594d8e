#!/usr/bin/env python3
"""The zoo as a student plays it, with the program that runs its kernels: test_zoo.py BUILD. About two seconds."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from book.student import zoo

ROOT = pathlib.Path(__file__).resolve().parents[3]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"


class Zoo(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name)
        (self.tree / "tests").mkdir()
        (self.tree / "tests/wrong_kernels").symlink_to(ROOT / "tests/wrong_kernels")
        self.specimens = zoo.all_specimens(self.tree)

    def play(self, *words, answers=""):
        done = subprocess.run([sys.executable, "-m", "book", "zoo", "--root", self.tree, "--build",
                               BUILD, *words], input=answers, capture_output=True, text=True, check=False, timeout=60)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80, done.stdout)
        return done

    def number_of(self, name):
        return next(k for k, one in enumerate(self.specimens, start=1) if one.name == name)

    def right_answer(self, number):
        choices = zoo.choices_for(number, self.specimens)
        return next(k for k, one in enumerate(choices, start=1) if one is self.specimens[number - 1])

    def test_neither_the_list_nor_a_kernels_source_says_what_is_wrong(self):
        listed = self.play().stdout
        self.assertIn(f"0 of {len(self.specimens)} named", listed)
        for one in self.specimens:
            self.assertNotIn(one.name, listed)
            for text in (one.name, one.fault, "<-", "// wrong", "killed by"):
                self.assertNotIn(text, one.shown())

    def test_every_kernel_has_its_fault_among_different_choices(self):
        places = set()
        for number, one in enumerate(self.specimens, start=1):
            faults = [choice.fault for choice in zoo.choices_for(number, self.specimens)]
            self.assertEqual(len(set(faults)), zoo.CHOICES)
            self.assertIn(one.fault, faults)
            places.add(faults.index(one.fault))
        self.assertEqual(len(places), zoo.CHOICES)  # the right one stands anywhere

    def test_a_fault_is_found_named_and_remembered(self):
        number = self.number_of("missing_barrier_after_load")
        right = self.right_answer(number)
        wrong = self.play(str(number), "--answer", str(right % zoo.CHOICES + 1))
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("racecheck", wrong.stdout)
        self.assertIn("No: the tree starts before the tile is full.", wrong.stdout)
        self.assertIn("not named", self.play().stdout)
        named = self.play(str(number), answers=f"{right}\n")
        self.assertEqual(named.returncode, 0)
        self.assertIn("Right: the tree starts before the tile is full.", named.stdout)
        self.assertIn("1 of", self.play().stdout)
        remembered = json.loads((self.tree / ".workbook/progress.json").read_text())
        self.assertTrue(remembered["chapters"]["zoo"]["missing_barrier_after_load"])

    def test_without_an_answer_it_says_how_to_give_one(self):
        asked = self.play("3")
        self.assertEqual(asked.returncode, 1)
        self.assertIn('make zoo ARGS="3 --answer K"', asked.stdout)
        self.assertNotIn("Right", asked.stdout)

    def test_the_volatile_classic_is_right_by_luck_and_then_fails(self):
        shown = self.play("volatile").stdout
        before, after = shown.split("the even lanes first")
        self.assertIn("The sum is right.", before)
        self.assertIn("racecheck", before)
        self.assertIn("The sum is wrong", after)

    def test_a_number_that_does_not_exist_is_named(self):
        for word in ("0", "999", "barrier"):
            refused = self.play(word)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("There is no kernel", refused.stderr)


if __name__ == "__main__":
    unittest.main()
