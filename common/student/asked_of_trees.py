"""Questions about barriers, additions and shared memory: the reduction trees of the ladder."""

from __future__ import annotations

from student.counted import (
    ALL_BLOCKS,
    BARRIERS,
    COMBINES,
    CONFLICTS,
    LESSON,
    LESSON_BLOCK,
    PER_THREAD,
    SHARED_LOADS,
    SHARED_STORES,
    WARP,
    Kernel,
    steps_of,
    strided_conflicts,
    strides_of,
    warp_additions,
    warps_at_work,
    ways,
)
from student.reckoning import Question, Term, one, product, slips, total


def barriers(k: Kernel) -> Question:
    """For a tree with a barrier after the load and one in each step."""
    steps = steps_of(k.threads)
    value = k.per_block(BARRIERS)
    return Question(
        "barriers",
        "How many barriers does each block wait at?",
        value,
        total(one(1, "after the load"), product((steps, f"steps, log2({k.threads})"), (1, "barrier in each"))),
        slips(
            (steps, "those are the steps of the tree; the barrier after the load is missing"),
            (1 + steps_of(LESSON_BLOCK), LESSON),
            (value + 1, "that is one too many; after the last step's barrier only one thread has work"),
            (value - 2, "that is a step too few: the last stride counts, too"),
            (2 * steps, "one barrier per step is enough: it ends the step and begins the next"),
            (2 * steps + 1, "one barrier per step is enough: it ends the step and begins the next"),
            (1 + steps_of(k.n), "the tree is one over the block's elements, not over the whole input"),
            (k.count(BARRIERS), ALL_BLOCKS),
            (value * k.warps_per_block, "you counted each warp; a barrier of the block counts once"),
            (k.threads, "that is the number of threads"),
        ),
        "Where must all threads wait before the first step, and what ends each step?",
        r"\bbarriers?\b",
    )


def barriers_before_last_warp(k: Kernel) -> Question:
    """For a tree whose last steps are executed by one warp."""
    whole, all_steps = steps_of(k.threads) - 6, steps_of(k.threads)
    value = k.per_block(BARRIERS)
    strides = ", ".join(str(k.threads >> (s + 1)) for s in range(whole))
    return Question(
        "barriers",
        "How many barriers of the whole block does each block wait at?",
        value,
        total(
            one(1, "after the load"), product((whole, f"steps with more than one warp, stride {strides}"), (1, "each"))
        ),
        slips(
            (1 + all_steps, "that is chapter 4: if one warp is left, no other one has to wait for it"),
            (whole, "those are the steps; the barrier after the load is missing"),
            (value + 1, "that is one too many: in the step with stride 32 all active threads are in one warp"),
            (1 + steps_of(LESSON_BLOCK) - 6, LESSON),
            (all_steps, "that is the number of steps; not each of them needs a barrier of the block"),
            (all_steps - 5 + 1, "that is one too many: in the step with stride 32 all active threads are in one warp"),
            (k.count(BARRIERS), ALL_BLOCKS),
        ),
        "In which steps do workers of more than one warp take part? And what comes before the first step?",
        r"\bbarriers?\b",
    )


def warp_terms(k: Kernel, interleaved: bool) -> list[Term]:
    """Returns terms for the warps that add in each step. Consecutive steps with the same number of warps share a term.
    From chapter 3 on, the strides decrease."""
    falling = k.report["chapter"] >= 3
    terms: list[Term] = []
    by_warps: dict[int, list[int]] = {}
    for stride in strides_of(k.threads):
        named = k.threads // (2 * stride) if falling else stride
        by_warps.setdefault(warps_at_work(k.threads, stride, interleaved), []).append(named)
    for count, strides in by_warps.items():
        where = f"stride {strides[0]}" + (f" to {strides[-1]}" if len(strides) > 1 else "")
        terms.append(
            product((len(strides), f"{'steps' if len(strides) > 1 else 'step'}, {where}"), (count, "of the warps"))
        )
    return terms


