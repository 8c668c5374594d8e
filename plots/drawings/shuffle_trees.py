"""Chapter 14's drawing: how many values each lane has added up after each step, and what each step waits for.

The emulator's trace shows which lanes are read. The superoptimiser's listing of the same program shows which sum a
shuffle reads, and when. If the two have different shuffles, there is no drawing."""

from __future__ import annotations

import pathlib
import re
import subprocess

from plots.drawings import traces
from plots.drawings.parts import LEFT
from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP, Launch

LINE = re.compile(r"^ +(\d+) +(\d+) +([\w.]+) (r\w+), (.+)$", re.MULTILINE)
CELL, TIME_LEFT, PER_CYCLE = 23, 512, 3
LANES = 16  # the number of lanes that are added up


class Step:
    """An instruction: when it issues and is ready, what it writes, which registers it reads, and a shuffle's offset."""

    def __init__(self, issue: str, ready: str, name: str, result: str, operands: str) -> None:
        self.issue, self.ready, self.name, self.result = int(issue), int(ready), name, result
        words = operands.split(", ")
        self.offset = int(words.pop()) if name.startswith("SHFL") else None
        self.sources = [word for word in words if word != "rz"]
        self.after: list[Step] = []  # the steps whose results this one reads


# The lanes whose values each lane has added up.
Held = dict[int, list[int]]
# A step and the values after it. The step is None for the initial values of the lanes.
Row = tuple["Step | None", Held]


