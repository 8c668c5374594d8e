#!/usr/bin/env python3
"""Records how far sums are from the exact one, by the order of additions: record_errors.py BUILD/BIN OUT.json

Runs chapters 0 and 12 on the emulator, with one host thread, so that the figures are the same on every machine.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import typing

TYPE = "float"
COUNTS = [2**k for k in range(8, 21, 2)]
# Each order of additions, and the row that has it: (chapter, name of the row).
ORDERS = {
    "one after the other": (0, "reduce_single_thread"),
    "atomics, a thread each": (12, "atomic a thread"),
    "threads, then trees": (12, "reduce_last_block"),
    "pairwise: one tree": (12, "pairwise (chapter 6)"),
    "compensated": (12, "compensated"),
}


def rows(programs: pathlib.Path, chapter: int, count: int) -> dict[str, dict[str, typing.Any]]:
    """Returns the chapter's kernels by name, except the student's."""
    options = f"--device emulator --type {TYPE} --count {count} --json -"
    command: list[str | pathlib.Path] = [programs / f"chapter{chapter}", *options.split()]
    one_thread = {**os.environ, "EMULATOR_HOST_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=one_thread)
    return {k["name"]: k for k in json.loads(done.stdout)["kernels"] if k["role"] != "yours"}


def main(programs: str, out: str) -> None:
    orders = []
    for count in COUNTS:
        seen = {chapter: rows(pathlib.Path(programs), chapter, count) for chapter in (0, 12)}
        for order, (chapter, name) in ORDERS.items():
            row = seen[chapter][name]
            orders.append(
                {
                    "order": order,
                    "kernel": name,
                    "chapter": chapter,
                    "count": count,
                    "error": row["error"],
                    "bound": row["bound"],
                }
            )
    provenance = {"device": "the emulator, one host thread", "command": "python3 plots/record_errors.py build/bin FILE"}
    record = {"provenance": provenance, "type": TYPE, "orders": orders}
    pathlib.Path(out).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
