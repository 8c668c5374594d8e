"""Questions about the number of blocks that fit on an SM: what a block needs, and what is available."""

from __future__ import annotations

import math

from student.counted import ARRAY, LESSON, LESSON_BLOCK, WARP, Kernel
from student.reckoning import Question, product, slips, total

REGISTERS = 65536  # per streaming multiprocessor
SHARED_BYTES = 228 * 1024  # per streaming multiprocessor


def shared_bytes(k: Kernel) -> Question:
    value = k.launches[0]["dynamic_shared_bytes"]
    return Question(
        "registers and occupancy",
        f"The reference keeps the arrays of {ARRAY} elements of type {k.type} in shared memory. How many bytes does a "
        "block need?",
        value,
        total(product((k.threads, "threads"), (ARRAY, "elements each"), (k.element_bytes, "bytes each"))),
        slips(
            (k.threads * ARRAY, "those are the elements; each has several bytes"),
            (ARRAY * k.element_bytes, "that is one thread's array; each thread has its own"),
            (WARP * ARRAY * k.element_bytes, "those are the arrays of one warp; a block has more"),
            (k.threads * k.element_bytes, "that is one row; each thread has a whole array"),
            (k.threads * ARRAY * k.other_bytes, k.size_in_words),
            (LESSON_BLOCK * ARRAY * k.element_bytes, LESSON),
            (value / 1024, "those are KiB; the question is about bytes"),
        ),
        "How many arrays are there, and how long is each?",
        r"\bbytes\b",
    )


def blocks_by_shared_memory(k: Kernel) -> Question:
    need = k.launches[0]["dynamic_shared_bytes"]
    value = k.launches[0]["occupancy"]["blocks_per_multiprocessor"]
    held = 2048 // k.threads
    return Question(
        "registers and occupancy",
        f"A multiprocessor has {SHARED_BYTES // 1024} KiB of shared memory and keeps 1 KiB of it for each block "
        "in addition to what the block requests. How many blocks of the reference fit?",
        value,
        total(product((SHARED_BYTES, "bytes"), (-(need + 1024), f"bytes per block, {need} and 1024")), rounding="down"),
        slips(
            (value + 1, "the last one no longer fits: a block is resident as a whole"),
            (SHARED_BYTES // need, "this leaves out the additional 1 KiB of each block"),
            (held, "that number fits by its threads, but shared memory is the tighter limit"),
            (32, "that is the limit of an SM, but shared memory runs out first"),
            (SHARED_BYTES // (need // k.element_bytes + 1024), "an element has more than one byte"),
            (value * 132, "that is the whole device; the question is about one multiprocessor"),
        ),
        "What does one block take of the 228 KiB?",
        r"\bblocks?\b",
    )


def blocks_by_registers(k: Kernel) -> Question:
    used = k.row["compiled"]["registers"]
    kept = math.ceil(used / 8) * 8
    value = k.row["compiled"]["blocks_per_multiprocessor"]
    return Question(
        "registers and occupancy",
        f"A multiprocessor has {REGISTERS} registers, and gives them to threads in eights. A thread of the reference "
        f"uses {used}. How many of these blocks fit?",
        value,
        total(
            product(
                (REGISTERS, "registers"), (-kept, f"per thread, {used} in eights"), (-k.threads, "threads per block")
            ),
            rounding="down",
        ),
        slips(
            (REGISTERS / (kept * k.threads), "a block comes as a whole, or not at all"),
            (REGISTERS // (used * k.threads), "a thread gets its registers in eights, so more than it uses"),
            (value + 1, "the last one no longer fits: a block is resident as a whole"),
            (2048 // k.threads, "that number fits by its threads, but registers are the tighter limit"),
            (REGISTERS // (32 * k.threads), "that is with 32 registers per thread; this one uses more"),
            (REGISTERS // kept, "those are threads; how many blocks do they make?"),
            (REGISTERS // (kept * WARP), "those are warps; how many blocks do they make?"),
            (2, "that is what `__launch_bounds__` demands for blocks of 512 threads; these are of another size"),
        ),
        "How many registers does one block take?",
        r"\bblocks?\b",
    )
