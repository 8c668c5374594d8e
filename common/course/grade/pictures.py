"""The pictures on the feedback pages. For each distinct file, one moment of a recording is cached by the file's
content.

The recorded input isn't secret, because a recording does not contain any of the run's seeds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pathlib
import tempfile

from course.grade import moment
from course.grade.chapters import Chapter
from course.grade.compiler import Compiled, Compiler
from course.grade.journal import Result
from course.grade.trial import JudgeRunner
from course.grade.words import visible

# Enough for two blocks in most chapters, and a second launch for their sums. Float inputs have few digits to show.
SMALL = ["--count", "256", "--type", "float"]
MAX_BYTES = 200_000  # the size limit of a cached moment

Shown = moment.Data  # a moment, or {"why_not": words}


class Pictures:
    """Makes moments and caches them."""

    def __init__(self, compiler: Compiler, judge_runner: JudgeRunner, build: pathlib.Path, judges: str) -> None:
        """`judges` is a hash that identifies the grader. Moments made with a different grader are not reused."""
        self.compiler, self.judge_runner, self.judges = compiler, judge_runner, judges
        self.kept = build / "grade/pictures"
        self.kept.mkdir(parents=True, exist_ok=True)

    def of(self, chapter: Chapter, data: bytes, result: Result, may_compile: bool) -> Shown:
        """Returns the moment of a file, or why it has none. Any error is attributed to this file and reported in the
        result."""
        if result["state"] != "judged":
            return {"why_not": moment.WHY_NOT.get(result["state"], "there is no result")}
        try:
            return self._of(chapter, data, result, may_compile)
        except Exception as error:  # a picture must not end the grading of a class
            return {"why_not": f"it could not be made ({visible(type(error).__name__)})"}

    def _of(self, chapter: Chapter, data: bytes, result: Result, may_compile: bool) -> Shown:
        places = [{name: one[name] for name in ("line", "check", "kind")} for one in result.get("places") or []]
        failed_on = []  # options for the judge's first failed input; the seed isn't known
        for option, value in (result.get("failed_on") or {}).items():
            failed_on += ["--" + option.replace("_", "-"), str(value)]
        asked = json.dumps([self.judges, chapter.number, SMALL, failed_on, places]).encode()
        path = self.kept / (hashlib.sha256(b"\0".join([asked, data])).hexdigest() + ".json")
        with contextlib.suppress(OSError, ValueError):  # the file is missing, or was cut off by a full disk
            known: Shown = json.loads(path.read_text(encoding="utf-8"))
            return known
        if not may_compile and not self.compiler.knows(chapter, data):
            return {"why_not": "the run is not at its end; the same command makes it"}
        compiled = self.compiler.compile(chapter, data)
        if not compiled.good:
            return {"why_not": "the file could not be compiled again"}
        made, lasting = self._moment(chapter, compiled, places, [SMALL, failed_on] if failed_on else [SMALL])
        text = json.dumps(made)
        if len(text) > MAX_BYTES:
            made = {"why_not": "it would be too large"}
        elif lasting:
            with tempfile.NamedTemporaryFile(
                "w", dir=self.judge_runner.scratch, delete=False, encoding="utf-8"
            ) as part:
                part.write(text)
            pathlib.Path(part.name).replace(path)
        return made

    def _moment(
        self, chapter: Chapter, compiled: Compiled, places: list[moment.Data], problems: list[list[str]]
    ) -> tuple[Shown, bool]:
        """Returns the moment for the first input whose recording has a finding or, if there is none, for the first
        input that can be recorded. Also returns true if this result depends only on the file and not on this
        machine."""
        first: Shown | None = None
        why_not, lasting = "", True
        for problem in problems:
            recording, said = self.judge_runner.record(chapter, compiled, problem)
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
