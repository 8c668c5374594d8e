"""The commands for one exercise: take a hint, compare with the reference, start over."""

from __future__ import annotations

import difflib
import os
import pathlib
import re
import shutil
import sys
import time

from book import exercises
from book.screen import reflowed, say
from student.workbook import Workbook


def hint(book: Workbook, number: int) -> int:
    """Shows the hints that have been taken so far, and one more."""
    text = (book.exercise(number).parent / "hints.md").read_text(encoding="utf-8")
    hints = [part.strip() for part in re.split(r"^## Hint \d+\n", text, flags=re.M)[1:]]
    page = book.notebook.of(number)
    seen = min(page.get("hints", 0) + 1, len(hints))
    for k, words in enumerate(hints[:seen], start=1):
        print(f"Hint {k} of {len(hints)}", "", *reflowed(words), "", sep="\n")
    if page.get("hints", 0) >= len(hints):
        say(f"These are all. `make diff{number}` compares your kernel with the reference.")
    page["hints"] = seen
    book.notebook.save()
    return 0


def may_be_shown(book: Workbook, number: int) -> bool:
    """Returns true if the reference may be shown. If the kernel does not pass yet, asks the student."""
    if book.judge(number)["verdict"] == "done" or book.notebook.of(number).get("solution_shown"):
        return True
    if not sys.stdin.isatty():
        say(f"Your kernel of chapter {number} does not pass yet. `make diff{number} ARGS=--yes` shows the reference.")
        return False
    answer = input("Your kernel does not pass yet. Show the reference anyway? [y/N] ")
    return answer.strip().lower() == "y"


def diff(book: Workbook, number: int, yes: bool = False) -> int:
    """Shows the differences between the student's kernel and the reference."""
    if not yes and not may_be_shown(book, number):
        return 1
    book.notebook.of(number)["solution_shown"] = True
    book.notebook.save()
    mine = exercises.exercise_text(book.chapter(number), book.root).split("\n")
    reference = book.reference(number).split("\n")
    lines = list(difflib.unified_diff(mine, reference, "yours", "reference", lineterm=""))
    print("\n".join(lines) if lines else "Your kernel is identical to the reference.")
    return 0


def unused_name(path: pathlib.Path) -> pathlib.Path:
    """Returns an unused name next to `path` for a backup of it."""
    now, k = time.strftime("%Y%m%d-%H%M%S"), 1
    backup = path.with_name(f"{path.name}.{now}.bak")
    while backup.exists():
        k += 1
        backup = path.with_name(f"{path.name}.{now}-{k}.bak")
    return backup


def is_as_given(book: Workbook, number: int) -> bool:
    try:
        return not book.touched(number)
    except exercises.Unreadable:  # a file that isn't text can be backed up, too
        if book.exercise(number).is_dir():
            raise
        return False


def reset(book: Workbook, number: int) -> int:
    """Replaces the exercise by its starting text, and keeps the student's version next to it. The old file is replaced
    only after the new one is complete and the backup is written."""
    path = book.exercise(number)
    if is_as_given(book, number):
        say(f"{path.relative_to(book.root)} is as the chapter gave it.")
        return 0
    new, backup, kept = path.with_name(f"{path.name}.{os.getpid()}.tmp"), unused_name(path), path.exists()
    try:
        new.write_text(exercises.start_text(book.chapter(number), book.root), encoding="utf-8")
        if kept:
            shutil.copy2(path, backup)
    except OSError:
        new.unlink(missing_ok=True)
        backup.unlink(missing_ok=True)
        raise
    new.replace(path)
    where = f" Your version is in {backup.name} next to it." if kept else ""
    say(f"{path.relative_to(book.root)} is as the chapter gave it.{where}")
    return 0
