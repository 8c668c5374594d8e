"""From a judge's record to points, and to the places and costs that feedback names.

What counts is what the emulator counts; no time and no GPU enters."""

from __future__ import annotations

import typing

from book.grade.journal import Result

PARTS = ("right", "clean", "goal", "accuracy")
# What says on which input a kernel failed first, but for its seed.
ON_WHAT = ("count", "type", "block_size", "offset", "gpus")
WORTH = "right=4,clean=3,goal=2,accuracy=1"  # where nothing else is said
MOST = 20  # places of a file that the sheet names; a kernel that is wrong in one way tends to be so in many lines


def parse(text: str) -> dict[str, int]:
    """Reads "right=4,clean=3"; a part that is not named has 0. Raises ValueError with words."""
    weights = dict.fromkeys(PARTS, 0)
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip() not in PARTS or not value.strip().isdigit():
            raise ValueError(f"--points {text}: write {WORTH}, in whole numbers")
        weights[name.strip()] = int(value)
    if sum(weights.values()) == 0:
        raise ValueError(f"--points {text}: at least one part must be worth something")
    return weights


def nothing(state: str, words: str = "") -> Result:
    """Returns the result of a chapter that was not judged."""
    return {"state": state, "words": words, **dict.fromkeys(PARTS, False), "findings": [], "places": [], "figures": {}}


def places_of(record: dict[str, typing.Any]) -> list[dict[str, typing.Any]]:
    """Returns the findings of a judge's record by line, each once. Line 0 is no line of the student's."""
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


def judge(record: dict[str, typing.Any]) -> Result:
    """Returns the result of a chapter from its judge's record.

    right: every integer sum of every size and block size; accuracy: every floating-point sum within the bound that
    follows from the number of additions; clean: no check had a finding; goal: the chapter's count. A kernel that is
    not right has no other part either.
    """
    tally = record.get("tally")
    if record.get("verdict") not in ("done", "goal missed", "wrong", "unsafe") or not tally:
        return nothing("failed", "the judge's record has no verdict")
    whole = {
        name: tally[name]["tried"] > 0 and tally[name]["right"] == tally[name]["tried"]
        for name in ("integer", "floating", "clean")
    }
    right = whole["integer"]
    goal = record.get("goal") or {}
    result = nothing("judged", (record.get("failed") or {}).get("words", "").strip())
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


def of(result: Result, weights: dict[str, int]) -> int:
    """Returns the points of a result."""
    return sum(weights[part] for part in PARTS if result[part])
