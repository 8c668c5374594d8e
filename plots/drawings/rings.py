"""Chapter 16's drawing: which chunks of which vectors are complete after each step of the ring."""

from __future__ import annotations

import pathlib

from plots.drawings.svg import Canvas

GPUS = 4
CELL, ROW, GAP = 26, 22, 28


def after(step: int) -> list[list[int]]:
    """Returns, for each chunk of each GPU's vector, the number of vectors that it is the sum of after `step` steps."""
    held = [[1] * GPUS for _ in range(GPUS)]
    for done in range(step):
        before = [row[:] for row in held]
        for me in range(GPUS):
            chunk, left = (me + 2 * GPUS - 1 - done) % GPUS, (me + GPUS - 1) % GPUS
            held[me][chunk] = before[left][chunk] + (1 if done < GPUS - 1 else 0)
    return held


def chapter16(_programs: pathlib.Path) -> Canvas:
    steps = 2 * (GPUS - 1)
    canvas = Canvas("Chapter 16: how many vectors are in each chunk after each step of the ring", 980)
    canvas.heading(20, "4 GPUs, 4 chunks: how many vectors each chunk has in it after so many steps")
    for step in range(steps + 1):
        x = 10 + step * (GPUS * CELL + GAP)
        words = "start" if step == 0 else f"{step}: {'add' if step < GPUS else 'copy'}"
        canvas.text(x, 44, words, 11)
        for me, row in enumerate(after(step)):
            for chunk, vectors in enumerate(row):
                y = 54 + me * (ROW + 6)
                canvas.box(x + chunk * CELL, y, CELL - 2, ROW, "green" if vectors == GPUS else "blue", None, 0.6)
                canvas.text(x + chunk * CELL + 9, y + 15, str(vectors), 11)
    words = "A row for each GPU. In each step every GPU takes one chunk from the row above it; the first from the last."
    canvas.caption(10, 54 + GPUS * (ROW + 6) + 14, words)
    return canvas
