#!/usr/bin/env python3
"""Tests the sheets for other systems. All of them have the points of sheet.json and follow the rules of their format,
and no student's name is interpreted as code or markup. Needs no build. The module of each format names the source of
its rules."""

# Long because all formats are made from one class and must agree on its points.

import csv
import datetime
import html.parser
import io
import json
import os
import pathlib
import re
import tarfile
import tempfile
import types
import typing
import unittest
import zipfile
from unittest import mock

from book import exercises, manifest
from course.grade import points, submissions, words
from course.grade.chapters import Chapter
from course.grade.formats import (
    canvas,
    chosen,
    classroom,
    entries,
    feedback,
    gradescope,
    roster,
    table,
    write,
)
from course.grade.formats.surroundings import Around
from course.grade.result import PARTS, Count, Figures, Finding, Result, State
from course.grade.sheet import Sheet
from course.grade.sheet_contents import Contents

ROOT = manifest.ROOT
CHAPTERS = {number: manifest.load()[number] for number in (1, 3)}
HOSTILE = (
    "=cmd|'/c calc'!A1",
    "Latin\udce9",
    "turned\u202egnp",
    "a\x1b[31mb",
    'comma, "quote"',
    "two\nlines",
    "Übel",
    "<script>alert(1)</script>",
    "Points Possible",
    " @SUM(1)",
    "../up",
    "-",
    ".hidden",
)


def judged(words_said="", **parts):
    figures = Figures((Count("bank conflicts per block", 0.0, 2.0),), (), 0.5)
    return Result(State.JUDGED, words_said, **{**dict.fromkeys(PARTS, True), **parts}, figures=figures)


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)


class Class(Folder):
    """A class of submissions: right, without a goal, wrong, missing, not compiling, and one submission for each strange
    name."""

    def setUp(self):
        super().setUp()
        weights = points.parse("right=4,clean=3,goal=2,accuracy=1")
        # The sheet reads only the numbers of the chapters.
        listed = [types.SimpleNamespace(number=number) for number in CHAPTERS]
        sheet = Sheet(typing.cast("list[Chapter]", listed), {"seed": 7}, weights, "none")
        race = Finding(2, "racecheck", "race", "Two <b>threads</b>", "one & one")
        rows = {
            "ada": {1: judged(), 3: judged()},
            "ben": {
                1: judged(goal=False),
                3: judged("a race", clean=False, goal=False, findings=(race,), kinds=("racecheck: race",)),
            },
            "cho": {
                1: Result(State.DOES_NOT_COMPILE, "x.cuh(2): error: <img src=x>"),
                3: Result(State.MISSING),
            },
            "dan": {1: Result(State.MISSING), 3: Result(State.MISSING)},
            "eve": {1: judged("wrong", **dict.fromkeys(PARTS, False)), 3: Result(State.NOT_STARTED)},
            **{name: {1: judged(accuracy=False), 3: Result(State.FAILED, f"no {name}")} for name in HOSTILE},
        }
        for name, row in rows.items():
            for number, result in row.items():
                sheet.add(name, number, None, result)
        self.data = json.loads(json.dumps(sheet.contents().to_json()))
        paths = {n: pathlib.PurePosixPath(one.exercise_path(ROOT).relative_to(ROOT)) for n, one in CHAPTERS.items()}
        self.about = Around(
            ROOT, {n: one.title for n, one in CHAPTERS.items()}, paths, "right=4,clean=3,goal=2,accuracy=1"
        )
        self.total = {words.visible(row["name"]): row["points"] for row in self.data["submissions"]}

    def sheet(self, submissions=None):
        """Returns the contents of the sheet that self.data describes, or of one with only these submissions."""
        return Contents.from_json(self.data if submissions is None else {**self.data, "submissions": submissions})

    def with_roster(self, more=""):
        lines = ["Name,E-Mail,ID,Folder"]
        lines += [f"Student {k},s{k}@x.edu,{k},{name}" for k, name in enumerate(("ada", "ben", "cho", "dan"))]
        (self.folder / "roster.csv").write_text("\n".join(lines) + "\n" + more, encoding="utf-8")
        self.about.students = roster.read(self.folder / "roster.csv")

    def written(self, name):
        write([name], self.sheet(), self.folder, self.about)
        files = {"csv": "grades.csv", "canvas": "canvas.csv", "moodle": "moodle.csv"}
        with (self.folder / files[name]).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file, strict=True))


