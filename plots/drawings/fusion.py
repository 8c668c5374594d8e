"""Chapter 13's drawings: what the launches of a computation load from memory and store to it, from their traces."""

from __future__ import annotations

import collections.abc
import pathlib
import re

from plots.drawings import traces
from plots.drawings.parts import LEFT
from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP, Launch

# (number of the array, number of words that are moved from or to it)
Move = tuple[int, int]
Flow = list[tuple[list[Move], list[Move]]]

DISTANCE = ["x", "y", "x − y", "(x − y)²", "sum"]
SOFTMAX = ["scores", "maxima", "sums", "probabilities"]
COLUMN, ARRAY, TALL = 156, 124, 30


def arrays(launch: Launch, what: str, count: int, known: collections.abc.Container[int] = ()) -> dict[int, int]:
    """Returns {first address: words touched} for the arrays of up to `count` words in global memory that the launch
    loads or stores. `known`: addresses at which an array begins."""
    touched: set[int] = set()
    for event in launch.events:
        if event["what"] == what and event.get("space") == "global":
            for at in event["at"]:
                touched.update(range(at // 4, (at + event["bytes"]) // 4))
    found: dict[int, int] = {}
    first = before = -1
    for word in sorted(touched):
        # Arrays may be adjacent, so an array ends after `count` words, or earlier if another one is known to begin
        # there.
        if first < 0 or word != before + 1 or word == first + count or 4 * word in known:
            first = word
        found[4 * first] = found.get(4 * first, 0) + 1
        before = word
    return found


def moves(launches: list[Launch], count: int) -> Flow:
    """Returns, for each launch, the [(array, words)] that it loads and the [(array, words)] that it stores. Arrays are
    numbered in the order of their first use."""
    numbers: dict[int, int] = {}
    result: Flow = []
    for launch in launches:
        loads, stores = (
            [(numbers.setdefault(first, len(numbers)), words) for first, words in sorted(found.items())]
            for found in (arrays(launch, what, count, numbers) for what in ("load", "store"))
        )
        result.append((loads, stores))
    return result


def words_of(flow: Flow) -> int:
    """Returns the number of all words that the launches move."""
    return sum(words for step in flow for side in step for _, words in side)


def stage(kernel: str) -> str:
    """Returns what the kernel does: a softmax's name, or "view | action" for a pipeline ("array" if it has no view)."""
    if "_each_row" in kernel or "softmax" in kernel:
        return kernel.partition("<")[0].rpartition("::")[2].replace("_", " ")
    views = [view for view in re.findall(r"(\w+_view|squared_differences)<", kernel) if view != "array_view"]
    action = "reduce" if "reduce" in kernel else "to_gpu"
    return f"{(views[0] if views else 'array').replace('_view', '')} | {action}"


def flow_panel(
    canvas: Canvas,
    y: float,
    title: str,
    launches: list[Launch],
    count: int,
    names: list[str],
    places: list[str],
    kernel: int = 152,
) -> float:
    """Draws the arrays in memory at the top, the kernels below them, and an arrow for each array that a kernel loads or
    stores. Returns the y of its end. `names`: the arrays in the order of their first use; `places`: all columns;
    `kernel`: the width of a box."""
    flow = moves(launches, count)
    arrays_moved = sum(words == count for step in flow for side in step for _, words in side)
    canvas.heading(
        y,
        f"{title}: {len(launches)} launch{'es' if len(launches) > 1 else ''}, {arrays_moved} arrays of "
        f"{count} words moved, {words_of(flow)} words in all",
    )
    top, bottom = y + 14, y + 92
    column = {number: places.index(name) for number, name in enumerate(names)}
    canvas.caption(10, top + 19, "memory")
    canvas.caption(10, bottom + 19, "kernels")
    for number, name in enumerate(names):
        x = LEFT + column[number] * COLUMN
        canvas.labelled(x, top, ARRAY, TALL, name, 11, "grid", "faint")
    for launch, (loads, stores) in zip(launches, flow):
        middles = [LEFT + column[number] * COLUMN + ARRAY / 2 for number, _ in loads + stores]
        middle = (sum(middles[: len(loads)]) / len(loads) + middles[-1]) / 2
        canvas.labelled(middle - kernel / 2, bottom, kernel, TALL, stage(launch.kernel), 10, "blue")
        for k, (end, (_, words)) in enumerate(zip(middles, loads + stores)):
            width: float = 2.2 if words == count else 1
            port = middle + (end - middle) * 0.2
            if k < len(loads):
                canvas.arrow(end, top + TALL, port, bottom, "blue", width)
            else:
                canvas.arrow(port, bottom, end, top + TALL, "orange", width)
    return bottom + TALL + 26


LOOKS = {
    ("load", "global"): ("blue", "load {} words"),
    ("store", "global"): ("orange", "store {} word{}"),
    ("store", "shared"): ("grid", "{} to tile"),
    ("load", "shared"): ("grid", "{} from tile"),
}


def order_panel(canvas: Canvas, y: float, label: str, launches: list[Launch]) -> float:
    """Draws what warp 0 of block 0 does in each launch, in order. Returns the y of its end."""
    canvas.caption(10, y + 14, label)
    x: float = LEFT
    for number, launch in enumerate(launches):
        if number:
            canvas.line(x + 2, y - 6, x + 2, y + 26, "red", 2)
            x += 8
        for event in launch.of(block=0):
            if event["what"] == "barrier":
                canvas.line(x + 1, y, x + 1, y + 20, "ink", 2)
                x += 5
            elif event["warp"] == 0:
                fill, words = LOOKS[event["what"], event["space"]]
                count = len(event["lanes"]) * event["bytes"] // 4
                canvas.labelled(x, y, 75, 20, words.format(count, "s" if count > 1 else ""), 8.5, fill)
                x += 78
    return y + 38


def chapter13(programs: pathlib.Path) -> Canvas:
    count = 2048  # two rows of 1024
    launches = traces.run(programs, 13, "--count", str(count), "--type", "float", "--group", "softmax")
    fused = [traces.first(launches, "chapter13::solution::softmax_of_row")]
    canvas = Canvas("Chapter 13: a softmax of two rows, in three passes and in one kernel", 740)
    y = flow_panel(canvas, 20, "three passes", launches[:3], count, SOFTMAX, SOFTMAX, 112)
    flow_panel(canvas, y, "one kernel", fused, count, ["scores", "probabilities"], SOFTMAX, 112)
    return canvas


def ranges(programs: pathlib.Path) -> Canvas:
    count = 2048
    launches = traces.run(programs, 13, "--count", str(count), "--group", "(x - y)")
    fused = [traces.first(launches, "chapter13::squared_differences")]
    passes = launches[:3]
    canvas = Canvas("Chapter 13: three passes through memory, and one pipeline", 880)
    y = flow_panel(canvas, 20, "three passes", passes, count, DISTANCE, DISTANCE)
    y = flow_panel(canvas, y, "one pipeline", fused, count, ["x", "y", "sum"], DISTANCE)
    canvas.heading(y, f"warp 0, in order: {WARP} lanes, four neighbours each")
    y = order_panel(canvas, y + 16, "three passes", passes)
    y = order_panel(canvas, y, "one pipeline", fused)
    canvas.line(LEFT, y - 8, LEFT, y + 8, "red", 2)
    canvas.caption(LEFT + 8, y + 4, "a launch ends: all is written before anything is read")
    canvas.line(LEFT + 330, y - 8, LEFT + 330, y + 8, "ink", 2)
    canvas.caption(LEFT + 338, y + 4, "the barrier of the block")
    return canvas
