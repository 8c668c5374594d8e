"""Chapter 15's drawing: which lanes have an element to process in each request."""

from __future__ import annotations

import pathlib

from plots.drawings import traces
from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP

CELL, ROW = 8, 4


def chapter15(programs: pathlib.Path) -> Canvas:
    launches = traces.run(programs, 15, "--count", "384", "--block-size", "32")
    canvas = Canvas("Chapter 15: which lanes have an element to look at", 880)
    threads = [launch for launch in launches if "thread_each" in launch.kernel][-1]
    by_length = [launch for launch in launches if "chapter15::solution" in launch.kernel][-1]
    canvas.heading(20, "32 segments and one warp: the lanes of each request for elements")
    for place, (launch, title) in enumerate(((threads, "a thread for each segment"), (by_length, "by length"))):
        x = 10 + place * 440
        # The first two loads are the offsets.
        requests = [event["lanes"] for event in launch.of("load", "global", warp=0)[2:]]
        busy = sum(len(lanes) for lanes in requests)
        canvas.text(x, 44, title, 11)
        for row, lanes in enumerate(requests):
            canvas.box(x, 54 + row * ROW, WARP * CELL, ROW - 1, "grid", None, 0.6)
            for lane in lanes:
                canvas.box(x + lane * CELL, 54 + row * ROW, CELL - 1, ROW - 1, "blue")
        share = 100 * busy / (WARP * len(requests))
        words = f"{len(requests)} requests, {share:.0f} % of the lanes at work"
        canvas.caption(x, 54 + len(requests) * ROW + 16, words)
    return canvas
