"""Parts that several drawings share: a tree's additions word by word, working lanes, lanes and their banks, and rows of
memory."""

from __future__ import annotations

from plots.drawings.svg import Canvas
from plots.drawings.traces import WARP, Launch

# (thread, word to which it adds, word that it adds)
Addition = tuple[int, int, int]
# (contents of a cell, the block that it belongs to)
Owner = tuple[object, int]
Row = tuple[str, dict[int, Owner]]

LEFT = 96  # room for the label at the left of a row
WIDTH_OF_LANES = 628.8  # the width of all warps of a block, side by side


def tree_steps(launch: Launch) -> list[list[Addition]]:
    """Returns the additions in shared memory, step by step: [[(thread, word to which it adds, word that it adds)]].

    A step is between two barriers of a block or a warp. In it, a warp loads two words and stores their sum.
    """
    result = []
    for group in launch.steps():
        added = []
        for warp in sorted({e["warp"] for e in group}):
            mine = [e for e in group if e["warp"] == warp and e.get("space") == "shared"]
            stores = [e for e in mine if e["what"] == "store"]
            loads = [e for e in mine if e["what"] == "load"]
            if not stores or not loads:
                continue
            kept = dict(stores[-1].words())
            for load in loads:
                added += [
                    (warp * WARP + lane, kept[lane], word)
                    for lane, word in load.words()
                    if lane in kept and word != kept[lane]
                ]
        if added:
            result.append(sorted(added))
    return result


def tree(canvas: Canvas, y: float, steps: list[list[Addition]], words: int, title: str) -> float:
    """Draws the data flow of the steps over a tile of `words` words. Returns the y of its end."""
    canvas.heading(y + 4, title)
    y += 18
    cell, row, height = 24, 46, 18
    canvas.caption(10, y + 13, "loaded")
    for word in range(words):
        canvas.labelled(LEFT + word * cell, y, cell - 3, height, word, 9, "grid", "faint", 0.6)
    for step in steps:
        top = y + row
        distance = abs(step[0][2] - step[0][1])
        canvas.caption(10, top + 13, f"stride {distance}")
        for _, kept, other in step:
            middle = LEFT + (cell - 3) / 2
            canvas.line(middle + kept * cell, y + height, middle + kept * cell, top, "faint", 0.8)
            canvas.arrow(middle + other * cell, y + height, middle + kept * cell + 3, top, "orange", 1.1)
        adders = {kept: thread for thread, kept, _ in step}
        for word in range(words):
            if word in adders:
                canvas.labelled(LEFT + word * cell, top, cell - 3, height, adders[word], 10, "blue", "grid", 1)
            else:
                canvas.box(LEFT + word * cell, top, cell - 3, height, None, "grid")
        y = top
    canvas.text(LEFT, y + height + 16, "the number in a blue box is the thread that adds there", 10, "faint")
    return y + height + 22


def lanes(canvas: Canvas, y: float, steps: list[list[int]], warps: int, labels: list[str], title: str) -> float:
    """Draws which lanes work in each step: one row per step, one group per warp. Returns the y of its end."""
    canvas.heading(y + 4, title)
    y += 14
    gap = 10
    cell = (WIDTH_OF_LANES / warps - gap) / WARP
    for warp in range(warps):
        canvas.text(LEFT + warp * (WARP * cell + gap), y + 8, f"warp {warp}", 10, "faint")
    y += 14
    for step, label in zip(steps, labels):
        canvas.caption(10, y + 9, label)
        for warp in range(warps):
            left = LEFT + warp * (WARP * cell + gap)
            active = {thread % WARP for thread in step if thread // WARP == warp}
            canvas.box(left - 1, y, WARP * cell, 11, "grid", None, 0.7)
            for lane in sorted(active):
                canvas.box(left + lane * cell, y + 1, 0.74 * cell, 9, "blue")
        busy = len({thread // WARP for thread in step})
        words = f"{busy} of {warps} warps, {len(step)} lane{'s' if len(step) > 1 else ''}"
        canvas.text(LEFT + warps * (WARP * cell + gap) + 2, y + 9, words, 10.5)
        y += 16
    return y + 8


def banks(canvas: Canvas, y: float, accesses: list[tuple[str, list[tuple[int, int]]]], title: str) -> float:
    """Draws the lanes of one access of a warp above the banks that they access: [(label, [(lane, word)])]. Lanes that
    access different words of a bank are stacked, because they are served one after the other. Returns the y of its
    end."""
    cell = 22
    canvas.heading(y + 4, title)
    y += 12
    for label, touched in accesses:
        stacks: dict[int, dict[int, int]] = {}
        for lane, word in touched:
            stacks.setdefault(word % WARP, {}).setdefault(word, lane)
        degree = max(len(stack) for stack in stacks.values())
        for line in range(degree):
            for bank, stack in stacks.items():
                if line < len(stack):
                    top = y + 4 + (degree - 1 - line) * 14
                    canvas.box(LEFT + bank * cell, top, cell - 2, 13, "blue" if line == 0 else "red")
                    canvas.text(
                        LEFT + bank * cell + (cell - 2) / 2, top + 10, list(stack.values())[line], 9, "paper", "middle"
                    )
        bottom = y + 4 + degree * 14
        for bank in range(WARP):
            canvas.box(LEFT + bank * cell, bottom, cell - 2, 3, "faint")
        canvas.caption(10, bottom, label)
        canvas.text(
            LEFT + WARP * cell + 6,
            bottom,
            "no conflict" if degree == 1 else f"{degree}-way",
            10.5,
            "green" if degree == 1 else "red",
        )
        y = bottom + 10
    for bank in range(WARP):
        canvas.text(LEFT + bank * cell + (cell - 2) / 2, y + 8, bank, 9, "faint", "middle")
    canvas.caption(10, y + 8, "bank")
    return y + 22


def memory(canvas: Canvas, y: float, rows: list[Row], title: str) -> float:
    """Draws rows of a warp's words: [(label, {word: (contents, owner)})]. Returns the y of its end."""
    cell = 24
    canvas.heading(y + 4, title)
    y += 14
    for label, touched in rows:
        canvas.caption(10, y + 13, label)
        for k in range(WARP):
            owner = touched.get(k)
            canvas.box(LEFT + k * cell, y, cell - 2, 18, by_block(owner[1]) if owner else None, "grid")
            if owner:
                canvas.text(LEFT + k * cell + (cell - 2) / 2, y + 13, owner[0], 9, "paper", "middle")
        y += 24
    return y + 6


def block_rows(launch: Launch, blocks: int) -> list[Row]:
    """Returns rows for `memory`: each word with the thread that loads it, and its block."""
    base = launch.base()
    cells: dict[int, Owner] = {}
    for block in range(blocks):
        for event in launch.of("load", "global", block):
            for lane, word in event.words(base):
                cells[word] = (event["warp"] * WARP + lane, block)
    rows: dict[int, dict[int, Owner]] = {}
    for word, owner in sorted(cells.items()):
        rows.setdefault(word // WARP, {})[word % WARP] = owner
    return [(f"in[{row * WARP}]", rows[row]) for row in sorted(rows)]


def by_block(owner: int) -> str:
    return ("blue", "orange", "green", "purple")[owner % 4]
