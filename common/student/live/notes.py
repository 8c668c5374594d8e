"""The notes below lines of the student's file: compiler messages, findings, and explanations of expensive lines."""

from __future__ import annotations

import pathlib
import re
import typing

from student.page import Row, main_launch, row_of

Note = dict[str, typing.Any]  # line, kind, words

# nvcc and cudafe++ print `file(29): error: …` and `file(29): warning #177-D: …`; host compilers `file:29:7: error: …`.
SAID = re.compile(
    r"^(?P<file>\S.*?)(?:\((?P<in_brackets>\d+)\)|:(?P<by_colon>\d+)(?::\d+)?): "
    r"(?P<kind>(?:fatal |catastrophic )?error|warning)\s*(?:#[\w-]+)?: (?P<words>.+)$",
    re.MULTILINE,
)


def note(line: int, kind: str, words: str) -> Note:
    return {"line": line, "kind": kind, "words": words}


def of_compiler(said: str, exercise: pathlib.Path, root: pathlib.Path) -> list[Note]:
    """Returns a note for each error and warning in the exercise. Messages about other files are shown only in the
    compiler's output."""
    found: list[Note] = []
    for match in SAID.finditer(said):
        if (root / match["file"]).resolve() != exercise.resolve():
            continue
        line = int(match["in_brackets"] or match["by_colon"])
        kind = "warning" if match["kind"] == "warning" else "error"
        new = note(line, kind, match["words"])
        # The host pass and the device pass may report the same error.
        if new not in found:
            found.append(new)
    return found


def of_test(verdict: Row) -> list[Note]:
    """Returns a note for each mistake whose line is known."""
    mistakes = verdict.get("failed", {}).get("mistakes", [])
    return [
        note(one["line"], "finding", f"{one['found_by']}: {one['cause']} {one['cure']}".strip())
        for one in mistakes
        if one.get("line")
    ]


def of_profile(report: Row, exercise: pathlib.Path) -> list[Note]:
    """Returns a note for each line of the exercise for which the profile explains the cost."""
    row = row_of(report, "yours")
    if row is None:
        return []
    found = []
    for one in main_launch(row).get("diagnoses", []):
        if one.get("line") and pathlib.Path(one.get("file", "")).name == exercise.name:
            found.append(note(one["line"], "cost", f"{one['message']}. {one.get('advice') or ''}".strip()))
    return found


def of_goal(goal: Row | None) -> str:
    """Returns the goal's numbers as text; "" if none were measured."""
    named = (("target", "wanted"), ("before", "before"), ("yours", "yours"))
    said = []
    for count in (goal or {}).get("counts") or []:
        numbers = [f"{word} {count[name]:g}" for name, word in named if count.get(name) is not None]
        if count.get("yours") is not None:
            said.append(f"{count['metric']}: {', '.join(numbers)}")
    return "; ".join(said)


def of_time(report: Row) -> str:
    """Returns the predicted time as text; "" if there is none."""
    row = row_of(report, "yours")
    predicted = (row or {}).get("predicted") or {}
    if "us" not in predicted:
        return ""
    return f"Predicted for an {predicted['gpu']}: {predicted['us']:.3g} us"
