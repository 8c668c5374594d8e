"""One drawing a chapter, each from a trace of its reference on the emulator."""

import fusion
import parts
import shuffle_trees
import traces
from parts import LEFT
from svg import Canvas
from traces import WARP


def shared_adders(launch):
    """Threads that store a sum in each step, and the step's distance."""
    steps = parts.tree_steps(launch)
    return [[thread for thread, _, _ in step] for step in steps], [abs(s[0][2] - s[0][1]) for s in steps]


def chapter0(programs):
    launches = traces.run(programs, 0, "--count", "32", "--block-size", "32")
    one = traces.first(launches, "reduce_single_thread")
    all_ = traces.first(launches, "reduce_atomic")
    canvas = Canvas("Chapter 0: one thread after the other, or all on one word", 880)
    loads = one.of("load", "global")
    base = one.base()
    words = [word for e in loads for _, word in e.words(base)]
    y = 20
    canvas.text(
    10,
    y,
    f"reduce_single_thread: {len(loads)} requests of one lane each, one after the other",
    12,
     bold=True)
    for turn, word in enumerate(words):
        canvas.box(LEFT + word * 23, y + 12, 21, 18, "blue")
        canvas.text(LEFT + word * 23 + 10, y + 25, turn + 1, 9, "paper", "middle")
        if turn:
            canvas.line(LEFT + word * 23 - 3, y + 38, LEFT + word * 23 + 8, y + 38, "orange", 2)
    canvas.text(10, y + 25, "turn", 11, "faint")
    canvas.text(LEFT, y + 54, f"{len(words) - 1} additions, none of which can begin "
                "before the one on its left has ended", 11, "faint")
    y += 84
    load, atomic = all_.of("load", "global")[0], all_.of("atomic", "global")[0]
    canvas.text(10, y, f"reduce_atomic: 1 request for {len(load['lanes'])} words, then every lane adds to one word", 12,
                bold=True)
    base = all_.base()
    target = len(set(atomic["at"]))
    for lane, word in load.words(base):
        x = LEFT + word * 23
        canvas.box(x, y + 12, 21, 18, "blue")
        canvas.text(x + 10, y + 25, lane, 9, "paper", "middle")
        canvas.line(x + 10, y + 30, LEFT + 16 * 23, y + 74, "orange", 0.8)
    canvas.text(10, y + 25, "lane", 11, "faint")
    canvas.box(LEFT + 16 * 23 - 30, y + 74, 60, 20, "orange")
    canvas.text(LEFT + 16 * 23, y + 88, f"{target} word", 10, "paper", "middle")
    canvas.text(LEFT + 16 * 23 + 40, y + 88, f"{len(atomic['lanes'])} additions to it, which memory does in some order",
                11, "faint")
    return canvas


def chapter1(programs):
    canvas = Canvas("Chapter 1: a tree with interleaved addressing", 880)
    small = traces.first(traces.run(programs, 1, "--count", "32", "--block-size", "32"), "chapter1::solution")
    y = parts.tree(canvas, 16, parts.tree_steps(small), 32, title="the additions of a block of 32 threads")
    large = traces.first(traces.run(programs, 1, "--count", "128"), "chapter1::solution")
    adders, strides = shared_adders(large)
    parts.lanes(canvas, y + 14, adders, 4, [f"stride {s}" for s in strides], "lanes that add, in a block of 128")
    return canvas


def chapter2(programs):
    launch = traces.first(traces.run(programs, 2, "--count", "128"), "chapter2::solution")
    canvas = Canvas("Chapter 2: whole warps at work, and what they meet in the banks", 880)
    adders, strides = shared_adders(launch)
    y = parts.lanes(canvas, 16, adders, 4, [f"stride {s}" for s in strides], "lanes that add, in a block of 128")
    parts.banks(canvas, y + 12, bank_rows(launch), "warp 0: lanes (in the boxes) over the banks of tile[index]")
    return canvas


