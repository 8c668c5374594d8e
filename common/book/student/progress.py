"""How far the student has come: every chapter's state, and what to do next."""

from __future__ import annotations

import sys

from book import exercises
from book.screen import meanwhile, say, wrapped
from book.student.notebook import Page
from book.student.workbook import Workbook


def remarks(judged: Page, remembered: Page) -> list[str]:
    """Returns what progress says of a chapter besides its state."""
    found = []
    goal = judged.get("goal") or {}
    if judged["verdict"] == "goal missed" and goal.get("yours") is not None:
        found.append(f"{goal['metric']}: {goal['yours']:g}, wanted {goal['target']:g}")
    if remembered.get("hints"):
        found.append(f"{remembered['hints']} hint{'s' if remembered['hints'] > 1 else ''}")
    if remembered.get("predictions"):
        right, asked = remembered["predictions"]
        found.append(f"{right} of {asked} predictions right")
    return found


def progress(book: Workbook) -> int:
    untested, unreadable = None, []
    for number in book.chapters:
        meanwhile(f"chapter {number} …")
        try:
            page = book.judge(number, install=False)
        except exercises.Unreadable as error:
            page = {"verdict": "cannot be read"}
            unreadable.append(str(error))
        meanwhile()
        print(f"{number:>3}  {book.title(number)[:44]:<44}  {page['verdict']}")
        said = remarks(page, book.notebook.of(number))
        if said:
            say("       " + "; ".join(said))
        if page["verdict"] == "not tested" and untested is None:
            untested = number
    if untested is not None:
        say(f"\nWhat builds a chapter is not here. `make test{untested}` installs it, and tests.")
    for words in unreadable:
        print(wrapped(words), file=sys.stderr)
    return 2 if unreadable else 0


def next_chapter(book: Workbook) -> int:
    """Names the first chapter that is not done, and where to read."""
    for number in book.chapters:
        if book.judge(number, install=False)["verdict"] != "done":
            folder = book.exercise(number).parent.relative_to(book.root)
            say(
                f"Chapter {number}: {book.title(number)}\n  read {folder}/README.md\n"
                f"  edit {book.exercise(number).name} beside it\n  run  make chapter{number}, then make test{number}"
            )
            return 0
    print("All chapters are done.")
    return 0
