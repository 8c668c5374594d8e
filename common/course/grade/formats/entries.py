"""What every format reports about a student: parts with their points as in the sheet, and a text on each part."""

from __future__ import annotations

import dataclasses
import typing

from course.grade import words
from course.grade.result import PARTS, State

Data = dict[str, typing.Any]  # the contents of sheet.json, or a part of them

STATES = {
    "not started": "The file is as the chapter gave it.",
    "missing": "There is no file for this chapter.",
    "does not compile": "The file does not compile.",
    "refused": "The file was refused.",
    "failed": "The program ended without a result.",
    "compiler out of limits": "The compiler could not finish this file within its limits.",
}
ASKED = {
    "right": "every integer sum, for every size, type and block size",
    "clean": "no finding of any check",
    "goal": "the chapter's goal",
    "accuracy": "every floating-point sum within its bound",
}


def cell(result: Data | None) -> str:
    """Returns a chapter's points for a table; "" if it could not be judged, because 0 would be a grade."""
    return "" if result is None or result["state"] == State.NOT_JUDGED.value else str(result["points"])


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


def number(value: typing.Any) -> str:
    """Returns a number of the sheet as text."""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else f"{value:.4g}"
    return words.visible(str(value))


def counted(result: Data) -> list[Data]:
    """Returns those of the goal's counts that are known, each with its target."""
    counts: list[Data] = (result.get("figures") or {}).get("counts") or []
    return [one for one in counts if one.get("metric") and one.get("yours") is not None]


def goal_words(result: Data) -> str:
    """Returns the goal's counts as text; "" if nothing is counted for the chapter."""
    said = []
    for one in counted(result):
        wanted = f", {number(one['wanted'])} wanted" if one.get("wanted") is not None else ""
        said.append(f"{words.visible(str(one['metric']))}: yours {number(one['yours'])}{wanted}")
    return "; ".join(said)


def place_words(place: Data) -> str:
    at = f"line {place['line']}: " if place.get("line") else ""
    return words.visible(f"{at}{place.get('check', '')}: {place.get('kind', '')}")


def why(result: Data, part: str) -> str:
    """Returns why a part of a judged exercise has no points."""
    if not result["right"]:
        return words.lines(result["words"]) or "The sum is wrong."
    if part == "clean":
        found = [place_words(place) for place in result.get("places") or []] or map(words.visible, result["findings"])
        return "\n".join(found) or words.lines(result["words"])
    if part == "goal":
        if not (result["clean"] and result["accuracy"]):
            return "It counts only if the other parts are reached."
        missing = map(words.visible, (result.get("figures") or {}).get("missing") or [])
        return "\n".join([goal_words(result), *missing]).strip() or words.lines(result["words"])
    return words.lines(result["words"]) or "The error of a sum is larger than its bound."


def words_on(result: Data, part: str) -> str:
    """Returns the text on a part of a chapter, both if the student has its points and if not."""
    if result["state"] != "judged":
        said = words.lines(result["words"]).strip()
        return STATES.get(result["state"], words.visible(str(result["state"]))) + (f"\n{said}" if said else "")
    if not result[part]:
        return why(result, part).strip()
    return goal_words(result) if part == "goal" else ""


def parts(data: Data, row: Data) -> list[Part]:
    """Returns all parts of a submission. Raises Disagreement if their points don't add up to the sheet's points."""
    found = []
    for number_, result in row["chapters"].items():
        of_chapter = [
            Part(int(number_), part, bool(result[part]), most if result[part] else 0, most, words_on(result, part))
            for part in PARTS
            if (most := data["weights"][part]) > 0
        ]
        if sum(one.score for one in of_chapter) != result["points"]:
            raise Disagreement(f"chapter {number_}: the points of the parts do not add up to the points of the chapter")
        found += of_chapter
    if sum(one.score for one in found) != row["points"]:
        raise Disagreement("the chapters of the sheet are not worth the points it gives")
    return found
