#!/usr/bin/env python3
"""Checks that mistakes of students are found, and that the first sentence names their cause.

test_mistakes.py BUILD"""

import pathlib
import sys
import unittest

import mistakes
import try_mistakes

# The largest number of characters in a line of a message, and of lines in a message.
WIDTH, HEIGHT = 80, 6


class Mistakes(unittest.TestCase):
    laboratory: try_mistakes.Laboratory

    def test_each_is_found_named_and_told_shortly(self) -> None:
        for trial in self.laboratory.judge_all(mistakes.load()):
            with self.subTest(f"{trial.mistake.chapter:02d} {trial.mistake.name}"):
                self.assertTrue(trial.report, trial.complaint)
                self.assertNotEqual(trial.report["verdict"], "done", "it passes")
                self.assertTrue(trial.named, f"{trial.mistake.cause}\n{trial.first}")
                self.assertEqual(len(trial.told), 1, "one mistake, one message")
                lines = trial.report["failed"]["words"].strip().split("\n")
                self.assertLessEqual(len(lines), HEIGHT)
                self.assertLessEqual(max(map(len, lines)), WIDTH)

    def test_there_are_enough_and_every_chapter_has_some(self) -> None:
        corpus = mistakes.load()
        self.assertGreaterEqual(len(corpus), 60)
        self.assertEqual({one.chapter for one in corpus}, set(self.laboratory.chapters))
        self.assertEqual(len({one.name for one in corpus}), len(corpus))

    def test_the_references_themselves_pass(self) -> None:
        """Otherwise the same sentence could be printed for every kernel."""
        for number in (3, 9, 12):
            trial = self.laboratory.judge(mistakes.Mistake(number, "none"))
            self.assertEqual(trial.report.get("verdict"), "done", trial.report or trial.complaint)

    def test_a_mistake_whose_lines_are_not_there_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            mistakes.Mistake(3, "none", hunks=[(["no such line;"], [])]).text()


if __name__ == "__main__":
    Mistakes.laboratory = try_mistakes.Laboratory(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
