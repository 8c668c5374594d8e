#!/usr/bin/env python3
"""Tests the page about a class, and the search for files that are similar. Needs no build."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tries
from book import exercises
from course.grade import alike, class_page, history, points
from course.grade.result import PARTS, Result, State


def renamed(text):
    """Returns a disguised copy, in which all names are replaced, the layout differs, and comments are missing."""
    text = re.sub(r"//[^\n]*", "", text)
    names = sorted({word for word in re.findall(r"[A-Za-z_]\w*", text) if word not in alike.KEPT})
    for k, name in enumerate(names):
        text = re.sub(rf"\b{name}\b", f"other{k}", text)
    return re.sub(r"\n\s*", "\n      ", text)


def bench_of(number):
    chapter = tries.CHAPTERS[number]
    bench = alike.Bench(
        number, alike.fingerprints(exercises.start_text(chapter)), alike.fingerprints(tries.reference(number))
    )
    for name, text in {
        "second": tries.second(number),
        "start": tries.start(number),
        "book's": tries.reference(number),
    }.items():
        bench.add(name, text)
    for k, text in enumerate(tries.more(number)):
        bench.add(f"more {k}", text)
    return bench


class Alike(unittest.TestCase):
    def test_independent_solutions_of_no_chapter_are_alike(self):
        for number in tries.CHAPTERS:
            self.assertEqual(bench_of(number).groups(), [], number)

    def test_a_copy_with_other_names_is_found_in_every_chapter(self):
        for number in tries.CHAPTERS:
            bench = bench_of(number)
            bench.add("copy", renamed(tries.second(number)))
            self.assertEqual(
                [(group.members, group.share) for group in bench.groups()], [(["copy", "second"], 1.0)], number
            )

    def test_what_the_exercise_gave_and_the_solution_holds_makes_nobody_suspect(self):
        bench = bench_of(8)
        bench.add("also the book's", renamed(tries.reference(8)))
        bench.add("also not begun", tries.start(8))
        self.assertEqual(bench.groups(), [])
        self.assertEqual(bench.near_solution(), ["also the book's", "book's"])

    def test_a_run_of_equal_tokens_of_the_guaranteed_length_is_found(self):
        run = " ".join(f"x = y {sign} z;" for sign in "+-*/%&")
        least = alike.K + alike.WINDOW - 1
        tokens = alike.tokens(run)[:least]
        before, behind = "if for while do { } [ ] ? :", "return break goto ~ ! < > ^ | ,"
        one, other = (
            alike.fingerprints(f"{a} {' '.join(tokens)} {b}") for a, b in ((before, behind), (behind, before))
        )
        self.assertTrue(one & other)
        self.assertFalse(alike.fingerprints(before) & alike.fingerprints(behind))


def result(state=State.JUDGED, **parts):
    reached = {**dict.fromkeys(PARTS, state == State.JUDGED), **parts}
    return {**Result(state, **reached).to_json(), "points": 0}


class Page(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def sheet(self, week, rows, shared=()):
        path = self.folder / f"sheets/{9 - week}/sheet.json"
        path.parent.mkdir(parents=True)
        path.write_text(
            json.dumps(
                {
                    "schema": 1,
                    "graded_at": f"2026-11-{7 * week:02}T18:00:00+00:00",
                    "most_points": 10,
                    "chapters": [1],
                    "weights": points.parse(points.WORTH),
                    "shared": [{"kind": kind, "submissions": who} for kind, who in shared],
                    "submissions": [
                        {"name": name, "points": got, "chapters": {"1": one}} for name, (got, one) in rows.items()
                    ],
                }
            )
        )

    def student(self, name, text, asked=None, notebook=None):
        path = self.folder / "class" / name / "chapters/01_interleaved_addressing/reduce.cuh"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        if asked is not None or notebook is not None:
            (self.folder / "class" / name / ".workbook").mkdir()
            said = notebook or json.dumps({"schema": 1, "chapters": {"1": {"asked": asked}}})
            (self.folder / "class" / name / ".workbook/progress.json").write_text(said)

    def make(self, *words):
        out = self.folder / "class.html"
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "book",
                "class",
                "--sheets",
                self.folder / "sheets",
                "--submissions",
                self.folder / "class",
                "--out",
                out,
                *words,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text(encoding="utf-8")

    def term(self):
        wrong = dict.fromkeys(PARTS, False)
        self.sheet(2, {"Ada": (10, result()), "<b>Ben": (4, result(clean=False, goal=False))}, [("a <race>", ["Ada"])])
        self.sheet(
            1,
            {"Ada": (0, result(**wrong)), "<b>Ben": (0, result(State.MISSING, **wrong))},
            [("a <race>", ["Ada", "<b>Ben"])],
        )
        blocks = {"result": "wrong", "on": "2026-11-04", "idea": "<i>idea", "step": 0, "setting": []}
        self.student("Ada", tries.second(1), {"blocks": blocks, "launches": {**blocks, "result": "first"}})
        self.student("<b>Ben", renamed(tries.second(1)), {"blocks": blocks, "<u>no question": blocks})
        self.student("Cid", "", notebook="[" * 100000)
        self.student("Dan", "", notebook='{"chapters": {"1": {"asked": {"blocks": 3}}, "x": {}, "2": 7}}')

    def test_it_counts_what_the_sheets_say_in_order_of_time(self):
        self.term()
        text = re.sub(r"</?time>", "", self.make())
        self.assertIn(
            '<td>1: Interleaved addressing: a tree in shared memory</td><td class="n">2</td><td class="n">2</td>'
            '<td class="n">1</td><td class="n">1</td><td class="n">2</td><td class="n">1</td>',
            text,
        )
        self.assertLess(text.index("<td>2026-11-14"), text.index("<td>2026-11-07"))
        self.assertIn("70 %", text)
        self.assertIn(
            '<td>a &lt;race&gt;</td><td class="n">2</td><td class="n">1</td><td>2026-11-07 to 2026-11-14', text
        )

    def test_predictions_are_counted_and_nothing_else_of_a_notebook_gets_in(self):
        self.term()
        text = self.make()
        self.assertIn(
            '<td>blocks: &lt;i&gt;idea</td><td class="n">2</td><td class="n">0</td><td class="n">2</td>', text
        )
        self.assertIn("2026-11-02", text)  # the Monday of that week
        self.assertNotIn("no question", text)

    def test_nobody_is_named_unless_asked_for(self):
        self.term()
        text = self.make()
        for name in ("Ada", "Ben", "Cid"):
            self.assertNotIn(name, text)
        self.assertRegex(text, r"student \d</bdi>, <bdi>student \d")
        text = self.make("--names")
        self.assertIn("<bdi>&lt;b&gt;Ben</bdi>, <bdi>Ada</bdi>", text)
        self.assertNotIn("<b>", text)

    def test_it_loads_and_runs_nothing_and_a_phone_can_show_it(self):
        self.term()
        text = self.make()
        self.assertFalse(re.search(r"<script|<link|<img|https?:|url\(|@import", text))
        for said in ("default-src 'none'", "prefers-color-scheme: dark", "width=device-width", 'role="img"'):
            self.assertIn(said, text)

    def test_without_sheets_it_says_what_to_do(self):
        (self.folder / "sheets").mkdir()
        self.assertRaisesRegex(history.NoSheets, "make grade", history.read_sheets, self.folder / "sheets")
        (self.folder / "sheets/sheet.json").write_text("{}")
        self.assertRaisesRegex(history.NoSheets, "not a sheet", history.read_sheets, self.folder / "sheets")
        self.assertEqual(class_page.main(["--sheets", str(self.folder / "sheets")]), 2)

    def test_a_run_for_other_chapters_takes_nothing_away(self):
        self.sheet(1, {"Ada": (10, result())})
        self.sheet(2, {"Ada": (0, result(State.MISSING))})
        last = history.latest(history.read_sheets(self.folder / "sheets"))
        self.assertEqual(history.standing(last[1]["Ada"]), "done")


if __name__ == "__main__":
    unittest.main()
