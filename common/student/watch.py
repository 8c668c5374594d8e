"""Builds and tests a chapter whenever its exercise is saved; single keys give a hint or name the next chapter."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from book.screen import say
from student.exercise import hint
from student.keys import Keys
from student.progress import next_chapter
from student.workbook import Workbook


def version_of(path: pathlib.Path) -> tuple[int, ...] | None:
    """Returns a value that changes each time the file is saved, even if an editor writes a new file and renames it;
    None if the file doesn't exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def answer(book: Workbook, number: int) -> None:
    """Builds and tests a chapter. All output goes to the screen unchanged."""
    complaint = book.complaint_of_build(number)
    if complaint is not None:
        print(complaint, flush=True)
        return
    command = [book.program(number), "--test"]
    subprocess.run(command, check=False, cwd=book.root, stdin=subprocess.DEVNULL)


def watch(book: Workbook, number: int, rounds: int = 0) -> int:
    """Watches until q is pressed. `rounds` is the number of saves to react to, for tests; 0 means no limit."""
    path, answered = book.exercise(number), 0
    seen: tuple[int, ...] | None = None
    with_enter = "" if sys.stdin.isatty() else ", each with Enter"
    say(f"Watching {path.relative_to(book.root)}.\nKeys: h a hint, n the next chapter, q quit{with_enter}.")
    with Keys() as keys:
        while rounds == 0 or answered < rounds:
            now = version_of(path)
            if now is not None and now != seen:
                seen = now
                answer(book, number)
                answered += 1
                continue
            key = keys.pressed(0.2)
            if key == "q":
                break
            if key == "h":
                hint(book, number)
            if key == "n":
                next_chapter(book)
            sys.stdout.flush()
    return 0
