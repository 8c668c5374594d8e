"""`make review`: questions that were answered wrong are asked again days later, at other values."""

from __future__ import annotations

from book.screen import say
from student import memory
from student.predict import ask_all, describe
from student.workbook import Workbook


def waiting(book: Workbook) -> list[memory.Due]:
    """Returns the questions that are due to be asked again, except questions that a chapter no longer has."""
    still = {(number, name) for number, chapter in book.chapters.items() for name in chapter.predict}
    return [one for one in memory.waiting(book.notebook.pages) if (one.chapter, one.name) in still]


def review(book: Workbook) -> int:
    now = memory.today()
    found = waiting(book)
    due = [one for one in found if one.day <= now]
    if not due:
        if found:
            say(f"Nothing is due. The next question comes back on {memory.in_words(found[0].day, now)}.")
        else:
            say("Nothing is due: no prediction is waiting to be asked again. `make predictN` asks those of chapter N.")
        return 0
    by_chapter: dict[int, list[str]] = {}
    for one in due:
        by_chapter.setdefault(one.chapter, []).append(one.name)
    say(f"{len(due)} {'question comes' if len(due) == 1 else 'questions come'} back.\n")
    results: list[str] = []
    for number, names in by_chapter.items():
        book.build(number)
        some = ask_all(book, number, names)
        results += some
        book.notebook.save()
        if len(some) < len(names):
            break
    say(describe(results))
    left = waiting(book)
    still = [one for one in left if one.day <= now]
    if still:
        say(f"{len(still)} still due: run `make review` again.")
    elif left:
        say(f"The next question comes back on {memory.in_words(left[0].day, now)}.")
    else:
        say("Nothing is left to come back.")
    return 0
