"""Questions about shuffles, atomic operations, and the data that the warps of a block exchange."""

from __future__ import annotations

import math

from student.counted import (
    ALL_BLOCKS,
    ATOMICS,
    BARRIERS,
    LESSON,
    LESSON_BLOCK,
    SHARED_LOADS,
    SHARED_STORES,
    SHUFFLES,
    WARP,
    Kernel,
    steps_of,
    warp_additions,
)
from student.reckoning import Question, one, product, shown, slips, total


def shuffles(k: Kernel) -> Question:
    """For a tree of shuffles in each warp, and another one over the warps' sums."""
    count = k.warps_per_block
    value = k.per_block(SHUFFLES)
    steps = steps_of(WARP)
    return Question(
        "instruction counts",
        f"How many shuffles do the warps of a block execute together, for elements of type {k.type}?",
        value,
        total(
            product((count, "warps"), (steps, f"steps, log2({WARP})")),
            product((1, "warp once more, over the warps' sums"), (steps, "steps")),
        ),
        slips(
            (count * steps, "one warp has to add up what the warps have left"),
            (steps, "those are the shuffles of one warp, once"),
            (2 * steps, "each warp has a tree of its own, not only the first"),
            (
                count * steps + steps_of(count),
                "the last tree has fewer values, but the loop is unrolled for a whole warp",
            ),
            (count * steps + 1, "the warps' sums need a tree, too, not one more shuffle"),
            (steps_of(k.threads), "that is one per step of a tree over the block; each warp shuffles for itself"),
            (k.threads - 1, "those are additions of lanes; a warp shuffles once for all 32"),
            (value * WARP, "that counts lanes; a warp executes the instruction once"),
            ((LESSON_BLOCK // WARP + 1) * steps, LESSON),
            (k.count(SHUFFLES), ALL_BLOCKS),
        ),
        "How many shuffles does one warp need for its 32 values? Which warps do that, and how often?",
        r"\bshuffles?\b",
    )


def shared_accesses(k: Kernel) -> Question:
    count = k.warps_per_block
    value = k.per_block(SHARED_LOADS, SHARED_STORES)
    return Question(
        "instruction counts",
        "How many instructions of a block access shared memory? (One per warp, not per lane.)",
        value,
        total(
            one(count, "stores, one per warp"),
            one(k.per_block(SHARED_LOADS), "load by the first warp, of all their sums"),
        ),
        slips(
            (count, "one warp has to read the other warps' results"),
            (2 * count, "one warp reads all sums with a single instruction, a lane for each"),
            (1, "the first warp reads once; but each warp has written before"),
            (2, "each warp writes a word of its own, with an instruction of its own"),
            (k.threads + 1, "threads do not meet in shared memory any more, only warps do"),
            (3 * warp_additions(k.threads) + count, "that is a tree in shared memory; here lanes meet by shuffles"),
            (LESSON_BLOCK // WARP + 1, LESSON),
            (k.count(SHARED_LOADS, SHARED_STORES), ALL_BLOCKS),
        ),
        "What does each warp leave there, and who reads it?",
        r"\bshared\b",
    )


def atomics(k: Kernel) -> Question:
    value = k.count(*ATOMICS)
    covers = 2 * k.per_vector * k.threads
    return Question(
        "instruction counts",
        f"How many atomic operations does the whole launch execute, over {k.n} elements of type {k.type}? (A thread "
        "begins with two loads of 16 bytes, and all blocks fit at once.)",
        value,
        total(
            product(
                (k.n, "elements"),
                (-2, "loads per thread"),
                (-k.per_vector, "elements per load"),
                (-k.threads, "threads per block"),
                (1, "atomic operation per block"),
            )
        ),
        slips(
            (1, "that is one block's; the question is about the launch"),
            (2 * value, "a thread takes two loads, so there are fewer blocks"),
            (k.per_vector * value, f"a load brings {k.per_vector} elements, so there are fewer blocks"),
            (
                2 * k.per_vector * value,
                "that is one element per thread; here a thread has more, and there are fewer blocks",
            ),
            (value * k.warps_per_block, "that is one per warp; one thread of the block takes the ticket"),
            (value * k.threads, "that is one per thread; one thread of the block takes the ticket"),
            (value + 1, "the last block needs no second ticket"),
            (value - 1, "the last block takes a ticket, too: by it the block knows that it is the last"),
            (k.n / (covers * LESSON_BLOCK / k.threads), LESSON),
        ),
        "How many blocks are there, and how many tickets does each take?",
        r"\batomics?\b",
    )


def barriers_of_launch(k: Kernel) -> Question:
    value = k.count(BARRIERS)
    return Question(
        "barriers",
        f"How many barriers do the {shown(k.blocks)} blocks of the launch wait at together? (`block_reduce` has one.)",
        value,
        total(
            product((k.blocks, "blocks"), (1, "in block_reduce")),
            product((k.blocks, "blocks"), (1, "after the ticket: all threads hear whether theirs is the last block")),
            one(1, "in the last block, which reduces once more"),
        ),
        slips(
            (2 * k.blocks, "the last block has another sum to make, that of all blocks"),
            (k.blocks, "one per block is block_reduce's; how do all threads hear what the ticket was?"),
            (k.blocks + 1, "how do all threads of a block hear what the ticket was?"),
            (3 * k.blocks, "only the last block reduces once more"),
            (2, "those are the barriers of one block; the question is about the launch"),
            (3, "those are the barriers of the last block; the question is about the launch"),
        ),
        "What does each block wait for, and what else does the last one wait for?",
        r"\bbarriers?\b",
    )


def shuffles_of_tree(k: Kernel) -> Question:
    """For chapter 14: the first step adds eight values, and the second adds four."""
    value = k.per_block(SHUFFLES)
    return Question(
        "instruction counts",
        "The reference adds up eight values per lane in its first step, and four in its second. How many shuffles "
        "does a block execute? (One warp sums.)",
        value,
        total(one(7, "in the first step: eight values, of which one is the lane's own"), one(3, "in the second step")),
        slips(
            (12, "a lane need not ask for its own value"),
            (11, "a lane need not ask for its own value, in either step"),
            (5, "that is the chain of five steps; here a step has more shuffles, and there are fewer steps"),
            (7, "those are the shuffles of the first step; there is a second"),
            (3, "those are the shuffles of the second step; there is a first"),
            (31, "a lane need not ask all other lanes: the first step leaves sums of eight"),
            (8, "a lane need not ask for its own value; and then there is a second step"),
            (2, "those are the steps; each has several shuffles that do not wait for each other"),
            (value * WARP, "that counts lanes; a warp executes the instruction once"),
            (value * k.warps_per_block, "one warp sums; the others have left their values in shared memory"),
            (k.count(SHUFFLES), ALL_BLOCKS),
        ),
        "How many other lanes' values does a lane need in each of the steps?",
        r"\bshuffles?\b",
    )


def accesses_of_one_warp(k: Kernel) -> Question:
    """For chapter 14: every thread stores its sum, and one warp adds the sums."""
    count = k.warps_per_block
    value = k.per_block(SHARED_LOADS, SHARED_STORES)
    return Question(
        "instruction counts",
        "Each warp stores the sums of its lanes to shared memory. Then the first warp adds up: to its own sums, which "
        "it still has, it adds those of the others, a warp's with each load. How many instructions of a block access "
        "shared memory?",
        value,
        total(one(count, "stores, one per warp"), one(count - 1, "loads by the first warp, one for each other warp")),
        slips(
            (2 * count, "the first warp has its own sums in registers"),
            (count, "those are the stores; the first warp has to read what they have left"),
            (count - 1, "those are the loads; before them each warp stores"),
            (2 * count - 2, "the first warp stores its sums like the others"),
            (count + 1, "one load brings the sums of one warp, and there are more"),
            (2 * k.threads, "a warp executes an instruction once for its 32 lanes"),
            (32 + 31, "that is right for blocks of 1024 threads, the lesson's; these have another size"),
            (k.count(SHARED_LOADS, SHARED_STORES), ALL_BLOCKS),
        ),
        "How many warps store, and how many other warps are there for the first one?",
        r"\bshared\b",
    )


def warps_of_short_segments(k: Kernel) -> Question:
    """For chapter 15: what one warp per segment costs if the segments are short."""
    length = 8
    segments = math.ceil(k.n / length)
    per_block = k.warps_per_block
    value = k.other("compared", "a warp each", f"{length} elements each").warps
    return Question(
        "instruction counts",
        f"{k.n} elements are in segments of {length}. How many warps start if a warp takes each segment, in blocks "
        f"of {k.threads} threads?",
        value,
        total(product((math.ceil(segments / per_block), "blocks"), (per_block, "warps each"))),
        slips(
            (math.ceil(segments / WARP), "those would do where a thread takes each segment"),
            (math.ceil(segments / k.threads) * per_block, "those start where a thread takes each segment"),
            (math.ceil(segments / per_block), "those are blocks; each has several warps"),
            (k.n / WARP, "32 elements would be enough for a warp, but its segment has fewer"),
            (k.n, "those are elements; one segment has several"),
        ),
        "How many segments are there, and how many does a warp take?",
        r"\bwarps?\b",
    )