class Agreement(Class):
    def test_every_format_gives_the_points_of_the_sheet(self):
        rows = {row[3].removeprefix("'"): row for row in self.written("csv")[1:]}
        for one in self.data["submissions"]:
            row = rows[words.cell(words.visible(one["name"])).removeprefix("'")]
            got = [str(result["points"]) for result in one["chapters"].values()]
            self.assertEqual((row[6], row[8:]), (str(one["points"]), got))
            alone = self.sheet([one])
            self.assertEqual(gradescope.result(alone, [])["score"], one["points"])
            self.assertEqual(sum(test["score"] for test in gradescope.result(alone, [])["tests"]), one["points"])
            self.assertEqual(classroom.result(alone, [])["score"], one["points"])
            self.assertEqual(sum(test["score"] for test in classroom.result(alone, [])["tests"]), one["points"])
            (submission,) = alone.submissions
            page = feedback.page(self.about, alone, submission, one["name"])
            self.assertIn(f"<strong>{one['points']} of 20 points</strong>", page)
        by_name = {row[0]: row for row in self.written("canvas")[2:]}
        self.assertEqual(by_name["ben"][5:], ["8", "5"])

    def test_a_sheet_that_contradicts_itself_is_refused(self):
        one = self.data["submissions"][1]
        one["points"] += 1
        self.assertRaises(entries.Disagreement, entries.parts, self.sheet(), self.sheet().submissions[1])
        one["points"] -= 1
        one["chapters"]["1"]["points"] += 1
        self.assertRaises(entries.Disagreement, entries.parts, self.sheet(), self.sheet().submissions[1])

    def test_weights_of_nothing_are_no_parts(self):
        self.data["weights"]["accuracy"] = 0
        for one in self.data["submissions"]:
            for result in one["chapters"].values():
                result["points"] -= bool(result["accuracy"])
            one["points"] = sum(result["points"] for result in one["chapters"].values())
            alone = self.sheet([one])
            self.assertNotIn("accuracy", [part.name for part in entries.parts(alone, *alone.submissions)])


