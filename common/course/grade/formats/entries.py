"""What every format reports about a student: parts with their points as in the sheet, and a text on each part."""

from __future__ import annotations

import dataclasses

from course.grade import words
from course.grade.result import PARTS, Count, Finding, Number, Result, State
from course.grade.sheet_contents import Contents, Entry, Submission

STATES = {
    State.NOT_STARTED: "The file is as the chapter gave it.",
    State.MISSING: "There is no file for this chapter.",
    State.DOES_NOT_COMPILE: "The file does not compile.",
    State.REFUSED: "The file was refused.",
    State.FAILED: "The program ended without a result.",
    State.COMPILER_OUT_OF_LIMITS: "The compiler could not finish this file within its limits.",
    State.NOT_JUDGED: "not judged",
}
ASKED = {
    "right": "every integer sum, for every size, type and block size",
    "clean": "no finding of any check",
    "goal": "the chapter's goal",
    "accuracy": "every floating-point sum within its bound",
}


def cell(entry: Entry | None) -> str:
    """Returns a chapter's points for a table; "" if it could not be judged, because 0 would be a grade."""
    return "" if entry is None or entry.result.state == State.NOT_JUDGED else str(entry.points)


class Disagreement(Exception):
    """Raised if the parts of a sheet don't add up to the points of its chapters. No format may hide such an error."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a chapter: its maximum of points, and the points that the student got."""

    chapter: int
    name: str
    passed: bool
    score: int
    most: int
    words: str


def number(value: Number | None) -> str:
    """Returns a number of the sheet as text; "" if it isn't known."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.4g}"
    return str(value)


def counted(result: Result) -> list[Count]:
    """Returns those of the goal's counts that are known."""
    counts = result.figures.counts if result.figures else ()
    return [one for one in counts if one.metric and one.yours is not None]


def goal_words(result: Result) -> str:
    """Returns the goal's counts as text; "" if nothing is counted for the chapter."""
    said = []
    for one in counted(result):
        wanted = f", {number(one.wanted)} wanted" if one.wanted is not None else ""
        said.append(f"{words.visible(one.metric or '')}: yours {number(one.yours)}{wanted}")
    return "; ".join(said)


def finding_words(finding: Finding) -> str:
    at = f"line {finding.line}: " if finding.line else ""
    return words.visible(f"{at}{finding.check}: {finding.kind}")


def why(result: Result, part: str) -> str:
    """Returns why a part of a judged exercise has no points."""
    if not result.right:
        return words.lines(result.words) or "The sum is wrong."
    if part == "clean":
        found = map(finding_words, result.findings) if result.findings else map(words.visible, result.kinds)
        return "\n".join(found) or words.lines(result.words)
    if part == "goal":
        if not (result.clean and result.accuracy):
            return "It counts only if the other parts are reached."
        missing = map(words.visible, result.figures.missing if result.figures else ())
        return "\n".join([goal_words(result), *missing]).strip() or words.lines(result.words)
    return words.lines(result.words) or "The error of a sum is larger than its bound."


def words_on(result: Result, part: str) -> str:
    """Returns the text on a part of a chapter, both if the student has its points and if not."""
    if result.state != State.JUDGED:
        said = words.lines(result.words).strip()
        return STATES[result.state] + (f"\n{said}" if said else "")
    if not result.reaches(part):
        return why(result, part).strip()
    return goal_words(result) if part == "goal" else ""


def parts(sheet: Contents, submission: Submission) -> list[Part]:
    """Returns all parts of a submission. Raises Disagreement if their points don't add up to the sheet's points."""
    found = []
    for chapter, entry in submission.chapters.items():
        result = entry.result
        of_chapter = [
            Part(chapter, part, result.reaches(part), most * result.reaches(part), most, words_on(result, part))
            for part in PARTS
            if (most := sheet.weights[part]) > 0
        ]
        if sum(one.score for one in of_chapter) != entry.points:
            raise Disagreement(f"chapter {chapter}: the points of the parts do not add up to the points of the chapter")
        found += of_chapter
    if sum(one.score for one in found) != submission.points:
        raise Disagreement("the chapters of the sheet are not worth the points it gives")
    return found
