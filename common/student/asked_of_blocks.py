"""Questions about blocks, launches, and the loop of one thread."""

from __future__ import annotations

from student.counted import (
    BRANCHES,
    INSTRUCTIONS,
    LESSON,
    LESSON_BLOCK,
    LOAD_REQUESTS,
    PER_THREAD,
    WARP,
    Kernel,
    steps_of,
)
from student.reckoning import Question, one, plural, product, shown, slips, total


def instructions(k: Kernel) -> Question:
    loads, branches = k.count(LOAD_REQUESTS) / k.n, k.count(BRANCHES) / k.n
    value = k.count(INSTRUCTIONS) / k.n
    return Question(
        "instruction counts",
        f"How many instructions does the single thread of {k.name} execute per element, within 20 %?",
        value,
        total(
            one(loads, "load"),
            one(1, "addition"),
            one(branches, f"jump back, unrolled by the compiler: one for {round(1 / branches)} elements"),
            one(value - loads - 1 - branches, "for the next address, and for counting and comparing"),
        ),
        slips(
            (1, "that is the addition; before it the element has to be loaded, and the loop has to go on"),
            (2, "that is the load and the addition; the loop itself has to count, compare and jump"),
            (5, "the compiler unrolls the loop: it counts and jumps once for several elements"),
            (6, "the compiler unrolls the loop: it counts and jumps once for several elements"),
            (30, "a loop of one load and one addition doesn't need that many"),
            (value / WARP, "you shared it among the 32 threads of a warp, but one is at work"),
        ),
        "Write the loop's machine instructions down: what has to happen for one element?",
        r"instruction",
        0.2,
    )


def blocks(k: Kernel) -> Question:
    """Asks about kernels whose blocks cover the input exactly once."""
    e = round(k.per_thread)
    other, words = (
        (1, "one element, and here a thread loads more") if e > 1 else (2, "two elements, and here it has one")
    )
    return Question(
        "blocks and launches",
        f"How many blocks does {k.name} begin with, over all {k.n} elements?",
        k.blocks,
        total(product((k.n, "elements"), (-e, "per thread"), (-k.threads, "threads per block"))),
        slips(
            (k.n / (other * k.threads), f"that gives each thread {words}"),
            (k.n, "that is the number of elements"),
            (k.n / e, "that is the number of threads; ask how many blocks they fill"),
            (k.warps, "that is the number of warps"),
            (k.n / (e * LESSON_BLOCK), LESSON),
        ),
        "How many elements does one block take care of?",
        r"\bblocks?\b",
    )


def warps(k: Kernel) -> Question:
    k = k.other("reference", "reduce_atomic")
    return Question(
        "blocks and launches",
        f"{k.name} has a thread for each element. How many warps is that in total?",
        k.warps,
        total(product((k.n, "elements, a thread each"), (-WARP, "threads per warp"))),
        slips(
            (k.n, "that is the number of threads; 32 of them make a warp"),
            (k.blocks, "that is the number of blocks; each has several warps"),
            (k.warps_per_block, "those are the warps of one block; the question is about all"),
            (k.n / 16, "a warp has 32 threads, not 16"),
            (k.n / 64, "a warp has 32 threads, not 64"),
        ),
        "How many threads are there, and how many make a warp?",
        r"\bwarps?\b",
    )


def launches(k: Kernel) -> Question:
    terms, left = [], k.n
    for launch in k.launches:
        count = int(launch["counters"]["workbook__blocks.sum"])
        terms.append(
            one(1, f"for {plural(left, 'element')}; {plural(count, 'sum')} {'is' if count == 1 else 'are'} left")
        )
        left = count
    value = len(k.launches)
    return Question(
        "blocks and launches",
        f"{k.name} leaves one sum per block, and runs again on these sums, until one is left. How many times does it "
        f"run for {k.n} elements?",
        value,
        total(*terms),
        slips(
            (value - 1, "one run is missing: as long as more than one sum is left, they have to be added up"),
            (value + 1, "that is one run too many: it ends as soon as one sum is left"),
            (1, "blocks cannot add to each other's sums: each run leaves one sum per block"),
            (k.blocks, "that is the number of sums that the first run leaves"),
            (steps_of(k.threads), "those are the steps within a block; here whole runs are counted"),
            (steps_of(k.n), "that assumes runs that add pairs; a block adds up all its elements in one run"),
        ),
        "Divide the number of elements by those that a block takes, again and again.",
        r"\bruns?\b|\blaunch(es)?\b|\bpass(es)?\b",
    )


