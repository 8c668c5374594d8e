"""What is stored about each question: its result, and when it is asked again (spaced repetition).

A question that was not answered right at the first try is asked again after a day. Each time that it is then answered
right, the interval grows, and after the last interval it isn't asked any more."""

from __future__ import annotations

import collections.abc
import datetime
import os
import typing

from student.failure import Failure
from student.notebook import Page
from student.settings import Setting

FIRST, SECOND, WRONG = "first", "second", "wrong"
RIGHT = (FIRST, SECOND)
RESULTS = (FIRST, SECOND, WRONG)
DAYS = (1, 3, 7, 21)  # intervals since the last answer
CLOCK = "WORKBOOK_TODAY"
# The questions of the player by kind (common/student/player/questions.js), and the idea that each is about.
PLAYED = {"bank": "bank conflicts", "passes": "bank conflicts", "lanes": "instruction counts"}


class Due(typing.NamedTuple):
    """A question that is waiting to be asked again."""

    day: datetime.date
    chapter: int
    name: str


def today() -> datetime.date:
    """Returns the date in WORKBOOK_TODAY (an ISO date) if that is set, and otherwise today's date. Raises Failure."""
    given = os.environ.get(CLOCK)
    if not given:
        return datetime.date.today()
    try:
        return datetime.date.fromisoformat(given)
    except ValueError:
        raise Failure(f"{CLOCK} is {given!r}, which is not a date such as 2026-11-22.") from None


def sound(entry: object) -> bool:
    """Returns true if an entry has the form that `remember` writes. It may not, because a notebook may be edited."""
    if not isinstance(entry, dict) or entry.get("result") not in RESULTS or not isinstance(entry.get("setting"), list):
        return False
    if entry.get("step") is not None and entry.get("step") not in range(len(DAYS)):
        return False
    try:
        datetime.date.fromisoformat(entry["on"])
    except (KeyError, TypeError, ValueError):
        return False
    return isinstance(entry.get("idea"), str)


def asked(page: Page) -> dict[str, Page]:
    """Returns the questions on a chapter's page that have been asked, by name."""
    entries = page.get("asked")
    return {name: one for name, one in entries.items() if sound(one)} if isinstance(entries, dict) else {}


def due_on(entry: Page) -> datetime.date | None:
    """Returns the day on which a question will be asked again, or None if it won't be."""
    if entry.get("step") is None:
        return None
    return datetime.date.fromisoformat(entry["on"]) + datetime.timedelta(days=DAYS[entry["step"]])


def next_step(before: Page | None, result: str, day: datetime.date) -> tuple[int | None, str]:
    """Returns a question's index into DAYS after an answer (None if it won't be asked again), and the day from which
    the interval counts."""
    if result == WRONG or before is None or (due := due_on(before)) is None:
        return (None if result == FIRST else 0), day.isoformat()
    if day < due:  # asked too soon to show if the student remembers it
        return before["step"], before["on"]
    if result == SECOND:
        return before["step"], day.isoformat()
    return (before["step"] + 1 if before["step"] + 1 < len(DAYS) else None), day.isoformat()


def _note(page: Page, name: str, **entry: object) -> None:
    if not isinstance(page.get("asked"), dict):
        page["asked"] = {}
    page["asked"][name] = entry


def remember(page: Page, name: str, result: str, setting: Setting, idea: str, day: datetime.date) -> None:
    step, on = next_step(asked(page).get(name), result, day)
    given = [setting.count, setting.block_size, setting.type]
    _note(page, name, result=result, on=on, step=step, idea=idea, setting=given)


def remember_played(page: Page, kind: str, result: str, day: datetime.date) -> bool:
    """Records an answer that was given in the player. The question isn't repeated, because the player asks each time it
    plays. Returns true if the kind of question and the result are known."""
    if kind not in PLAYED or result not in RESULTS:
        return False
    _note(page, f"player: {kind}", result=result, on=day.isoformat(), step=None, idea=PLAYED[kind], setting=[])
    return True


def waiting(pages: collections.abc.Mapping[str, Page]) -> list[Due]:
    """Returns all questions that will be asked again, the earliest first."""
    return sorted(
        Due(day, int(number), name)
        for number, page in pages.items()
        if number.isdigit()
        for name, entry in asked(page).items()
        if (day := due_on(entry)) is not None
    )


def in_words(day: datetime.date, now: datetime.date) -> str:
    """Returns text such as `2026-11-24, in 2 days`."""
    days = (day - now).days
    away = "today" if days <= 0 else "tomorrow" if days == 1 else f"in {days} days"
    return f"{day.isoformat()}, {away}"
