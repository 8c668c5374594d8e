"""The moment of a recording that a still picture shows: the step, the rule that chose it, and the state after it. The
state is computed as in the player (common/student/player/model.js), for a single step. A test compares the two in a
browser."""

from __future__ import annotations

import collections.abc
import itertools
import typing

Data = dict[str, typing.Any]
WARP = 32
ROW = 128  # bytes: the 32 banks of shared memory, of 4 bytes each
MAX_ROWS = 4  # rows of shared memory that are shown at most
UNKNOWN = "?"

# The rules for choosing a step, in words for the caption.
FINDING = "the step of the first finding"
OTHER_FINDING = "the step of the earliest finding among the recorded ones"
CONFLICTS = "the step with the most bank conflicts, the first of these"
PARTIAL = "the first access to shared memory in which half of the warp's lanes or fewer take part, and more than one"
SHUFFLE = "the first step in which values move between lanes"
SHARED = "the first access to shared memory"
SECTORS = "the access to global memory with the most sectors, the first of these"
LAST = "the last recorded step"


# Why a file in this state has no recording.
WHY_NOT = {
    "not started": "the file is as the chapter gave it",
    "does not compile": "the file does not compile",
    "compiler out of limits": "the compiler did not finish",
    "refused": "the file was refused, so it was not run",
    "failed": "the program ended without a result",
    "not judged": "the file could not be judged",
}


class Nothing(Exception):
    """Raised if a recording has no step. The message states why there is no picture."""


def lanes_of(mask: int) -> list[int]:
    return [lane for lane in range(WARP) if mask >> lane & 1]


def several(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "es" if what.endswith("s") else "s")


def ranges(numbers: collections.abc.Iterable[int]) -> str:
    """Returns numbers as text, such as "0, 2 to 4, 7" or, if their distance is constant, "0 to 30 in steps of 2"."""
    rest = sorted(numbers)
    steps = {b - a for a, b in itertools.pairwise(rest)}
    if len(rest) > 2 and len(steps) == 1:
        step = steps.pop()
        return f"{rest[0]} to {rest[-1]}" + (f" in steps of {step}" if step != 1 else "")
    parts: list[list[int]] = []
    for one in rest:
        if parts and one == parts[-1][1] + 1:
            parts[-1][1] = one
        else:
            parts.append([one, one])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in parts)


def number(value: typing.Any) -> str:
    """Returns a value as text of at most eight characters."""
    if value is None:
        return "inf/nan"
    if not isinstance(value, (int, float)):
        return UNKNOWN
    text = str(value) if isinstance(value, int) else f"{value:.4g}"
    for digits in range(4, -1, -1):
        if len(text) <= 8:
            break
        text = f"{float(value):.{digits}e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return text[:8]


