#!/usr/bin/env python3
"""Tests that lesson_form.py reports lessons that lack the manifest's title or a part."""

import re
import unittest

import lesson_form
from book import manifest

CHAPTER, FOLLOWING = manifest.load()[6], manifest.load()[7]
LESSON = CHAPTER.lesson_path().read_text(encoding="utf-8")


class LessonForm(unittest.TestCase):
    @staticmethod
    def complaints(text):
        return list(lesson_form.complaints(text, CHAPTER, FOLLOWING))

    def test_a_lesson_of_the_workbook_passes(self):
        self.assertEqual(self.complaints(LESSON), [])

    def test_another_title_than_the_manifests_is_named(self):
        shorter = LESSON.replace(f": {CHAPTER.title}", ": Unrolling", 1)
        self.assertIn("`# Chapter 6: Complete unrolling with templates`", self.complaints(shorter)[0])

    def test_a_part_that_is_missing_is_named(self):
        self.assertIn("has no section `Predict`", self.complaints(LESSON.replace("## Predict", "## Guess"))[0])

    def test_what_limits_the_kernel_stands_behind_its_measurements(self):
        moved = LESSON.replace("## What limits it now", "## Little's law", 1)
        self.assertEqual(self.complaints(moved), ["has no section `What limits it now` behind `Measure`"])
        far = LESSON.replace("## What limits it now", "## Little's law\n\n## What limits it now", 1)
        self.assertEqual(self.complaints(far), ["has no section `What limits it now` directly behind `Measure`"])
        without = LESSON.replace("<!-- recorded:limits begin ablations_h200.json 2^29 ", "<!-- recorded:other begin ")
        self.assertIn(f"2^29 {CHAPTER.kernel} -->` in its section", self.complaints(without)[0])

    def test_until_chapter_3_a_figure_is_enough_of_what_limits_the_kernel(self):
        second, section = manifest.load()[2], "\n## Measure\n\n## What limits it now\n\n"
        headings = ["Measure", "What limits it now"]
        for text, found in (
            (f"{section}{lesson_form.LIMITS_FIGURE}limit 2^29 256 x-->y<!--/-->.\n", 0),
            (f"{section}Much.\n", 1),
        ):
            self.assertEqual(len(list(lesson_form.without_limits(text, second, headings))), found, text)

    def test_the_last_questions_have_as_many_answers_or_none(self):
        questions = "\n## Questions\n\n- A?\n- B?\n\n"
        answers = "<details>\n<summary>Answers</summary>\n\n{}\n</details>\n"
        each = "\n## Questions\n\n- A?\n\n  <details><summary>Answer</summary>\n\n  a\n\n  </details>\n- B?\n"
        self.assertEqual(list(lesson_form.unanswered(questions)), [])
        self.assertEqual(list(lesson_form.unanswered(questions + answers.format("- a\n- b\n"))), [])
        said = ["asks 2 questions at its end and answers 1"]
        self.assertEqual(list(lesson_form.unanswered(questions + answers.format("- a\n"))), said)
        self.assertEqual(list(lesson_form.unanswered(each)), said)

    def test_a_mistake_to_make_shows_what_is_printed(self):
        headings = ["Your task", "A mistake to make"]
        text = "\n## A mistake to make\n\n```diff\n-a\n```\n\n```text\n$ make chapter6\n```\n"
        self.assertEqual(list(lesson_form.without_a_mistake(text, headings)), [])
        self.assertEqual(list(lesson_form.without_a_mistake(text, [])), [])
        self.assertIn("before `Your task`", next(lesson_form.without_a_mistake(text, headings[::-1])))
        without = text.replace("```text", "```other")
        self.assertIn("what the program then prints", next(lesson_form.without_a_mistake(without, headings)))

    def test_machine_code_is_folded_until_chapter_6(self):
        early = manifest.load()[3]
        lesson = early.lesson_path().read_text(encoding="utf-8")
        following = manifest.load()[4]
        self.assertEqual(list(lesson_form.complaints(lesson, early, following)), [])
        without_fold = lesson.replace("\n<details>\n<summary>What you would see: ", "\n", 1)
        self.assertIn("that is not one fold", next(lesson_form.complaints(without_fold, early, following)))

    def test_a_lesson_begins_with_a_question_and_leads_on_with_one(self):
        opening = LESSON.split("## Where we are\n\n", 1)[1].split("\n\n", 1)[0]
        stated = LESSON.replace(opening, "The exercise starts from chapter 5's kernel, which is right.", 1)
        self.assertIn("does not open with a question", self.complaints(stated)[0])
        long = LESSON.replace(opening, "One. Two. Three. Four. " + opening, 1)
        self.assertIn("of at most 4 sentences", self.complaints(long)[0])
        before, following = LESSON.split("## Next\n", 1)
        for ending in (following.replace("?", "."), following.replace(FOLLOWING.folder, CHAPTER.folder)):
            found = self.complaints(f"{before}## Next\n{ending}")
            self.assertIn("has in its last section, `Next`, no question", found[0])
        # Without a next chapter, the lesson must link to a page in docs/pages.
        self.assertIn("`(../../docs/pages/`", next(lesson_form.complaints(LESSON, CHAPTER)))

    def test_two_lessons_that_open_alike_are_named(self):
        third = manifest.load()[3].lesson_path().read_text(encoding="utf-8")
        self.assertEqual(list(lesson_form.repeated({"03": third, "06": LESSON})), [])
        opening = "## Where we are\n\nThe exercise starts from chapter {}'s kernel. Is it right?\n\n"
        both = {f"{k:02}": third.replace("## Where we are\n\n", opening.format(k - 1), 1) for k in (2, 3)}
        found = dict(lesson_form.repeated(both))
        self.assertEqual(found["The exercise starts from chapter #'s kernel."], ["02", "03"])

    def test_both_kernels_are_whole_marked_and_in_their_places(self):
        unmarked = LESSON.replace("\n! ", "\n  ").replace("\n!template", "\n template")
        self.assertEqual(self.complaints(unmarked), ["marks no line with ! in its kernel `start`"])
        others = LESSON.replace("kernel:start begin 6", "kernel:start begin 5")
        wanted = "has no `<!-- kernel:start begin 6 -->` in its section `Where we are`"
        self.assertEqual(self.complaints(others), [wanted])
        without = LESSON.replace("<!-- kernel:solution begin 6 -->", "").replace("<!-- kernel:solution end -->", "")
        self.assertIn("has no `<!-- kernel:solution begin 6 -->`", self.complaints(without)[0])
        fold = LESSON.rindex("<details>", 0, LESSON.index("<!-- kernel:solution begin"))
        open_to_all = LESSON[:fold] + LESSON[fold:].replace("<details>", "", 1)
        self.assertIn("shows the whole reference unfolded", self.complaints(open_to_all)[0])

    def test_an_answer_before_its_question_is_seen(self):
        first = manifest.load()[1]
        lesson = first.lesson_path().read_text(encoding="utf-8")
        self.assertEqual(list(lesson_form.complaints(lesson, first, manifest.load()[2])), [])
        said = ["says `9 barriers` before it has that predicted"]
        told = lesson.replace("\n\n## Predict\n", " A block waits at 9 barriers.\n\n## Predict\n", 1)
        self.assertEqual(list(lesson_form.complaints(told, first, manifest.load()[2])), said)
        drawn = "<svg><text x='1'>stride 1</text><text x='2'>9 barriers</text></svg>"
        self.assertEqual(list(lesson_form.visible_answers(lesson, drawn)), said)
        later = lesson.replace("](drawing.svg)\n", "](another.svg)\n", 1)
        self.assertEqual(list(lesson_form.visible_answers(later, drawn)), [])
        self.assertIn("has no drawing in its section `The idea`", list(lesson_form.complaints(later, first)))
        by_hand = "How many warps work at stride 1?", "All 4.", "stride 1 | 4 of 4 warps, 64 lanes"
        self.assertEqual(lesson_form.given_away(*by_hand), "4 of 4 warps")
        self.assertIsNone(lesson_form.given_away("Which 4 warps work at stride 1?", *by_hand[1:]))
        beside = lesson.replace("threads wait?", "threads wait? (9)")
        self.assertIn("answers a prediction in brackets: `(9)`", lesson_form.visible_answers(beside))
        fewer = re.sub(r"- At how many barriers does a block of \d+ threads wait\?\n", "", lesson, count=1)
        self.assertEqual(list(lesson_form.visible_answers(fewer)), ["asks 1 predictions and folds 2 answers"])

    def test_a_prediction_stands_before_what_changes(self):
        first = manifest.load()[1]
        lesson = first.lesson_path().read_text(encoding="utf-8")
        asked = "## Predict\n" + lesson_form.section_of(lesson, "Predict") + "\n"
        late = lesson.replace(asked, "", 1).replace("## Look inside\n", asked + "## Look inside\n", 1)
        self.assertEqual(list(lesson_form.complaints(late, first)), ["has no section `What changes` behind `Predict`"])
        unfolded = lesson.replace("<summary>Answers</summary>", "<summary>Look</summary>")
        self.assertIn("has no fold `Answers`", next(lesson_form.visible_answers(unfolded)))


