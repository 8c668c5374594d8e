#!/usr/bin/env python3
"""Tests the parts of the grader, and an interrupted run on three submissions: test_grade.py BUILD. Takes 20 seconds."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

from book import exercises, manifest
from course.grade import assembly, chapters, children, compiler, judge_record, library, points
from course.grade import sheet as sheets
from course.grade import submissions as handed_in
from course.grade.result import PARTS, State

ROOT = pathlib.Path(__file__).resolve().parents[3]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"


def record(integer=(9, 9), floating=(4, 4), clean=(13, 13), reached=True, **more):
    tally = {
        name: {"right": right, "tried": tried}
        for name, (right, tried) in {"integer": integer, "floating": floating, "clean": clean}.items()
    }
    return {
        "verdict": "done",
        "tally": {**tally, "worst_share_of_bound": 0.1},
        "goal": {"reached": reached, "counts": [{"metric": "launches", "target": 1, "yours": 1}]},
        **more,
    }


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)


class Points(unittest.TestCase):
    def parts(self, **changes):
        result = judge_record.read(record(**changes))
        return "".join(sheets.LETTERS[part] for part in PARTS if result.reaches(part))

    def test_each_part_follows_from_its_own_count(self):
        self.assertEqual(self.parts(), "RCGA")
        self.assertEqual(self.parts(reached=False), "RCA")
        self.assertEqual(self.parts(clean=(12, 13)), "RA")
        self.assertEqual(self.parts(floating=(3, 4)), "RC")

    def test_what_is_wrong_is_worth_nothing_else(self):
        self.assertEqual(self.parts(integer=(8, 9)), "")
        self.assertEqual(self.parts(integer=(0, 0)), "")

    def test_a_record_without_a_verdict_has_no_points(self):
        self.assertEqual(judge_record.read({"verdict": "not started"}).state, State.FAILED)
        self.assertEqual(points.score(judge_record.read({}), points.parse(points.WORTH)), 0)

    def test_weights_are_read_or_refused(self):
        self.assertEqual(points.parse("right=1,goal=2"), {"right": 1, "clean": 0, "goal": 2, "accuracy": 0})
        for text in ("right", "speed=4", "right=-1", "right=0"):
            self.assertRaises(ValueError, points.parse, text)


def taken(folder, exercise):
    """Returns a submission's file, which must exist."""
    found = handed_in.read(folder, exercise)
    assert found is not None
    return found


class Files(Folder):
    def test_a_submission_is_read_only_where_it_is_a_plain_file_of_its_own(self):
        exercise = pathlib.PurePosixPath("chapters/03_x/reduce.cuh")
        self.assertIsNone(handed_in.read(self.folder, exercise))
        (self.folder / "elsewhere").mkdir()
        (self.folder / "elsewhere/reduce.cuh").write_text("text")
        (self.folder / "chapters").mkdir()
        (self.folder / "chapters/03_x").symlink_to(self.folder / "elsewhere")
        self.assertIn("a link", taken(self.folder, exercise).refused or "")
        (self.folder / "chapters/03_x").unlink()
        (self.folder / "elsewhere").rename(self.folder / "chapters/03_x")
        self.assertEqual(taken(self.folder, exercise).data, b"text")

    def test_a_tree_is_one_submission_and_a_folder_of_trees_has_one_a_subfolder(self):
        for name in ("bob", "ada", ".hidden"):
            (self.folder / name / "chapters").mkdir(parents=True)
        self.assertEqual(list(handed_in.find(self.folder)), ["ada", "bob"])
        self.assertEqual(list(handed_in.find(self.folder / "ada")), ["ada"])

    def test_a_linked_folder_is_seen_and_not_read(self):
        exercise = pathlib.PurePosixPath("chapters/03_x/reduce.cuh")
        (self.folder / "ada" / exercise.parent).mkdir(parents=True)
        (self.folder / "ada" / exercise).write_text("text")
        (self.folder / "notes.txt").write_text("of the instructor")
        for name, leads_to in (("bob", "ada"), ("cho", "nowhere"), ("dan", "dan"), ("notes", "notes.txt")):
            (self.folder / name).symlink_to(leads_to)
        found = handed_in.find(self.folder)
        self.assertEqual(list(found), ["ada", "bob", "cho", "dan"])
        self.assertEqual(taken(found["ada"], exercise).data, b"text")
        for name in ("bob", "cho", "dan"):
            self.assertIn("its folder is a link", taken(found[name], exercise).refused or "")
        # A link that is named on the command line is followed.
        self.assertEqual(taken(handed_in.find(self.folder / "bob")["ada"], exercise).data, b"text")


