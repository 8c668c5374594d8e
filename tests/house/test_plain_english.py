#!/usr/bin/env python3
"""Tests that plain_english.py finds what it should find in comments, messages and prose, and nothing else."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import plain_english

# Fifty words of comments that stay within every ratio.
FINE = "# Returns true if it is so, and false if it is not so, because there is no third case.\n" * 3
PROSE = "We don't know yet, because it depends. We'll see, but not here; we wait. " + "But we do. " * 30


class PlainEnglish(unittest.TestCase):
    def complaints(self, **files):
        """Returns the complaints about a tree of these files. In the names of the arguments, '__' means a slash, and
        '_' a dot."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            tree = pathlib.Path(folder).resolve()
            for name, text in ({"common__fine_py": FINE, "README_md": PROSE} | files).items():
                path = tree / name.replace("__", "/").replace("_", ".")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(plain_english.complaints(tree))

    def test_plain_english_passes(self):
        self.assertEqual(self.complaints(), [])

    def test_a_private_term_is_named_with_its_place_and_the_field_s_term(self):
        for name, text in {
            "common__a_cpp": "int a;\n// A standstill, if it is one.\n",
            "common__a_hpp": "int a;\n/* A standstill, if it is one. */\n",
            "common__a_py": '# If so.\n"""A standstill, if it is one."""\n',
            "common__a_sh": "a=1\n# A standstill, if it is one.\n",
            "CMakeLists_txt": "set(a)\n  # A standstill, if it is one.\n",
        }.items():
            (found,) = self.complaints(**{name: text})
            path = name.replace("__", "/").replace("_", ".")
            self.assertEqual(found, f"{path}:2: 'standstill': write deadlock")
        (found,) = self.complaints(docs__pages__a_md="We know a standstill, because we don't move.\n")
        self.assertIn("docs/pages/a.md:1: 'standstill'", found)

    def test_messages_are_checked_too(self):
        for name, text in {
            "common__a_cpp": 'int a;\nauto b = "a standstill";\n',
            "chapters__a_cuh": 'int a;\nauto b = "a standstill";\n',
            "common__a_py": 'a = 1  # if\nb = f"a standstill of {a}"\n',
        }.items():
            (found,) = self.complaints(**{name: text})
            self.assertEqual(found, f"{name.replace('__', '/').replace('_', '.')}:2: 'standstill': write deadlock")
        found = " ".join(self.complaints(common__a_cpp='auto b = "it is behind it";\n'))
        self.assertIn("messages: 'behind' has 250.00 of 1000 words, at most 0.2", found)

    def test_code_and_strings_of_tests_are_not_checked(self):
        code = "int standstill = 1'000 + '\\'';  // if\nauto a = \"standstill\";\n"
        self.assertEqual(self.complaints(common__a_cpp=code), [])
        self.assertEqual(self.complaints(tests__a_cpp='auto a = "a standstill";\n'), [])
        self.assertEqual(self.complaints(docs__pages__a_md="```\na standstill\n```\n\n<!-- a standstill -->\n"), [])
        generated = "<!-- output:chapter1 begin -->\nA standstill; here; and here.\n<!-- output:chapter1 end -->\n"
        self.assertEqual(self.complaints(docs__pages__a_md=generated), [])

    def test_each_ratio_is_kept(self):
        for text, name in [
            ("# " + "word " * 8000, "'if'"),
            ("# The place where it is, where there, if it is, if so. " * 5, "'where there"),
            ("# It is behind it if it is.", "'behind'"),
            ("# It stands if it is.", "'stand, stands'"),
            ("# It is nobody if it is.", "'nobody"),
        ]:
            self.assertTrue([c for c in self.complaints(common__a_sh=text + "\n") if name in c], name)

    def test_each_share_is_kept(self):
        plain = "The sum is right and the test is done. " * 1000
        found = " ".join(self.complaints(docs__pages__a_md=plain))
        for name in ("contractions", "we, us, our", "connectives"):
            self.assertIn(name, found)
        self.assertIn("semicolons", " ".join(self.complaints(docs__pages__a_md="We don't, but we do; so it is. " * 9)))


if __name__ == "__main__":
    unittest.main()
