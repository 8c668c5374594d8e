#!/usr/bin/env python3
"""Tests the messages about a damaged manifest: which chapter is damaged, what is wrong, and what would be allowed."""

import copy
import json
import pathlib
import tempfile
import unittest

from book import manifest

GOOD = json.loads((manifest.ROOT / "chapters/chapters.json").read_text(encoding="utf-8"))


class Damaged(unittest.TestCase):
    def complaint(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "chapters", "chapters.json")
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(manifest.ManifestError) as caught:
                manifest.load(pathlib.Path(folder))
            return str(caught.exception)

    def with_fact(self, name, value):
        """Returns the complaint about a manifest in which chapter 9 has this fact."""
        damaged = copy.deepcopy(GOOD)
        damaged["chapters"][9][name] = value
        return self.complaint(json.dumps(damaged))

    def test_what_is_no_manifest_is_told_so(self):
        for text in ("", "{", "[]", "{}", '{"chapters": {}}', '{"chapters": []}'):
            self.assertIn("is not a manifest of chapters", self.complaint(text))

    def test_a_fact_that_is_none_names_the_chapter_and_the_facts(self):
        self.assertIn("chapter 9: there is no fact 'titel'", self.with_fact("titel", "x"))

    def test_a_fact_of_the_wrong_kind_is_told(self):
        for name, value in (("title", ""), ("title", 5), ("title", None), ("number", "9"), ("predict", "barriers")):
            self.assertIn(f"it needs {name!r}", self.with_fact(name, value))

    def test_a_word_that_nobody_knows_is_told_with_those_that_there_are(self):
        self.assertIn("it can be ladder or study", self.with_fact("kind", "banana"))
        self.assertIn("it can be powers of two or whole warps", self.with_fact("block_sizes", "wholes"))
        self.assertIn("it can be tree or every element", self.with_fact("longest_path", "evry element"))

    def test_chapters_that_are_not_there_are_told(self):
        for name, value in (("parent", 99), ("parent", 9), ("shows", [66])):
            self.assertIn("no chapter of the ladder before it", self.with_fact(name, value))

    def test_a_part_that_is_no_lesson_is_told(self):
        for name in ("hints.md", "../README.md", "Order.md", "order", 5):
            self.assertIn("are names of lessons such as order_of_a_sum.md", self.with_fact("parts", [name]))

    def test_numbers_are_in_order_and_stand_once(self):
        self.assertIn("another chapter has this number", self.with_fact("number", 8))
        self.assertIn("chapters are in order", self.with_fact("number", -1))


if __name__ == "__main__":
    unittest.main()