class Tables(Class):
    def test_no_cell_is_a_formula_and_no_letter_is_hidden(self):
        for name in ("csv", "canvas"):
            for row in self.written(name):
                for cell in row:
                    self.assertNotRegex(cell.lstrip(), r"^[=+\-@\t\r]")
                    self.assertTrue(cell.replace("\n", "").isprintable(), ascii(cell))
        self.assertEqual(words.cell("Latin\udce9"), "Latin\\xe9")
        self.assertEqual(words.cell("turned\u202egnp"), "turned\\u202egnp")
        self.assertEqual(words.cell(" @SUM(1)"), "' @SUM(1)")
        self.assertEqual(words.cell("＝1+1"), "'＝1+1")

    def test_the_roster_has_a_row_each_and_unknown_folders_stand_at_the_end(self):
        self.with_roster('"Ä, ""ö""",,9,nobody\n')
        rows = self.written("csv")
        self.assertEqual(
            [row[4:7] for row in rows[1:6]],
            [
                ["handed in", "", "20"],
                ["handed in", "", "13"],
                ["handed in", "", "0"],
                ["missing", "", "0"],
                ["missing", "no e-mail", ""],
            ],
        )
        self.assertEqual(rows[5][0], 'Ä, "ö"')
        self.assertEqual({row[5] for row in rows[6:]}, {"not in the roster"})
        self.assertEqual(len(rows), 1 + 5 + 1 + len(HOSTILE))

    def test_what_was_saved_behind_the_day_is_late(self):
        (self.folder / "ada" / self.about.exercises[3].parent).mkdir(parents=True)
        path = self.folder / "ada" / self.about.exercises[3]
        path.write_text("x")
        self.about.folders = {"ada": self.folder / "ada"}
        self.with_roster()
        for due, state in (("2026-11-10", "handed in"), ("2026-11-09", "late"), ("2026-11-10T11:00", "late")):
            saved = datetime.datetime(2026, 11, 10, 12).timestamp()
            os.utime(path, (saved, saved))
            self.about.due = roster.due_time(due)
            self.assertEqual(self.written("csv")[1][4], state)
        for text in ("soon", "2026-13-01", "10.11.2026"):
            self.assertRaisesRegex(ValueError, "--due", roster.due_time, text)

    def test_a_roster_that_is_none_is_refused_with_words(self):
        for text, said in (
            ("", "empty"),
            ("name,id\n", "email and folder"),
            ("name,email,id,folder,Name\n", "two"),
            ("name,email,id,folder\na,,1,x\nb,,1,y\n", "twice"),
        ):
            (self.folder / "r.csv").write_text(text)
            self.assertRaisesRegex(ValueError, said, roster.read, self.folder / "r.csv")
        (self.folder / "r.csv").write_bytes(b"name,email,id,folder\nM\xfcller,,,\n")
        self.assertRaisesRegex(ValueError, "UTF-8", roster.read, self.folder / "r.csv")
        self.assertRaisesRegex(ValueError, "roster", roster.read, self.folder / "none.csv")

    def test_a_roster_may_end_its_lines_as_it_likes(self):
        lines = ["name,email,id,folder", "Ada,a@x.edu,1,ada", "", "Ben,b@x.edu,2,ben"]
        wanted = [roster.Student("Ada", "a@x.edu", "1", "ada"), roster.Student("Ben", "b@x.edu", "2", "ben")]
        texts = [end.join(lines) + last for end in ("\n", "\r\n", "\r", "\r\r\n") for last in ("", end, 3 * end)]
        texts += ["\ufeff" + texts[0], "\n \n" + texts[0], "\ufeff\r\n" + texts[3], "\n".join(lines) + "\n , ,,\n"]
        texts += [texts[0].replace(",", ";"), texts[3].replace(",", "\t"), texts[0].replace("Ada", '" Ada\r\n"')]
        for text in texts:
            with self.subTest(text=text):
                (self.folder / "r.csv").write_bytes(text.encode())
                self.assertEqual(roster.read(self.folder / "r.csv"), wanted)
        (self.folder / "r.csv").write_text('name,email,id,folder\n"Ada\nKing, Countess",a@x.edu,1,ada\n')
        self.about.students = roster.read(self.folder / "r.csv")
        for kind in ("csv", "canvas", "moodle"):
            names = [cell for row in self.written(kind) for cell in row if "Ada" in cell]
            self.assertEqual(names, ["Ada King, Countess"], kind)
        for text in ("\n\r\n", "\ufeff", " , ,\n"):
            (self.folder / "r.csv").write_text(text)
            self.assertRaisesRegex(ValueError, "empty", roster.read, self.folder / "r.csv")

    def test_canvas_rules(self):
        self.with_roster()
        rows = self.written("canvas")
        self.assertEqual(rows[0][:5], canvas.HEADER)
        self.assertIn("Points Possible", rows[1][0])
        self.assertEqual(rows[1][5:], ["10", "10"])
        self.assertEqual(rows[2], ["Student 0", "", "0", "s0@x.edu", "", "10", "10"])
        self.assertEqual(rows[5][5:], ["", ""])  # missing: an empty cell, not 0 points
        self.assertEqual(len(rows), 2 + 4)
        for title in rows[0][5:]:  # numbers that Canvas adds, and columns that it skips
            self.assertNotRegex(title, r"\(\d+\)$|(Current|Final|Override) (Score|Points|Grade)")
        self.about.students = None
        self.assertEqual(
            [row[0] for row in self.written("canvas") if "points possible" in row[0].casefold()],
            ["    Points Possible"],
        )

    def test_moodle_rules(self):
        self.with_roster("Zoe,,9,eve\n")
        rows = self.written("moodle")
        self.assertEqual([row[2] for row in rows[1:]], [f"s{k}@x.edu" for k in range(4)])
        self.assertEqual([row[3:] for row in rows[1:]], [["10", "10"], ["8", "5"], ["0", "0"], ["", ""]])

    def test_formats_are_named_or_refused(self):
        self.assertEqual(chosen("csv, canvas,csv"), ["csv", "canvas"])
        self.assertRaisesRegex(
            ValueError, "csv, canvas, moodle, feedback, junit, gradescope, classroom", chosen, "excel"
        )

    def test_a_table_is_whole_or_not_there(self):
        with mock.patch.object(pathlib.Path, "write_text", side_effect=OSError("full")):
            self.assertRaises(OSError, table.put, self.folder, "x.csv", [["a"]])
        self.assertFalse((self.folder / "x.csv").exists())


