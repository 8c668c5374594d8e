#!/usr/bin/env python3
"""Tests how the grader compiles: test_compiler.py BUILD."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import tries
from course.grade import chapters, children, compiler

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"


class Compiling(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def compiled(self, says):
        """Compiles a file with a compiler that prints this text and fails. Returns the result, and what the cache
        contains about it."""
        script = "#!/bin/sh\ncat <<'END' >&2\n" + says + "\nEND\nexit 1\n"
        (self.folder / "nvcc").write_text(script)
        (self.folder / "nvcc").chmod(0o755)
        tool = compiler.Compiler(ROOT, BUILD, self.folder, wants_view=False)
        tool.nvcc, tool.cache = str(self.folder / "nvcc"), self.folder / "cache"
        tool.cache.mkdir(exist_ok=True)
        chapter = next(one for one in chapters.load(ROOT, BUILD) if one.number == 3)
        try:
            return tool.compile(chapter, says.encode()), tool.knows(chapter, says.encode())
        except OSError as error:
            return str(error), tool.knows(chapter, says.encode())

    def test_a_compiler_s_own_diagnosis_is_kept_and_a_full_disk_is_not(self):
        for says, told in (
            ('chapters/03_x/reduce.cuh(3): error: expected a ";"', "expected"),
            ("keep/unit.s:4: Error: file not found: /home/bob/secret", "outside of its own"),
            ("/home/bob/secret:1: Error: no such instruction: `bobs words'", "outside of its own"),
            ("cc1plus: fatal error: /home/bob: No such file or directory", "outside of its own"),
        ):
            made, known = self.compiled(says)
            self.assertNotIsInstance(made, str, made)
            self.assertEqual((made.state, known), ("does not compile", True), says)
            self.assertIn(told, made.words)
            self.assertNotIn("bob", made.words)
        for says in (
            "unit.cu(3): error: x\ncat: write error: No space left on device",
            "",
            "cc1plus: Cannot allocate memory",
            "sh: 1: cudafe++: not found",
        ):
            words, known = self.compiled(says)
            self.assertIsInstance(words, str, says)
            self.assertFalse(known)

    def test_a_compiler_that_was_stopped_is_not_started_again(self):
        with mock.patch.object(children, "run", wraps=children.run) as run:
            made, known = self.compiled("nvcc error   : 'cudafe++' died due to signal 24")
        self.assertEqual((made.state, known, run.call_count), ("compiler out of limits", False, 1))

    def test_what_is_left_out_at_first_is_there_for_who_needs_it_and_changes_no_code(self):
        tool = compiler.Compiler(ROOT, BUILD, self.folder, wants_view=False)
        tool.cache = self.folder / "cache"
        tool.cache.mkdir()
        chapter = next(one for one in chapters.load(ROOT, BUILD) if one.number == 3)
        code = []
        for uses, starts in (("1.0", 1), ("std::beta(1.0, 2.0)", 2), ("std::min(1.0, 2.0)", 2)):
            text = tries.reference(3) + f"inline double the_host_s() {{ return {uses}; }}\n"
            with mock.patch.object(children, "run", wraps=children.run) as run:
                made = tool.compile(chapter, text.encode())
            self.assertEqual((made.state, run.call_count), ("compiled", starts), uses + made.words)
            ptx = made.device_code.read_bytes()
            code.append(ptx[ptx.index(b".visible .entry") : ptx.index(b".file")])  # cut off before the paths of files
        # Plain nvcc uses std::max here. Without the standard algorithms, it uses CUDA's own max, which returns an int.
        text = "#include <cmath>\nusing namespace std;\nstatic_assert(sizeof(max(short{1}, short{2})) == 2);\n"
        with mock.patch.object(children, "run", wraps=children.run) as run:
            made = tool.compile(chapter, (text + tries.reference(3)).encode())
        self.assertEqual((made.state, run.call_count), ("compiled", 1), made.words)
        self.assertGreater(len(code[0]), 1000)
        self.assertEqual(len(set(code)), 1)


if __name__ == "__main__":
    unittest.main()
