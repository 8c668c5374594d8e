"""Questions about memory traffic: requests, sectors, bytes."""

from __future__ import annotations

import math

from student.counted import (
    ARRAY,
    LOAD_REQUESTS,
    LOAD_SECTORS,
    LOCAL_LOADS,
    LOCAL_STORES,
    SECTOR_BYTES,
    STORE_SECTORS,
    VECTOR_BYTES,
    WARP,
    Kernel,
)
from student.reckoning import Question, one, product, shown, slips, total


def wide_requests(k: Kernel) -> Question:
    value = k.count(LOAD_REQUESTS)
    other = VECTOR_BYTES // k.other_bytes
    return Question(
        "coalescing",
        f"How many load requests go to global memory in the first pass over all {k.n} elements of type {k.type}?",
        value,
        total(product((k.n, "elements"), (-k.per_vector, "per load of 16 bytes"), (-WARP, "lanes per request"))),
        slips(
            (k.n / WARP, "that is chapter 7: one element per lane; here a lane asks for 16 bytes at once"),
            (k.n / k.per_vector, "those are the loads of lanes; the 32 of a warp make one request"),
            (k.n / other / WARP, f"{k.size_in_words}; how many are in 16?"),
            (k.n / (16 * WARP), "16 is the number of bytes, not of elements"),
            (value / 2, "a thread has two loads in flight, but each is a separate request"),
            (2 * value, "a thread has two loads in flight, and they load different elements"),
            (k.count(LOAD_SECTORS), "those are the sectors; one request touches several"),
        ),
        "How many elements does a lane get at once, and how many lanes share a request?",
        r"\brequests?\b",
    )


def sectors(k: Kernel) -> Question:
    value = k.count(LOAD_SECTORS)
    requests = k.count(LOAD_REQUESTS)
    return Question(
        "coalescing",
        f"How many sectors do the loads of the first pass touch, over all {k.n} elements of type {k.type}?",
        value,
        total(product((k.n, "elements"), (k.element_bytes, "bytes each"), (-SECTOR_BYTES, "bytes per sector"))),
        slips(
            (4 * requests, "four sectors per request are 4 bytes per lane; here a lane gets 16"),
            (8 * requests, "eight sectors per request are 8 bytes per lane; here a lane gets 16"),
            (requests, "those are the requests; each touches several sectors"),
            (k.n * k.other_bytes / SECTOR_BYTES, k.size_in_words),
            (k.n / SECTOR_BYTES, "a sector has 32 bytes, not 32 elements"),
            (k.n * k.element_bytes, "those are the bytes"),
            (k.n * k.element_bytes / 128, "those are lines of 128 bytes; a sector is a quarter of one"),
        ),
        "How many bytes are there, and how many has a sector?",
        r"\bsectors?\b",
    )


def local_accesses(k: Kernel) -> Question:
    k = k.other("previous")
    loads, stores = k.per_warp(LOCAL_LOADS), k.per_warp(LOCAL_STORES)
    fill = ARRAY * k.element_bytes / VECTOR_BYTES
    value = loads + stores
    return Question(
        "coalescing",
        f"A thread fills its array of {ARRAY} elements of type {k.type}, 16 bytes at a time; then it reads and "
        f"rewrites {shown(loads)} elements. How many loads from and stores to local memory are that per warp, in the "
        f"row `{k.name}`?",
        value,
        total(
            product(
                (ARRAY, "elements"), (k.element_bytes, "bytes each"), (-VECTOR_BYTES, "bytes per store, to fill it")
            ),
            one(loads, "elements read"),
            one(stores - fill, "elements rewritten"),
        ),
        slips(
            (loads * 2, "the array has to be filled first, and those are stores, too"),
            (loads * 2 + ARRAY, "the array is filled 16 bytes at a time, not one element at a time"),
            (
                loads * 2 + ARRAY * k.other_bytes / VECTOR_BYTES,
                f"{k.size_in_words}; how many stores of 16 fill the array?",
            ),
            (loads + fill, "each element that is read is rewritten, too"),
            (loads, "those are the loads; what about the stores?"),
            (stores, "those are the stores; what about the loads?"),
            (value * WARP, "that counts lanes; a warp executes an instruction once"),
            (value * k.warps_per_block, "that is the count of a block; the question is about a warp"),
            (value + loads, "an element that is rewritten is read once and written once"),
        ),
        "How many stores fill the array? And then: what does each of the accesses read and write?",
        r"\blocal (loads|stores|memory)\b|\baccesses\b",
    )


