#!/usr/bin/env python3
"""lesson_form.py names the lesson that lacks the manifest's title, or a part."""

import unittest

import lesson_form

from book import manifest

CHAPTER = manifest.load()[8]
LESSON = CHAPTER.lesson_path().read_text(encoding="utf-8")


class LessonForm(unittest.TestCase):
    @staticmethod
    def complaints(text):
        return list(lesson_form.complaints(text, CHAPTER))

    def test_a_lesson_of_the_workbook_passes(self):
        self.assertEqual(self.complaints(LESSON), [])

    def test_another_title_than_the_manifests_is_named(self):
        shorter = LESSON.replace(f": {CHAPTER.title}", ": Vector loads", 1)
        self.assertIn("`# Chapter 8: Vector loads: 16 bytes per instruction`", self.complaints(shorter)[0])

    def test_a_part_that_is_missing_is_named(self):
        self.assertIn("has no section `Predict`", self.complaints(LESSON.replace("## Predict", "## Guess"))[0])


if __name__ == "__main__":
    unittest.main()
