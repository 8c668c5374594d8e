"""Answers from a terminal or a pipe."""

from __future__ import annotations

import sys

from book.screen import say
from book.student.choice import Choice
from book.student.reckoning import number_in

GIVE_UP = "?"


class NoMore(Exception):
    """The input has ended."""


def one_line() -> str:
    """Returns the next line. Raises NoMore behind the last one."""
    if sys.stdin.isatty():
        try:
            return input("   > ")
        except EOFError:
            print()
            raise NoMore from None
    line = sys.stdin.readline()
    if not line:
        raise NoMore
    return line


def choice(question: Choice) -> str | None:
    """Returns the next option that is answered, by its name; None for `?`. What is none is asked for again, and costs
    nothing. Raises NoMore."""
    while True:
        answer = one_line().strip()
        if answer == GIVE_UP:
            return None
        found = question.named(answer)
        if found is not None:
            return found
        say(f"   Write a number from 1 to {len(question.options)}, or a name. A ? shows how it comes about.", 0)


def number() -> float | None:
    """Returns the next number that is answered; None for `?`. What is no number is asked for again, and costs nothing.
    Raises NoMore."""
    while True:
        answer = one_line().strip()
        if answer == GIVE_UP:
            return None
        found = number_in(answer)
        if found is not None:
            return found
        say("   Write a number: 45, 1024, 2^14 or 3.5. A ? shows how it comes about.", 0)
