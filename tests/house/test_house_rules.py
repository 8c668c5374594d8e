#!/usr/bin/env python3
"""Tests that each rule of house_rules.py finds a file that breaks it, and accepts a file that obeys it."""

import pathlib
import tempfile
import unittest

import house_rules
import standard_includes


class HouseRules(unittest.TestCase):
    def breaches(self, name, text):
        """Returns the messages for a tree that contains only one file."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder).resolve()
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            found, count = house_rules.breaches(tree)
            self.assertEqual(count, 0 if isinstance(text, bytes) else 1)
            return found

    def test_a_good_header_passes(self):
        self.assertEqual(self.breaches("common/good.hpp", "#pragma once\nint f();\n"), [])

    def test_each_breach_is_caught(self):
        for name, text, words in [
            ("common/a.py", "a = 1 \n", "blanks at the end"),
            ("common/a.sh", "\tls\n", "a tab"),
            ("common/a.cpp", "// " + "x" * 118 + "\n", "121 columns"),
            ("common/a.cpp", "int a;", "no newline"),
            ("common/a.hpp", "int a;\n", "#pragma once"),
            ("common/a.cpp", "int a;\n" * 401, "401 lines"),
            ("README.md", "see https:" + "//example.com/x\n", "an address"),
            ("README.md", "x\n" * 151, "151 lines; 150 at most"),
            ("README.md", "in /wo" + "rk/main\n", "a path of one machine"),
            ("common/a.cpp", "// TO" + "DO later\n", "unfinished"),
            ("README.md", "[here](nowhere.md)\n", "not there: nowhere.md"),
            ("README.md", "It takes\n<!--=a.json us-->4.8<!--/--> µs.\n", "a comment before text"),
            ("README.md", "- <!--=a.json us-->4.8<!--/-->\n", "a comment before text"),
            ("README.md", "1. It takes\n   <!-- a note --> long.\n", "a comment before text"),
            ("common/a.cpp", b"// \xff\n", "not UTF-8"),
            ("tests/CMakeLists.txt", "file(GLOB all CONFIGURE_DEPENDS *.cu)\n", "workbook_files"),
            ("common/cmake/A.cmake", "file( GLOB_RECURSE all *.cu)\n", "workbook_files"),
        ]:
            with self.subTest(words):
                found = self.breaches(name, text)
                self.assertEqual(len(found), 1, found)
                self.assertIn(words, found[0])

    def test_what_is_allowed_passes(self):
        for name, text in [
            ("chapters/01_a/reduce.cuh", "#pragma once\n// TO" + "DO: yours\n"),
            ("common/a.cpp", "// Long because it is a table.\n" + "int a;\n" * 401),
            ("README.md", "see https://docs.nvidia.com/cuda/\n"),
            ("README.md", "[itself](README.md#top)\n"),
            ("README.md", "It takes <!--=a.json us-->4.8<!--/--> µs.\n<!-- a note -->\n"),
            ("README.md", "```\n<!-- a note --> and text\n```\n"),
            ("README.md", "x\n" * 150),
            ("docs/pages/README.md", "x\n" * 151),
            ("CMakeLists.txt", "set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS a.json)\n"),
            ("README.md", "an object in $build/wo" + "rk/x\n"),
        ]:
            with self.subTest(text[:40]):
                self.assertEqual(self.breaches(name, text), [])

    def test_a_standard_header_that_is_not_included_is_named(self):
        for text, lacks in [
            ("#include <string>\nstd::string f();\n", []),
            ("#include <vector>\nstd::string f();\n", [("string", {"string"})]),
            ("// a std::string\n#include <vector>\nstd::vector<int> f();\n", []),
            ("#include <sstream>\nvoid f(std::ostream& to);\n", []),
            ("void f(std::new_name to);\n", [("", {"new_name"})]),
        ]:
            self.assertEqual(standard_includes.missing(text), lacks, text)


if __name__ == "__main__":
    unittest.main()
