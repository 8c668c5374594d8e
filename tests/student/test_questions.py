#!/usr/bin/env python3
"""Tests the questions of every chapter with the chapter's own program: test_questions.py PROGRAMS."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

import lessons
from book import exercises, manifest
from student import asked_of_time, questions, settings
from student.choice import Choice
from student.counted import Kernel
from student.reckoning import IDEAS, Question, number_in, one, product, shown, slips, total

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAMS = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else ROOT / "build/bin"

# Answers to questions, worked out by hand for blocks of 128 or 512 threads. Keys: chapter, threads per block, type.
KNOWN: dict[tuple[int, int, str], dict[str, float]] = {
    # 4 warps add in 5 steps, then 2 and 1 warps. There is a barrier after the load, and 7 in the tree.
    (1, 128, "int"): {"additions": 23, "barriers": 8},
    # 2 and 1 warps add, and then one warp in 5 steps. Each of a warp's 3 accesses per step needs additional passes,
    # over all steps 2 * 1 + 3 + 3 + 3 + 3 + 1.
    (2, 128, "int"): {"additions": 8, "conflicts": 45},
    (3, 128, "int"): {"additions": 8, "passes": 4 + 3 * 8 + 1},
    (4, 128, "int"): {"shared_stores": 4 + 8},
    (5, 512, "int"): {"barriers_before_last_warp": 4, "stores_until_last_warp": 16 + 8 + 4 + 2 + 5, "warp_waits": 10},
    # Starting 2^29 / (2 * 512) blocks takes 0.6 ns each, which is 2^19 * 0.6 / 1000 us.
    (6, 512, "int"): {"block_starts": 314.5728, "barriers_before_last_warp": 4},
    (7, 512, "int"): {"grid_that_fits": 132 * 4},
    (9, 512, "float"): {"shuffles": 85, "shared_accesses": 17},
    (10, 128, "double"): {"local_accesses": 16 + 64, "shared_bytes": 32768, "blocks_by_shared_memory": 6},
    (14, 256, "int"): {"shuffles_of_tree": 10, "accesses_of_one_warp": 15},
}


def settings_of(number):
    """Returns the settings with all block sizes and types for the fewest elements, and one with the most elements."""
    pool = settings.pool_of(number)
    every = pool.settings()
    return [one for one in every if one.count == min(pool.counts)] + [
        one for one in every if one.count == max(pool.counts)
    ][:1]


def reports():
    """Yields (chapter, setting, questions by name)."""
    for number, chapter in manifest.load().items():
        for setting in settings_of(number):
            words = ["--device", "emulator", *setting.words(), "--json", "-"]
            done = subprocess.run(
                [PROGRAMS / f"chapter{number}", *words], capture_output=True, text=True, check=False, timeout=120
            )
            if not done.stdout:
                raise AssertionError(f"chapter{number} {setting.words()}: {done.stderr}")
            yield chapter, setting, questions.of(chapter, json.loads(done.stdout))


def limits():
    """Yields (chapter, block size, question about what limits the time) for each chapter that has this question."""
    for number, chapter in manifest.load().items():
        if not set(chapter.predict) & set(questions.TIMED):
            continue
        for block_size in settings.pool_of(number).block_sizes:
            words = asked_of_time.words_of(block_size)
            done = subprocess.run(
                [PROGRAMS / f"chapter{number}", *words, "--json", "-"],
                capture_output=True,
                text=True,
                check=True,
                timeout=120,
            )
            yield chapter, block_size, asked_of_time.limit(Kernel(json.loads(done.stdout)))


class Asked(unittest.TestCase):
    maxDiff = None
    asked: list[tuple[manifest.Chapter, settings.Setting, dict[str, Question]]]

    @classmethod
    def setUpClass(cls):
        cls.asked = list(reports())

    def each(self):
        for chapter, setting, asked in self.asked:
            for name, question in asked.items():
                yield chapter, setting, name, question

    def test_every_chapter_asks_and_each_idea_is_asked_for_somewhere(self):
        chapters = {chapter.number for chapter, _, asked in self.asked if len(asked) >= 2}
        self.assertEqual(chapters, set(manifest.load()))
        self.assertGreaterEqual(len(chapters), 15)
        self.assertEqual(
            {question.idea for _, _, asked in self.asked for question in asked.values()},
            set(IDEAS) - {"what limits the time"},
        )

    def test_the_terms_of_a_derivation_come_to_what_the_program_counts(self):
        for _, _, _, question in self.each():
            self.assertAlmostEqual(question.derivation.value, question.value, delta=1e-9 * max(1, question.value))
            for line in question.derivation.lines().split("\n"):
                self.assertLessEqual(len(line), 80)

    def test_answers_are_those_worked_out_by_hand(self):
        seen = set()
        for chapter, setting, name, question in self.each():
            key = (chapter.number, setting.block_size, setting.type)
            if name in KNOWN.get(key, {}):
                self.assertEqual(question.value, KNOWN[key][name])
                seen.add((key, name))
        self.assertEqual(seen, {(key, name) for key, known in KNOWN.items() for name in known})

    def test_a_mistake_is_named_without_the_right_number(self):
        for _, _, name, question in self.each():
            wrong = {slip.value: slip.words for slip in question.slips if not question.is_right(slip.value)}
            self.assertGreaterEqual(len(wrong), 3, name)
            for value in wrong:
                doubt = question.doubt(value)
                self.assertIn("You counted ", doubt)
                # The answer repeats the number that the student gave, which doesn't count.
                told = lessons.NAMES.sub("", doubt.replace(f"You counted {shown(value)}", "", 1) + " " + question.nudge)
                self.assertFalse(any(map(question.is_right, lessons.numbers_in(told))), told)
            odd = 3 * question.value + 0.7
            self.assertFalse(question.is_right(odd))
            if question.slip_of(odd) is None:
                self.assertIn(question.nudge, question.doubt(odd))

    def test_the_page_does_not_give_the_numbers_away(self):
        found = set()
        for chapter, _, name, question in self.each():
            page = chapter.lesson_path(ROOT).read_text(encoding="utf-8")
            told = [
                lessons.before_the_questions(page),
                chapter.task,
                chapter.title,
                lessons.comments_of(exercises.start_text(chapter, ROOT)),
            ]
            found |= {
                f"{chapter.number}, {name}, {shown(question.value)}: {sentence}"
                for text in told
                for sentence in lessons.given_away(text, question)
            }
        self.assertEqual(sorted(found), [])

    def test_questions_use_only_words_that_have_been_taught(self):
        first = lessons.taught(ROOT)
        found = set()
        for chapter, _, name, question in self.each():
            said = [
                question.words,
                question.nudge,
                question.derivation.lines(),
                *(slip.words for slip in question.slips),
            ]
            found |= {
                f"{chapter.number}, {name}: {', '.join(terms)}: {text}"
                for text in said
                if (terms := lessons.untaught(text, chapter.number, first))
            }
        self.assertEqual(sorted(found), [])


class Limits(unittest.TestCase):
    """Tests the question about what takes most of a kernel's time."""

    asked: list[tuple[manifest.Chapter, int, Choice]]

    @classmethod
    def setUpClass(cls):
        cls.asked = list(limits())

    def test_chapters_that_change_the_limit_ask_for_it_and_it_differs(self):
        self.assertLessEqual({1, 3, 4, 7, 8}, {chapter.number for chapter, _, _ in self.asked})
        self.assertGreaterEqual(len({question.value for _, _, question in self.asked}), 3)

    def test_the_answer_is_the_longest_of_the_times_and_the_others_are_wrong(self):
        for chapter, block_size, question in self.asked:
            with self.subTest(chapter=chapter.number, block_size=block_size):
                names = [option.name for option in question.options]
                self.assertEqual(sorted(names), sorted(question.alone))
                self.assertEqual(question.value, max(question.alone, key=question.alone.__getitem__))
                self.assertTrue(question.is_right(question.value))
                self.assertGreaterEqual(sum(not question.is_right(name) for name in names), 3)
                for name in names:
                    if not question.is_right(name):
                        self.assertNotIn(f"{question.alone[question.value]:.1f}", question.doubt(name))

    def test_what_a_reader_has_seen_before_does_not_name_the_limit_of_these_inputs(self):
        for chapter, _, question in self.asked:
            page = lessons.before_the_questions(chapter.lesson_path(ROOT).read_text(encoding="utf-8"))
            for sentence in lessons.sentences(page):
                named = question.value in sentence and re.search(r"\b(limit|most of)", sentence)
                self.assertFalse(named and "2^24" in sentence, f"{chapter.number}: {sentence}")

    def test_words_that_have_not_been_taught_are_explained(self):
        first = lessons.taught(ROOT)
        for chapter, _, question in self.asked:
            said = [question.words, *(option.words for option in question.options)]
            for text in said:
                self.assertEqual(lessons.untaught(text, chapter.number, first), [], text)
            for line in question.listed().split("\n") + question.lines().split("\n"):
                self.assertLessEqual(len(line), 80)