class Chapters(unittest.TestCase):
    def test_every_chapter_has_a_judge_and_its_exercise_the_headers_that_it_was_given(self):
        known = {one.number: one for one in chapters.load(ROOT, BUILD)}
        self.assertEqual(sorted(known), list(manifest.load()))
        headers = {number: {path.name for path in one.headers} for number, one in known.items()}
        self.assertEqual(headers[3], set())
        # softmax_rows.cuh is in the same folder, but it is nearly a solution, so exercises must not include it.
        self.assertEqual(headers[13], {"calls.hpp", "scores.cuh"})
        self.assertIn("lanes.cuh", headers[14])
        for number, one in known.items():
            self.assertTrue(one.judge.exists(), number)
            self.assertNotIn(pathlib.Path(one.exercise).name, headers[number])

    def test_a_profile_keeps_the_lines_that_cost_most_in_the_order_of_the_file(self):
        lines = [{"line": n, "instructions": n % 7, "conflicts": 1, "sectors": 2} for n in range(1, 60)]
        kept = judge_record.read(record(profile={"instructions": 500, "lines": lines})).profile
        empty = judge_record.read(record()).profile
        assert kept and empty
        self.assertEqual((kept.instructions, len(kept.lines)), (500, 20))
        self.assertEqual([one.line for one in kept.lines], sorted(one.line for one in kept.lines))
        self.assertLessEqual(
            {6: 8, 5: 8}.items(), {n: sum(one.instructions == n for one in kept.lines) for n in (5, 6)}.items()
        )
        self.assertEqual(empty.to_json(), {})

    def test_lists_of_chapters_are_read_or_refused(self):
        self.assertEqual(chapters.numbers_in("1-3, 12"), {1, 2, 3, 12})
        for text in ("", "3-", "x", "1,,2"):
            self.assertRaises(ValueError, chapters.numbers_in, text)


class Classes(Folder):
    def make(self, *words):
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name("make_class.py"), *words], check=True)
        return {path.relative_to(words[0]): path.read_text() for path in words[0].rglob("*.cuh")}

    def test_a_made_class_has_all_kinds_of_files_and_no_two_are_equal(self):
        files = self.make(self.folder / "a", "30")
        self.assertEqual(len(files), 300)
        self.assertEqual(len(set(files.values())), 300)
        self.assertEqual(files, self.make(self.folder / "b", "30"))
        third = [text.rpartition("// ")[0] for path, text in files.items() if "03_" in str(path)]
        self.assertEqual(len(set(third)), 5)  # racy files are only in odd chapters; in others, they do not compile
        some = self.make(self.folder / "c", "10", "--chapters", "3", "--equal")
        self.assertEqual((len(some), len(set(some.values()))), (10, 5))


