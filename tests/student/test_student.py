#!/usr/bin/env python3
"""Plays a student in a small source tree, with real exercises and hints, and a program whose verdict depends on the
file."""

import dataclasses
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import termios
import time
import unittest

from book import manifest
from student import questions
from student.failure import Failure
from tree import LONG, ROOT, TOOL, Tree


class Student(Tree):
    def test_a_student_goes_from_the_start_to_done(self):
        self.assertIn("not started", self.line_of(3))
        self.write("does not compile")
        self.assertIn("does not compile", self.line_of(3))
        self.write("verdict: wrong")
        self.assertTrue(self.line_of(3).endswith("wrong"))
        self.write("verdict: unsafe")
        self.assertTrue(self.line_of(3).endswith("unsafe"))
        self.write("verdict: crash")
        self.assertTrue(self.line_of(3).endswith("crashed"))
        self.write("slow")
        self.assertTrue(self.line_of(3).endswith("goal missed | bank conflicts: 45, wanted 0"))
        self.write("verdict: done")
        self.assertTrue(self.line_of(3).endswith("done"))

    def test_a_verdict_is_asked_for_once_while_the_file_stays_as_it_is(self):
        self.write("verdict: wrong")
        for _ in range(3):
            self.line_of(3)
        self.assertEqual((self.tree / "calls.txt").read_text().count("3 --test"), 1)

    def test_next_names_the_first_chapter_that_is_not_done(self):
        self.assertIn("Chapter 0", self.student("next").stdout)
        for number in (0, 1, 2):
            path = next((self.tree / "chapters").glob(f"0{number}_*/reduce.cuh"))
            path.write_text(path.read_text() + "// verdict: done\n")
        shown = self.student("next").stdout
        self.assertIn("Chapter 3", shown)
        self.assertIn("make test3", shown)

    def test_each_call_gives_one_more_hint_and_the_last_says_so(self):
        self.assertEqual(self.student("hint", "3").stdout.count("Hint "), 1)
        self.assertEqual(self.student("hint", "3").stdout.count("Hint "), 2)
        self.assertEqual(self.student("hint", "3").stdout.count("Hint "), 3)
        self.assertIn("These are all", self.student("hint", "3").stdout)
        self.assertTrue(self.line_of(3).endswith("not started | 3 hints"))

    def test_the_reference_is_shown_when_the_kernel_passes_or_the_student_insists(self):
        self.write("verdict: wrong")
        refused = self.student("diff", "3")
        self.assertEqual(refused.returncode, 1)
        self.assertNotIn("+++ reference", refused.stdout)
        self.assertIn("+++ reference", self.student("diff", "3", "--yes").stdout)
        self.assertIn("+++ reference", self.student("diff", "3").stdout)  # it asks only the first time

    def test_reset_keeps_the_students_version(self):
        self.write("my work")
        shown = self.student("reset", "3").stdout
        self.assertEqual(self.exercise.read_text(), self.given)
        backups = list(self.exercise.parent.glob("reduce.cuh.*.bak"))
        self.assertEqual(len(backups), 1)
        self.assertIn(backups[0].name, shown)
        self.assertIn("my work", backups[0].read_text())
        self.assertIn("as the chapter gave it", self.student("reset", "3").stdout)

    def test_watch_answers_each_save(self):
        watching = subprocess.Popen(
            [sys.executable, *TOOL, "watch", "3", "--rounds", "2"],
            cwd=self.tree,
            text=True,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        calls = self.tree / "calls.txt"
        until = time.time() + 20
        while not calls.exists() and time.time() < until:
            time.sleep(0.05)
        self.write("does not compile")
        shown, _ = watching.communicate(timeout=20)
        self.assertEqual(watching.returncode, 0)
        self.assertIn("reduce.cuh(3): error: expected a ;", shown)
        self.assertEqual(calls.read_text().count("3 --test"), 1)

    def test_watch_takes_single_keys_on_a_terminal_and_leaves_it_as_it_was(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        before = termios.tcgetattr(theirs)
        with subprocess.Popen(
            [sys.executable, *TOOL, "watch", "3"],
            cwd=self.tree,
            env=self.environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as watching:
            shown = ""
            # Each key is sent after the output for the previous key has arrived. Enter is never pressed.
            for awaited, key in (
                ("Keys:", ""),
                ("goal missed", "h"),
                ("Hint 1 of", "n"),
                ("make test0", "x"),
                ("make test0", "q"),
            ):
                until = time.time() + 20
                while awaited not in shown and time.time() < until:
                    if select.select([ours], [], [], 0.1)[0]:
                        shown += os.read(ours, 65536).decode()
                self.assertIn(awaited, shown)
                os.write(ours, key.encode())
            self.assertEqual(watching.wait(timeout=20), 0)
        self.assertNotIn("\x1b", shown)
        self.assertEqual(termios.tcgetattr(theirs), before)
        os.close(theirs)

    def test_watch_takes_keys_with_enter_from_a_pipe_and_goes_on_behind_the_last(self):
        shown = self.student("watch", "3", answers="h\n\n  next\nx\nQ\nh\n")
        self.assertEqual(shown.returncode, 0)
        self.assertIn("each with Enter", shown.stdout)
        self.assertEqual(shown.stdout.count("Hint 1 of"), 1)  # input after q is ignored
        self.assertEqual(shown.stdout.count("make test0"), 1)
        # Without a q, it keeps watching after the pipe has ended.
        watching = subprocess.Popen(
            [sys.executable, *TOOL, "watch", "3", "--rounds", "2"],
            cwd=self.tree,
            text=True,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert watching.stdin and watching.stdout
        watching.stdin.write("h")  # the last line needs no newline
        watching.stdin.close()
        self.assertIn("Watching", watching.stdout.readline())
        time.sleep(0.6)
        self.write("saved")
        self.assertEqual(watching.wait(timeout=20), 0)
        self.assertIn("Hint 1 of", watching.stdout.read())
        watching.stdout.close()

    def test_every_command_is_plain_text_of_80_columns(self):
        self.write("verdict: goal missed")
        numbers = sorted(int(path.name[:2]) for path in (self.tree / "chapters").glob("[0-9]*_*"))
        seen = {"schema": 1, "chapters": {str(number): {"hints": 9} for number in numbers}}  # to list all
        (self.tree / ".workbook").mkdir()
        (self.tree / ".workbook/progress.json").write_text(json.dumps(seen))
        calls: list[tuple[str, ...]] = [("hint", str(number)) for number in numbers]
        calls += [
            ("predict", "3"),
            ("review",),
            ("progress",),
            ("next",),
            ("diff", "3"),
            ("page", "3"),
            ("reset", "3"),
            ("reset", "13"),
            ("watch", "3", "--rounds", "1"),
            ("hint", "77"),
        ]
        for words in calls:
            with self.subTest(command=words):
                done = self.student(*words, answers="1\nmany\n2\n?\n")
                said = done.stdout + done.stderr
                self.assertTrue(said.strip())
                self.assertNotIn("\x1b", said)
                self.assertNotIn("\r", said)
                for line in re.sub(r"(?m)^{.*\n", "", said).split("\n"):  # this tree's program prints JSON
                    self.assertLessEqual(len(line), 80, line)
        self.write("verdict: done")
        for line in self.student("diff", "3").stdout.split("\n"):  # lines of source code are not wrapped
            self.assertNotIn("\x1b", line)

    def test_only_a_terminal_that_can_is_shown_what_goes_on(self):
        for kind, shown in (("xterm", True), ("dumb", False)):
            ours, theirs = pty.openpty()
            self.quietly_but(theirs, [sys.executable, *TOOL, "progress"], env={**self.environment, "TERM": kind})
            os.write(theirs, b"end")
            self.assertEqual(b"\x1b[K" in os.read(ours, 65536), shown, kind)
            os.close(ours)
            os.close(theirs)

    def test_compiler_errors_are_shown_as_they_are(self):
        self.write("does not compile")
        shown = self.student("predict", "3")
        self.assertEqual(shown.returncode, 2)
        self.assertEqual(shown.stderr.rstrip("\n"), "reduce.cuh(3): error: expected a ;" + LONG)

    def test_state_is_one_file_and_a_foreign_one_is_refused_untouched(self):
        self.student("hint", "3")
        path = self.tree / ".workbook/progress.json"
        self.assertEqual(json.loads(path.read_text())["chapters"]["3"]["hints"], 1)
        path.write_text("no json")
        refused = self.student("hint", "3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("Move it away", refused.stderr)
        self.assertEqual(path.read_text(), "no json")

    def test_a_notebook_that_is_none_is_refused_in_words(self):
        path = self.tree / ".workbook/progress.json"
        for content, words in (
            (b"\xff\xfe", "was not written by this program"),
            (b'{"schema": 1, "chapters": []}', "was not written by this program"),
            (b'{"schema": 1, "chapters": {"3": 7}}', "was not written by this program"),
            (b'{"schema": 2, "chapters": {}, "more": 1}', "newer version"),
        ):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            refused = self.student("hint", "3")
            self.assertEqual(refused.returncode, 2, content)
            self.assertIn(words, " ".join(refused.stderr.split()))
            self.assertNotIn("Traceback", refused.stderr)
            self.assertEqual(path.read_bytes(), content)
        shutil.rmtree(path.parent)
        path.parent.write_text("a file")
        refused = self.student("hint", "3")
        self.assertEqual(refused.returncode, 2)
        self.assertNotIn("Traceback", refused.stderr)
        self.assertIn(".workbook/progress.json", refused.stderr)
        self.assertEqual(path.parent.read_text(), "a file")

    def test_commands_at_once_lose_nothing(self):
        numbers = sorted(manifest.load())[:8]
        for times in (1, 2):
            running = [
                subprocess.Popen(
                    [sys.executable, *TOOL, "hint", str(n)],
                    cwd=self.tree,
                    env=self.environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
                for n in numbers
            ]
            for one in running:
                self.assertEqual(one.communicate()[1], b"")
            told = json.loads((self.tree / ".workbook/progress.json").read_text())["chapters"]
            self.assertEqual({n: told[str(n)]["hints"] for n in numbers}, dict.fromkeys(numbers, times))

    def test_a_tree_without_its_hints_is_told_so(self):
        (self.exercise.parent / "hints.md").unlink()
        refused = self.student("hint", "3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("hints.md", refused.stderr)
        self.assertNotIn("Traceback", refused.stderr)

    def test_a_chapter_that_does_not_exist_is_named(self):
        refused = self.student("hint", "77")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("There is no chapter 77", refused.stderr)


class Questions(unittest.TestCase):
    def test_every_chapter_has_questions_and_their_answers_come_from_the_report(self):
        numbers = {int(p.name[:2]) for p in (ROOT / "chapters").glob("[0-9]*_*")}
        chapters = manifest.load()
        self.assertEqual(numbers, set(chapters))
        for chapter in chapters.values():
            self.assertGreaterEqual(len(chapter.predict), 2)
            self.assertLessEqual(set(chapter.predict), {*questions.QUESTIONS, *questions.TIMED})

    def test_a_question_that_the_manifest_invents_is_named(self):
        chapter = dataclasses.replace(manifest.load()[3], predict=("conflicts", "bananas"))
        self.assertRaisesRegex(Failure, r"chapter 3: .*bananas.* There are: .*\badditions, ", questions.of, chapter, {})


if __name__ == "__main__":
    unittest.main()
