"""Questions on the counts and times of a chapter, for `make predictN`. The answers are computed from a report of the
chapter's program, never stored. Which questions a chapter asks stands in the manifest, by the names of QUESTIONS and
TIMED."""

from __future__ import annotations

import collections.abc

from book.manifest import Chapter
from book.student import (
    asked_of_blocks,
    asked_of_links,
    asked_of_memory,
    asked_of_room,
    asked_of_time,
    asked_of_trees,
    asked_of_warps,
)
from book.student.choice import Choice
from book.student.counted import Kernel, Report
from book.student.failure import Failure
from book.student.reckoning import Maker, Question, shown

QUESTIONS: dict[str, Maker] = {
    ask.__name__: ask
    for ask in (
        asked_of_blocks.instructions,
        asked_of_blocks.blocks,
        asked_of_blocks.warps,
        asked_of_blocks.launches,
        asked_of_trees.barriers,
        asked_of_trees.barriers_before_last_warp,
        asked_of_trees.additions,
        asked_of_trees.conflicts,
        asked_of_trees.passes,
        asked_of_blocks.loads,
        asked_of_trees.shared_stores,
        asked_of_trees.stores_until_last_warp,
        asked_of_trees.warp_waits,
        asked_of_blocks.block_starts,
        asked_of_blocks.grid_that_fits,
        asked_of_blocks.turns,
        asked_of_memory.wide_requests,
        asked_of_memory.sectors,
        asked_of_warps.shuffles,
        asked_of_warps.shared_accesses,
        asked_of_memory.local_accesses,
        asked_of_room.shared_bytes,
        asked_of_room.blocks_by_shared_memory,
        asked_of_memory.requests_of_both,
        asked_of_room.blocks_by_registers,
        asked_of_warps.atomics,
        asked_of_warps.barriers_of_launch,
        asked_of_memory.requests_of_one_launch,
        asked_of_memory.bytes_of_passes,
        asked_of_memory.requests_of_pipeline,
        asked_of_warps.shuffles_of_tree,
        asked_of_warps.accesses_of_one_warp,
        asked_of_warps.warps_of_short_segments,
        asked_of_memory.requests_of_long_segments,
        asked_of_links.bytes_through_busiest_port,
        asked_of_links.launches_of_ring,
    )
}

# Questions on a report of a larger input, with predicted times: asked_of_time.words_of says how to get one.
TIMED: dict[str, collections.abc.Callable[[Kernel], Choice | None]] = {"limit": asked_of_time.limit}


def of(chapter: Chapter, report: Report, timed: Report | None = None) -> dict[str, Question | Choice]:
    """Returns the questions of a chapter by name, with the answers that the reports give; without `timed`, and where
    the model gives no time, without those on times. Raises Failure."""
    unknown = sorted(set(chapter.predict) - set(QUESTIONS) - set(TIMED))
    if unknown:
        raise Failure(
            f'chapters.json, chapter {chapter.number}: "predict" names {", ".join(unknown)}, but there is no such '
            f"question. There are: {', '.join(sorted([*QUESTIONS, *TIMED]))}"
        )
    kernel = Kernel(report)
    found: dict[str, Question | Choice] = {
        name: QUESTIONS[name](kernel) for name in chapter.predict if name in QUESTIONS
    }
    for name in chapter.predict:
        if name in TIMED and timed is not None and (question := TIMED[name](Kernel(timed))) is not None:
            found[name] = question
    return found


def setting(report: Report) -> str:
    """The sentence that says what is asked about."""
    given = report["input"]
    shape = given.get("block_shape") or [given["block_size"]]
    power = given["count"].bit_length() - 1
    as_power = f", which is 2^{power}" if given["count"] == 2**power else ""
    on = f", on {given['gpus']} GPUs" if given.get("gpus") else ""
    return (
        f"The reference kernel of chapter {report['chapter']}, {shown(given['count'])} elements of type "
        f"{given['type']}{as_power}, blocks of {' x '.join(map(str, shape))} threads{on}."
    )