class Libraries(Folder):
    def build(self, text, *flags):
        (self.folder / "x.cpp").write_text(text)
        out = self.folder / "x.so"
        facts = json.loads((BUILD / "grade/compiler.json").read_text())
        subprocess.run(
            [facts["host_compiler"], "-shared", "-fPIC", *flags, "-o", out, self.folder / "x.cpp"], check=True
        )
        return out

    def test_constructors_do_not_run_when_the_library_is_opened(self):
        text = '#include <cstdio>\nstatic int x = std::puts("ran");\n'
        opens = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(self.folder / 'x.so')!r})"]
        out = self.build(text)
        self.assertIn(b"ran", subprocess.run(opens, capture_output=True, check=True).stdout)
        library.withhold_constructors(out)
        self.assertNotIn(b"ran", subprocess.run(opens, capture_output=True, check=True).stdout)

    def test_code_that_would_run_earlier_is_refused(self):
        ifunc = (
            'static void f() {}\nextern "C" { static void (*choose())() { return f; }\n'
            'void g() __attribute__((ifunc("choose"))); void h() { g(); } }\n'
        )
        self.assertRaisesRegex(library.Refused, "ifunc", library.withhold_constructors, self.build(ifunc))
        self.assertRaisesRegex(
            library.Refused,
            "libz",
            library.withhold_constructors,
            self.build("int x;", "-Wl,--no-as-needed", "-l:libz.so.1")
            if pathlib.Path("/usr/lib/x86_64-linux-gnu/libz.so.1").exists()
            else self.named_libz(),
        )

    def named_libz(self):
        self.build("int z;", "-Wl,-soname,libz.so.1").rename(self.folder / "libz.so.1")
        return self.build("int x;", "-Wl,--no-as-needed", str(self.folder / "libz.so.1"))

    def test_rubbish_is_refused(self):
        path = self.folder / "x.so"
        for data in (b"", b"text" * 99, b"\x7fELF\x02\x01" + b"\xff" * 500):
            path.write_bytes(data)
            self.assertRaises(library.Refused, library.withhold_constructors, path)


class Children(Folder):
    def test_limits_hold_and_nothing_is_left(self):
        log = self.folder / "log"
        status, seconds = children.run(["sh", "-c", "sleep 77.7 & sleep 77.7"], children.Limits(1), log)
        self.assertIsNone(status)
        self.assertLess(seconds, 20)
        # On a busy machine, a killed process takes a moment to disappear, but much less time than its sleep would take.
        for _ in range(50):
            running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
            if "sleep 77.7" not in running:
                break
            time.sleep(0.2)
        self.assertNotIn("sleep 77.7", running)
        command = ["sh", "-c", "head -c 9000000 /dev/zero > big"]
        status, _ = children.run(command, children.Limits(20, file_bytes=1 << 20), log, cwd=self.folder)
        self.assertEqual((self.folder / "big").stat().st_size, 1 << 20)
        self.assertNotEqual(status, 0)


class Assembly(Folder):
    def refused(self, source):
        (self.folder / "x.s").unlink(missing_ok=True)
        (self.folder / "x.cpp").write_text(source)
        facts = json.loads((BUILD / "grade/compiler.json").read_text())
        subprocess.run(
            [facts["host_compiler"], "-S", "-O1", "-g", "-fPIC", "-o", self.folder / "x.s", self.folder / "x.cpp"],
            check=True,
        )
        return assembly.refuse_foreign(self.folder)

    def test_what_compilers_write_is_taken(self):
        self.assertIsNone(
            self.refused(
                "#include <algorithm>\n#include <iostream>\n#include <map>\n#include <thread>\n"
                'thread_local int t = 3; std::map<int, std::string> m{{1, "a;b .x # /*"}};'
                "int f(int x) { try { throw x; } catch (int y) { std::cout << m[y] << '\"'; } "
                "std::thread([] { t = 4; }).join(); return t; }\n"
            )
        )

    def test_what_reads_files_while_it_is_assembled_is_refused(self):
        for text in (
            r'__asm__(".incbin \"/etc/hostname\"");',
            r'__asm__(".text; a b: .incbin \"/etc/hostname\"");',
            r'__asm__(".macro x a b\n.\\a\\b \"/etc/hostname\"\n.endm\nx inc bin");',
            r'int f() __asm__("odd\n.incbin \"/etc/hostname\"\nx"); int g() { return f(); }',
            r'__attribute__((section("s,\"a\"\n.incbin \"/etc/hostname\" #"))) int z = 1;',
            r'__asm__("/* \" */ .incbin \"/etc/hostname\" /* \" */");',
            r'__asm__(".INCLUDE \"/etc/hostname\"");',
            r"""__asm__(".byte '\" ; .incbin \"/etc/hostname\"");""",
        ):
            with self.subTest(text=text):
                self.assertIsNotNone(assembly.foreign_line(self.words_of(text)))

    def words_of(self, text):
        """Checks that a piece is refused, whether it can be assembled or not. Returns its assembly."""
        self.refused(text)
        return (self.folder / "x.s").read_text(encoding="latin-1")

    def test_no_assembly_is_no_proof(self):
        self.assertRaises(OSError, assembly.refuse_foreign, self.folder)


