#!/usr/bin/env python3
"""A student goes through all chapters, from the start to done, with the real kernels: test_course.py BUILD.

At each step the screen, the exit status and the state are looked at. Right solutions are the second ones of
tests/chapters/second_solutions, which are not the reference's; the references have to pass, too. About 90 seconds of
two cores, most of them the compiler's, where nothing has been compiled before.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "common/tools/grade"))
import chapters as chapter_list  # noqa: E402
import children  # noqa: E402
import compiler  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
GENERATOR = chapter_list.load_generator(ROOT)
CHAPTERS = tuple(sorted(GENERATOR.folders("chapters")))
# Where the mistakes are played, too: those of the ladder are the same everywhere, and each try is compiled.
WITH_WRONG = (0, 1, 4, 9, 10, 11, 12, 13, 14)
WITH_RACE = (1, 4, 9, 10, 12, 13)
# The line of a reference that is made wrong, and how: by itself a sum of a block is one too large.
WRONG = {0: (r"(partials\[0\] = )([^;]+);", r"\1\2 + T{1};"),
         10: (r"(out\[t\] = )([^;]+);", r"\1\2 + T{1};"),
         11: (r"(for \(unsigned k = 0; )k < terms", r"\1k + 1 < terms"),
         13: (r"\{\{x, n\}, \{y, n\}\}", "{{x, n / 2 * 2}, {y, n / 2 * 2}}"),
         14: (r"down\(eight, 3\)", "down(eight, 4)")}


def changed(text, pattern, by):
    done, count = re.subn(pattern, by, text, count=1)
    assert count == 1, f"{pattern} is not there"
    return done


def reference(number):
    text = GENERATOR.without_markers(GENERATOR.solution_text(number))
    return text.replace(f"chapter{number}::solution", f"chapter{number}::exercise")


def second(number):
    return (ROOT / f"tests/chapters/second_solutions/{number:02d}.cuh").read_text()


def start(number):
    """What the chapter gave, and so the way of the chapter before, behind a word that says that it was touched."""
    return GENERATOR.exercise_text(number) + "// looked at\n"


def wrong(number):
    return changed(reference(number), *WRONG.get(number, (r"(partials\[blockIdx\.x\] = )([^;]+);", r"\1\2 + T{1};")))


def racy(number):
    """All threads of a block write to one word, in no order; the result is right."""
    text = reference(number)
    if number == 13:  # no kernel of its own: another one writes where the sum is to stand
        text = changed(text, r"(/// Leaves the sum)", r"template <typename T>\n__global__ void scribble(T* out) "
                             r"{\n  *out = static_cast<T>(threadIdx.x);\n}\n\1")
        return changed(text, r"(void distance\([^)]*\) \{\n)", r"\1  scribble<<<2, 64>>>(out);\n")
    return changed(text, r"(__global__ void [\w(), \n]*\w+\(const T\* [^)]*\) \{\n)",
                   r"\1  __shared__ volatile T seen;\n  seen = T{};\n")


def two_faced(number):
    """Chapter 14's, which writes down another way than it goes."""
    assert number == 14
    text = changed(reference(number), r"(Value warp_sum\(Value value\) \{\n)",
                   r"\1  if constexpr (!requires { value.number(); }) {\n    for (unsigned k = 16; k > 0; k /= 2) "
                   r"value += down(value, k);\n    return value;\n  } else {\n")
    return changed(text, r"(return eight [^;]*;\n)", r"\1  }\n")


def steps(number):
    """(text, state, exit status, what the screen says) of each try."""
    tries = []
    missed = ("goal missed", 1, ["Not reached yet.", "Right and clean, but the goal is not"])
    if number in WITH_WRONG:
        tries.append((wrong(number), "wrong", 1, ["WRONG", "off by", "To see it alone", "Not passed."]))
    if number in WITH_RACE:
        kind = "write and write" if number == 13 else "write-after-write"
        tries.append((racy(number), "unsafe", 1, ["UNSAFE", f"racecheck: {kind} race", "Not passed."]))
    if number in (0, 1):  # which start from nothing
        tries.append((start(number), "wrong", 1, ["WRONG", "off by", "Not passed."]))
    else:
        tries.append((start(number), *missed))
    if number == 14:
        tries.append((two_faced(number), *missed))
    return tries + [(second(number), "done", 0, ["Passed: right, clean, and the goal reached.", "make page"])]


class Course(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name)
        shutil.copytree(ROOT / "solutions", self.tree / "solutions")
        for part in ("exercises", "student"):
            shutil.copytree(ROOT / "common/tools" / part, self.tree / "common/tools" / part)
        for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
            copy = self.tree / "chapters" / chapter.name
            copy.mkdir(parents=True)
            for name in ("README.md", "hints.md"):
                shutil.copy(chapter / name, copy)
        subprocess.run([sys.executable, "common/tools/exercises/generate.py", "--write", "all"], cwd=self.tree,
                       check=True)
        (self.tree / "common/tools/bootstrap").mkdir()
        (self.tree / "common/tools/bootstrap/build.sh").write_text("exit 0\n")
        programs = self.tree / "build/bin"
        programs.mkdir(parents=True)
        for number in range(20):
            (programs / f"chapter{number}").symlink_to(HERE / "course_program.py")
        self.environment = {**os.environ, "COURSE_ROOT": str(ROOT), "COURSE_BUILD": str(BUILD), "NO_COLOR": "1"}
        self.environment.pop("WORKBOOK_BUILD_DIR", None)

    def run_here(self, *words):
        done = subprocess.run(words, cwd=self.tree, capture_output=True, text=True, check=False, timeout=120,
                              stdin=subprocess.DEVNULL, env=self.environment)
        self.assertNotIn("\x1b", done.stdout)
        return done

    def student(self, *words):
        return self.run_here(sys.executable, "common/tools/student/student.py", *words)

    def exercise(self, number):
        return next((self.tree / "chapters").glob(f"{number:02d}_*")) / GENERATOR.file_name(number)

    def state(self, number):
        line = next(one for one in self.student("progress").stdout.split("\n") if one.startswith(f"{number:>3}  "))
        return line[51:].partition("  [")[0].partition(" (")[0]

    def compile_all(self):
        """What the course needs, two at a time; the programs find it in the cache."""
        known = {one.number: one for one in chapter_list.load(ROOT, BUILD)}
        tool = compiler.Compiler(ROOT, BUILD, children.Bubblewrap(ROOT, BUILD, None, wanted=False))
        texts = [(n, text) for n in CHAPTERS for text in [reference(n)] + [one[0] for one in steps(n)]]
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for (n, _), made in zip(texts, pool.map(lambda one: tool.compile(known[one[0]], one[1].encode()), texts)):
                self.assertTrue(made.good, f"chapter {n}: {made.words}")

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

        page = self.student("page", "3")
        self.assertEqual(page.returncode, 0, page.stderr)
        own_lines = [line for line in page.stdout.split("\n") if not line.startswith(("+", "-", " "))]
        self.assertLessEqual(max(map(len, own_lines)), 80)
        for words in ("What each took", "Accuracy, with floats", "Your costliest lines",
                      "The reference's costliest lines", "+++ reference", "-- Why"):
            self.assertIn(words, page.stdout)
        self.assertRegex(page.stdout, r"(?m)^yours +8192 +\d+ +512")
        self.assertRegex(page.stdout, r"(?m)^library +\d+")

        for number in CHAPTERS:
            with self.subTest(reference=number):
                self.exercise(number).write_text(reference(number))
                self.assertEqual(self.run_here(f"build/bin/chapter{number}", "--test").returncode, 0)


if __name__ == "__main__":
    unittest.main()
