"""Keeps the generated parts of Markdown pages up to date: program output, tables of records, diffs of kernels.

Each module makes one kind of part from its marker (see book.markers); __main__ is the command.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import pathlib
import typing

from book import processes, records

TIMEOUT_S = 240

# Functions that make tables, figures or sources, by their names in markers. They receive a record, whose field "file"
# is its file name, and the remaining arguments of the marker.
Makers = dict[str, collections.abc.Callable[..., str]]


class Failure(Exception):
    """An error; its text is a message for the console."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a part is made from, in addition to its marker."""

    page: pathlib.Path
    programs: pathlib.Path  # the folder of the built programs
    data: pathlib.Path  # the folder of the measured records
    counters: pathlib.Path  # the folder of the counters that Nsight Compute has read


def table(head: collections.abc.Sequence[str], rows: collections.abc.Iterable[collections.abc.Sequence[str]]) -> str:
    """Returns a Markdown table. The first column is text, and the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def ran(
    command: collections.abc.Sequence[str | pathlib.Path], name: str, wanted: int = 0, **more: typing.Any
) -> processes.Done:
    """Runs a program. Raises Failure if its exit status isn't `wanted`. `name` is the program's name in the message."""
    done = processes.run_captured(command, timeout=TIMEOUT_S, **more)
    if done.returncode != wanted:
        raise Failure(f"{name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def source(record: records.Record, how: str, with_host: bool = False) -> str:
    """Returns the line below a table: the source of its figures, and how they were measured."""
    return f"{records.measured_on(record, with_host)}: {how} (`plots/data/{record['file']}`)."
