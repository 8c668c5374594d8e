#!/usr/bin/env python3
"""Tests that sources.py names items without a section, sections without an item, and sections that do not cover their
item."""

import json
import pathlib
import unittest
from unittest import mock

import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
        self.assertIn("has 0 items, and the text has 1", next(sources.complaints({"one": {}}, "", dict.get)))

    def test_an_item_that_stands_twice_is_an_error(self):
        with self.assertRaises(ValueError):
            sources.items_of("one | a tree | x\none | a tree | y\n")


class PrivateArrays(unittest.TestCase):
    """Recomputes the numbers that then-and-now.md derives from the sizes of an H200: which memory is too small for the
    arrays."""

    def setUp(self):
        record = json.loads((ROOT / "plots" / "data" / "machine_h200.json").read_text(encoding="utf-8"))
        self.device = record["device"]
        page = (ROOT / "docs" / "pages" / "then-and-now.md").read_text(encoding="utf-8")
        self.told = sources.section(page, "private-arrays-then-and-now")

    def test_arrays_of_32_words_are_too_long_for_l1_and_arrays_of_64_for_l2(self):
        of_an_sm = 32 * 4 * self.device["threads_per_multiprocessor"]
        self.assertIn(f"need {of_an_sm // 2**10} KiB", self.told)
        in_all = of_an_sm * self.device["multiprocessors"]
        self.assertIn(f"{in_all // 2**20} MiB, which L2 can hold", self.told)
        self.assertIn(f"the arrays take {2 * in_all // 2**20} MiB", self.told)
        self.assertTrue(in_all <= self.device["l2_bytes"] < 2 * in_all)

    def test_in_shared_memory_they_all_fit(self):
        # The system reserves 1 KiB of shared memory per block.
        blocks = self.device["shared_bytes_per_multiprocessor"] // (128 * 32 * 4 + 2**10)
        self.assertIn(f"{blocks} blocks of 128 threads fit on an SM", self.told)
        self.assertIn(f"their arrays take {blocks * 128 * 32 * 4 // 2**10} KiB", self.told)
        self.assertIn(f"{self.device['threads_per_multiprocessor'] // 128} such blocks", self.told)


if __name__ == "__main__":
    unittest.main()
