#!/usr/bin/env python3
"""Tests that kernel_file.sh leaves the special functions out, and compiles with them if that fails."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Stores its arguments, prints the number of the call on stderr, and exits with this call's status from a file.
COMPILER = """#!/bin/sh
echo x >>"$0.calls"
call=$(wc -l <"$0.calls" | tr -d ' ')
printf '%s|' "$@" >"$0.words.$call"
echo "call $call" >&2
exit "$(cat "$0.status.$call")"
"""


class KernelFile(unittest.TestCase):
    def compile(self, *statuses: int, source: str = "") -> subprocess.CompletedProcess[str]:
        """Runs the script with a compiler that exits with these statuses, one per call."""
        place = tempfile.TemporaryDirectory(prefix="a compiler's folder ")
        self.addCleanup(place.cleanup)
        self.compiler = pathlib.Path(place.name) / "nv cc"
        self.compiler.write_text(COMPILER, encoding="utf-8")
        self.compiler.chmod(0o755)
        for call, status in enumerate(statuses, 1):
            pathlib.Path(f"{self.compiler}.status.{call}").write_text(str(status), encoding="utf-8")
        script = ROOT / "common/cmake/kernel_file.sh"
        words: list[str | pathlib.Path] = ["sh", script, self.compiler, '-DNAME="it\'s $1"', "", "a file.cu"]
        if source:
            file = pathlib.Path(place.name) / "a student's file"
            file.write_text(source, encoding="utf-8")
            words[2:2] = ["--of", file]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def words(self, call: int) -> str:
        return pathlib.Path(f"{self.compiler}.words.{call}").read_text(encoding="utf-8")

    def test_what_compiles_is_compiled_once_and_warnings_are_shown(self) -> None:
        done = self.compile(0)
        self.assertEqual((done.returncode, done.stderr), (0, "call 1\n"))
        self.assertEqual(self.words(1), '-DNAME="it\'s $1"||a file.cu|-D_GLIBCXX_BITS_SPECFUN_H|')

    def test_what_does_not_is_compiled_as_it_was_asked_for_and_only_that_is_shown(self) -> None:
        for second in (0, 2):
            done = self.compile(1, second)
            self.assertEqual((done.returncode, done.stderr), (second, "call 2\n"))
            self.assertEqual(self.words(2), '-DNAME="it\'s $1"||a file.cu|')

    def test_what_could_mean_something_else_is_compiled_as_it_is(self) -> None:
        for source, starts in (("int a;\n", 2), ("int a;\nusing namespace std;\n", 1), ("# ifdef __cpp_lib_x\n", 1)):
            done = self.compile(1, 1, source=source)
            self.assertEqual((done.returncode, done.stderr), (1, f"call {starts}\n"))
            self.assertEqual(self.words(starts), '-DNAME="it\'s $1"||a file.cu|')


if __name__ == "__main__":
    unittest.main()
