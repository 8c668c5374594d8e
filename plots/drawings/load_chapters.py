"""The drawings of chapters 7 to 12: how elements are loaded, exchanged and stored."""

from __future__ import annotations

import pathlib
from typing import Any

from plots.drawings import parts, traces
from plots.drawings.parts import LEFT, by_block
from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP


def chapter7(programs: pathlib.Path) -> Canvas:
    # An H200 has room for 32 blocks on each of its 132 multiprocessors, and 2^19 ints are almost two iterations of
    # that grid.
    launches = traces.run(programs, 7, "--count", "2^19", "--block-size", "32")
    launch = traces.first(launches, "chapter7::solution", 32)
    base = launch.base()
    canvas = Canvas("Chapter 7: blocks stride over the input by the grid's width", 880)
    y = 20
    canvas.heading(y, f"2^19 ints, {launch.grid[0]} blocks of 32 threads (all that an H200 holds at once)")
    y += 14
    for block in range(4):
        starts = [min(word for _, word in e.words(base)) for e in launch.of("load", "global", block)]
        canvas.caption(10, y + 14, f"block {block}")
        for first in range(0, len(starts), 2):
            x = LEFT + first // 2 * 190
            for half, start in enumerate(starts[first : first + 2]):
                canvas.labelled(x + half * 88, y, 84, 20, f"{start}–{start + 31}", 9.5, by_block(block), "paper")
        y += 26
    for number in range(len(launch.of("load", "global", 0)) // 2):
        canvas.text(LEFT + number * 190 + 86, y + 12, f"iteration {number + 1}", 11, "faint", "middle")
    words = f"from one iteration to the next: {launch.grid[0]} blocks times 64 elements = {launch.grid[0] * 64}; "
    canvas.caption(LEFT, y + 34, words + "each box is one request of a warp, 32 neighbours")
    return canvas


def chapter8(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 8, "--count", "262", "--block-size", "32")
    canvas = Canvas("Chapter 8: sixteen bytes per lane", 880)
    y: float = 16
    for number in (7, 8):
        launch = traces.first(launches, f"chapter{number}::solution", 32)
        blocks = range(launch.grid[0])
        loads = [e for block in blocks for e in launch.of("load", "global", block)]
        base, cells = launch.base(), {}
        for request, event in enumerate(loads):
            for lane, at in zip(event["lanes"], event["at"]):
                for k in range(event["bytes"] // 4):
                    cells[(at - base) // 4 + k] = (lane if event["bytes"] == 4 or k == 0 else "", request)
        rows = [
            (f"in[{row * 32}]", {w % 32: o for w, o in cells.items() if w // 32 == row})
            for row in range(max(cells) // 32 + 1)
        ]
        widths = " and ".join(sorted({f"{e['bytes']} bytes" for e in loads}, reverse=True))
        words = f"chapter {number}: {len(loads)} requests of {widths} per lane; the lane that loads each word, "
        y = parts.memory(canvas, y, rows, words + "one colour per request") + 14
    return canvas


def chapter9(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 9, "--count", "1024", "--type", "float")
    launch = traces.first(launches, "chapter9::solution", 256)
    canvas = Canvas("Chapter 9: lanes read each other's registers", 880)
    y, cell = 20, 23
    canvas.heading(y, "warp 0: from which lane each value comes, shuffle by shuffle")
    y += 12
    shuffles = launch.of("shuffle", warp=0)
    middle = LEFT + (cell - 2) / 2
    for event in shuffles[:5]:
        offset = event["at"][0]
        for lane in range(WARP):
            canvas.labelled(LEFT + lane * cell, y, cell - 2, 14, lane, 8.5, "blue" if lane < offset else "grid")
        for lane in range(offset):
            canvas.arrow(middle + (lane + offset) * cell, y + 14, middle + lane * cell + 2, y + 42, "orange", 1)
        canvas.caption(10, y + 11, f"offset {offset}")
        y += 44
    canvas.box(LEFT, y, cell - 2, 14, "blue")
    canvas.caption(LEFT + cell + 4, y + 11, "lane 0 has the sum of 32")
    y += 40
    stores = launch.of("store", "shared")
    loads = launch.of("load", "shared")
    canvas.heading(
        y,
        f"between the warps: {sum(len(e['lanes']) for e in stores)} words of shared memory, "
        f"{len(launch.of('barrier'))} barrier, {len(shuffles) - 5} more shuffles of warp 0",
    )
    y += 14
    for event in stores:
        word = event["at"][0] // 4
        x = LEFT + event["warp"] * 96
        canvas.labelled(x, y, 90, 18, f"warp {event['warp']}, lane {event['lanes'][0]}", 10, "blue")
        canvas.arrow(x + 45, y + 18, x + 45, y + 38, "orange")
        canvas.labelled(x, y + 38, 90, 18, f"tile[{word}]", 10, "grid", "faint")
    canvas.line(LEFT, y + 66, LEFT + 762, y + 66, "orange", 2)
    canvas.caption(10, y + 70, "the barrier")
    for lane, at in zip(loads[0]["lanes"], loads[0]["at"]):
        x = LEFT + at // 4 * 96
        canvas.arrow(x + 45, y + 56, x + 45, y + 82, "orange")
        canvas.labelled(x, y + 82, 90, 18, f"warp {loads[0]['warp']}, lane {lane}", 10, "blue")
    return canvas


def chapter10(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 10, "--count", "128")
    canvas = Canvas("Chapter 10: the places of the elements that a warp requests at once", 880)
    uniform = traces.first(launches, "gather_uniform")
    worst = [launch for launch in launches if "gather_local" in launch.kernel][-1]
    shared = traces.first(launches, "chapter10::solution")
    canvas.heading(20, "one access of warp 0: element (row) and lane or bank (column)")
    for place, (launch, space, title) in enumerate(
        (
            (uniform, "local", "local memory, one index"),
            (worst, "local", "local memory, each its own"),
            (shared, "shared", "shared memory, each its own"),
        )
    ):
        event = next(e for e in launch.of("load", space, warp=0) if len(e["lanes"]) == WARP)
        x = 10 + place * 290
        if space == "local":
            cells = [(lane, at // 4) for lane, at in zip(event["lanes"], event["at"])]
            # Word w of all 32 lanes is contiguous, and a sector holds eight of them.
            words = f"{len({(row, lane // 8) for lane, row in cells})} sectors of 32 bytes"
        else:
            cells = [(at // 4 % WARP, at // 4 // shared.block[0]) for at in event["at"]]
            words = f"{len({column for column, _ in cells})} banks, one lane each"
        canvas.text(x, 44, title, 11)
        for row in range(WARP):
            canvas.box(x, 54 + row * 7, WARP * 8, 6, "grid", None, 0.6)
        for column, row in cells:
            canvas.box(x + column * 8, 54 + row * 7, 7, 6, "blue")
        canvas.caption(x, 54 + WARP * 7 + 16, words)
    return canvas


def chapter11(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 11, "--count", "1024", "--type", "float", "--block-size", "256")
    canvas = Canvas("Chapter 11: what a warp reads with one load", 880)
    y = 20
    for pattern, name in (("unbounded<chapter11::base", "base"), ("unbounded<chapter11::wide_both", "wide both")):
        launch = traces.first(launches, pattern)
        loads = launch.of("load", "global", warp=0)
        event = next(e for e in loads if len(e["lanes"]) == WARP and len(set(e["at"])) == WARP)
        size = event["bytes"]
        canvas.heading(
            y,
            f"{name}: {size} bytes per lane, {size * WARP // 32} sectors per request, "
            f"{len(loads)} requests of warp 0 in all",
        )
        base, scale = min(event["at"]), 1.45
        for lane, at in zip(event["lanes"], event["at"]):
            x = LEFT + (at - base) * scale
            canvas.box(x, y + 12, size * scale - 1, 18, "blue" if lane % 2 else "cyan")
            if size * scale > 12:
                canvas.text(x + size * scale / 2, y + 25, lane, 8, "paper", "middle")
        for sector in range(size * WARP // 32):
            canvas.box(LEFT + sector * 32 * scale, y + 34, 32 * scale - 2, 5, "orange")
        canvas.caption(10, y + 25, "lanes")
        canvas.caption(10, y + 42, "sectors")
        y += 76
    return canvas


def chapter12(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 12, "--count", "2048", "--block-size", "64", gpu="rtx2070")
    launch = traces.first(launches, "chapter12::solution", 64)
    canvas = Canvas("Chapter 12: the last block adds up", 880)
    blocks = launch.grid[0]
    y = 20
    canvas.heading(y, f"{blocks} blocks of {launch.block[0]} threads: what each does in global memory, in order")
    y += 14
    names = {"load": ("blue", "loads"), "store": ("green", "stores"), "atomic": ("orange", "takes a ticket")}
    for block in range(blocks):
        canvas.caption(10, y + 14, f"block {block}")
        seen: list[list[Any]] = []
        x = LEFT
        for event in launch.of(space="global", block=block):
            if seen and seen[-1][0] == event["what"] and event["what"] == "load":
                seen[-1][1] += len(event["lanes"]) * event["bytes"] // 4
            else:
                seen.append([event["what"], len(event["lanes"]) * event["bytes"] // 4])
        for what, words in seen:
            fill, verb = names[what]
            label = verb if what == "atomic" else f"{verb} {words} word{'s' if words > 1 else ''}"
            canvas.labelled(x, y, 118, 20, label, 10, fill)
            x += 126
        y += 28
    ticket = "the emulator runs blocks in order, so the last block finishes last; on a GPU it can be any"
    canvas.caption(LEFT, y + 12, ticket)
    return canvas
