"""The tree that the student works in: its chapters, its programs, and what is remembered of both."""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import time
import typing

from book import exercises, manifest
from book.student.failure import Failure, NotBuilt
from book.student.notebook import Notebook, Page


class Workbook:
    """The tree, its build folder, and the student's notebook."""

    def __init__(self, root: pathlib.Path, build: str) -> None:
        self.root = root
        self.build_folder = root / build
        self.chapters = manifest.load(root)
        self.notebook = Notebook(root)

    def chapter(self, number: int) -> manifest.Chapter:
        if number not in self.chapters:
            raise Failure(f"There is no chapter {number}. There are: {' '.join(map(str, self.chapters))}")
        return self.chapters[number]

    def exercise(self, number: int) -> pathlib.Path:
        return self.chapter(number).exercise_path(self.root)

    def title(self, number: int) -> str:
        return self.chapter(number).title

    def touched(self, number: int) -> bool:
        return exercises.touched(self.chapter(number), self.root)

    def reference(self, number: int) -> str:
        """Returns the solution as it would stand in the exercise's place."""
        return exercises.reference_text(self.chapter(number), self.root)

    def fingerprint(self, number: int) -> str:
        return hashlib.sha256(self.exercise(number).read_bytes()).hexdigest()[:16]

    def complaint_of_build(self, number: int) -> str | None:
        """Builds the chapter. Returns what the compiler said where it failed, as it said it; else None."""
        done = subprocess.run(
            ["sh", "common/tools/bootstrap/build.sh", f"chapter{number}"],
            cwd=self.root,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout if done.returncode != 0 else None

    def build(self, number: int) -> None:
        """Builds the chapter. Raises NotBuilt."""
        complaint = self.complaint_of_build(number)
        if complaint is not None:
            raise NotBuilt(complaint)

    def program(self, number: int) -> str:
        return str(self.build_folder / "bin" / f"chapter{number}")

    def run(self, number: int, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs the chapter's program and keeps what it prints."""
        return subprocess.run(
            [self.program(number), *words],
            text=True,
            capture_output=True,
            check=False,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
        )

    def report(self, number: int, *words: str) -> dict[str, typing.Any]:
        """Returns the program's report on a run with these words. Raises Failure."""
        done = self.run(number, *words, "--json", "-")
        try:
            report: dict[str, typing.Any] = json.loads(done.stdout)
        except json.JSONDecodeError as error:
            raise Failure(f"chapter{number} gave no report:\n{done.stderr}") from error
        return report

    def judge(self, number: int) -> Page:
        """Returns the strict test's verdict. The test runs only where the file has changed since the last time."""
        if not self.touched(number):
            return {"verdict": "not started"}
        page, fingerprint = self.notebook.of(number), self.fingerprint(number)
        if page.get("fingerprint") == fingerprint and "verdict" in page:
            return page
        if self.complaint_of_build(number) is not None:
            return {"verdict": "does not compile"}
        try:
            verdict = json.loads(self.run(number, "--test", "--json", "-").stdout)
        except json.JSONDecodeError:
            return {"verdict": "crashed"}
        page["fingerprint"] = fingerprint
        page["verdict"] = verdict["verdict"]
        page["goal"] = verdict.get("goal")
        if not page.get("first_seen_done"):
            page["first_seen_done"] = time.strftime("%Y-%m-%d") if verdict["verdict"] == "done" else None
        self.notebook.save()
        return page