class Reader(html.parser.HTMLParser):
    """Collects tags and attributes, and checks that every element is closed."""

    VOID = frozenset({"meta", "rect", "img", "br"})

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.attributes = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Feedback(Class):
    def pages(self):
        write(["feedback"], self.sheet(), self.folder, self.about)
        return {path.name: path.read_text(encoding="utf-8") for path in (self.folder / "feedback").iterdir()}

    def test_a_page_each_that_loads_and_runs_nothing(self):
        pages = self.pages()
        self.assertEqual(len(pages), len(self.data["submissions"]))
        for name, text in pages.items():
            self.assertRegex(name, r"^[A-Za-z0-9_-]+\.html$")
            reader = Reader()
            reader.feed(text)
            self.assertEqual(reader.open, [])
            self.assertFalse(reader.tags & {"script", "img", "link", "iframe", "a", "b", "object", "form"}, name)
            self.assertFalse([one for one in reader.attributes if one[0].startswith("on") or one[0] in ("src", "href")])
            self.assertIn("default-src 'none'", text)
            self.assertTrue(text.replace("\n", "").isprintable())

    def test_it_says_the_verdict_the_finding_and_the_goal(self):
        text = self.pages()["ben.html"]
        for said in (
            "13 of 20",
            "line 2: racecheck: race",
            "Two &lt;b&gt;threads&lt;/b&gt;",
            "one &amp; one",
            "bank conflicts per block",
            "✗ no",
            "✓ yes",
        ):
            self.assertIn(said, text)

    def test_the_line_is_shown_only_of_the_file_that_was_graded(self):
        path = self.folder / "ben" / self.about.exercises[3]
        path.parent.mkdir(parents=True)
        path.write_text("first\nint x = a<b>c;\nthird\n")
        self.about.folders = {"ben": self.folder / "ben"}
        self.assertNotIn("int x", self.pages()["ben.html"])
        self.about.files = submissions.read_all(self.about.folders, self.about.exercises)
        path.write_text("saved later")
        self.assertIn('<span class="at">   2  int x = a&lt;b&gt;c;</span>', self.pages()["ben.html"])

        self.assertNotIn("What the lines cost", self.pages()["ben.html"])
        self.data["submissions"][1]["chapters"]["3"]["profile"] = {
            "instructions": 400,
            "lines": [
                {"line": 2, "instructions": 100, "conflicts": 1234, "sectors": 7},
                {"line": 99, "instructions": 1, "conflicts": 0, "sectors": 0},
            ],
        }
        text = self.pages()["ben.html"]
        self.assertIn(
            '<td class="n">2</td><td><code>int x = a&lt;b&gt;c;</code></td><td class="n">25.0 %</td>'
            '<td class="n">1,234</td><td class="n">7</td>',
            text,
        )
        self.assertIn('<td class="n">99</td><td><code></code></td>', text)

    def test_it_names_the_command_that_plays_each_kernel_that_was_judged(self):
        for name, numbers in (("ben", ["1", "3"]), ("cho", []), ("eve", ["1"])):
            self.assertEqual(re.findall(r"<code>make play(\d+)</code>", self.pages()[f"{name}.html"]), numbers, name)

    def test_names_that_differ_only_in_case_have_files_of_their_own(self):
        names = feedback.file_names(["Ada", "ada", "a/b", "a b", "", "a" * 300])
        self.assertEqual(len({name.casefold() for name in names.values()}), 6)