def additions(k: Kernel) -> Question:
    interleaved = k.report["chapter"] == 1
    value = k.per_block(COMBINES)
    other = (
        "neighbouring threads work" if interleaved else ("the active threads of a step are in as few warps as possible")
    )
    return Question(
        "instruction counts",
        "How many additions do the warps of a block execute in the tree? (A warp in which any lane adds counts once.)",
        value,
        total(*warp_terms(k, interleaved)),
        slips(
            (k.threads - 1, "those are the additions of threads; a warp in which several lanes add counts once"),
            (steps_of(k.threads), "that is one per step; in some steps more than one warp has a worker"),
            (
                warp_additions(k.threads, not interleaved),
                f"that is how it would be if {other}" if interleaved else f"that is chapter 1's kernel; here {other}",
            ),
            (k.warps_per_block * steps_of(k.threads), "that lets each warp add in each step; some warps do nothing"),
            (warp_additions(LESSON_BLOCK, interleaved), LESSON),
            (value - 1, "one is missing: the last step has a worker, too"),
            (value - k.warps_per_block / (1 if interleaved else 2), "the first step is missing"),
            (value + k.warps_per_block, "the load isn't an addition"),
            (k.count(COMBINES), ALL_BLOCKS),
        ),
        "Go through the steps, stride by stride: in how many warps is there a thread that adds?",
        r"\badditions?\b|\badds\b",
    )


def conflicts(k: Kernel) -> Question:
    value = k.per_block(CONFLICTS)
    steps = [(s, warps_at_work(k.threads, s), ways(k.threads, s)) for s in strides_of(k.threads)]
    terms = [
        product(
            (3, f"accesses at stride {s}"),
            (warps, "warp" if warps == 1 else "warps"),
            (n_way - 1, f"beyond the first, {n_way}-way"),
        )
        for s, warps, n_way in steps
        if n_way > 1
    ]
    first_only = sum(n_way - 1 for _, _, n_way in steps)
    accesses = k.per_block(SHARED_LOADS, SHARED_STORES)
    return Question(
        "bank conflicts",
        "How many bank conflicts are there per block? (Passes of shared memory beyond one per access.)",
        value,
        total(*terms),
        slips(
            (value / 3, "that is one access per step; an addition in the tile reads two words and writes one"),
            (2 * value / 3, "that is two accesses per step; an addition in the tile reads two words, and writes one"),
            (3 * first_only, "that is one warp per step; in the first steps more than one is at work"),
            (first_only, "that is one access of one warp per step; count the other accesses and warps"),
            (accesses + value, "those are all passes; a conflict is a pass beyond the first of its access"),
            (
                3 * sum(warps * n_way for _, warps, n_way in steps),
                "those are all passes of the tree; the first of each access isn't a conflict",
            ),
            (
                3 * sum(warps * (n_way - 1) for _, warps, n_way in steps[1:]),
                "the first step is missing: with stride 1 lanes share banks, too",
            ),
            (3 * strided_conflicts(LESSON_BLOCK), LESSON),
            (
                3 * sum(warps * (min(2 * s, 32) - 1) for s, warps, _ in steps),
                "in the late steps a warp has fewer lanes at work than would share a bank",
            ),
            (0, "stride 1 touches every second word: 32 lanes in 16 banks"),
            (k.count(CONFLICTS), ALL_BLOCKS),
        ),
        "For each stride: how many lanes of a warp work, and on how many different banks do they fall?",
        r"\bconflicts?\b",
    )


