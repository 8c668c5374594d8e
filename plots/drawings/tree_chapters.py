"""The drawings of chapters 0 to 6: the tree in shared memory, each from a trace of the reference on the emulator."""

from __future__ import annotations

import pathlib

from plots.drawings import parts, traces
from plots.drawings.parts import LEFT, block_rows, by_block
from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP, Launch


def shared_adders(launch: Launch) -> tuple[list[list[int]], list[int]]:
    """Returns the threads that store a sum in each step, and the steps' strides."""
    steps = parts.tree_steps(launch)
    return [[thread for thread, _, _ in step] for step in steps], [abs(s[0][2] - s[0][1]) for s in steps]


def chapter0(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 0, "--count", "32", "--block-size", "32")
    one = traces.first(launches, "reduce_single_thread")
    all_ = traces.first(launches, "reduce_atomic")
    canvas = Canvas("Chapter 0: one thread after the other, or all on one word", 880)
    loads = one.of("load", "global")
    words = [word for e in loads for _, word in e.words(one.base())]
    y = 20
    canvas.heading(y, f"reduce_single_thread: {len(loads)} requests of one lane each, one after the other")
    for number, word in enumerate(words):
        canvas.box(LEFT + word * 23, y + 12, 21, 18, "blue")
        canvas.text(LEFT + word * 23 + 10, y + 25, number + 1, 9, "paper", "middle")
        if number:
            canvas.line(LEFT + word * 23 - 3, y + 38, LEFT + word * 23 + 8, y + 38, "orange", 2)
    canvas.caption(10, y + 25, "load")
    canvas.caption(
        LEFT, y + 54, f"{len(words) - 1} additions, none of which can begin before the one on its left has ended"
    )
    y += 84
    load, atomic = all_.of("load", "global")[0], all_.of("atomic", "global")[0]
    canvas.heading(y, f"reduce_atomic: 1 request for {len(load['lanes'])} words, then every lane adds to one word")
    target = len(set(atomic["at"]))
    for lane, word in load.words(all_.base()):
        x = LEFT + word * 23
        canvas.box(x, y + 12, 21, 18, "blue")
        canvas.text(x + 10, y + 25, lane, 9, "paper", "middle")
        canvas.line(x + 10, y + 30, LEFT + 16 * 23, y + 74, "orange", 0.8)
    canvas.caption(10, y + 25, "lane")
    canvas.labelled(LEFT + 16 * 23 - 30, y + 74, 60, 20, f"{target} word", 10, "orange")
    canvas.caption(
        LEFT + 16 * 23 + 40,
        y + 88,
        f"{len(atomic['lanes'])} additions to it, unless the compiler adds up the warp first",
    )
    return canvas


def chapter1(programs: pathlib.Path) -> Canvas:
    canvas = Canvas("Chapter 1: a tree with interleaved addressing", 880)
    small = traces.first(traces.run(programs, 1, "--count", "32", "--block-size", "32"), "chapter1::solution")
    y = parts.tree(canvas, 16, parts.tree_steps(small), 32, "the additions of a block of 32 threads")
    large = traces.first(traces.run(programs, 1, "--count", "256"), "chapter1::solution")
    adders, strides = shared_adders(large)
    parts.lanes(canvas, y + 14, adders, 8, [f"stride {s}" for s in strides], "lanes that add, in a block of 256")
    return canvas


def chapter2(programs: pathlib.Path) -> Canvas:
    launch = traces.first(traces.run(programs, 2, "--count", "256"), "chapter2::solution")
    canvas = Canvas("Chapter 2: whole warps at work, and their bank conflicts", 880)
    adders, strides = shared_adders(launch)
    y = parts.lanes(canvas, 16, adders, 8, [f"stride {s}" for s in strides], "lanes that add, in a block of 256")
    parts.banks(canvas, y + 12, bank_rows(launch), "warp 0: lanes (in the boxes) over the banks of tile[index]")
    return canvas


def bank_rows(launch: Launch) -> list[tuple[str, list[tuple[int, int]]]]:
    """Returns, for each step, the load in which the lanes of warp 0 that add read their own element."""
    return [
        (f"stride {abs(step[0][2] - step[0][1])}", [(thread, kept) for thread, kept, _ in step if thread < WARP])
        for step in parts.tree_steps(launch)
    ]


