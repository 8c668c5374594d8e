#!/usr/bin/env python3
"""Runs the notebook of chapter 1 cell by cell, and its player in a browser: test_notebook.py BUILD

It interprets cells as IPython does: Python, lines that begin with `!`, and `%%writefile`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import typing
import unittest
import unittest.mock

from book import exercises, jupyter, manifest
from tests.student.player.browser import Browser

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class Notebook:
    """Runs cells in one name space. At first, the working folder is the notebook's."""

    def __init__(self) -> None:
        self.names: dict[str, typing.Any] = {}
        self.displayed: list[str] = []
        shown = types.ModuleType("IPython.display")
        shown.HTML = str  # type: ignore[attr-defined]
        shown.display = self.displayed.append  # type: ignore[attr-defined]
        self.modules = {"IPython": types.ModuleType("IPython"), "IPython.display": shown}

    def run(self, text: str) -> str:
        """Runs a cell. Returns what it prints."""
        if text.startswith("%%writefile "):
            path, _, content = text.removeprefix("%%writefile ").partition("\n")
            return self.write(pathlib.Path(path), content + "\n")
        if text.startswith("!"):
            done = subprocess.run(["sh", "-c", text[1:]], capture_output=True, text=True, check=False, timeout=500)
            return done.stdout + done.stderr
        said = io.StringIO()
        with unittest.mock.patch.dict(sys.modules, self.modules), contextlib.redirect_stdout(said):
            exec(compile(text, "a cell", "exec"), self.names)
        return said.getvalue()

    @staticmethod
    def write(path: pathlib.Path, content: str) -> str:
        # The file already has the text that the chapter gives. Writing it again would only cause a rebuild.
        if path.read_text(encoding="utf-8") != content:
            raise AssertionError(f"the notebook writes a different text to {path}")
        return f"Overwriting {path}"


class Chapter1(unittest.TestCase):
    def test_every_cell_runs_and_the_player_is_there(self) -> None:
        document = json.loads(jupyter.NOTEBOOK.read_text(encoding="utf-8"))
        code = ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
        notebook, folder = Notebook(), pathlib.Path.cwd()
        with unittest.mock.patch.dict(os.environ, {"BUILD": str(BUILD), "ARGS": "--device emulator"}):
            os.chdir(jupyter.NOTEBOOK.parent)
            try:
                said = [notebook.run(text) for text in code]
            finally:
                os.chdir(folder)
        self.assertIn(f"The workbook is in {manifest.ROOT}", said[0])
        first, writes, second, _, profile, verdict = said[1:]
        self.assertIn("reduce_interleaved (yours)       not yet", first)
        self.assertIn("Overwriting", writes)
        self.assertIn("Edit reduce.cuh", second)
        self.assertIn("Chapter 1", profile)
        self.assertIn("as the chapter gave it", verdict)
        self.assertEqual(len(notebook.displayed), 1)
        with tempfile.TemporaryDirectory() as place, Browser() as shown:
            page = pathlib.Path(place) / "page.html"
            page.write_text(f"<!doctype html><meta charset=utf-8><body>{notebook.displayed[0]}", encoding="utf-8")
            shown.look(1000, 900)
            shown.open(page)
            inner = "document.querySelector('iframe').contentDocument"
            shown.wait_for(f"{inner}.getElementById('title').textContent.startsWith('Chapter 1, your kernel, ')")
            shown.value(f"{inner}.getElementById('forward').click()")
            self.assertEqual(shown.complaints, [])
            self.assertEqual([url for url in shown.requests if not url.startswith(("file:", "about:", "data:"))], [])

    def test_without_the_workbook_and_without_an_address_it_says_what_to_do(self) -> None:
        folder = pathlib.Path.cwd()
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            try:
                with self.assertRaisesRegex(SystemExit, "write its address into REPOSITORY"):
                    Notebook().run(jupyter.FIND)
            finally:
                os.chdir(folder)


if __name__ == "__main__":
    if exercises.touched(manifest.load()[1]):
        print("Chapter 1's exercise is edited: the notebook would write over it.", file=sys.stderr)
        sys.exit(exercises.EDITED)
    unittest.main()
