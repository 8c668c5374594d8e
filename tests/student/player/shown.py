"""Code shared by the tests of pages: one browser for all tests, and checks that the console has no errors and that no
requests are sent to other hosts."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
import typing
import unittest

import browser

SUMS = ("instructions", "conflicts", "passes", "sectors")


def make(programs: pathlib.Path, folder: pathlib.Path, program: str, *words: str) -> tuple[pathlib.Path, typing.Any]:
    """Runs a program once. Returns its page and its recording."""
    page, recording = folder / "page.html", folder / "steps.json"
    command = [str(programs / program), "--play", str(page), "--record", str(recording), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    # Status 1: a kernel of the zoo has a finding.
    if done.returncode not in (0, 1, 86):
        raise AssertionError(done.stdout + done.stderr)
    return page, json.loads(recording.read_text(encoding="utf-8"))


class Shown(unittest.TestCase):
    """Uses one browser for all tests, because starting it takes longer than a test."""

    shown: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.shown = browser.Browser()
        cls.addClassCleanup(cls.shown.close)

    @classmethod
    def folder(cls) -> pathlib.Path:
        """Returns a folder that exists as long as the class does."""
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        return pathlib.Path(kept.name)

    def setUp(self) -> None:
        self.shown.complaints.clear()
        self.shown.requests.clear()

    def tearDown(self) -> None:
        self.assertEqual(self.shown.complaints, [])
        elsewhere = [url for url in self.shown.requests if not url.startswith(("file:", "data:", "about:"))]
        self.assertEqual(elsewhere, [])

    def text(self, name: str) -> str:
        return str(self.shown.value(f"document.getElementById('{name}').textContent"))
