"""The student's progress: the state of every chapter, and what to do next."""

from __future__ import annotations

import sys

from book import exercises
from book.screen import say, show_progress, wrapped
from student import memory
from student.notebook import Page
from student.reckoning import IDEAS
from student.review import waiting
from student.workbook import Workbook


def remarks(judged: Page, remembered: Page) -> list[str]:
    """Returns what `progress` shows about a chapter in addition to its state."""
    found = []
    goal = judged.get("goal") or {}
    if judged["verdict"] == "goal missed":
        for count in goal.get("counts") or []:
            if count.get("yours") is not None and count.get("target") is not None:
                found.append(f"{count['metric']}: {count['yours']:g}, wanted {count['target']:g}")
    if remembered.get("hints"):
        found.append(f"{remembered['hints']} hint{'s' if remembered['hints'] > 1 else ''}")
    predictions = remembered.get("predictions")
    if isinstance(predictions, list) and len(predictions) == 2:
        right, asked = predictions
        found.append(f"{right} of {asked} predictions right")
    return found


def by_idea(pages: dict[str, Page]) -> dict[str, list[int]]:
    """Returns for each idea how many of its questions were right at the first try, right at the second try, and wrong.
    The latest result of each question counts."""
    found: dict[str, list[int]] = {idea: [0] * len(memory.RESULTS) for idea in IDEAS}
    for number, page in pages.items():
        for entry in memory.asked(page).values() if number.isdigit() else ():
            if entry["idea"] in found:
                found[entry["idea"]][memory.RESULTS.index(entry["result"])] += 1
    return {idea: counts for idea, counts in found.items() if any(counts)}


def predictions(book: Workbook) -> None:
    """Shows the predictions by idea, if there are any."""
    table = by_idea(book.notebook.pages)
    if not table:
        return
    print(f"\n{'Your predictions, by idea':<28}first try  second try  wrong")
    for idea, (first, second, wrong) in table.items():
        print(f"  {idea:<26}{first:>9}{second:>12}{wrong:>7}")
    left, now = waiting(book), memory.today()
    due = sum(1 for one in left if one.day <= now)
    if due:
        say(f"`make review` has {due} to ask again now.")
    elif left:
        say(f"`make review` has {len(left)} to ask again, the next on {memory.in_words(left[0].day, now)}.")


def progress(book: Workbook) -> int:
    untested, unreadable = None, []
    for number in book.chapters:
        show_progress(f"chapter {number} …")
        try:
            page = book.judge(number, install=False)
        except exercises.Unreadable as error:
            page = {"verdict": "cannot be read"}
            unreadable.append(str(error))
        show_progress()
        print(f"{number:>3}  {book.chapter(number).title[:44]:<44}  {page['verdict']}")
        said = remarks(page, book.notebook.of(number))
        if said:
            say("       " + "; ".join(said))
        if page["verdict"] == "not tested" and untested is None:
            untested = number
    if untested is not None:
        say(f"\nThe build tools are missing. `make test{untested}` installs them, and runs the test.")
    for words in unreadable:
        print(wrapped(words), file=sys.stderr)
    predictions(book)
    return 2 if unreadable else 0


def next_chapter(book: Workbook) -> int:
    """Prints which chapter is the first that isn't done, and where to read about it."""
    for number in book.chapters:
        if book.judge(number, install=False)["verdict"] != "done":
            folder = book.exercise(number).parent.relative_to(book.root)
            say(
                f"Chapter {number}: {book.chapter(number).title}\n  read {folder}/README.md\n"
                f"  edit {book.exercise(number).name} next to it\n  run  make chapter{number}, then make test{number}"
            )
            return 0
    print("All chapters are done.")
    return 0
