"""What the pages of feedback show of each kernel: one moment of a recording, once per distinct file, kept by content.

A picture is of an input that everybody may know: the recording has none of the run's seeds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pathlib
import tempfile

from book.grade import moment
from book.grade.chapters import Chapter
from book.grade.compiler import Compiled, Compiler
from book.grade.journal import Result
from book.grade.trial import Court
from book.grade.words import visible

# Two blocks of most chapters, and a second launch for their sums. The inputs of float have few digits.
SMALL = ["--count", "256", "--type", "float"]
MOST_BYTES = 200_000  # of a moment that is kept

Shown = moment.Data  # a moment, or {"why_not": words}


class Pictures:
    """Makes moments, and keeps them."""

    def __init__(self, compiler: Compiler, court: Court, build: pathlib.Path, judges: str) -> None:
        """`judges`: what tells one grader from another."""
        self.compiler, self.court, self.judges = compiler, court, judges
        self.kept = build / "grade/pictures"
        self.kept.mkdir(parents=True, exist_ok=True)

    def of(self, chapter: Chapter, data: bytes, result: Result, may_compile: bool) -> Shown:
        """Returns the moment of a file, or why there is none. Whatever goes wrong is this file's, and said."""
        if result["state"] != "judged":
            return {"why_not": moment.WHY_NOT.get(result["state"], "there is no result")}
        try:
            return self._of(chapter, data, result, may_compile)
        except Exception as error:  # a picture must not end the grading of a class
            return {"why_not": f"it could not be made ({visible(type(error).__name__)})"}

    def _of(self, chapter: Chapter, data: bytes, result: Result, may_compile: bool) -> Shown:
        places = [{name: one[name] for name in ("line", "check", "kind")} for one in result.get("places") or []]
        failed_on = []  # the options for the input that the judge names, whose seed the result does not hold
        for option, value in (result.get("failed_on") or {}).items():
            failed_on += ["--" + option.replace("_", "-"), str(value)]
        asked = json.dumps([self.judges, chapter.number, SMALL, failed_on, places]).encode()
        path = self.kept / (hashlib.sha256(b"\0".join([asked, data])).hexdigest() + ".json")
        with contextlib.suppress(OSError, ValueError):  # not there, or cut off by a full disk
            known: Shown = json.loads(path.read_text(encoding="utf-8"))
            return known
        if not may_compile and not self.compiler.knows(chapter, data):
            return {"why_not": "the run is not at its end; the same command makes it"}
        compiled = self.compiler.compile(chapter, data)
        if not compiled.good:
            return {"why_not": "the file could not be compiled again"}
        made, lasting = self._moment(chapter, compiled, places, [SMALL, failed_on] if failed_on else [SMALL])
        text = json.dumps(made)
        if len(text) > MOST_BYTES:
            made = {"why_not": "it would be too large"}
        elif lasting:
            with tempfile.NamedTemporaryFile("w", dir=self.court.scratch, delete=False, encoding="utf-8") as part:
                part.write(text)
            pathlib.Path(part.name).replace(path)
        return made

    def _moment(
        self, chapter: Chapter, compiled: Compiled, places: list[moment.Data], problems: list[list[str]]
    ) -> tuple[Shown, bool]:
        """Returns the moment of the first of the inputs on which the recording shows what the sheet says; where none
        does, of the first that can be recorded. And whether that is the file's doing, and not this machine's."""
        first: Shown | None = None
        why_not, lasting = "", True
        for problem in problems:
            recording, said = self.court.record(chapter, compiled, problem)
            if recording is None:
                why_not, lasting = why_not or f"your kernel could not be recorded: {said}", False
                continue
            try:
                made = {**moment.of(recording, str(chapter.exercise), places), "problem": problem}
            except moment.Nothing as nothing:
                why_not = why_not or str(nothing)
                continue
            if made["found"] or not places:
                return made, True
            first = first or made
        return first or {"why_not": why_not}, lasting