class Names(Folder):
    def test_names_are_shown_as_any_screen_can_show_them(self):
        texts = [name.encode() for name in ("ada", "ümlaut", "a\x1b[31mb", "a\nb", "a\u202eb", "--help", "=1+1")]
        for name in (*texts, b"\xe4da"):
            pathlib.Path(os.fsdecode(bytes(self.folder) + b"/" + name)).mkdir()
        found = handed_in.find(self.folder)
        self.assertEqual(
            set(found), {"ada", "ümlaut", "\\xe4da", "a\\x1b[31mb", "a\\x0ab", "a\\u202eb", "--help", "=1+1"}
        )
        for shown, folder in found.items():
            self.assertTrue(folder.is_dir(), shown)
            shown.encode()

    def test_two_names_that_look_the_same_stay_two(self):
        for name in (b"\xe4da", rb"\xe4da"):
            pathlib.Path(os.fsdecode(bytes(self.folder) + b"/" + name)).mkdir()
        self.assertEqual(set(handed_in.find(self.folder)), {"\\xe4da", "\\xe4da (2)"})

    def test_what_cannot_be_read_is_refused_and_hurts_nobody(self):
        exercise = pathlib.PurePosixPath("chapters/03_x/reduce.cuh")
        (self.folder / "folder" / exercise).mkdir(parents=True)
        self.assertIn("isn't a regular file", taken(self.folder / "folder", exercise).refused or "")
        (self.folder / "file").mkdir()
        (self.folder / "file/chapters").write_text("no folder")
        self.assertIsNone(handed_in.read(self.folder / "file", exercise))
        (self.folder / "loop").mkdir()
        (self.folder / "loop/chapters").symlink_to("chapters")
        self.assertIn("a link", taken(self.folder / "loop", exercise).refused or "")


class Scratch(Folder):
    def test_what_a_killed_grader_left_is_removed_and_what_a_living_one_has_is_not(self):
        (self.folder / "dead").mkdir()
        (self.folder / "dead/file").write_text("left")
        (self.folder / "dead.lock").write_text("")
        with compiler.scratch_in(self.folder) as living:
            self.assertFalse((self.folder / "dead").exists())
            with compiler.scratch_in(self.folder) as other:
                self.assertTrue(living.is_dir() and other.is_dir() and living != other)
        self.assertEqual(list(self.folder.iterdir()), [])


