#!/usr/bin/env python3
"""Tests that book.outputs.kernels shows whole kernels, marks only what changes, and finds stale ones."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from book import exercises, manifest
from book.outputs import Failure, kernels

TOOL = [sys.executable, "-m", "book.outputs"]
CHAPTERS = manifest.load()


def marked(text, mark):
    return [line[1:].strip() for line in text.split("\n") if line.startswith(mark)]


class Kernels(unittest.TestCase):
    def run_tool(self, what, *options):
        page = self.folder / "page.md"
        if what:
            page.write_text(f"<!-- kernel:{what} -->\n<!-- {'kernel:' + what.split(' ')[0]} end -->\n")
        done = subprocess.run([*TOOL, *options, page], capture_output=True, text=True, check=False)
        return done, page.read_text()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_start_is_the_parents_kernel_line_by_line(self):
        # Chapter 3 starts from chapter 2's kernel. All lines of the kernel are shown in order, but not the launch.
        shown = kernels.start(CHAPTERS[3], []).split("\n")[1:-2]
        parent = exercises.solution_text(CHAPTERS[2]).split("\n")
        begin = parent.index("template <typename T>")
        self.assertEqual([line[1:] for line in shown], parent[begin : begin + len(shown)])
        self.assertEqual(shown[-1], " }")

    def test_what_the_exercise_is_about_is_marked_and_its_comments_are_not(self):
        self.assertEqual(
            marked(kernels.start(CHAPTERS[3], []), "!"),
            [
                "for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {",
                "const unsigned index = 2 * stride * tid;",
                "if (index < blockDim.x) tile[index] += tile[index + stride];",
            ],
        )

    def test_a_gap_with_nothing_in_it_is_marked_and_the_task_is_not_told(self):
        shown = kernels.start(CHAPTERS[1], [])
        self.assertEqual(marked(shown, "!"), [kernels.NOTHING_YET])
        for chapter in CHAPTERS.values():
            self.assertNotIn("chapter " + str(chapter.number) + "):", kernels.start(chapter, []))

    def test_a_gap_that_has_something_to_replace_shows_that(self):
        self.assertEqual(marked(kernels.start(CHAPTERS[12], []), "!"), ["if (tid == 0) partials[blockIdx.x] = sum;"])

    def test_marks_can_be_those_of_some_phases(self):
        every, tree = (marked(kernels.start(CHAPTERS[9], phases), "!") for phases in ([], ["Reduce", "Finish"]))
        self.assertIn("T sum{};", every)
        self.assertNotIn("T sum{};", tree)
        self.assertIn("if (tid < 512) tile[tid] += tile[tid + 512];", tree)
        with self.assertRaises(Failure):
            kernels.start(CHAPTERS[9], ["Rest"])

    def test_a_region_is_the_head_and_what_is_around_the_marks(self):
        whole = kernels.start(CHAPTERS[12], [])
        shown = kernels.region(whole)
        self.assertEqual(marked(shown, "!"), marked(whole, "!"))
        lines = shown.split("\n")
        self.assertEqual((lines[0], lines[-2], lines[-3]), ("```diff", "```", " }"))
        self.assertEqual(lines[1:3], whole.split("\n")[1:3])
        self.assertEqual(lines[3], kernels.REST)
        self.assertEqual([line for line in lines if line != kernels.REST and line not in whole.split("\n")], [])
        self.assertLess(len(lines), 15)
        # Nothing is left out if every line is near a marked one.
        short = "```diff\n template <typename T>\n void f() {\n   a();\n\n!  b();\n }\n```\n"
        self.assertEqual(kernels.region(short), short)

    def test_the_solution_has_all_lines_of_its_namespace_and_marks_the_new_ones(self):
        shown = kernels.solution(CHAPTERS[3])
        text = exercises.without_markers(exercises.solution_text(CHAPTERS[3]))
        inside = text.split("namespace chapter3::solution {\n\n")[1].split("\n\n}  // namespace")[0]
        self.assertEqual([line[1:] for line in shown.split("\n")[1:-2]], inside.split("\n"))
        new = marked(shown, "+")
        self.assertIn("for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {", new)
        self.assertFalse([line for line in new if "__global__" in line or "<<<" in line])  # a new name isn't a change

    def test_what_is_stale_is_seen(self):
        _, text = self.run_tool("start begin 3")
        self.assertEqual(self.run_tool(None, "--check")[0].returncode, 0)
        (self.folder / "page.md").write_text(text.replace("\n!", "\n ", 1))
        done, _ = self.run_tool(None, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("+!  for (unsigned stride = 1;", done.stdout)

    def test_what_cannot_be_shown_is_said(self):
        for what, words in (
            ("start begin 99", "with a chapter"),
            ("middle begin 3", "it is `kernel:start`"),
            ("solution begin 3 Load", "it is `kernel:start`"),
            ("start begin 3 Rest", "no phase of the kernel begins with Rest"),
            ("start begin 3 Write", "of which no line changes"),
        ):
            done, _ = self.run_tool(what)
            self.assertEqual(done.returncode, 1, what)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
