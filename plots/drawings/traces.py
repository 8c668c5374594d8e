"""Runs a chapter on the emulator with a trace, and reads the trace: which lanes touched which words, in what order."""

from __future__ import annotations

import json
import os
import pathlib
import re
import tempfile
import typing

from book import processes

WARP = 32
# The kinds of steps in a trace that drawings show.
DRAWN = ("load", "store", "atomic", "shuffle", "barrier", "warp barrier")


class Failure(Exception):
    """Raised with a message for the console."""


class Event(dict[str, typing.Any]):
    """One event of the trace; `lanes` and `at` correspond element by element."""

    def words(self, base: int = 0) -> list[tuple[int, int]]:
        """Returns (lane, index of the word) for each lane of an access."""
        return [(lane, (at - base) // 4) for lane, at in zip(self["lanes"], self["at"])]


class Launch:
    """One launch of a kernel, with the events of its first blocks."""

    def __init__(self, record: dict[str, typing.Any]) -> None:
        self.kernel, self.grid, self.block = record["kernel"], record["grid"], record["block"]
        self.events = [Event(event) for event in record["events"] if event["what"] in DRAWN]

    def of(
        self, what: str | None = None, space: str | None = None, block: int = 0, warp: int | None = None
    ) -> list[Event]:
        """Returns the events of a block, in order, filtered by the arguments."""
        return [
            e
            for e in self.events
            if e["block"] == block
            and (what is None or e["what"] == what)
            and (space is None or e.get("space") == space)
            and (warp is None or e["warp"] == warp)
        ]

    def base(self) -> int:
        """Returns the lowest address that is loaded from global memory."""
        events = (e for e in self.events if e.get("space") == "global" and e["what"] == "load")
        return min(int(at) for e in events for at in e["at"])

    def steps(self) -> list[list[Event]]:
        """Returns the first block's events in groups that end with a barrier, of the block or of a warp."""
        groups: list[list[Event]] = []
        group: list[Event] = []
        for event in self.of():
            if event["what"] in ("barrier", "warp barrier"):
                groups.append(group)
                group = []
            else:
                group.append(event)
        return [*groups, group]


def run(programs: pathlib.Path, number: int, *arguments: str, gpu: str = "h200") -> list[Launch]:
    """Returns the launches of `chapterN ARGUMENTS` on the emulator, as `gpu`, in order. Raises Failure."""
    program = pathlib.Path(programs) / f"chapter{number}"
    if not program.exists():
        raise Failure(f"{program} is not built; `make drawings` builds it")
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.jsonl"
        command = [str(program), "--device", "emulator", *arguments]
        done = processes.run_captured(
            command,
            env={**os.environ, "EMULATOR_TRACE_FILE": str(trace), "EMULATOR_HOST_THREADS": "1", "EMULATOR_GPU": gpu},
        )
        # Status 1: the user's own kernel is wrong. The references, which are drawn, have run anyway.
        if done.returncode not in (0, 1) or not trace.exists():
            raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return [Launch(json.loads(line)) for line in trace.read_text(encoding="utf-8").splitlines()]


def first(launches: list[Launch], pattern: str, block: int | None = None) -> Launch:
    """Returns the first launch whose kernel matches the pattern. Raises Failure."""
    for launch in launches:
        if re.search(pattern, launch.kernel) and (block is None or launch.block[0] == block):
            return launch
    raise Failure(
        f"no launch of a kernel '{pattern}' in the trace; there are "
        + ", ".join(sorted({launch.kernel for launch in launches}))
    )
