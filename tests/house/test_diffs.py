#!/usr/bin/env python3
"""Tests that book.outputs shows only changed lines, finds stale diffs, and reports markers that specify nothing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = [sys.executable, "-m", "book.outputs"]
KERNELS = """/// One.
template <typename T>
__global__ void one(const T* in, T* out) {
  const T a = in[0];
  out[0] = a;
}
/// Other.
template <typename T>
__global__ void other(const T* in, T* out) {
  const T a = in[threadIdx.x];
  out[0] = a;
}

struct pair {
  int first;
};
"""


class Diffs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = pathlib.Path(folder.name) / "page.md"
        (self.page.parent / "kernels.cuh").write_text(KERNELS)

    def run_tool(self, what, *options):
        if what:
            self.page.write_text(f"<!-- diff begin {what} -->\n<!-- diff end -->\n")
        done = subprocess.run([*TOOL, *options, self.page], capture_output=True, text=True, check=False)
        return done, self.page.read_text()

    def test_two_kernels_of_a_file_are_compared_without_their_documentation(self):
        _, text = self.run_tool("kernels.cuh one other")
        self.assertIn("+  const T a = in[threadIdx.x];\n   out[0] = a;", text)
        self.assertNotIn("Other.", text)
        self.assertNotIn("pair", text)

    def test_a_changed_source_makes_the_diff_stale(self):
        self.run_tool("kernels.cuh one other")
        self.assertEqual(self.run_tool(None, "--check")[0].returncode, 0)
        (self.page.parent / "kernels.cuh").write_text(KERNELS.replace("in[0]", "in[1]"))
        done, _ = self.run_tool(None, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("+-  const T a = in[1];", done.stdout)

    def test_a_new_name_at_the_launch_is_no_change(self):
        _, text = self.run_tool("3")
        self.assertIn("+__global__ void reduce_sequential", text)
        self.assertNotIn("<<<", text)

    def test_a_launch_that_changes_is_shown_as_it_was(self):
        _, text = self.run_tool("6")
        self.assertIn("-  reduce_unrolled_warp<<<", text)

    def test_a_pattern_keeps_the_pieces_that_have_it(self):
        _, text = self.run_tool("9 block_reduce\\(sum")
        self.assertIn("+  sum = block_reduce(sum, op);", text)
        self.assertNotIn("#include", text)

    def test_what_cannot_be_shown_is_said(self):
        for what, words in (
            ("9 nowhere_to_be_found", "chapter 9 has no difference"),
            ("kernels.cuh one none", "defines no `none`"),
            ("a b c d", "a chapter, a chapter and a pattern, or a file and two names"),
        ):
            done, _ = self.run_tool(what)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
        self.page.write_text("<!-- diff begin 3 -->\n")
        self.assertIn("a begin marker without its end", self.run_tool(None)[0].stderr)


if __name__ == "__main__":
    unittest.main()
