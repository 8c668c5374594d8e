"""Where in a student's file the judge found something, and what its lines cost, for who gives feedback."""

from __future__ import annotations

import typing

MOST = 20  # of a file; a kernel that is wrong in one way tends to be so in many lines

Place = dict[str, typing.Any]


def of(record: dict[str, typing.Any]) -> list[Place]:
    """Returns the findings of a judge's record by line, each once. Line 0 is no line of the student's."""
    found = {
        (int(one.get("line") or 0), str(one.get("check", "")), str(one.get("kind", "")))
        for one in record.get("findings") or []
    }
    mistakes = (record.get("failed") or {}).get("mistakes") or []
    places = []
    for line, check, kind in sorted(found)[:MOST]:
        told: dict[str, typing.Any] = next(
            (one for one in mistakes if one.get("line") == line and one.get("found_by") == check), {}
        )
        places.append(
            {
                "line": line,
                "check": check,
                "kind": kind,
                "cause": str(told.get("cause", "")),
                "cure": str(told.get("cure", "")),
            }
        )
    return places


def profile(record: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """Returns what the lines of the student's file cost on the goal's input: the `instructions` of all files, and of
    the MOST lines with the most, in the file's order, `line`, `instructions`, bank `conflicts` and `sectors` of global
    memory. Empty where the goal was not looked at."""
    given = record.get("profile") or {}
    lines = [
        {name: int(one.get(name) or 0) for name in ("line", "instructions", "conflicts", "sectors")}
        for one in given.get("lines") or []
    ]
    most = sorted(lines, key=lambda one: -one["instructions"])[:MOST]
    if not most:
        return {}
    return {"instructions": int(given["instructions"]), "lines": sorted(most, key=lambda one: one["line"])}