def loads(k: Kernel) -> Question:
    value = k.count(LOAD_REQUESTS)
    return Question(
        "coalescing",
        "How many load instructions from global memory do all warps of the first run execute together? (A warp counts "
        "once, whatever its lanes want.)",
        value,
        total(product((k.blocks, "blocks"), (k.warps_per_block, "warps per block"), (k.per_thread, "loads per warp"))),
        slips(
            (value / 2, "half as many blocks run, but each warp loads twice"),
            (2 * value, "twice as many loads would bring more elements than there are"),
            (k.n, PER_THREAD),
            (k.warps_per_block * k.per_thread, "those are the loads of one block; the question is about all"),
            (k.per_thread, "those are the loads of one warp; the question is about all"),
        ),
        "How many blocks are there, how many warps in each, and how often does a warp load?",
        r"\bload instructions?\b",
    )


def block_starts(k: Kernel) -> Question:
    """Asks about kernels whose blocks cover the input exactly once."""
    large, apart_ns = 2**29, 0.6
    e = round(k.per_thread)
    value = k.blocks * large / k.n * apart_ns / 1e3
    lesson = large / (e * LESSON_BLOCK) * apart_ns / 1e3
    return Question(
        "blocks and launches",
        f"An H200 starts a block every {apart_ns} ns. With 2^29 elements and {k.threads} threads per block, how many "
        f"microseconds do the starts of {k.name} take, within 2 %?",
        value,
        total(
            product(
                (large, "elements"),
                (-e, "per thread"),
                (-k.threads, "threads per block"),
                (apart_ns, "ns"),
                (-1000, "ns per microsecond"),
            )
        ),
        slips(
            (e * value, "that gives each thread one element, and here a thread loads two"),
            (1000 * value, "those are nanoseconds"),
            (value / 1000, "those are milliseconds"),
            (lesson, LESSON),
            (value * k.threads, "those are as many starts as threads; a block starts as a whole"),
            (value * k.warps_per_block, "those are as many starts as warps; a block starts as a whole"),
            (value / apart_ns, "you forgot the time between two starts"),
        ),
        "How many blocks are there for 2^29 elements?",
        r"\bstarts?\b|\bmicroseconds\b|\bus\b",
        0.02,
    )


def grid_that_fits(k: Kernel) -> Question:
    """Asks about a grid that is limited by the number of blocks that the device holds at once."""
    processors = k.report["device"]["multiprocessors"]
    held = k.launches[0]["occupancy"]["warps_per_multiprocessor"] * WARP
    value = k.blocks
    return Question(
        "registers and occupancy",
        f"{k.name} has as many blocks as the device holds at once: it has {processors} multiprocessors, each for up to "
        f"{held} threads. How many blocks is that?",
        value,
        total(product((processors, "multiprocessors"), (held, "threads each"), (-k.threads, "threads per block"))),
        slips(
            (
                k.n / (2 * k.threads),
                "that number of blocks would cover the input once; here there are fewer, which take several iterations",
            ),
            (
                k.n / k.threads,
                "that number of blocks would cover the input once; here there are fewer, which take several iterations",
            ),
            (processors, "that is one block per multiprocessor; each holds several at once"),
            (held / k.threads, "that is one multiprocessor; there are more"),
            (processors * held, "that is the number of threads"),
            (processors * held / WARP, "that is the number of warps"),
            (processors * held / LESSON_BLOCK, LESSON),
            (processors * held / (2 * k.threads), "two elements per thread do not change how many threads fit"),
            (processors * 32, "a multiprocessor has room for 32 blocks, but the threads are used up before"),
        ),
        "How many blocks fit on one multiprocessor?",
        r"\bblocks?\b",
    )


def turns(k: Kernel) -> Question:
    width = 2 * k.threads * k.blocks
    value = k.n / (k.blocks * k.threads)
    return Question(
        "blocks and launches",
        f"{shown(k.blocks)} blocks stride over the {k.n} elements. How many elements does a thread of theirs add up on "
        "average, within 2 %?",
        value,
        total(product((k.n, "elements"), (-k.blocks, "blocks"), (-k.threads, "threads per block"))),
        slips(
            (2, "that is one iteration; the grid needs several to reach the end"),
            (k.n / width, "those are the iterations; in each a thread takes two elements"),
            (k.n / k.blocks, "those are the elements of a block; its threads share them"),
            (k.n / (k.blocks * LESSON_BLOCK), LESSON),
        ),
        "How many threads are there in the whole grid?",
        r"\belements?\b",
        0.02,
    )
