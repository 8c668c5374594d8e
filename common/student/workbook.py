"""The source tree in which the student works: its chapters, its programs, and the notebook."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import time
import typing

from book import exercises, manifest, processes
from student.failure import Failure, NotBuilt
from student.notebook import Notebook, Page

TRIES = 3  # tries to build and run, if the student saves again in between
NO_TOOLS = 3  # `bootstrap.sh build`: the tools that it needs are missing, so nothing was built


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

    def touched(self, number: int) -> bool:
        return exercises.touched(self.chapter(number), self.root)

    def reference(self, number: int) -> str:
        """Returns the reference as it would be in the exercise's file."""
        return exercises.reference_text(self.chapter(number), self.root)

    def fingerprint(self, number: int) -> str:
        """Returns the SHA-256 of the exercise, which is also compiled into the programs."""
        return hashlib.sha256(exercises.exercise_bytes(self.chapter(number), self.root)).hexdigest()

    def _saved_meanwhile(self, number: int, before: str, report: dict[str, typing.Any]) -> bool:
        """Returns true if the report is about another version of the exercise, or if the file has been saved since."""
        compiled = report.get("exercise_sha256", before)
        return compiled != before or self.fingerprint(number) != before

    def _saved_again_and_again(self, number: int) -> Failure:
        path = self.exercise(number).relative_to(self.root)
        return Failure(f"{path} was saved each time while it was built and run. Leave it for a moment, and try again.")

    def building(self, number: int, install: bool = True) -> tuple[list[str], dict[str, str]]:
        """Returns the command that builds the chapter, which has to run in the tree's root, and the environment
        variables to add. If its exit status is NO_TOOLS, tools are missing and nothing can be built."""
        more = {} if install else {"WORKBOOK_NO_INSTALL": "1"}
        return ["sh", "common/bootstrap/bootstrap.sh", "build", f"chapter{number}"], more

    def attempt_to_build(self, number: int, install: bool = True) -> processes.Done:
        """Builds the chapter and captures the output."""
        command, more = self.building(number, install)
        return processes.run_captured(command, together=True, cwd=self.root, env={**os.environ, **more})

    def complaint_of_build(self, number: int) -> str | None:
        """Builds the chapter. Returns the compiler's output unchanged if the build failed, otherwise None."""
        done = self.attempt_to_build(number)
        return done.stdout if done.returncode != 0 else None

    def build(self, number: int) -> None:
        """Builds the chapter. Raises NotBuilt."""
        complaint = self.complaint_of_build(number)
        if complaint is not None:
            raise NotBuilt(complaint)

    def program(self, number: int) -> str:
        return str(self.build_folder / "bin" / f"chapter{number}")

    def run(self, number: int, *words: str) -> processes.Done:
        """Runs the chapter's program and captures its output."""
        return processes.run_captured([self.program(number), *words], cwd=self.root)

    def report(self, number: int, *words: str) -> dict[str, typing.Any]:
        """Returns the program's report for these arguments and the current version of the exercise. Raises Failure."""
        for _ in range(TRIES):
            before = self.fingerprint(number)
            done = self.run(number, *words, "--json", "-")
            try:
                report: dict[str, typing.Any] = json.loads(done.stdout)
            except json.JSONDecodeError as error:
                raise Failure(f"chapter{number} gave no report:\n{done.stderr}") from error
            if not self._saved_meanwhile(number, before, report):
                return report
            self.build(number)
        raise self._saved_again_and_again(number)

    def judge(self, number: int, install: bool = True) -> Page:
        """Returns the verdict of the strict test, which runs only if the file has changed since the last test. If
        `install`, missing tools for the build may be installed. Otherwise the verdict is "not tested" if tools are
        missing."""
        if not self.touched(number):
            return {"verdict": "not started"}
        page = self.notebook.of(number)
        for _ in range(TRIES):
            fingerprint = self.fingerprint(number)
            # Older versions of the workbook wrote sixteen digits.
            if page.get("fingerprint") in (fingerprint, fingerprint[:16]) and "verdict" in page:
                return page
            built = self.attempt_to_build(number, install)
            if built.returncode == NO_TOOLS:
                return {"verdict": "not tested"}
            if built.returncode != 0:
                return {"verdict": "does not compile"}
            try:
                verdict = json.loads(self.run(number, "--test", "--json", "-").stdout)
            except json.JSONDecodeError:
                return {"verdict": "crashed"}
            if not self._saved_meanwhile(number, fingerprint, verdict):
                self._note(page, fingerprint, verdict)
                return page
        raise self._saved_again_and_again(number)

    def _note(self, page: Page, fingerprint: str, verdict: dict[str, typing.Any]) -> None:
        page["fingerprint"] = fingerprint
        page["verdict"] = verdict["verdict"]
        page["goal"] = verdict.get("goal")
        if not page.get("first_seen_done"):
            page["first_seen_done"] = time.strftime("%Y-%m-%d") if verdict["verdict"] == "done" else None
        self.notebook.save()
