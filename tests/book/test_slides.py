#!/usr/bin/env python3
"""Tests the slides: they contain what the guide's plan names, and in a browser they can be used with keys alone."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "student" / "player"))
import browser
from book import manifest, slides

GUIDE = slides.GUIDE.read_text(encoding="utf-8")
# Copied by hand from the guide's table, so that the tested program is not its own reference.
PLAN = {1: (0, 1), 2: (2, 3), 3: (4, 5, 6), 4: (7, 8), 5: (9, 12), 6: (10, 11)}
# The parts of the hidden text that the reader can see.
SEEN = """[...document.querySelectorAll('.slide.on .later')].filter(
  (one) => getComputedStyle(one).visibility === 'visible').map((one) => one.textContent.trim())"""
PLACE = "document.getElementById('place').textContent"


class WhatIsOnThem(unittest.TestCase):
    def test_every_session_of_the_plan_has_its_items_and_its_chapters(self) -> None:
        found = slides.sessions(GUIDE)
        self.assertEqual({one.number: one.chapters for one in found}, PLAN)
        for session in found:
            page = "\n".join(slides.slides(session))
            with self.subTest(session.number):
                self.assertEqual(page.count('class="slide item"'), len(session.items))
                for number in session.chapters:
                    # The deck has a line of the kernel, the answer to a prediction, and a question of the lesson.
                    lesson = manifest.load()[number]
                    self.assertIn(f"Chapter {number}: ", page)
                    kernel = re.search(r"__global__ [^\n]*?(\w+)\(", lesson.exercise_path().read_text(encoding="utf-8"))
                    if kernel:
                        self.assertIn(kernel[1], page)
                for kind in ("predict", "limits"):
                    self.assertEqual(page.count(f'class="slide {kind}"'), len(session.chapters), kind)
                for title in ("The kernel to start from", "The kernel of the book"):
                    found = re.findall(rf"<h1>{title}(?:, 1 of \d)?</h1>", page)
                    self.assertEqual(len(found), len(session.chapters), title)
                asked = [slides.Lesson(number).asked() for number in session.chapters]
                self.assertEqual(page.count('class="slide questions"'), sum(map(len, asked)))
                # A deck has no folds, so text in which a lesson mentions its folds must not get into it.
                self.assertNotRegex(re.sub(r"<(pre|code)\b.*?</\1>|<img[^>]*>", "", page, flags=re.DOTALL), r"\bfold")

    def test_each_question_with_an_answer_has_a_slide(self) -> None:
        lesson = slides.Lesson(10)
        fold = "<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n"
        for below, seen, hidden in (
            (f"- Why?\n\n{fold.format('Answer', 'So.')}\n- How?\n\n{fold.format('Answer', 'By hand.')}\n", 2, 2),
            (f"- Why?\n- How?\n\n{fold.format('Answers', '- So.' + chr(10) + '- By hand.')}\n", 2, 2),
            ("- Why?\n- How?\n", 1, 0),
        ):
            lesson.below["Questions"] = below
            found = lesson.asked()
            self.assertEqual((len(found), sum(one.count("class='later'") for one in found)), (seen, hidden))
            if hidden:
                self.assertIn("Why?", found[0])
                self.assertIn("By hand.", found[1])
                self.assertNotIn("By hand.", found[0])
        lesson.below["Questions"] = f"- Why?\n- How?\n\n{fold.format('Answers', '- So.')}\n"
        with self.assertRaisesRegex(slides.Wrong, "has 1 answers to 2 questions"):
            lesson.asked()

    def test_pictures_are_those_that_the_items_name(self) -> None:
        drawing = manifest.load()[7].lesson_path().with_name("drawing.svg")
        self.assertEqual(slides.pictures("Chapter 7's drawing.", (7,), ""), [drawing])
        self.assertEqual(slides.pictures("The time: 2.", (7,), ""), [])
        (plot,) = slides.pictures("The [error plot](figures.md).", (), "")
        self.assertEqual(plot.name, "error.svg")
        last = slides.item_slides("Chapters 13 to 15, one drawing each.", (13, 14, 15), "Session 6, 7")
        self.assertEqual(len(last), 4)

    def test_tables_are_those_that_links_of_the_items_name(self) -> None:
        path = "../../chapters/10_private_arrays/README.md"
        item = f"Its [table]({path}#measure), with the times covered. So: now?"
        (one,) = slides.item_slides(item, (10,), "Session 6, 2")
        self.assertIn('<div class="covered"><table', one)
        (row,) = re.findall(r"<tr>\s*<td>static index.*?</tr>", one, re.DOTALL)
        cells = re.findall(r'<td(?: class="(\w+)")?[^>]*>(.*?)</td>', row)
        # Only the time and the speedup are covered, and not the names and the facts from the compiler.
        self.assertEqual([kind for kind, _ in cells], ["", "time", "time", "", "", "", "", ""])
        self.assertEqual(slides.tables("The rows of the table.", ""), [])
        for wrong, said in (
            (f"Its [table]({path}#the-idea).", "no table below #the-idea"),
            (f"Its [table]({path}#measure), covered.", "a `So:` uncovers it"),
            ("Chapters 1 and 2, drawings covered. So: a.", "one picture or table"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(slides.Wrong, said):
                slides.item_slides(wrong, (1, 2), "Session 6, 2")

    def test_a_long_kernel_is_cut_at_empty_lines_and_keeps_every_line(self) -> None:
        lines = [f"+line {k}" if k % 10 else "" for k in range(1, 96)]
        parts = slides.pieces(lines)
        self.assertEqual([line for part in parts for line in part if line], [line for line in lines if line])
        self.assertEqual([len(part) for part in parts], [29, 29, 19, 15])
        self.assertEqual([len(part) for part in slides.pieces(["+a"] * 70)], [34, 34, 2])
        self.assertEqual(slides.pieces(["+a"] * 34), [["+a"] * 34])

    def test_what_is_heard_and_what_is_so_come_one_after_the_other(self) -> None:
        (one,) = slides.item_slides('"Why?" Heard: a. So: b. "And now?" So: c.', (1,), "")
        self.assertEqual(
            [re.sub(r"<[^>]*>", "", part) for part in re.findall(r"<div class='later'>(.*?)</div>", one)],
            ["Heard: a.", 'So: b. "And now?"', "So: c."],
        )

    def test_chapters_are_found_in_any_words(self) -> None:
        self.assertEqual(slides.numbers("chapters 4, 5 and 6"), (4, 5, 6))
        self.assertEqual(slides.numbers("the times of chapters 1 to 3"), (1, 2, 3))
        self.assertEqual(slides.numbers("Live: `make profile2`, then chapter 3's exercise"), (2, 3))
        self.assertEqual(slides.numbers("127 additions of 128"), ())


class WhatIsMissing(unittest.TestCase):
    def told(self, old: str, new: str) -> str:
        """Returns what the command reports about a guide with one change."""
        self.assertIn(old, GUIDE)
        with tempfile.TemporaryDirectory() as folder:
            guide = pathlib.Path(folder) / "guide.md"
            guide.write_text(GUIDE.replace(old, new, 1), encoding="utf-8")
            words = [sys.executable, "-m", "book.slides", "--out", folder, "--guide", str(guide)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(list(pathlib.Path(folder).glob("*.html")), [])
        return done.stderr

    def test_a_guide_is_told_what_it_lacks(self) -> None:
        for old, new, said in (
            ("### Session 4: ", "### On session 4: ", "the plan names session 4, but nothing tells it"),
            ("| 6 | 10, 11 |", "| six | 10, 11 |", "session 6 is told, but the plan does not name it"),
            ("| 2 | 2, 3 |", "| 2 | 2, 4 |", "session 2: the plan names the chapters 2, 4"),
            ("[bandwidth plot]", "[bandwith plot]", "there is no picture plots/figures/bandwith.svg"),
            ("Chapter 1's drawing", "Chapter 99's drawing", "there is no chapter 99"),
            ("\n2. Chapter 0's drawing", "\n3. Chapter 0's drawing", "not numbered"),
            ("At home: chapter 1 until", "Later: chapter 1 until", "session 1: the paragraph `At home: …` is missing"),
        ):
            with self.subTest(said):
                self.assertIn(said, self.told(old, new))

    def test_a_lesson_is_told_what_it_lacks(self) -> None:
        lesson = slides.Lesson(1)
        lesson.text = lesson.text.replace("kernel:start", "kernel:begin")
        with self.assertRaisesRegex(slides.Wrong, "chapter 1 has no kernel:start"):
            lesson.work()
        del lesson.below["Questions"]
        with self.assertRaisesRegex(slides.Wrong, "no heading `## Questions`"):
            lesson.end()


class InABrowser(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    shown: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        words = [sys.executable, "-m", "book.slides", "--out", cls.folder.name]
        subprocess.run(words, capture_output=True, check=True)
        cls.shown = browser.Browser()
        cls.addClassCleanup(cls.shown.close)

    def open(self, session: int, place: str = "") -> None:
        self.shown.open(pathlib.Path(self.folder.name) / f"session{session}.html", place)

    def test_keys_move_and_answers_wait_for_a_key(self) -> None:
        self.shown.look(1280, 720)
        self.open(1)
        count = self.shown.value("slides.length")
        self.assertEqual(self.shown.value(PLACE), f"1 / {count}")
        self.shown.press("ArrowRight")  # the first item: a question, what students say, what is right
        self.assertEqual(self.shown.value(PLACE), f"2 / {count}")
        self.assertEqual(self.shown.value(SEEN), [])
        cover = "getComputedStyle(document.querySelector('.on .covered'), '::after').display"
        self.assertEqual(self.shown.value(cover), "block")  # the guide covers the middle of this plot
        self.shown.press("ArrowRight")
        (heard,) = self.shown.value(SEEN)
        self.assertRegex(heard, "^Heard: too few")
        self.shown.press(" ")
        self.assertRegex(self.shown.value(SEEN)[1], "^So: an empty launch")
        self.assertEqual(self.shown.value(cover), "none")
        self.assertEqual(self.shown.value(PLACE), f"2 / {count}")
        self.shown.press(" ")
        self.assertEqual(self.shown.value(PLACE), f"3 / {count}")
        self.shown.press("ArrowLeft")
        self.assertEqual(self.shown.value(PLACE), f"2 / {count}")
        self.shown.press("End")
        self.assertEqual(self.shown.value(PLACE), f"{count} / {count}")
        self.shown.press("ArrowRight")
        self.assertEqual(self.shown.value(PLACE), f"{count} / {count}")
        self.shown.press("Home")
        self.assertEqual(self.shown.value(PLACE), f"1 / {count}")

    def test_no_answer_is_seen_before_its_key(self) -> None:
        for session in PLAN:
            self.open(session)
            seen = self.shown.value(f"slides.map((one, k) => {{ show(k); return {SEEN}; }})")
            self.assertEqual([words for words in seen if words], [], f"session {session}")

    def test_a_covered_table_shows_its_times_last(self) -> None:
        self.shown.look(1280, 720)
        self.open(6)
        self.shown.value(
            "show([...document.querySelectorAll('.slide')].findIndex((one) => one.querySelector('.time')))"
        )
        hidden = "[...document.querySelectorAll('.on td.time')].map((e) => getComputedStyle(e).visibility)"
        self.assertEqual(set(self.shown.value(hidden)), {"hidden"})
        self.shown.press(" ")
        self.assertEqual(set(self.shown.value(hidden)), {"visible"})

    def test_no_slide_is_taller_or_wider_than_the_screen(self) -> None:
        self.shown.complaints.clear()
        self.shown.requests.clear()
        look = """slides.map((slide, k) => {
          show(k);
          const wide = [...slide.querySelectorAll('*')].filter((one) => !one.parentElement.closest('pre, table') &&
            one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => `${one.tagName} is too wide`);
          const page = document.documentElement.scrollWidth > innerWidth ? ['it scrolls sideways'] : [];
          const tall = slide.scrollHeight > innerHeight ? [`${slide.scrollHeight} px tall`] : [];
          return [...wide, ...page, ...tall].map((one) => `slide ${k + 1}: ${one}`);
        }).flat()"""
        for dark in (False, True):
            self.shown.look(1280, 720, dark)
            for session in PLAN:
                self.open(session)
                self.assertEqual(self.shown.value(look), [], f"session {session}")
        self.assertEqual(self.shown.complaints, [])
        asked = [url for url in self.shown.requests if not url.startswith(("file:", "data:", "about:"))]
        self.assertEqual(asked, [])

    def test_all_slides_and_answers_are_on_paper(self) -> None:
        self.open(1)
        self.shown.ask("Emulation.setEmulatedMedia", media="print")
        hidden = """[...document.querySelectorAll('.slide, .later')].filter((one) => !one.checkVisibility(
          {visibilityProperty: true})).length"""
        try:
            self.assertEqual(self.shown.value(hidden), 0)
        finally:
            self.shown.ask("Emulation.setEmulatedMedia", media="")
        self.assertGreater(self.shown.value(hidden), 0)

    def test_the_script_is_short(self) -> None:
        self.assertLessEqual(len(slides.SCRIPT.read_text(encoding="utf-8").splitlines()), 60)


if __name__ == "__main__":
    unittest.main()
