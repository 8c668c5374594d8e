#!/usr/bin/env python3
"""Tests that sources.py names items without a section, sections without an item, and sections that do not cover their
item."""

import unittest
from unittest import mock

import sources

PAGE = """# References

### One text

| what | where |
| --- | --- |
| a tree | [chapter 1: The idea](lesson.md#the-idea) |
"""
LESSON = """# A lesson

## The idea

Pairs <!--=a-->27.4<!--/--> at
once.

### Deeper

more

## Measure

8.054 ms
"""


@mock.patch.object(sources, "TEXTS", {"one": ("One text", 1)})
class Sources(unittest.TestCase):
    def found(self, words="27.4 at once", item="a tree", page=PAGE, lesson=LESSON):
        return list(sources.complaints({"one": {item: words}}, page, {"lesson.md": lesson}.get))

    def test_an_item_whose_section_has_its_words_is_fine(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(words="more"), [])

    def test_words_that_stand_apart_are_wanted_each(self):
        self.assertEqual(self.found(words="27.4 … more"), [])
        self.assertEqual(len(self.found(words="27.4 … less")), 1)

    def test_words_elsewhere_on_the_page_do_not_count(self):
        self.assertIn("the words `8.054 ms` are missing", self.found(words="8.054 ms")[0])

    def test_a_section_or_page_that_is_not_there_is_named(self):
        self.assertIn("which is not there", self.found(lesson=LESSON.replace("## The idea", "## An idea"))[0])
        self.assertIn("which is not there", self.found(page=PAGE.replace("lesson.md", "other.md"))[0])
        self.assertIn("which is not there", self.found(page=PAGE.replace("#the-idea", "#a-lesson"))[0])

    def test_an_item_without_a_row_and_a_row_without_an_item_are_named(self):
        found = self.found(item="a bush")
        self.assertEqual([words.split("`")[1] for words in found], ["a bush", "a tree"])
        self.assertIn("has no row", self.found(page=PAGE.replace("#the-idea", ""))[0])

    def test_an_item_that_is_gone_from_both_is_missed(self):
        self.assertIn("has 0 items, and the text has 1", list(sources.complaints({"one": {}}, "", dict.get))[0])

    def test_an_item_that_stands_twice_is_an_error(self):
        with self.assertRaises(ValueError):
            sources.items_of("one | a tree | x\none | a tree | y\n")


if __name__ == "__main__":
    unittest.main()
