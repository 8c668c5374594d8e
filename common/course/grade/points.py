"""Turns a judge's record into points, and into the lines and costs that the feedback shows.

Only the emulator's counts matter. Times and GPUs have no influence."""

from __future__ import annotations

import typing

from course.grade.journal import Result

PARTS = ("right", "clean", "goal", "accuracy")
# The fields that, together with its seed, identify the first input on which a kernel failed.
ON_WHAT = ("count", "type", "block_size", "offset", "gpus")
WORTH = "right=4,clean=3,goal=2,accuracy=1"  # the default
MOST = 20  # findings that the sheet lists at most; one mistake often causes findings at many lines


def parse(text: str) -> dict[str, int]:
    """Parses "right=4,clean=3". A part that is not named gets 0. Raises ValueError with a message for the user."""
    weights = dict.fromkeys(PARTS, 0)
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip() not in PARTS or not value.strip().isdigit():
            raise ValueError(f"--points {text}: write {WORTH}, in whole numbers")
        weights[name.strip()] = int(value)
    if sum(weights.values()) == 0:
        raise ValueError(f"--points {text}: at least one part must be worth something")
    return weights


def empty_result(state: str, words: str = "") -> Result:
    """Returns the result of a chapter that was not judged."""
    return {"state": state, "words": words, **dict.fromkeys(PARTS, False), "findings": [], "places": [], "figures": {}}


def places_of(record: dict[str, typing.Any]) -> list[dict[str, typing.Any]]:
    """Returns the findings in a judge's record, each only once, sorted by line. Line 0 means that the finding has no
    line in the student's file."""
    found = {
        (int(one.get("line") or 0), str(one.get("check", "")), str(one.get("kind", "")))
        for one in record.get("findings") or []
    }
    mistakes = (record.get("failed") or {}).get("mistakes") or []
    places = []
    for line, check, kind in sorted(found)[:MOST]:
        fitting = (one for one in mistakes if one.get("line") == line and one.get("found_by") == check)
        told: dict[str, typing.Any] = next(fitting, {})
        words = {name: str(told.get(name, "")) for name in ("cause", "cure")}
        places.append({"line": line, "check": check, "kind": kind, **words})
    return places


def profile_of(record: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """Returns the costs of the lines of the student's file for the goal's input: the total `instructions` of all files
    and, for the MOST most expensive lines in the order of the file, `line`, `instructions`, bank `conflicts` and
    `sectors` of global memory. Returns {} if the goal was not checked."""
    given = record.get("profile") or {}
    lines = [
        {name: int(one.get(name) or 0) for name in ("line", "instructions", "conflicts", "sectors")}
        for one in given.get("lines") or []
    ]
    most = sorted(lines, key=lambda one: -one["instructions"])[:MOST]
    if not most:
        return {}
    return {"instructions": int(given["instructions"]), "lines": sorted(most, key=lambda one: one["line"])}


def result_from_record(record: dict[str, typing.Any]) -> Result:
    """Returns the result of a chapter from its judge's record.

    right: every integer sum is correct, for every size and block size. accuracy: every floating-point sum is within the
    bound that follows from the number of additions. clean: no check had a finding. goal: a kernel that is also accurate
    and clean reaches the chapter's goal. A kernel that isn't right has none of the other parts.
    """
    tally = record.get("tally")
    if record.get("verdict") not in ("done", "goal missed", "wrong", "unsafe") or not tally:
        return empty_result("failed", "the judge's record has no verdict")
    whole = {
        name: tally[name]["tried"] > 0 and tally[name]["right"] == tally[name]["tried"]
        for name in ("integer", "floating", "clean")
    }
    right = whole["integer"]
    goal = record.get("goal") or {}
    result = empty_result("judged", (record.get("failed") or {}).get("words", "").strip())
    result.update(
        right=right,
        accuracy=right and whole["floating"],
        clean=right and whole["clean"],
        goal=right and whole["clean"] and whole["floating"] and bool(goal.get("reached")),
    )
    result["findings"] = sorted({f"{one['check']}: {one['kind']}" for one in record.get("findings") or []})
    result["places"] = places_of(record)
    failed = record.get("failed") or {}
    result["failed_on"] = {name: failed[name] for name in ON_WHAT if failed.get(name)}
    result["profile"] = profile_of(record)
    result["figures"] = {
        "counts": [
            {"metric": one.get("metric"), "wanted": one.get("target"), "yours": one.get("yours")}
            for one in goal.get("counts") or []
        ],
        "missing": [line.strip() for line in (goal.get("missing") or "").split("\n") if line.strip()],
        "worst_share_of_bound": tally["worst_share_of_bound"],
    }
    return result


def score(result: Result, weights: dict[str, int]) -> int:
    """Returns the points of a result."""
    return sum(weights[part] for part in PARTS if result[part])
