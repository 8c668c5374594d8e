"""Where in a student's file the judge found something: lines with the kind of the finding, for who gives feedback."""

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
