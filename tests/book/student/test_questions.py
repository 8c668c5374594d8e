#!/usr/bin/env python3
"""The questions of every chapter, asked of the chapter's own program: test_questions.py PROGRAMS."""

import json
import pathlib
import subprocess
import sys
import unittest

from book import manifest
from book.student import questions

ROOT = pathlib.Path(__file__).resolve().parents[3]

PROGRAMS = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else ROOT / "build/bin"

# Worked out by hand for blocks of 128 threads; DESIGN and lessons derive them.
KNOWN = {1: {"additions": 23, "barriers": 8}, 2: {"additions": 8, "conflicts": 45}, 3: {"conflicts": 0, "sectors": 4},
         # 2^20 / (2 * 256) blocks; 2^29 / (2 * 128) blocks at 0.6 ns are 2^21 * 0.6 / 1000 us.
         6: {"256 threads": 2048, "starts": 1258.2912},
         9: {"barriers": 1, "store instructions": 4}, 10: {"local": 0, "conflicts": 0}, 11: {"local memory": 0},
         12: {"launches": 1, "atomic": 1}, 14: {"shuffles": 10, "barriers": 1}}


class Questions(unittest.TestCase):
    def test_every_chapter_has_answers_in_its_programs_report(self):
        chapters = manifest.load()
        self.assertGreaterEqual(len(chapters), 15)
        for number, chapter in chapters.items():
            with self.subTest(chapter=number):
                done = subprocess.run([PROGRAMS / f"chapter{number}", "--device", "emulator", "--json", "-"],
                                      capture_output=True, text=True, check=False, timeout=120)
                asked = questions.of(chapter, json.loads(done.stdout))
                self.assertGreaterEqual(len(asked), 2)
                for question in asked:
                    self.assertTrue(question.check(repr(question.value))[0], question.words)
                    good, words = question.check(repr(3 * question.value + 1))
                    self.assertFalse(good)
                    self.assertIn(question.why, words)
                for word, value in KNOWN.get(number, {}).items():
                    found = [q for q in asked if word in q.words]
                    self.assertTrue(found, word)
                    self.assertEqual(found[0].value, value)


if __name__ == "__main__":
    unittest.main()
