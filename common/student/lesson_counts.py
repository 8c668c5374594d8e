"""The counts in the folded answers of the lessons, as the programs count them:

    python3 -m student.lesson_counts [--check] [--programs build/bin]

writes them into lesson_counts.json next to this file, where the markers of the pages find them. With --check, it only
reports if they are stale. Exit status: 0; with --check, 1 if they are stale.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from book import manifest, processes
from student import questions
from student.counted import LOAD_REQUESTS, LOAD_SECTORS, Kernel, Report
from student.reckoning import Question

RECORD = pathlib.Path(__file__).with_name("lesson_counts.json")
Counts = dict[str, dict[str, float]]

# The arguments of the chapter's program for the answers in each lesson.
ASKED: dict[str, tuple[int, str]] = {
    "chapter1": (1, "--count 2^16"),
    "chapter1_512": (1, "--count 2^16 --block-size 512"),
    "chapter2": (2, "--count 2^16"),
    "chapter2_512": (2, "--count 2^16 --block-size 512"),
    "chapter3": (3, "--count 2^16"),
    "chapter5_1024": (5, "--count 2^16 --block-size 1024"),
    "chapter7": (7, "--count 2^20"),
    "chapter8": (8, "--count 2^22"),
    "chapter9": (9, "--count 2^16"),
    "chapter9_96_floats": (9, "--count 2^16 --block-size 96 --type float"),
    "chapter10": (10, "--count 4096 --type float"),
    "chapter11": (11, "--count 4096 --type double"),
    "chapter13": (13, "--count 2^16 --type float"),
    "chapter15": (15, "--count 2^15"),
    "chapter16": (16, "--count 2^14 --gpus 4"),
}


def counted(programs: pathlib.Path) -> Counts:
    """Returns the counts of the current programs: the answers to each chapter's questions, and the loads of the
    previous chapter's kernel."""
    found: Counts = {}
    chapters = manifest.load()
    for name, (number, words) in ASKED.items():
        command = [str(programs / f"chapter{number}"), "--device", "emulator", *words.split(), "--json", "-"]
        made: Report = json.loads(processes.run_captured(command).stdout)
        asked = questions.of(chapters[number], made).items()
        found[name] = {key: round(one.value, 4) for key, one in asked if isinstance(one, Question)}
        if any(row["role"] == "previous" and row["launches"] for row in made["kernels"]):
            before = Kernel(made, "previous")
            found[name]["requests_before"] = before.count(LOAD_REQUESTS)
            found[name]["sectors_before"] = before.count(LOAD_SECTORS)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m student.lesson_counts")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a count is stale")
    parser.add_argument("--programs", type=pathlib.Path, default=manifest.ROOT / "build/bin")
    args = parser.parse_args(arguments)
    text = json.dumps(counted(args.programs.resolve()), indent=1, sort_keys=True) + "\n"
    stale = not RECORD.exists() or RECORD.read_text(encoding="utf-8") != text
    if stale and args.check:
        print(f"{RECORD} is stale: python3 -m student.lesson_counts writes it again", file=sys.stderr)
        return 1
    if stale:
        RECORD.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