class Runs(Folder):
    def grade(self, *words):
        command = [sys.executable, "-m", "book", "grade", "--build", BUILD, *words]
        return subprocess.run(command, text=True, check=False, capture_output=True, timeout=300)

    def test_three_submissions_one_row_each_and_an_interrupted_run_goes_on(self):
        exercise = pathlib.Path("chapters/03_sequential_addressing/reduce.cuh")
        right = (ROOT / "solutions" / exercise.relative_to("chapters")).read_text().replace("::solution", "::exercise")
        texts = {
            "ada": right,
            "bob": right,
            "cid": exercises.start_text(manifest.load()[3]),
            "dan": right.replace("i < n ? in[i]", "i <= n ? in[i]"),
            "eve": None,
        }
        for name, text in texts.items():
            (self.folder / "class" / name / exercise.parent).mkdir(parents=True)
            if text is not None:
                (self.folder / "class" / name / exercise).write_text(text)
        words = ("--submissions", self.folder / "class", "--chapters", "3", "--out", self.folder / "out")
        done = self.grade(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        data = json.loads((self.folder / "out/sheet.json").read_text())
        rows = {row["name"]: row["chapters"]["3"] for row in data["submissions"]}
        self.assertEqual(
            {name: row["points"] for name, row in rows.items()}, {"ada": 10, "bob": 10, "cid": 0, "dan": 0, "eve": 0}
        )
        self.assertEqual(
            {name: row["state"] for name, row in rows.items() if name in ("cid", "eve")},
            {"cid": "not started", "eve": "missing"},
        )
        self.assertIn("memcheck: out-of-bounds read", [one["kind"] for one in data["shared"]])
        self.assertEqual(data["equal_files"], [{"chapter": 3, "submissions": ["ada", "bob"]}])
        self.assertIn("2 exercises judged", done.stdout)  # ada and bob have submitted the same file
        if shutil.which("bwrap") is None:
            self.assertIn("no own view: bubblewrap is not installed", " ".join(done.stdout.split()))
        cases = ElementTree.parse(self.folder / "out/junit.xml").getroot().findall("testsuite")
        self.assertEqual([suite.get("failures") for suite in cases], ["0", "0", "4", "4", "4"])

        # Makes the journal look as if the run had been interrupted after its first result.
        journal = self.folder / "out/results.jsonl"
        journal.write_text("\n".join(journal.read_text().split("\n")[:2]) + "\n")
        again = self.grade(*words)
        self.assertIn(f"Going on with the run of seed {data['seed']}: 1 results are there", again.stderr)
        self.assertIn("1 exercises judged", again.stdout)
        self.assertEqual(json.loads((self.folder / "out/sheet.json").read_text())["submissions"], data["submissions"])

        # First, nothing is new. Then one file is new, which gets a different seed. Finally, everything is judged again.
        self.assertIn("No exercise had to be judged", self.grade(*words).stdout)
        self.assertEqual(json.loads((self.folder / "out/sheet.json").read_text())["submissions"], data["submissions"])
        (self.folder / "class/eve" / exercise).write_text(right + "// looked at\n")
        again = self.grade(*words)
        self.assertIn("2 results are there from before", again.stderr)
        self.assertIn("1 exercises judged", again.stdout)
        self.assertIn("3 results are from earlier runs", " ".join(again.stdout.split()))
        rows = json.loads((self.folder / "out/sheet.json").read_text())["submissions"]
        self.assertEqual(
            [row["chapters"]["3"].get("seed") == data["seed"] for row in rows], [True, True, False, True, False]
        )
        self.assertEqual(rows[4]["points"], 10)
        self.assertIn("3 exercises judged", self.grade(*words, "--fresh").stdout)
        # The results of a grader with different checks are not used.
        settings = json.loads(journal.read_text().split("\n")[0])["settings"]
        journal.write_text(journal.read_text().replace(settings["judges"], "another"))
        self.assertIn("3 exercises judged", self.grade(*words).stdout)

    def test_bad_usage_is_named(self):
        for words, said in (
            (("--submissions", "/nowhere"), "no such folder"),
            (("--chapters", "99"), "no judge"),
            (("--points", "speed=1"), "whole numbers"),
            (("--seed", "no"), "give the seed"),
        ):
            done = self.grade(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_two_graders_do_not_write_into_one_sheet(self):
        (self.folder / "out").mkdir()
        with (self.folder / "out/lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.grade("--out", self.folder / "out", "--chapters", "3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Another grading", done.stderr)


if __name__ == "__main__":
    unittest.main()
