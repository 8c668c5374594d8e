#!/usr/bin/env python3
"""Tests the book as one page: it has every lesson in order, no broken links, and loads nothing."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from book import manifest, one_page


class OnePage(unittest.TestCase):
    page: str

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a new folder/book.html"
            words: list[str | pathlib.Path] = [sys.executable, "-m", "book.one_page", "--out", out]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            cls.page = out.read_text(encoding="utf-8")

    def test_every_lesson_is_there_in_its_order_and_with_its_title(self):
        found = re.findall(r'<section id="chapter(\d+)">\n<h1>(.*?)</h1>', self.page)
        self.assertEqual([int(number) for number, _ in found], list(manifest.load()))
        for number, title in found:
            self.assertIn(f"Chapter {number}", title)

    def test_what_comes_first_is_before_chapter_1_and_hints_come_last(self):
        labels = re.findall(r'<section id="([^"]+)">', self.page)
        first = ["student", "four-steps", "first-kernel", "cpp-used-here", "how-a-gpu-works"]
        first += ["chapter0", "how-nvcc-compiles", "chapter1"]
        self.assertEqual(labels[: len(first)], first)
        self.assertEqual(labels[labels.index("roofline") - 1], "chapter3")
        first_hint = next(k for k, label in enumerate(labels) if label.endswith("_hints"))
        self.assertTrue(all(label.endswith("_hints") for label in labels[first_hint:]))
        self.assertIn("glossary", labels[:first_hint])

    def test_pictures_are_inside_and_links_lead_to_places_in_it(self):
        self.assertGreater(self.page.count("data:image/svg+xml;base64,"), len(manifest.load()))
        self.assertIn('href="#glossary--warp"', self.page)
        self.assertEqual(one_page.faults(self.page), [])

    def test_faults_are_seen(self):
        for text, said in (
            ('<a href="#nowhere">x</a>', "nowhere"),
            ('<h1 id="a"></h1><p id="a">', "2 places are called a"),
            ('<img alt="" src="picture.svg">', "picture.svg would be fetched"),
            ('<script src="//elsewhere/x.js">', "would be fetched"),
        ):
            self.assertIn(said, " ".join(one_page.faults(text)))


if __name__ == "__main__":
    unittest.main()