def passes(k: Kernel) -> Question:
    """For a tree without bank conflicts."""
    adds = warp_additions(k.threads)
    value = k.per_block(SHARED_LOADS, SHARED_STORES, CONFLICTS)
    return Question(
        "bank conflicts",
        "How many passes of shared memory does a block take in all, from the load to its result?",
        value,
        total(
            one(k.warps_per_block, "stores after the load, one per warp"),
            product((adds, "additions of warps"), (3, "accesses: two words read, one written")),
            one(1, "load of the result"),
        ),
        slips(
            (value - k.warps_per_block, "the stores are missing with which the warps fill the tile"),
            (value - 1, "one is missing: a thread has to read the result, or something has to be stored first"),
            (
                value - 1 - k.warps_per_block,
                "those are the passes of the tree; how does the tile get full, and who reads it?",
            ),
            (value - adds, "an addition in the tile takes three accesses: it reads two words and writes one"),
            (value - 2 * adds, "an addition in the tile takes three accesses: it reads two words and writes one"),
            (
                value + 3 * strided_conflicts(k.threads),
                "that includes chapter 2's conflicts; here 32 lanes access 32 banks",
            ),
            (LESSON_BLOCK // WARP + 3 * warp_additions(LESSON_BLOCK) + 1, LESSON),
            (k.threads + 3 * (k.threads - 1) + 1, PER_THREAD),
            (k.count(SHARED_LOADS, SHARED_STORES, CONFLICTS), ALL_BLOCKS),
        ),
        "How many accesses fill the tile, how many does an addition take, and what comes last?",
        r"\bpass(es)?\b",
    )


def shared_stores(k: Kernel) -> Question:
    """For the tree of chapter 4."""
    adds, filled = warp_additions(k.threads), k.warps_per_block
    value = k.per_block(SHARED_STORES)
    return Question(
        "instruction counts",
        "How many store instructions to shared memory does each block execute? (One per warp, not per thread.)",
        value,
        total(one(filled, "after the load, one per warp"), one(adds, "additions of warps in the tree, a store each")),
        slips(
            (adds, "those are the stores of the tree; the tile has to be filled first"),
            (filled, "those fill the tile; each addition in the tree stores its sum as well"),
            (filled + 2 * adds, "an addition reads two words, but stores one"),
            (2 * filled + adds, "a thread loads two elements, but adds them before it stores"),
            (2 * k.threads - 1, PER_THREAD),
            (k.threads, PER_THREAD),
            (LESSON_BLOCK // WARP + warp_additions(LESSON_BLOCK), LESSON),
            (k.count(SHARED_STORES), ALL_BLOCKS),
        ),
        "Which warps store after the load, and which in each step?",
        r"\bstores?\b",
    )


def stores_until_last_warp(k: Kernel) -> Question:
    """For chapters 5 and 6, in which one warp executes the last steps."""
    strides = [s for s in reversed(strides_of(k.threads)) if s > WARP]
    tree = sum(strides) // WARP
    lesson_tree = sum(s for s in strides_of(LESSON_BLOCK) if s > WARP) // WARP
    filled = k.warps_per_block
    value = k.per_block(SHARED_STORES)
    return Question(
        "instruction counts",
        "How many store instructions to shared memory does each block execute? (One per warp, not per thread.)",
        value,
        total(
            one(filled, "after the load, one per warp"),
            *(one(s // WARP, f"in the step with stride {s}, one per warp at work") for s in strides),
            one(5, "in the last warp, before strides 16, 8, 4, 2 and 1"),
        ),
        slips(
            (value - filled, "the stores are missing that fill the tile after the load"),
            (
                value + 1,
                "that is one too many: at stride 32 the last warp adds into `sum`, and stores before stride 16",
            ),
            (value - 1, "one is missing: before each of the last five steps the warp stores its sums"),
            (value - 5, "the stores of the last warp are missing: its lanes meet in the tile, too"),
            (value - tree, "the steps before the last warp's are missing"),
            (value + 5, "that is two per step in the last warp; it stores once and waits twice"),
            (LESSON_BLOCK // WARP + lesson_tree + 5, LESSON),
            (k.count(SHARED_STORES), ALL_BLOCKS),
        ),
        "Count the stores after the load, in each step with several warps, and in the last warp.",
        r"\bstores?\b",
    )


def warp_waits(k: Kernel) -> Question:
    value = k.per_block("workbook__warp_barriers.sum")
    return Question(
        "barriers",
        "How often does warp 0, which finishes the tree, wait at a __syncwarp in each block?",
        value,
        total(product((5, "steps, stride 16 to 1"), (2, "in each: before its store, and before its partners read"))),
        slips(
            (
                5,
                "that is one per step; partners may not read before the store, nor the next store come before "
                "they have read",
            ),
            (6, "that is one per step; each step has two, and the first addition of the warp has none"),
            (12, "the first addition of the warp needs none, because a barrier of the block protects what it reads"),
            (11, "the first addition of the warp needs none, because a barrier of the block protects what it reads"),
            (9, "one is missing: each of the steps has two"),
            (value * WARP, "that counts lanes; the warp waits once for all of them"),
            (k.count("workbook__warp_barriers.sum"), ALL_BLOCKS),
        ),
        "How many steps go through the tile in one warp, and what has to be in order in each of them?",
        r"__syncwarp|\bwaits?\b",
    )