class Parts(unittest.TestCase):
    CHAPTER = manifest.load()[12]
    LINKS = ("](library_reduction.md)", "](../13_fused_pipelines/README.md)")

    def complaints(self, change=lambda text: text, which=0):
        text = self.CHAPTER.lesson_paths()[which + 1].read_text(encoding="utf-8")
        return list(lesson_form.complaints_of_a_part(change(text), self.CHAPTER, which + 2, self.LINKS[which]))

    def test_the_parts_of_chapter_12_pass_and_lead_from_one_to_the_next(self):
        self.assertEqual([self.complaints(), self.complaints(which=1)], [[], []])
        self.assertEqual(
            list(lesson_form.after(self.CHAPTER, manifest.load()[13])), ["](order_of_a_sum.md)", *self.LINKS]
        )

    def test_a_part_without_output_and_records_is_named(self):
        found = self.complaints(
            lambda text: text.replace("<!-- output:", "<!-- a:").replace("<!-- recorded:", "<!-- b:")
        )
        self.assertEqual(found, ["shows neither what the program prints nor what was recorded"])

    def test_what_a_part_lacks_is_named(self):
        for old, new, words in (
            ("part 2", "part 3", "does not begin with `# Chapter 12, part 2: `"),
            ("## Predict", "## Guess", "has no section `Predict` behind `The idea`"),
            ("right?", "right.", "does not open with a question"),
            ("](library_reduction.md)", "](README.md)", "has in its last section, `Next`, no question with a link on"),
            ("<summary>Answers</summary>", "<summary>Look</summary>", "has no fold `Answers`"),
            ("## Next", "\n" * 200 + "## Next", "lines beside what is generated or folded; 200 are enough"),
            ("## Next", "word " * 3000 + "\n## Next", "minutes to read; 15 are enough"),
        ):
            with self.subTest(words):
                found = self.complaints(lambda text, old=old, new=new: text.replace(old, new, 1))
                self.assertTrue(any(words in one for one in found), found)


if __name__ == "__main__":
    unittest.main()