def chapter3(programs: pathlib.Path) -> Canvas:
    canvas = Canvas("Chapter 3: neighbouring lanes on neighbouring banks", 880)
    small = traces.first(traces.run(programs, 3, "--count", "32", "--block-size", "32"), "chapter3::solution")
    y = parts.tree(canvas, 16, parts.tree_steps(small), 32, "the additions of a block of 32 threads")
    large = traces.first(traces.run(programs, 3, "--count", "256"), "chapter3::solution")
    parts.banks(canvas, y + 14, bank_rows(large), "block of 256, warp 0: lanes over the banks of tile[tid]")
    return canvas


def chapter4(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 4, "--count", "128", "--block-size", "32")
    canvas = Canvas("Chapter 4: every thread loads two elements", 880)
    y: float = 16
    for chapter, blocks in ((3, 4), (4, 2)):
        launch = traces.first(launches, f"chapter{chapter}::solution", 32)
        stores = sum(len(e["lanes"]) for block in range(blocks) for e in launch.of("store", "shared", block))
        words = (
            f"chapter {chapter}: {launch.grid[0]} blocks of 32 threads; the thread that loads each word, {stores} "
            f"words stored to shared memory, {len(parts.tree_steps(launch))} steps per block"
        )
        y = parts.memory(canvas, y, block_rows(launch, blocks), words) + 12
    for block in range(4):
        canvas.box(LEFT + block * 110, y, 14, 12, by_block(block))
        canvas.text(LEFT + block * 110 + 20, y + 10, f"block {block}", 11)
    return canvas


def waits(launch: Launch) -> list[str]:
    """Returns the barriers at which warp 0 of a block waits, in order: the block's barriers and its own."""
    return [e["what"] for e in launch.of() if e["what"] == "barrier" or (e["what"], e["warp"]) == ("warp barrier", 0)]


def chapter5(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 5, "--count", "512")
    canvas = Canvas("Chapter 5: which warps and lanes wait for each other", 880)
    y = 20
    for number in (4, 5):
        launch = traces.first(launches, f"chapter{number}::solution", 256)
        all_waits = waits(launch)
        blocks = all_waits.count("barrier")
        canvas.heading(
            y, f"chapter {number}: {blocks} barriers of the block, {len(all_waits) - blocks} of warp 0 alone"
        )
        y += 14
        for k, what in enumerate(all_waits):
            x = LEFT + k * 46
            for warp in range(8):
                waiting = what == "barrier" or warp == 0
                canvas.box(
                    x, y + warp * 15, 42, 12, ("orange" if what == "barrier" else "blue") if waiting else None, "grid"
                )
        for warp in range(8):
            canvas.caption(10, y + warp * 15 + 10, f"warp {warp}")
        y += 148
    canvas.box(LEFT, y - 10, 14, 12, "orange")
    canvas.text(LEFT + 20, y, "__syncthreads: all eight warps", 11)
    canvas.box(LEFT + 260, y - 10, 14, 12, "blue")
    canvas.text(LEFT + 280, y, "__syncwarp: the lanes of one warp", 11)
    return canvas


def chapter6(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 6, "--count", "2048", "--block-size", "1024")
    canvas = Canvas("Chapter 6: the same additions, each from a line of its own", 880)
    y = 20
    for number in (5, 6):
        launch = traces.first(launches, f"chapter{number}::solution", 1024)
        stores = [e for e in launch.of("store", "shared") if e["warp"] == 0]
        lines = sorted({e["line"] for e in stores})
        canvas.heading(
            y, f"chapter {number}, blocks of 1024: the stores of warp 0 to the tile, in order, by source line"
        )
        y += 10
        for row, line in enumerate(lines):
            canvas.caption(10, y + row * 22 + 14, f"line {line}")
            canvas.line(LEFT, y + row * 22 + 10, LEFT + 766, y + row * 22 + 10, "grid")
        for k, event in enumerate(stores):
            x, top = LEFT + 4 + k * 70, y + lines.index(event["line"]) * 22
            canvas.labelled(x, top, 62, 18, f"{len(event['lanes'])} lanes", 9, "blue")
        y += len(lines) * 22 + 28
    return canvas
