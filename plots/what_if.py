#!/usr/bin/env python3
"""What would happen if: the time that is predicted for a chapter's kernel in blocks of other sizes, and with more
elements per thread. `make whatif7` draws yours, and `ARGS="--kernel reference"` the reference:

    python3 -m plots.what_if --program build/bin/chapter7 [--record FILE] [--out FOLDER] [--kernel ROLE] [--count 2^24]

runs the chapter's program on the emulator, several times. Exit status: 0; 1 there is nothing to draw.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import re
import sys
import typing

from book import manifest, processes, records
from book.records import BadData

BLOCK_SIZES = (32, 64, 128, 256, 512, 1024)
FEWER = (1, 4, 16, 64)  # each run is repeated with its number of elements divided by these


def run(program: pathlib.Path, kernel: str, count: int, block_size: int) -> dict[str, typing.Any]:
    """Returns the program's report on one kernel. Raises BadData."""
    words = ["--device", "emulator", "--profile", *([kernel] if kernel else []), "--count", str(count)]
    command = [str(program), *words, "--block-size", str(block_size), "--json", "-"]
    done = processes.run_captured(command)
    try:
        report: dict[str, typing.Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise BadData(f"{program} gave no report on blocks of {block_size} threads:\n{done.stderr}") from error
    return report


def row_of(report: dict[str, typing.Any]) -> dict[str, typing.Any] | None:
    """Returns the data that is drawn for one run, or None if it has no time. Raises BadData if the kernel is wrong."""
    kernel = report["kernels"][0]
    if kernel["failure"] or kernel["findings"] or (kernel["launches"] and not kernel["verified"]):
        raise BadData(
            f"{kernel['name']} is wrong or unsafe, as `make chapter{report['chapter']}` shows. Its time would mean "
            "nothing."
        )
    predicted = kernel.get("predicted", {})
    if "us" not in predicted:
        return None
    first = kernel["launches"][0]
    count, block_size = report["input"]["count"], report["input"]["block_size"]
    return {
        "block_size": block_size,
        "count": count,
        "per_thread": round(count / (math.prod(first["grid"]) * math.prod(first["block"])), 3),
        "us": round(predicted["us"], 3),
        "alone_us": {
            name: round(us, 3) for name, us in {**predicted["terms"], "launches": predicted["launch_us"]}.items()
        },
    }


def refuse_studies(program: pathlib.Path) -> None:
    """Raises BadData for a chapter that isn't a step of the ladder."""
    number = re.search(r"chapter(\d+)$", program.name)
    chapter = manifest.load().get(int(number[1])) if number else None
    if chapter is not None and chapter.kind != "ladder":
        raise BadData(
            f"chapter {chapter.number} sets kernels side by side that do not sum up one input; there is no such "
            f"picture of it. `make profile{chapter.number}` predicts the time of one."
        )


def made(program: pathlib.Path, kernel: str, count: int) -> dict[str, typing.Any]:
    """Returns the record of all runs. Raises BadData."""
    refuse_studies(program)
    rows = []
    for block_size in BLOCK_SIZES:
        for fewer in FEWER:
            report = run(program, kernel, count // fewer, block_size)
            row = row_of(report)
            if row:
                rows.append(row)
                gpu = report["kernels"][0]["predicted"]["gpu"]
    if not rows:
        raise BadData(f"{program} predicts no time for this kernel: run it with `--profile` to see why.")
    subject = report["kernels"][0]
    return {
        "schema": 1,
        "provenance": {"device": f"predicted for {gpu}", "command": "python3 -m plots.what_if"},
        "kernel": subject["name"],
        "chapter": report["chapter"],
        "role": subject["role"],
        "type": report["input"]["type"],
        "what_if": rows,
    }


def text_of(record: dict[str, typing.Any]) -> str:
    """Returns the record as JSON, with one line per run."""
    head = json.dumps({key: value for key, value in record.items() if key != "what_if"})
    return head[:-1] + ', "what_if": [\n' + ",\n".join(map(json.dumps, record["what_if"])) + "\n]}\n"


def count_of(text: str) -> int:
    """Returns a number of elements. Raises BadData if the text isn't one, or if it is too small to be divided."""
    try:
        count = records.count_of(text)
    except ValueError:
        count = 0
    if count < 1024 * FEWER[-1]:
        raise BadData(f"--count {text}: give a number of elements from {1024 * FEWER[-1]}, such as 2^24")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plots.what_if", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--kernel", default="", help="a name or a role: reference, previous, library")
    parser.add_argument("--count", default="2^24", help="elements")
    parser.add_argument("--record", type=pathlib.Path, help="where the figures go, as JSON")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE", help="is this record today's?")
    parser.add_argument("--out", type=pathlib.Path, help="the folder for the picture")
    args = parser.parse_args()
    try:
        record = made(args.program, args.kernel, count_of(args.count))
        if args.check:
            if args.check.read_text(encoding="utf-8") == text_of(record):
                return 0
            raise BadData(f"{args.check} is out of date: run `make figures` to record it again.")
        if args.record:
            args.record.write_text(text_of(record), encoding="utf-8")
        if args.out:
            from plots import data_of_time, figures, plots, style  # imported here, because a record needs no matplotlib

            style.apply()
            data = data_of_time.what_if_of(dict(record, file=args.program.name))
            path = args.out / f"what_if{record['chapter']}"
            style.save(figures.drawn("what_if", data), path, plots.key(data), "What would happen if")
            print(f"{record['kernel']} ({record['role']}): {path}.svg and {path}.png")
    except (BadData, OSError) as error:
        print(f"what_if: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