def requests_of_both(k: Kernel) -> Question:
    """For chapter 11: the rows of a large and of a small array, both of which are read by loads of 16 bytes."""
    base = k.other("previous", "base")
    terms = round(base.count(LOAD_REQUESTS) / (k.n / WARP) / 2)
    at_work = k.n / k.per_vector / WARP
    value = k.count(LOAD_REQUESTS)
    small, rest = terms // k.per_vector, terms % k.per_vector
    other = VECTOR_BYTES // k.other_bytes
    return Question(
        "coalescing",
        f"How many load requests does the reference have, with both loads wide, {k.n} points and {terms} terms of type "
        f"{k.type}?",
        value,
        total(
            product((at_work, f"warps, {k.per_vector} points per lane"), (terms, "loads of `big`")),
            product((at_work, "warps"), (small, f"loads of `small`, {k.per_vector} terms each")),
            product((at_work, "warps"), (rest, "odd term of `small`")),
        ),
        slips(
            (base.count(LOAD_REQUESTS), "that is the base version; here a lane gets 16 bytes at once"),
            (at_work * terms, "those are the loads of `big`; `small` has to be loaded, too"),
            (
                at_work * (terms + small),
                f"{terms} terms aren't a multiple of {k.per_vector}: one is left, and it is loaded alone",
            ),
            (2 * at_work * terms, "`small` is read 16 bytes at a time, too: several terms with one load"),
            (k.n / WARP * (terms + small + rest), "a lane takes several points at once, so fewer warps have work"),
            (k.n / WARP * (terms + small), "a lane takes several points at once, so fewer warps have work"),
            (k.n / other / WARP * (terms + terms // other + terms % other), f"{k.size_in_words}; how many are in 16?"),
            (terms + small + rest, "those are the loads of one warp; the question is about all"),
        ),
        "How many warps have work? How often does each load from `big`, and how often from `small`?",
        r"\brequests?\b|\bwarps\b",
    )


def requests_of_one_launch(k: Kernel) -> Question:
    value = k.count(LOAD_REQUESTS)
    mine = k.n / k.per_vector / WARP
    return Question(
        "coalescing",
        f"How many load requests does the launch have, over {k.n} elements of type {k.type} in "
        f"{shown(k.blocks)} blocks?",
        value,
        total(
            product((k.n, "elements"), (-k.per_vector, "per load of 16 bytes"), (-WARP, "lanes per request")),
            one(math.ceil(k.blocks / WARP), f"by the last block, for {shown(k.blocks)} results, one per lane"),
        ),
        slips(
            (mine, "the last block reads, too: what all blocks have left"),
            (mine + k.blocks, "the last block reads one result per lane, so 32 with one request"),
            (mine + 1, "one request of the last block brings 32 results; there are more"),
            (k.n / WARP, "a lane asks for 16 bytes at once"),
            (k.n / WARP + math.ceil(k.blocks / WARP), "a lane asks for 16 bytes at once"),
            (
                mine + math.ceil(k.blocks / k.per_vector / WARP),
                "the last block reads its results one by one, not 16 bytes at once",
            ),
        ),
        "How many requests bring the elements, and how many bring the blocks' results?",
        r"\brequests?\b",
        0.0005,
    )


def bytes_of_passes(k: Kernel) -> Question:
    k = k.other("previous")
    moved_sectors = sum(launch["counters"][LOAD_SECTORS] + launch["counters"][STORE_SECTORS] for launch in k.launches)
    moved = moved_sectors * SECTOR_BYTES / k.n
    size = k.element_bytes
    written = size if k.type in ("float", "double") else 4
    return Question(
        "coalescing",
        f"How many bytes per element do the three passes of the row `{k.name}` load and store together, for scores "
        f"of type {k.type}, within 2 %?",
        moved,
        total(
            product((3, "passes that load the scores,"), (size, "bytes")),
            product((1, "pass that stores the probabilities,"), (written, "bytes")),
            one(moved - 3 * size - written, "for the maxima and sums of rows, which every warp of a block loads"),
        ),
        slips(
            (3 * size, "those are the loads; the probabilities have to be stored, too"),
            (size + written, "that is what one pass needs; here each of the three loads the scores"),
            (3 * (size + written), "only the last pass stores something for each element"),
            (2 * size + written, "each of the three passes loads the scores, the last one, too"),
            (4, "those are arrays; how many bytes has an element?"),
        ),
        "Which passes load the scores, and what do they store?",
        r"\bbytes\b",
        0.02,
    )


def requests_of_softmax(k: Kernel) -> Question:
    value = k.count(LOAD_REQUESTS)
    per_vector = k.n / k.per_vector / WARP
    return Question(
        "coalescing",
        f"The reference loads a score per lane and step, in rows of 1024. How many load requests to global memory does "
        f"it have for {k.n} scores of type {k.type}?",
        value,
        total(product((k.n, "scores"), (-WARP, "lanes per request"))),
        slips(
            (3 * value, "that is three readings; after the first one the scores are in shared memory"),
            (2 * value, "it reads no score a second time: they are in shared memory"),
            (k.n, "those are the loads of lanes; the 32 of a warp make one request"),
            (per_vector, "a lane loads one score at a time, not 16 bytes"),
            (k.count(LOAD_SECTORS), "those are the sectors; one request touches several"),
            (1024 / WARP, "that is for one row"),
        ),
        "How often is a score loaded, and how many lanes share a request?",
        r"\brequests?\b",
    )


def requests_of_long_segments(k: Kernel) -> Question:
    """For chapter 15: a warp reads 32 neighbouring elements of a segment at a time."""
    length = 8192
    segments = math.ceil(k.n / length)
    value = k.other("compared", "a warp each", f"{length} elements each").count(LOAD_REQUESTS)
    for_elements = math.ceil(k.n / WARP)
    return Question(
        "coalescing",
        f"{k.n} elements are in segments of {length}; a warp looks through each, 32 neighbouring elements at a time. "
        "It also loads where its segment begins and where it ends, all lanes the same number. How many load requests "
        "are that for all segments together?",
        value,
        total(
            one(for_elements, "of 32 elements, or of the rest of a segment"),
            product((segments, "segment" if segments == 1 else "segments"), (2, "offsets")),
        ),
        slips(
            (for_elements, "the offsets are loaded, too"),
            (for_elements + segments, "a segment needs two offsets: where it begins and where it ends"),
            (for_elements + 2 * WARP * segments, "all lanes load the same offset with one request"),
            (k.n + 2 * segments, "the 32 lanes of a warp make one request"),
            (k.n, "the 32 lanes of a warp make one request"),
            (min(length, k.n) / WARP + 2, "that is for one segment"),
        ),
        "How many elements does one request load, and what else does a warp load?",
        r"\brequests?\b",
    )
