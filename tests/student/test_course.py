#!/usr/bin/env python3
"""A student goes through all chapters, from the start to done, with the real kernels: test_course.py BUILD.

Each step checks the output, the exit status and the state. The right solutions are the second solutions in
tests/chapters/second_solutions, which differ from the references. The references have to pass, too. Takes about 130
seconds on two cores if nothing has been compiled before, most of it for the compiler.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import course_program
import tries
from book import manifest
from course.grade import chapters as chapter_list
from course.grade import compiler, judge_record

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
CHAPTERS = tuple(manifest.load())
# The chapters in which wrong texts are tried, too. They are the same in all chapters of the ladder, and each text has
# to be compiled, so only some of these chapters are listed.
WITH_WRONG = (0, 1, 4, 9, 10, 11, 12, 13, 14, 15)
WITH_RACE = (1, 4, 9, 10, 12, 13, 15)


def steps(number):
    """Returns (text, state, exit status, expected parts of the output) for each try."""
    played = []
    missed = ("goal missed", 1, ["Not reached yet.", "Right and clean, but the goal is not"])
    if number in WITH_WRONG:
        played.append((tries.wrong(number), "wrong", 1, ["WRONG", "result: ", 'ARGS="--count', "Not passed."]))
    if number in WITH_RACE:
        played.append((tries.racy(number), "unsafe", 1, ["UNSAFE", "racecheck: ", "hreads", "Not passed."]))
    if number in (0, 1):  # these start without a kernel
        played.append((tries.start(number), "wrong", 1, ["WRONG", "result: ", "Not passed."]))
    else:
        played.append((tries.start(number), *missed))
    if number == 14:
        played.append((tries.two_faced(number), *missed))
    return played + [
        (text, "done", 0, ["Passed: right, clean, and the goal reached.", "make page"])
        for text in [*tries.more(number), tries.second(number)]
    ]


class Course(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name)
        shutil.copytree(ROOT / "solutions", self.tree / "solutions")
        for part in ("book", "course", "student"):
            shutil.copytree(ROOT / "common" / part, self.tree / "common" / part)
        (self.tree / "chapters").mkdir()
        shutil.copy(ROOT / "chapters/chapters.json", self.tree / "chapters")
        for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
            copy = self.tree / "chapters" / chapter.name
            copy.mkdir(parents=True)
            for name in ("README.md", "hints.md"):
                shutil.copy(chapter / name, copy)
        subprocess.run(
            [sys.executable, "-m", "book", "exercises", "--write", "all"], cwd=self.tree / "common", check=True
        )
        (self.tree / "common/bootstrap").mkdir(parents=True)
        (self.tree / "common/bootstrap/bootstrap.sh").write_text("exit 0\n")
        programs = self.tree / "build/bin"
        programs.mkdir(parents=True)
        for number in CHAPTERS:
            program = programs / f"chapter{number}"
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE}/course_program.py" {number} "$@"\n')
            program.chmod(0o755)
        self.made = self.tree / "made.json"
        self.environment = {
            **os.environ,
            "COURSE_MADE": str(self.made),
            "NO_COLOR": "1",
            "PYTHONPATH": f"{self.tree}/common:{os.environ['PYTHONPATH']}",
        }
        self.environment.pop("WORKBOOK_BUILD_DIR", None)

    def run_here(self, *words):
        done = subprocess.run(
            words,
            cwd=self.tree,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            stdin=subprocess.DEVNULL,
            env=self.environment,
        )
        self.assertNotIn("\x1b", done.stdout)
        return done

    def student(self, *words):
        return self.run_here(sys.executable, "-m", "book", *words)

    def exercise(self, number):
        return manifest.load()[number].exercise_path(self.tree)

    def state(self, number):
        line = next(one for one in self.student("progress").stdout.split("\n") if one.startswith(f"{number:>3}  "))
        return line[51:]

    def compile_all(self):
        """Compiles what the course needs, two files at a time, and writes down where the compiled files of each text
        are."""
        known = {one.number: one for one in chapter_list.load(ROOT, BUILD)}
        scratch = self.tree / "scratch"
        scratch.mkdir()
        tool = compiler.Compiler(ROOT, BUILD, scratch, wants_view=False)
        texts = [(n, text) for n in CHAPTERS for text in [tries.reference(n)] + [one[0] for one in steps(n)]]
        files = {}
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            made_of = pool.map(lambda one: tool.compile(known[one[0]], one[1].encode()), texts)
            for (n, text), made in zip(texts, made_of):
                self.assertTrue(made.good, f"chapter {n}: {made.words}")
                files[course_program.key_of(n, text.encode())] = {
                    "judge": str(known[n].judge),
                    "host": f"{BUILD}/bin/exercise_host",
                    "library": str(made.library),
                    "device_code": str(made.device_code),
                }
        exercises = {n: str(known[n].exercise) for n in CHAPTERS}
        self.made.write_text(json.dumps({"exercises": exercises, "files": files}))

    def play(self, number):
        self.assertEqual(self.state(number), "not started")
        self.assertIn("Hint 1 of", self.student("hint", str(number)).stdout)
        self.assertEqual(self.student("page", str(number)).returncode, 1)
        for text, state, status, said in steps(number):
            with self.subTest(chapter=number, step=state):
                self.exercise(number).write_text(text)
                tried = self.run_here(f"build/bin/chapter{number}", "--test")
                self.assertEqual(tried.returncode, status, tried.stdout + tried.stderr)
                for words in said:
                    self.assertIn(words, tried.stdout)
                self.assertEqual(self.state(number), state)
                told = json.loads((self.tree / ".workbook/progress.json").read_text())["chapters"][str(number)]
                self.assertEqual((told["verdict"], told["hints"]), (state, 1))

    def test_a_student_goes_through_all_chapters(self):
        self.compile_all()
        for number in CHAPTERS:
            self.play(number)
        self.assertEqual(self.student("next").stdout, "All chapters are done.\n")

        # Only lines of source code and of the lesson's drawings may be wider.
        for number in (10, 3):
            page = self.student("page", str(number))
            self.assertEqual(page.returncode, 0, page.stderr)
            ours = page.stdout.partition("-- Why")[0].split("\n")
            self.assertLessEqual(max(len(line) for line in ours if not line.startswith(("+", "-", " "))), 80)
        for words in (
            "What each took",
            "Accuracy, with floats",
            "Your costliest lines",
            "The reference's costliest lines",
            "+++ reference",
            "-- Why",
        ):
            self.assertIn(words, page.stdout)
        self.assertRegex(page.stdout, r"(?m)^yours +4096 +\d+ +1024")
        self.assertRegex(page.stdout, r"(?m)^library +\d+")

        for number in CHAPTERS:
            with self.subTest(reference=number):
                self.exercise(number).write_text(tries.reference(number))
                tried = self.run_here(f"build/bin/chapter{number}", "--test", "--json", "-")
                self.assertEqual(tried.returncode, 0)
                result = judge_record.read(json.loads(tried.stdout))
                self.assertTrue(result.done, result)


if __name__ == "__main__":
    unittest.main()
