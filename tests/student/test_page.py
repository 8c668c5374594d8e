#!/usr/bin/env python3
"""Tests that `make pageN` prints the text of a lesson as plain text for a terminal."""

import pathlib
import unittest

from student import page

ROOT = pathlib.Path(__file__).resolve().parents[2]

LESSON = """# Chapter 77

## The idea

A line that is
broken, with [a **strong** word](elsewhere.md) and *two slanted words*, but 2 * a * b.

![A picture](drawing.svg)

```
kept   as
it is
```

- an item
  of two lines

<details>
<summary>Folded</summary>
</details>

## What changes

Nothing.

## Your task
"""


class Page(unittest.TestCase):
    def test_pictures_links_and_folded_parts_are_words_or_nothing(self):
        self.assertEqual(
            page.explanation(LESSON),
            [
                "A line that is broken, with a strong word and two slanted words, but 2 * a * b.",
                "",
                "kept   as",
                "it is",
                "",
                "- an item of two lines",
                "",
                "Nothing.",
                "",
            ],
        )

    def test_no_lesson_leaves_marks_behind(self):
        lessons = sorted(ROOT.glob("chapters/[0-9]*_*/README.md"))
        self.assertGreater(len(lessons), 14)
        for lesson in lessons:
            with self.subTest(lesson=lesson.parent.name):
                text = "\n".join(page.explanation(lesson.read_text(encoding="utf-8")))
                for mark in ("](", "<!--", "<details>", "```", "**", "\n\n\n"):
                    self.assertNotIn(mark, text)


if __name__ == "__main__":
    unittest.main()
