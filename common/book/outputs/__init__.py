"""Keeps the generated parts of Markdown pages true: what programs print, tables of records, diffs of kernels.

Each module makes one kind of part from what stands in its marker (see book.markers); __main__ is the command.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import pathlib


class Failure(Exception):
    """A message for the reader of the console."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a part is made from, besides its marker."""

    page: pathlib.Path
    programs: pathlib.Path  # the folder of the built programs
    data: pathlib.Path  # the folder of the measured records
    counters: pathlib.Path  # the folder of the counters that Nsight Compute read


def table(head: collections.abc.Sequence[str], rows: collections.abc.Iterable[collections.abc.Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
