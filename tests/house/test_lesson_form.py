#!/usr/bin/env python3
"""lesson_form.py names the lesson that lacks the manifest's title, or a part."""

import unittest

import lesson_form

from book import manifest

CHAPTER = manifest.load()[6]
LESSON = CHAPTER.lesson_path().read_text(encoding="utf-8")


class LessonForm(unittest.TestCase):
    @staticmethod
    def complaints(text):
        return list(lesson_form.complaints(text, CHAPTER))

    def test_a_lesson_of_the_workbook_passes(self):
        self.assertEqual(self.complaints(LESSON), [])

    def test_another_title_than_the_manifests_is_named(self):
        shorter = LESSON.replace(f": {CHAPTER.title}", ": Unrolling", 1)
        self.assertIn("`# Chapter 6: Complete unrolling with templates`", self.complaints(shorter)[0])

    def test_a_part_that_is_missing_is_named(self):
        self.assertIn("has no section `Predict`", self.complaints(LESSON.replace("## Predict", "## Guess"))[0])

    def test_what_limits_the_kernel_stands_behind_its_measurements(self):
        moved = LESSON.replace("## What limits it now", "## Little's law", 1)
        self.assertEqual(self.complaints(moved), ["has no section `What limits it now` directly behind `Measure`"])
        without = LESSON.replace("<!-- recorded:limits begin ablations_h200.json 2^29 ", "<!-- recorded:other begin ")
        self.assertIn(f"2^29 {CHAPTER.kernel} -->` in its section", self.complaints(without)[0])

    def test_machine_code_is_folded_until_chapter_6(self):
        early = manifest.load()[3]
        lesson = early.lesson_path().read_text(encoding="utf-8")
        self.assertEqual(list(lesson_form.complaints(lesson, early)), [])
        without_fold = lesson.replace("\n<details>\n<summary>What you would see: ", "\n", 1)
        self.assertIn("that is not one fold", next(lesson_form.complaints(without_fold, early)))
        self.assertNotIn("<summary>What you would see", LESSON)


if __name__ == "__main__":
    unittest.main()