def listing(programs: pathlib.Path, target: str) -> list[Step]:
    """Returns the instructions of a target, as `superopt` lists them. Raises traces.Failure."""
    command = [str(pathlib.Path(programs) / "superopt"), "--target", target, "--as-is", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise traces.Failure(f"{' '.join(command)}: {error}; `make drawings` builds it") from error
    return program(done.stdout)


def program(text: str) -> list[Step]:
    """Returns the instructions of a listing, each with the ones whose results it reads. Raises traces.Failure."""
    steps = [Step(*match.groups()) for match in LINE.finditer(text)]
    writer: dict[str, Step] = {}
    if not steps:
        raise traces.Failure(f"no instruction is listed:\n{text}")
    for step in steps:
        step.after = [writer[register] for register in step.sources if register in writer]
        writer[step.result] = step
    return steps


def sums(steps: list[Step]) -> list[Row]:
    """Returns the values that are shuffled, and the result: [(the step that made it, or None for the initial values,
    {lane: lanes whose values it has added up})]. The lanes are in a list, because a value may be added twice."""
    held: dict[str, Held] = {}
    rows: list[Row] = []
    for step in steps:
        for register in step.sources:
            held.setdefault(register, {lane: [lane] for lane in range(WARP)})
        if step.offset is not None:
            source = held[step.sources[0]]
            if not any(source is row for _, row in rows):
                rows.append((step.after[0] if step.after else None, source))
            value = {lane: source[lane + step.offset if lane + step.offset < WARP else lane] for lane in range(WARP)}
        else:
            value = {lane: [one for register in step.sources for one in held[register][lane]] for lane in range(WARP)}
        held[step.result] = value
    return [*rows, (steps[-1], value)]


def critical(steps: list[Step]) -> list[Step]:
    """Returns the critical path to the last result, last instruction first. Each instruction issues when the previous
    one of the path is ready."""
    path: list[Step] = []
    step: Step | None = steps[-1]
    while step:
        path.append(step)
        step = max(step.after, key=lambda before: before.ready, default=None)
    return path


def offsets_between(steps: list[Step], writer: Step | None) -> list[int]:
    """Returns the offsets with which the value that `writer` made is read."""
    return [s.offset for s in steps if s.offset is not None and (s.after == ([writer] if writer else []))]


def needed_lanes(steps: list[Step], rows: list[Row]) -> list[set[int]]:
    """Returns, for each row, the lanes on which lane 0's result depends, computed backwards from the last row."""
    needed = [{0}]
    for writer, _ in reversed(rows[:-1]):
        offsets = [0, *offsets_between(steps, writer)]
        needed.insert(0, {lane + offset for lane in needed[0] for offset in offsets})
    return needed


def lanes_panel(canvas: Canvas, y: float, steps: list[Step]) -> float:
    """Draws the lanes after each step, with the number of values that each has added up. Returns the y of its end."""
    rows = sums(steps)
    needed = needed_lanes(steps, rows)
    for k, ((writer, held), wanted) in enumerate(zip(rows, needed)):
        canvas.caption(10, y + 12, f"cycle {writer.ready if writer else 0}")
        for lane in range(LANES):
            x = LEFT + lane * CELL
            canvas.box(x, y, CELL - 2, 16, "blue" if lane in wanted else None, "grid")
            if lane in wanted:
                canvas.text(x + (CELL - 2) / 2, y + 12, len(held[lane]), 9, "paper", "middle")
        if k + 1 < len(rows):
            for lane in sorted(needed[k + 1]):
                middle = LEFT + lane * CELL + (CELL - 2) / 2
                canvas.line(middle, y + 16, middle, y + 46, "faint", 0.8)
                for offset in offsets_between(steps, writer):
                    canvas.arrow(middle + offset * CELL, y + 16, middle + 3, y + 46, "orange", 1)
            y += 46
    return y + 24


def time_panel(canvas: Canvas, y: float, steps: list[Step]) -> float:
    """Draws when each instruction issues and is ready. The critical path is filled. Returns the y of its end."""
    path = critical(steps)
    for step in steps:
        x, width = TIME_LEFT + step.issue * PER_CYCLE, (step.ready - step.issue) * PER_CYCLE
        colour = "green" if step.offset is None else "blue"
        canvas.box(x, y, width, 12, colour if step in path else None, colour)
        if step.offset is None:
            canvas.text(x + width + 3, y + 9.5, step.name, 8.5)
        else:
            colour = "paper" if step in path else "ink"
            canvas.text(x + width / 2, y + 9.5, f"SHFL {step.offset}", 8.5, colour, "middle")
        y += 15
    canvas.line(TIME_LEFT, y + 2, TIME_LEFT + steps[-1].ready * PER_CYCLE, y + 2, "faint")
    for cycle in [maker.ready if maker else 0 for maker, _ in sums(steps)]:
        canvas.line(TIME_LEFT + cycle * PER_CYCLE, y, TIME_LEFT + cycle * PER_CYCLE, y + 5, "faint")
        canvas.text(TIME_LEFT + cycle * PER_CYCLE, y + 16, cycle, 9, "faint", "middle")
    return y + 22


def panel(canvas: Canvas, y: float, programs: pathlib.Path, launch: Launch, target: str, title: str) -> float:
    """Draws one program: its lanes at the left, its time at the right. Returns the y of its end. Raises
    traces.Failure."""
    steps = listing(programs, target)
    shuffled = [event["at"][0] for event in launch.of("shuffle", warp=0)]
    if shuffled != [step.offset for step in steps if step.offset is not None]:
        raise traces.Failure(f"{launch.kernel} shuffles over {shuffled}, and {target} does not")
    result = sums(steps)[-1][1][0]
    if sorted(result) != list(range(LANES)):
        raise traces.Failure(f"{target} adds up the lanes {sorted(result)}, not 0 to {LANES - 1}")
    canvas.heading(
        y,
        f"{title}: {len(shuffled)} shuffles, {len(steps) - len(shuffled)} additions, "
        f"{steps[-1].ready} cycles by the model",
    )
    return max(lanes_panel(canvas, y + 12, steps), time_panel(canvas, y + 12, steps)) + 26


def chapter14(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 14, "--count", "8192", "--block-size", "1024")
    canvas = Canvas("Chapter 14: shuffles that wait for each other, and shuffles that do not", 880)
    y: float = 20
    for pattern, target, title in (
        (r"by_four<chapter14::chain", "sum16", "chain of 16 lanes"),
        (r"by_four<chapter14::found_tree", "sum16_tree", "tree of 16 lanes"),
    ):
        y = panel(canvas, y, programs, traces.first(launches, pattern), target, title)
    canvas.caption(10, y - 6, "a box is a lane, with the number of values that it has added up;")
    canvas.caption(10, y + 9, "blue: what lane 0 will need")
    canvas.caption(TIME_LEFT, y - 6, "cycles from issue to result;")
    canvas.caption(TIME_LEFT, y + 9, "filled: the critical path")
    return canvas