def bank_rows(launch):
    """For each step, the load in which the adding lanes of warp 0 read their own element."""
    rows = []
    for step in parts.tree_steps(launch):
        touched = [(thread, kept) for thread, kept, _ in step if thread < WARP]
        rows.append((f"stride {abs(step[0][2] - step[0][1])}", touched))
    return rows


def chapter3(programs):
    canvas = Canvas("Chapter 3: neighbouring lanes on neighbouring banks", 880)
    small = traces.first(traces.run(programs, 3, "--count", "32", "--block-size", "32"), "chapter3::solution")
    y = parts.tree(canvas, 16, parts.tree_steps(small), 32, title="the additions of a block of 32 threads")
    large = traces.first(traces.run(programs, 3, "--count", "128"), "chapter3::solution")
    parts.banks(canvas, y + 14, bank_rows(large), "block of 128, warp 0: lanes over the banks of tile[tid]")
    return canvas


def block_rows(launch, blocks, per_row):
    """Rows of words, each with the thread that loads it and its block: for `parts.memory`."""
    base, cells = launch.base(), {}
    for block in range(blocks):
        for event in launch.of("load", "global", block):
            for lane, word in event.words(base):
                cells[word] = (event["warp"] * WARP + lane, block)
    rows = {}
    for word, owner in sorted(cells.items()):
        rows.setdefault(word // per_row, {})[word % per_row] = owner
    return [(f"in[{row * per_row}]", rows[row]) for row in sorted(rows)]


def by_block(owner):
    return ("blue", "orange", "green", "purple")[owner % 4]


def chapter4(programs):
    launches = traces.run(programs, 4, "--count", "128", "--block-size", "32")
    canvas = Canvas("Chapter 4: every thread brings two elements", 880)
    y = 16
    for chapter, blocks in ((3, 4), (4, 2)):
        launch = traces.first(launches, f"chapter{chapter}::solution", 32)
        steps = parts.tree_steps(launch)
        stores = sum(len(e["lanes"]) for block in range(blocks) for e in launch.of("store", "shared", block))
        y = parts.memory(canvas, y, block_rows(launch, blocks, 32), 32,
                         f"chapter {chapter}: {launch.grid[0]} blocks of "
                         f"32 threads; the thread that loads each word, {stores} words stored to shared memory, "
                         f"{len(steps)} steps a block", 24, by_block)
        y += 12
    for block in range(4):
        canvas.box(LEFT + block * 110, y, 14, 12, by_block(block))
        canvas.text(LEFT + block * 110 + 20, y + 10, f"block {block}", 11)
    return canvas


def waits(launch):
    """What a block of the launch waits for, in order: [(what, lanes that store just before, source line)]."""
    result = []
    for group, barrier in zip(launch.steps(), [e for e in launch.of() if "barrier" in e["what"]]):
        if barrier["what"] == "warp barrier" and barrier["warp"] != 0:
            continue
        stores = [e for e in group if e["what"] == "store" and e.get("space") == "shared"]
        result.append((barrier["what"], sum(len(e["lanes"]) for e in stores), barrier["line"]))
    return result


def chapter5(programs):
    launches = traces.run(programs, 5, "--count", "256")
    canvas = Canvas("Chapter 5: who waits for whom", 880)
    y = 20
    for number in (4, 5):
        launch = traces.first(launches, f"chapter{number}::solution", 128)
        all_waits = waits(launch)
        blocks = sum(1 for what, _, _ in all_waits if what == "barrier")
        canvas.text(10, y, f"chapter {number}: {blocks} barriers of the block, {len(all_waits) - blocks} of warp 0 "
                    "alone",
                    12, bold=True)
        y += 14
        for k, (what, _, _) in enumerate(all_waits):
            x = LEFT + k * 46
            for warp in range(4):
                waiting = what == "barrier" or warp == 0
                canvas.box(
    x,
    y +
    warp *
    15,
    42,
    12,
    ("orange" if what == "barrier" else "blue") if waiting else None,
     "grid")
        for warp in range(4):
            canvas.text(10, y + warp * 15 + 10, f"warp {warp}", 11, "faint")
        y += 88
    canvas.box(LEFT, y - 10, 14, 12, "orange")
    canvas.text(LEFT + 20, y, "__syncthreads: all four warps", 11)
    canvas.box(LEFT + 260, y - 10, 14, 12, "blue")
    canvas.text(LEFT + 280, y, "__syncwarp: the lanes of one warp", 11)
    return canvas


def chapter6(programs):
    launches = traces.run(programs, 6, "--count", "2048", "--block-size", "1024")
    canvas = Canvas("Chapter 6: the same additions, each from a line of its own", 880)
    y = 20
    for number in (5, 6):
        launch = traces.first(launches, f"chapter{number}::solution", 1024)
        stores = [e for e in launch.of("store", "shared") if e["warp"] == 0]
        lines = sorted({e["line"] for e in stores})
        canvas.text(
    10,
    y,
    f"chapter {number}, blocks of 1024: the stores of warp 0 to the tile, in order, by source line",
    12,
     bold=True)
        y += 10
        for row, line in enumerate(lines):
            canvas.text(10, y + row * 22 + 14, f"line {line}", 11, "faint")
            canvas.line(LEFT, y + row * 22 + 10, LEFT + 766, y + row * 22 + 10, "grid")
        for turn, event in enumerate(stores):
            x, top = LEFT + 4 + turn * 70, y + lines.index(event["line"]) * 22
            canvas.box(x, top, 62, 18, "blue")
            canvas.text(x + 31, top + 13, f"{len(event['lanes'])} lanes", 9, "paper", "middle")
        y += len(lines) * 22 + 28
    return canvas


def chapter7(programs):
    launches = traces.run(programs, 7, "--count", "2^17", "--block-size", "32", gpu="rtx2070")
    launch = traces.first(launches, "chapter7::solution", 32)
    base = launch.base()
    canvas = Canvas("Chapter 7: blocks stride over the input by the grid's width", 880)
    y = 20
    canvas.text(10, y, f"2^17 ints, {launch.grid[0]} blocks of 32 threads "
                "(all that an emulated RTX 2070 holds at once)", 12,
                bold=True)
    y += 14
    for block in range(4):
        starts = [min(word for _, word in e.words(base)) for e in launch.of("load", "global", block)]
        canvas.text(10, y + 14, f"block {block}", 11, "faint")
        for turn in range(0, len(starts), 2):
            x = LEFT + turn // 2 * 190
            for half, start in enumerate(starts[turn:turn + 2]):
                canvas.box(x + half * 88, y, 84, 20, by_block(block), "paper")
                canvas.text(x + half * 88 + 42, y + 14, f"{start}–{start + 31}", 9.5, "paper", "middle")
        y += 26
    turns = len(launch.of("load", "global", 0)) // 2
    for turn in range(turns):
        canvas.text(LEFT + turn * 190 + 86, y + 12, f"turn {turn + 1}", 11, "faint", "middle")
    canvas.text(LEFT, y + 34, f"from turn to turn: {launch.grid[0]} blocks times 64 elements = {launch.grid[0] * 64}; "
                f"each box is one request of a warp, 32 neighbours", 11, "faint")
    return canvas


def chapter8(programs):
    launches = traces.run(programs, 8, "--count", "262", "--block-size", "32")
    canvas = Canvas("Chapter 8: sixteen bytes a lane", 880)
    before, after = (traces.first(launches, f"chapter{n}::solution", 32) for n in (7, 8))
    y = 16
    for launch, number in ((before, 7), (after, 8)):
        blocks = range(launch.grid[0])
        loads = [e for block in blocks for e in launch.of("load", "global", block)]
        base, cells = launch.base(), {}
        for turn, event in enumerate(loads):
            for lane, at in zip(event["lanes"], event["at"]):
                for k in range(event["bytes"] // 4):
                    cells[(at - base) // 4 + k] = (lane if event["bytes"] == 4 or k == 0 else "", turn)
        rows = [(f"in[{row * 32}]", {w % 32: o for w, o in cells.items() if w // 32 == row})
                for row in range(max(cells) // 32 + 1)]
        widths = " and ".join(sorted({f"{e['bytes']} bytes" for e in loads}, reverse=True))
        y = parts.memory(canvas, y, rows, 32, f"chapter {number}: {len(loads)} requests of {widths} a lane; the lane "
                         "that "
                         "loads each word, a colour a request", 24, by_block) + 14
    return canvas


def chapter9(programs):
    launches = traces.run(programs, 9, "--count", "1024", "--type", "float")
    launch = traces.first(launches, "chapter9::solution", 128)
    canvas = Canvas("Chapter 9: lanes read each other's registers", 880)
    y, cell = 20, 23
    canvas.text(10, y, "warp 0: from which lane each value comes, shuffle by shuffle", 12, bold=True)
    y += 12
    shuffles = launch.of("shuffle", warp=0)
    middle = LEFT + (cell - 2) / 2
    for event in shuffles[:5]:
        offset = event["at"][0]
        for lane in range(WARP):
            canvas.box(LEFT + lane * cell, y, cell - 2, 14, "blue" if lane < offset else "grid")
            canvas.text(middle + lane * cell, y + 11, lane, 8.5, "paper" if lane < offset else "ink", "middle")
        for lane in range(offset):
            canvas.arrow(middle + (lane + offset) * cell, y + 14, middle + lane * cell + 2, y + 42, "orange", 1)
        canvas.text(10, y + 11, f"offset {offset}", 11, "faint")
        y += 44
    canvas.box(LEFT, y, cell - 2, 14, "blue")
    canvas.text(LEFT + cell + 4, y + 11, "lane 0 has the sum of 32", 11, "faint")
    y += 40
    stores = launch.of("store", "shared")
    loads = launch.of("load", "shared")
    canvas.text(10, y, f"between the warps: {sum(len(e['lanes']) for e in stores)} words of shared memory, "
                f"{len(launch.of('barrier'))} barrier, {len(shuffles) - 5} more shuffles of warp 0", 12, bold=True)
    y += 14
    for event in stores:
        word = event["at"][0] // 4
        x = LEFT + event["warp"] * 110
        canvas.box(x, y, 90, 18, "blue")
        canvas.text(x + 45, y + 13, f"warp {event['warp']}, lane {event['lanes'][0]}", 10, "paper", "middle")
        canvas.arrow(x + 45, y + 18, x + 45, y + 38, "orange")
        canvas.box(x, y + 38, 90, 18, "grid", "faint")
        canvas.text(x + 45, y + 51, f"tile[{word}]", 10, "ink", "middle")
    canvas.line(LEFT, y + 66, LEFT + 430, y + 66, "orange", 2)
    canvas.text(LEFT + 440, y + 70, "the barrier", 11, "faint")
    for lane, at in zip(loads[0]["lanes"], loads[0]["at"]):
        x = LEFT + at // 4 * 110
        canvas.arrow(x + 45, y + 56, x + 45, y + 82, "orange")
        canvas.box(x, y + 82, 90, 18, "blue")
        canvas.text(x + 45, y + 95, f"warp {loads[0]['warp']}, lane {lane}", 10, "paper", "middle")
    return canvas


def chapter10(programs):
    launches = traces.run(programs, 10, "--count", "128")
    canvas = Canvas("Chapter 10: where the elements lie that a warp wants at once", 880)
    uniform = traces.first(launches, "gather_uniform")
    worst = [launch for launch in launches if "gather_local" in launch.kernel][-1]
    shared = traces.first(launches, "chapter10::solution")
    canvas.text(10, 20, "one access of warp 0: element (row) and lane or bank (column)", 12, bold=True)

    def first_access(launch, space):
        return next(e for e in launch.of("load", space, warp=0) if len(e["lanes"]) == WARP)

    for place, (launch, space, title) in enumerate(((uniform, "local", "local memory, one index"),
                                                    (worst, "local", "local memory, each its own"),
                                                    (shared, "shared", "shared memory, each its own"))):
        event, x = first_access(launch, space), 10 + place * 290
        if space == "local":
            cells = [(lane, at // 4) for lane, at in zip(event["lanes"], event["at"])]
            # Word w of the 32 lanes stands side by side: a sector holds eight of them.
            words = f"{len({(row, lane // 8) for lane, row in cells})} sectors of 32 bytes"
        else:
            cells = [(at // 4 % WARP, at // 4 // shared.block[0]) for at in event["at"]]
            words = f"{len({column for column, _ in cells})} banks, one lane each"
        canvas.text(x, 44, title, 11)
        for row in range(WARP):
            canvas.box(x, 54 + row * 7, WARP * 8, 6, "grid", None, 0.6)
        for column, row in cells:
            canvas.box(x + column * 8, 54 + row * 7, 7, 6, "blue")
        canvas.text(x, 54 + WARP * 7 + 16, words, 11, "faint")
    return canvas


def chapter11(programs):
    launches = traces.run(programs, 11, "--count", "1024", "--type", "float", "--block-size", "256")
    canvas = Canvas("Chapter 11: what one load of a warp brings", 880)
    y = 20
    for pattern, name in (("unbounded<chapter11::base", "base"), ("unbounded<chapter11::wide_both", "wide both")):
        launch = traces.first(launches, pattern)
        loads = [e for e in launch.of("load", "global", warp=0) if len(e["lanes"]) == WARP
                 and len(set(e["at"])) == WARP]
        event = loads[0]
        size, count = event["bytes"], len(launch.of("load", "global", warp=0))
        canvas.text(10, y, f"{name}: {size} bytes a lane, {size * WARP // 32} sectors a request, "
                    f"{count} requests of warp 0 in all",
                    12, bold=True)
        base, scale = min(event["at"]), 1.45
        for lane, at in zip(event["lanes"], event["at"]):
            x = LEFT + (at - base) * scale
            canvas.box(x, y + 12, size * scale - 1, 18, "blue" if lane % 2 else "cyan")
            if size * scale > 12:
                canvas.text(x + size * scale / 2, y + 25, lane, 8, "paper", "middle")
        for sector in range(size * WARP // 32):
            canvas.box(LEFT + sector * 32 * scale, y + 34, 32 * scale - 2, 5, "orange")
        canvas.text(10, y + 25, "lanes", 11, "faint")
        canvas.text(10, y + 42, "sectors", 11, "faint")
        y += 76
    return canvas


def chapter12(programs):
    launches = traces.run(programs, 12, "--count", "2048", "--block-size", "64", gpu="rtx2070")
    launch = traces.first(launches, "chapter12::solution", 64)
    canvas = Canvas("Chapter 12: the last block adds up", 880)
    blocks = launch.grid[0]
    y = 20
    canvas.text(
    10,
    y,
    f"{blocks} blocks of {launch.block[0]} threads: what each does in global memory, in order",
    12,
     bold=True)
    y += 14
    names = {"load": ("blue", "loads"), "store": ("green", "stores"), "atomic": ("orange", "takes a ticket")}
    for block in range(blocks):
        canvas.text(10, y + 14, f"block {block}", 11, "faint")
        seen, x = [], LEFT
        for event in launch.of(space="global", block=block):
            if seen and seen[-1][0] == event["what"] and event["what"] == "load":
                seen[-1][1] += len(event["lanes"]) * event["bytes"] // 4
            else:
                seen.append([event["what"], len(event["lanes"]) * event["bytes"] // 4])
        for what, words in seen:
            fill, verb = names[what]
            label = verb if what == "atomic" else f"{verb} {words} word{'s' if words > 1 else ''}"
            canvas.box(x, y, 118, 20, fill)
            canvas.text(x + 59, y + 14, label, 10, "paper", "middle")
            x += 126
        y += 28
    canvas.text(
    LEFT,
    y +
    12,
    "the emulator runs blocks in order, so the last is the last; on a GPU it can be any",
    11,
     "faint")
    return canvas


DRAWINGS = {0: chapter0, 1: chapter1, 2: chapter2, 3: chapter3, 4: chapter4, 5: chapter5, 6: chapter6, 7: chapter7,
            8: chapter8, 9: chapter9, 10: chapter10, 11: chapter11, 12: chapter12, 13: fusion.chapter13,
            14: shuffle_trees.chapter14}