class Story:
    """The block of a launch after a given step: the lanes of its warps, and the contents of its shared memory."""

    def __init__(self, launch: Data) -> None:
        self.launch = launch
        self.threads = launch["block"][0] * launch["block"][1] * launch["block"][2]
        self.warps = -(-self.threads // WARP)

    def after(self, at: int) -> tuple[list[Data], dict[int, tuple[int, typing.Any]]]:
        """Returns the states of the warps after step `at`, counted from 0, and {offset: (bytes, value)}."""
        steps = self.launch["steps"]
        warps: list[Data] = []
        for w in range(self.warps):
            exists = (1 << min(WARP, self.threads - w * WARP)) - 1
            warps.append({"exists": exists, "active": 0, "waits": {}, "left": 0})
        cells: dict[int, tuple[int, typing.Any]] = {}
        written: set[int] = set()
        for step in steps[: at + 1]:
            if step["block"] != steps[at]["block"]:
                continue
            barrier = step.get("barrier", 0)
            if step["what"] == "barrier":
                for warp in warps:
                    warp["waits"][barrier] = 0
                continue
            warp = warps[step["warp"]]
            warp["active"] = step["mask"]
            if step["what"] == "arrive":
                warp["waits"][barrier] = warp["waits"].get(barrier, 0) | step["mask"]
            if step["what"] == "leave":
                warp["left"] |= step["mask"]
            for place, size, value in touched(step):
                if step["what"] != "load":
                    written.add(place // 4)
                # The value of memory that was never written is meaningless, so it is not shown.
                cells[place] = (size, value if place // 4 in written else UNKNOWN)
        return warps, cells

    def name_of(self, step: Data, address: int) -> str:
        """Returns the name of the element at an address, such as tile[17]."""
        variables = self.launch["variables"]
        if step.get("variable") is None:
            return f"byte {address}" if step["space"] == "shared" else f"address {address:x}"
        one = variables[step["variable"]]
        return f"{str(one['name'])[:40]}[{(address - one['begin']) // one['element_bytes']}]"

    def in_words(self, step: Data) -> str:
        """Returns a step in the words that the player uses."""
        count = len(lanes_of(step["mask"]))
        lanes, who = several(count, "lane"), f"block {step['block']}, warp {step['warp']}"

        def verb(one: str) -> str:
            return one + "s" if count == 1 else one

        barrier = f"barrier {step['barrier']}" if step.get("barrier") else "the barrier"
        jump = len(lanes_of(step.get("jumped", 0)))
        told = {
            "run": f"{several(step.get('instructions', 0), 'instruction')} for {lanes}",
            "branch": f"{lanes} diverge: {jump} {'jumps' if jump == 1 else 'jump'}",
            "arrive": f"{lanes} {verb('wait')} at {barrier}",
            "announce": f"{lanes} {verb('come')} to {barrier}, and {'does' if count == 1 else 'do'} not wait",
            "leave": f"{lanes} {verb('leave')} the kernel",
            "fault": "the kernel is stopped here",
            "shuffle": f"{lanes} {verb('shuffle')}",
            "warp barrier": f"{lanes} {verb('meet')} at a barrier of the warp",
        }
        if step["what"] == "barrier":
            return f"block {step['block']}: {barrier} opens"
        if step["what"] in told:
            return f"{who}: {told[step['what']]}"
        does = {
            "load": f"{verb('load')} from",
            "store": f"{verb('store')} to",
            "atomic": f"atomically {verb('change')}",
        }
        cost = {"shared": ("passes", "pass"), "global": ("sectors", "sector")}.get(step["space"])
        price = f", {several(step[cost[0]], cost[1])}" if cost else ""
        first = self.name_of(step, step["at"][0])
        return f"{who}: {lanes} {does[step['what']]} {step['space']} memory, first {first}{price}"


def touched(step: Data) -> list[tuple[int, int, typing.Any]]:
    """Returns (offset, bytes, value) of everything that a step reads or writes in shared memory."""
    if step.get("space") != "shared" or "values" not in step:
        return []
    found = []
    for at, given in zip(step["at"], step["values"]):
        values = given if isinstance(given, list) else [given]
        size = step["bytes"] // len(values)
        found += [(at + k * size, size, value) for k, value in enumerate(values)]
    return found


def by_finding(recording: Data, own: int | None, places: list[Data]) -> tuple[int, Data, str] | None:
    """Returns the launch, the finding that the picture shows, and the rule that chose it. This is the first finding of
    the sheet that has a line and was recorded; otherwise the earliest recorded finding, preferably at a line of the
    student's file. Returns None if no finding was recorded."""
    found = [
        (k, finding)
        for k, launch in enumerate(recording["launches"])
        for finding in launch["findings"]
        if "step" in finding
    ]
    for place in places:
        for k, finding in found:
            if place["line"] and (finding["line"], finding["kind"]) == (place["line"], place["kind"]):
                return k, finding, FINDING
    of_own = [one for one in found if one[1].get("source") == own]
    if not (of_own or found):
        return None
    k, finding = min(of_own or found, key=lambda one: (one[0], one[1]["step"]))
    return k, finding, FINDING if len(found) == 1 else OTHER_FINDING


def by_idea(launches: list[Data], own: int | None) -> tuple[int, int, str] | None:
    """Returns the launch and the step that show the idea of the kernel, and the rule that chose them. If several steps
    satisfy a rule, those in the student's own lines are preferred. Returns None if there is no step."""
    steps = [(k, at, step) for k, launch in enumerate(launches) for at, step in enumerate(launch["steps"])]
    of_own = [one for one in steps if own is not None and one[2].get("source") == own]

    def worst(cost: str) -> typing.Callable[[Data], bool]:
        most = max((step.get(cost, 0) for _, _, step in steps), default=0)
        return lambda step: most > 0 and step.get(cost, 0) == most

    def few(step: Data) -> bool:
        return bool(touched(step)) and 1 < len(lanes_of(step["mask"])) <= WARP // 2

    rules: list[tuple[str, typing.Callable[[Data], bool]]] = [
        (CONFLICTS, worst("conflicts")),
        (SHUFFLE, lambda step: step["what"] == "shuffle"),
        (PARTIAL, few),
        (SHARED, lambda step: bool(touched(step))),
        (SECTORS, worst("sectors")),
    ]
    for rule, holds in rules:
        for some in (of_own, steps):
            for k, at, step in some:
                if holds(step):
                    return k, at, rule
    return (*steps[-1][:2], LAST) if steps else None


def shown_of(recording: Data, own: int | None, places: list[Data]) -> tuple[int, int, str, Data]:
    """Returns the launch, the step, the rule that chose them, and the finding there or {}. Raises Nothing."""
    if found := by_finding(recording, own, places):
        k, finding, rule = found
        return k, finding["step"], rule, finding
    if chosen := by_idea(recording["launches"], own):
        return *chosen, {}
    raise Nothing(
        "your host code launched no kernel, or did not return" if not recording["launches"] else "no step was recorded"
    )


def sign_of(warp: Data, lane: int, is_turn: bool) -> str:
    """Returns the player's sign for a lane: A active, W waits, x has exited, · idle; "" if there is no such lane."""
    if not warp["exists"] >> lane & 1:
        return ""
    if warp["left"] >> lane & 1:
        return "x"
    if any(waits >> lane & 1 for waits in warp["waits"].values()):
        return "W"
    return "A" if is_turn and warp["active"] >> lane & 1 else "·"


def others_of(warps: list[Data], turn: int) -> list[str]:
    """Returns descriptions of the warps other than `turn`, one line for all warps in the same state."""
    alike: dict[str, list[int]] = {}
    for w, warp in enumerate(warps):
        if w == turn:
            continue
        signs = [sign_of(warp, lane, False) for lane in range(WARP)]
        counts = [(signs.count("W"), "at a barrier"), (signs.count("x"), "left the kernel")]
        told = ", ".join(f"{several(count, 'lane')} {words}" for count, words in counts if count)
        alike.setdefault(told or "not its turn", []).append(w)
    return [f"warp{'' if len(some) == 1 else 's'} {ranges(some)}: {told}" for told, some in alike.items()]


def rows_of(story: Story, step: Data, cells: dict[int, tuple[int, typing.Any]], meet: Data) -> tuple[list[Data], int]:
    """Returns the rows of shared memory to show, and the number of other rows that contain something. The rows to show
    are those that the step touches, up to MAX_ROWS, or the first row if it touches none."""
    by_lane: dict[int, list[int]] = {}
    per_lane = len(touched(step)) // max(1, len(lanes_of(step["mask"])))
    for k, (at, _, _) in enumerate(touched(step)):
        by_lane.setdefault(at, []).append(lanes_of(step["mask"])[k // per_lane])
    rows = sorted({at // ROW for at in cells})
    wanted = [row for row in rows if any(at // ROW == row for at in by_lane)]
    shown = sorted(wanted[:MAX_ROWS] or rows[:1])
    met = meet and meet["space"] == "shared"
    arrays = [one for one in story.launch["variables"] if one["space"] == "shared"]

    def label(at: int) -> str:
        for one in arrays:
            if one["begin"] <= at < one["end"]:
                return str((at - one["begin"]) // one["element_bytes"])
        return ""

    return [
        {
            "row": row,
            "arrays": [
                str(one["name"])[:40] for one in arrays if one["begin"] < (row + 1) * ROW and row * ROW < one["end"]
            ],
            "cells": [
                {
                    "at": at - row * ROW,
                    "bytes": size,
                    "value": number(value),
                    "index": label(at),
                    "lanes": by_lane.get(at, []),
                    "met": bool(met and at < meet["at"] + meet["bytes"] and meet["at"] < at + size),
                }
                for at, (size, value) in sorted(cells.items())
                if at // ROW == row
            ],
        }
        for row in shown
    ], len(rows) - len(shown)


def own_line(steps: list[Data], at: int, own: int | None) -> int:
    """Returns the line of the student's file that the warp of step `at` has executed last, including that step; 0 if it
    hasn't executed any."""
    for step in reversed(steps[: at + 1]):
        same = (step["block"], step["warp"]) == (steps[at]["block"], steps[at]["warp"])
        if same and own is not None and step.get("source") == own:
            return int(step["line"])
    return 0


def of(recording: Data, exercise: str, places: list[Data]) -> Data:
    """Returns the moment that the picture shows, as plain data that can be cached.

    :param exercise: the student's file, as the recording names it
    :param places: the sheet's findings
    Raises Nothing.
    """
    own = next((k for k, source in enumerate(recording["sources"]) if source["file"] == exercise), None)
    k, at, rule, finding = shown_of(recording, own, places)
    launch = recording["launches"][k]
    story, step = Story(launch), launch["steps"][at]
    warps, cells = story.after(at)
    turn = -1 if step["what"] == "barrier" else step["warp"]
    meet = {}
    if "address" in finding and step.get("space"):
        meet = {"at": finding["address"], "bytes": finding.get("bytes", 1), "space": step["space"]}
    lanes = lanes_of(step["mask"])
    moved = [[number(one) for one in (v if isinstance(v, list) else [v])] for v in step.get("values", [])]
    reaches = step.get("space") in ("shared", "global") and step.get("at")
    rows, more = rows_of(story, step, cells, meet)
    return {
        "rule": rule,
        "found": finding.get("kind", ""),
        "other": {name[6:]: finding[name] for name in ("other_thread", "other_step", "other_line") if name in finding},
        "thread": finding.get("thread"),
        "step": at + 1,
        "steps": len(launch["steps"]),
        "left_out": launch["steps_left_out"],
        "launch": k + 1,
        "warp": step["warp"],
        "line": step["line"],
        "own": step.get("source") == own and own is not None,
        "own_line": own_line(launch["steps"], at, own),
        "file": recording["sources"][step["source"]]["file"] if "source" in step else "",
        "what": step["what"],
        "words": story.in_words(step),
        "signs": [sign_of(warps[turn], lane, True) for lane in range(WARP)] if turn >= 0 else [],
        "lanes": lanes,
        "values": moved,
        "from": step.get("from", []),
        "names": [story.name_of(step, one) for one in step["at"]] if reaches else [],
        "others": others_of(warps, turn),
        "rows": rows,
        "more_rows": more,
    }
