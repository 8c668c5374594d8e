"""From a judge's record to points. What counts is what the emulator counts; no time and no GPU enters."""

from __future__ import annotations

import typing

from book.grade import places
from book.grade.journal import Result

PARTS = ("right", "clean", "goal", "accuracy")
# What says on which input a kernel failed first, but for its seed.
ON_WHAT = ("count", "type", "block_size", "offset", "gpus")
WEIGHTS = {"right": 4, "clean": 3, "goal": 2, "accuracy": 1}


def parse(text: str) -> dict[str, int]:
    """Reads "right=4,clean=3"; a part that is not named has 0. Raises ValueError with words."""
    weights = dict.fromkeys(PARTS, 0)
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip() not in PARTS or not value.strip().isdigit():
            raise ValueError(f"--points {text}: write right=4,clean=3,goal=2,accuracy=1, in whole numbers")
        weights[name.strip()] = int(value)
    if sum(weights.values()) == 0:
        raise ValueError(f"--points {text}: at least one part must be worth something")
    return weights


def nothing(state: str, words: str = "") -> Result:
    """Returns the result of a chapter that was not judged."""
    return {"state": state, "words": words, **dict.fromkeys(PARTS, False), "findings": [], "places": [], "figures": {}}


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
    result["places"] = places.of(record)
    failed = record.get("failed") or {}
    result["failed_on"] = {name: failed[name] for name in ON_WHAT if failed.get(name)}
    result["profile"] = places.profile(record)
    result["figures"] = {
        "metric": goal.get("metric"),
        "wanted": goal.get("target"),
        "yours": goal.get("yours"),
        "missing": [line.strip() for line in (goal.get("missing") or "").split("\n") if line.strip()],
        "worst_share_of_bound": tally["worst_share_of_bound"],
    }
    return result


def of(result: Result, weights: dict[str, int]) -> int:
    """Returns the points of a result."""
    return sum(weights[part] for part in PARTS if result[part])
