"""Reads the record that a judge writes about a file. Only the emulator's counts matter. Times and GPUs have no
influence."""

from __future__ import annotations

from course.grade.result import Count, Figures, Finding, Json, LineCost, Profile, Result, State

# The fields that, together with its seed, identify the first input on which a kernel failed.
ON_WHAT = ("count", "type", "block_size", "offset", "gpus")
MOST = 20  # findings and lines that a result lists at most; one mistake often causes findings at many lines


def findings_in(record: Json) -> tuple[Finding, ...]:
    """Returns the findings in a record, each only once, sorted by line."""
    found = {
        (int(one.get("line") or 0), str(one.get("check", "")), str(one.get("kind", "")))
        for one in record.get("findings") or []
    }
    mistakes = (record.get("failed") or {}).get("mistakes") or []
    findings = []
    for line, check, kind in sorted(found)[:MOST]:
        fitting = (one for one in mistakes if one.get("line") == line and one.get("found_by") == check)
        told: Json = next(fitting, {})
        findings.append(Finding(line, check, kind, str(told.get("cause", "")), str(told.get("cure", ""))))
    return tuple(findings)


def profile_in(record: Json) -> Profile:
    """Returns the MOST most expensive lines in a record."""
    given = record.get("profile") or {}
    lines = [
        LineCost(*(int(one.get(name) or 0) for name in ("line", "instructions", "conflicts", "sectors")))
        for one in given.get("lines") or []
    ]
    most = sorted(lines, key=lambda one: -one.instructions)[:MOST]
    if not most:
        return Profile()
    return Profile(int(given["instructions"]), tuple(sorted(most, key=lambda one: one.line)))


def read(record: Json) -> Result:
    """Returns the result of a file from its judge's record.

    right: every integer sum is correct, for every size and block size. accuracy: every floating-point sum is within the
    bound that follows from the number of additions. clean: no check had a finding. goal: a kernel that is also accurate
    and clean reaches the chapter's goal. A kernel that isn't right has none of the other parts.
    """
    tally = record.get("tally")
    if record.get("verdict") not in ("done", "goal missed", "wrong", "unsafe") or not tally:
        return Result(State.FAILED, "the judge's record has no verdict")
    whole = {
        name: tally[name]["tried"] > 0 and tally[name]["right"] == tally[name]["tried"]
        for name in ("integer", "floating", "clean")
    }
    right = whole["integer"]
    goal, failed = record.get("goal") or {}, record.get("failed") or {}
    return Result(
        State.JUDGED,
        failed.get("words", "").strip(),
        right=right,
        clean=right and whole["clean"],
        goal=right and whole["clean"] and whole["floating"] and bool(goal.get("reached")),
        accuracy=right and whole["floating"],
        kinds=tuple(sorted({f"{one['check']}: {one['kind']}" for one in record.get("findings") or []})),
        findings=findings_in(record),
        figures=Figures(
            tuple(Count(one.get("metric"), one.get("target"), one.get("yours")) for one in goal.get("counts") or []),
            tuple(line.strip() for line in (goal.get("missing") or "").split("\n") if line.strip()),
            tally["worst_share_of_bound"],
        ),
        failed_on={name: failed[name] for name in ON_WHAT if failed.get(name)},
        profile=profile_in(record),
    )
