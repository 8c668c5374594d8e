#!/usr/bin/env python3
"""Tests the files that the build makes from the manifest of the chapters."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

from book import build_files

FIRST = {
    "number": 1, "folder": "01_first", "title": 'The "first"', "kind": "ladder", "exercise": "reduce.cuh",
    "kernel": "reduce_first", "task": "do it.", "predict": [], "longest_path": "every element",
    "beside": [{"name": "other", "kernel": "reduce_other", "file": "solutions/01_first/other.cuh",
                "namespace": "other", "entry": "reduce", "role": "wrong"}],
    "machine_code": {"headers": ["a.cuh"], "instances": ["f(int, int)", "g(int)"], "kernels": [{}]},
}  # fmt: skip
SECOND = {
    "number": 7, "folder": "07_next", "title": "The next", "kind": "ladder", "exercise": "reduce.cuh",
    "kernel": "reduce_next", "parent": 1, "task": "do that.", "predict": [], "block_sizes": "whole warps",
}  # fmt: skip
STUDY = {
    "number": 8, "folder": "08_study", "title": "Kernels", "kind": "study", "exercise": "kernels.cuh", "task": "look.",
    "predict": [], "sources": ["a.cpp", "b.cpp"],
}  # fmt: skip


class BuildFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="build files ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "chapters").mkdir()
        self.manifest = self.root / "chapters/chapters.json"
        self.manifest.write_text(json.dumps({"schema": 1, "chapters": [FIRST, SECOND, STUDY]}))

    def make(self) -> int:
        return build_files.main([str(self.root), str(self.root / "out")])

    def text(self, name: str) -> str:
        return (self.root / "out" / name).read_text()

    def test_cmake_gets_numbers_facts_and_lists(self) -> None:
        self.assertEqual(self.make(), 0)
        text = self.text("manifest.cmake")
        self.assertIn("set(WORKBOOK_CHAPTERS [==[1;7;8]==])", text)
        self.assertIn("workbook_7_parent [==[1]==])", text)
        self.assertIn("workbook_1_parent [==[]==])", text)
        self.assertIn("workbook_8_sources [==[a.cpp;b.cpp]==])", text)
        self.assertIn("workbook_1_beside [==[other]==])", text)
        self.assertIn("workbook_1_beside_other_file [==[solutions/01_first/other.cuh]==])", text)
        self.assertIn("workbook_1_tests_machine_code [==[True]==])", text)

    def test_headers_describe_the_ladder(self) -> None:
        self.assertEqual(self.make(), 0)
        rungs = self.text("chapters/rungs.hpp")
        self.assertIn('make_rung("reduce_next", role::yours, 7, chapter7_exercise_table());\n  if (r.attempted)', rungs)
        self.assertIn('make_rung("reduce_other", role::wrong, 1, chapter1_other_table());\n  r.depth =', rungs)
        self.assertIn("return {chapter7_solution(), };", rungs)  # chapter 1 has no parent, and chapter 8 is a study
        self.assertIn("return {chapter1_solution(), chapter7_solution(), };", rungs)
        self.assertIn("reduction previous = chapter1_solution();", self.text("chapters/chapter7.hpp"))
        self.assertIn('c.title = R"title(The "first")title";', self.text("chapters/chapter1.hpp"))
        self.assertNotIn("c.ladder", self.text("chapters/chapter8.hpp"))

    def test_machine_code_is_instantiated(self) -> None:
        self.assertEqual(self.make(), 0)
        text = self.text("machine_code/chapter1.cu")
        self.assertIn('#include "a.cuh"\n\ntemplate __global__ void f(int, int);\n', text)
        self.assertIn("template __global__ void g(int);\n", text)
        self.assertFalse((self.root / "out/machine_code/chapter7.cu").exists())

    def test_a_file_is_written_only_if_its_text_changes(self) -> None:
        self.assertEqual(self.make(), 0)
        files = [self.root / "out" / name for name in ("chapters/chapter1.hpp", "chapters/chapter7.hpp")]
        for file in files:
            os.utime(file, (1, 1))
        self.manifest.write_text(self.manifest.read_text().replace("The next", "Another"))
        self.assertEqual(self.make(), 0)
        self.assertEqual([file.stat().st_mtime == 1 for file in files], [True, False])

    def test_a_faulty_manifest_is_refused(self) -> None:
        self.manifest.write_text(self.manifest.read_text().replace('"study"', '"poem"'))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(self.make(), 1)
        self.assertIn("chapter 8: 'kind' is 'poem'; it can be ladder or study", said.getvalue())
        self.assertFalse((self.root / "out").exists())


if __name__ == "__main__":
    unittest.main()