class Kits(Class):
    def test_gradescope_results_keep_the_specification(self):
        for one in self.data["submissions"]:
            result = gradescope.result(self.sheet([one]), ["Said."])
            json.dumps(result).encode("ascii")
            self.assertLessEqual(
                set(result),
                {
                    "score",
                    "execution_time",
                    "output",
                    "output_format",
                    "test_output_format",
                    "test_name_format",
                    "visibility",
                    "stdout_visibility",
                    "extra_data",
                    "tests",
                    "leaderboard",
                },
            )
            for key in ("visibility", "stdout_visibility"):
                self.assertIn(result[key], ("hidden", "after_due_date", "after_published", "visible"))
            for test in result["tests"]:
                self.assertLessEqual(
                    set(test),
                    {
                        "score",
                        "max_score",
                        "status",
                        "name",
                        "name_format",
                        "number",
                        "output",
                        "output_format",
                        "tags",
                        "visibility",
                        "extra_data",
                    },
                )
                self.assertEqual(test["status"], "passed" if test["score"] == test["max_score"] else "failed")
                self.assertTrue(test["output"].replace("\n", "").isprintable())

    def test_classroom_results_keep_the_contract(self):
        facts = {
            "CLASSROOM": "c",
            "ASSIGNMENT": "a",
            "SUBMISSION_TAG": "submit/x",
            "COMMIT_URL": "u",
            "RELEASE_URL": "r",
        }
        with mock.patch.dict(os.environ, facts):
            result = classroom.result(self.sheet(self.data["submissions"][1:2]), [])
        self.assertEqual(result["schema"], "classroom50/result/v1")
        self.assertEqual(
            [result[key] for key in ("classroom", "assignment", "submission", "commit", "review")],
            ["c", "a", "submit/x", "u", "u"],
        )
        self.assertRegex(result["datetime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual((result["score"], result["max-score"]), (13, 20))
        for test in result["tests"]:
            self.assertLessEqual({"test-name", "passed", "score", "max-score"}, set(test))

    def test_an_exercise_that_was_solved_and_committed_is_in_no_kit(self):
        path = str(self.about.exercises[3])
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as made:
            for name in (path, "LICENSE"):
                member = tarfile.TarInfo(name)
                member.size = 6
                made.addfile(member, io.BytesIO(b"solved"))
        with mock.patch.object(gradescope, "git", return_value=archive.getvalue()):
            found = {name: data for name, data, _ in gradescope.tree(ROOT)}
        self.assertEqual(found, {path: exercises.start_text(CHAPTERS[3]).encode(), "LICENSE": b"solved"})

    @unittest.skipUnless((ROOT / ".git").exists(), "a kit holds the workbook as git knows it")
    def test_the_zip_has_its_scripts_at_the_root_and_no_exercise_but_as_given(self):
        write(["gradescope"], None, self.folder, self.about)
        with zipfile.ZipFile(self.folder / "gradescope.zip") as archive:
            names = archive.namelist()
            for name in ("setup.sh", "run_autograder"):
                self.assertEqual(archive.getinfo(name).external_attr >> 16 & 0o777, 0o755)
                self.assertTrue(archive.read(name).startswith(b"#!"))
            self.assertIn(b"--chapters 1,3", archive.read("run_autograder"))
            for one in manifest.load().values():
                path = one.exercise_path(ROOT).relative_to(ROOT)
                self.assertEqual(archive.read(f"workbook/{path}").decode(), exercises.start_text(one))
            tops = {name.split("/")[1] for name in names if name.startswith("workbook/")}
            self.assertFalse([name for name in names if "/.workbook/" in name or "/build/" in name])
            self.assertLessEqual({"common", "solutions", "CMakeLists.txt"}, tops)
            self.assertFalse(re.search(r"\.git(/|$)", "\n".join(names)))


if __name__ == "__main__":
    unittest.main()