class Checks(unittest.TestCase):
    """Tests that the checks above can fail."""

    question = Question(
        "barriers",
        "How many barriers?",
        9,
        total(one(1, "load"), product((8, "steps"), (1, "each"))),
        slips((8, "the load is missing")),
        "Look again.",
        r"\bbarriers?\b",
    )

    def test_a_number_that_stands_beside_its_word_is_found(self):
        for text in (
            "Barriers rise from 8 to 9 a block.",
            "A block has nine barriers.",
            "- nothing\n- 9 barriers, then\n",
            "| barriers | 9\n",
        ):
            self.assertTrue(lessons.given_away(text, self.question), text)
        for text in (
            "Barriers fall.",
            "9 warps. A barrier ends each step.",
            "2^9 barriers",
            "19 barriers, or 9.5",
            "Each barrier waits for 90 threads.",
        ):
            self.assertEqual(lessons.given_away(text, self.question), [], text)

    def test_what_is_folded_or_stands_behind_the_questions_gives_nothing_away(self):
        page = (
            "# T\n\n## Predict\n\nWhich barriers?\n\n<details>\n9 barriers\n</details>\n\n"
            "## Look inside\n\n9 barriers\n"
        )
        self.assertEqual(lessons.given_away(lessons.before_the_questions(page), self.question), [])
        self.assertTrue(lessons.given_away(page, self.question))

    def test_a_word_that_comes_later_is_found(self):
        first = lessons.taught(ROOT)
        self.assertGreaterEqual(len(first), 30)
        self.assertEqual((first["warp"], first["bank conflict"], first["sector"], first["warp shuffle"]), (0, 2, 8, 9))
        for text, chapter, term in (
            ("sectors per request", 7, "sector"),
            ("Shuffles of a warp", 8, "warp shuffle"),
            ("conflicts", 1, "bank conflict"),
        ):
            self.assertIn(term, lessons.untaught(text, chapter, first))
            self.assertNotIn(term, lessons.untaught(text, first[term], first))
        self.assertEqual(lessons.untaught("threads of a warp in a block", 0, first), [])

    def test_derivations_are_sums_of_products(self):
        self.assertEqual(self.question.derivation.value, 9)
        self.assertEqual(total(product((7, "a"), (-2, "b"))).value, 3.5)
        self.assertEqual(total(product((7, "a"), (-2, "b")), rounding="up").value, 4)
        self.assertEqual(total(product((7, "a"), (-2, "b")), rounding="down").value, 3)
        self.assertEqual(self.question.derivation.lines(), "     1  load\n   + 8  (8 steps x 1 each)\n   = 9")
        self.assertEqual(total(product((32, "words"), (-2, "per lane"))).lines(), "   32 words / 2 per lane\n   = 16")

    def test_numbers_are_read_as_people_write_them(self):
        for text, value in (
            ("45", 45),
            (" 1,024 ", 1024),
            ("1_024", 1024),
            ("2^14", 16384),
            ("3*2^4", 48),
            ("3.5", 3.5),
            ("1e3", 1000),
            ("-3", -3),
        ):
            self.assertEqual(number_in(text), value, text)
        for text in ("", "many", "?", "nan", "inf", "2^", "1,2", "0x10", "2^999", "four"):
            self.assertIsNone(number_in(text), text)

    def test_no_setting_is_the_lessons_and_the_next_time_it_is_another(self):
        for number in manifest.load():
            every = settings.pool_of(number).settings()
            self.assertGreaterEqual(len(every), 4)
            for seed in range(20):
                chosen = [settings.choose(number, seed, times, []) for times in range(len(every))]
                self.assertEqual(len(set(chosen)), len(every))  # no setting twice before all have been asked
                last = [[chosen[0].count, chosen[0].block_size, chosen[0].type]]
                self.assertNotEqual(settings.choose(number, seed, 0, last), chosen[0])
        of_students = {settings.choose(3, seed, 0, []) for seed in range(50)}
        self.assertGreater(len(of_students), 3)  # not all students get the same setting


if __name__ == "__main__":
    unittest.main()
