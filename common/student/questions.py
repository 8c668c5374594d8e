"""Questions about the counts and times of a chapter, for `make predictN`. The answers are not stored, but computed from
a report of the chapter's program. The manifest lists each chapter's questions by their names in QUESTIONS and TIMED."""

from __future__ import annotations

import collections.abc
import inspect
import typing

from book.manifest import Chapter
from student import (
    asked_of_blocks,
    asked_of_links,
    asked_of_memory,
    asked_of_room,
    asked_of_time,
    asked_of_trees,
    asked_of_warps,
)
from student.choice import Choice
from student.counted import Kernel, Report
from student.failure import Failure
from student.reckoning import Question, shown

# All functions of these modules that return a Question, by name.
QUESTIONS: dict[str, collections.abc.Callable[[Kernel], Question]] = {
    name: ask
    for module in (asked_of_blocks, asked_of_links, asked_of_memory, asked_of_room, asked_of_trees, asked_of_warps)
    for name, ask in inspect.getmembers(module, inspect.isfunction)
    if ask.__module__ == module.__name__ and typing.get_type_hints(ask).get("return") is Question
}

# Questions that need a report with predicted times for a larger input. asked_of_time.words_of returns the arguments for
# this report.
TIMED: dict[str, collections.abc.Callable[[Kernel], Choice | None]] = {"limit": asked_of_time.limit}


def of(chapter: Chapter, report: Report, timed: Report | None = None) -> dict[str, Question | Choice]:
    """Returns the questions of a chapter by name, with answers from the reports. Questions about times are left out if
    `timed` is missing or if the model predicts no time. Raises Failure."""
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
    """Returns a sentence on the kernel and the input that the questions are about."""
    given = report["input"]
    shape = given.get("block_shape") or [given["block_size"]]
    power = given["count"].bit_length() - 1
    as_power = f", which is 2^{power}" if given["count"] == 2**power else ""
    on = f", on {given['gpus']} GPUs" if given.get("gpus") else ""
    return (
        f"The reference kernel of chapter {report['chapter']}, {shown(given['count'])} elements of type "
        f"{given['type']}{as_power}, blocks of {' x '.join(map(str, shape))} threads{on}."
    )
