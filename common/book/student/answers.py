"""Answers from a terminal or a pipe."""

from __future__ import annotations

import collections.abc
import sys
import typing

from book.screen import say
from book.student.choice import Choice
from book.student.reckoning import number_in

GIVE_UP = "?"
Answer = typing.TypeVar("Answer")


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


def _answered(read: collections.abc.Callable[[str], Answer | None], otherwise: str) -> Answer | None:
    """Returns what `read` makes of the next answer; None for `?`. Where that is nothing, `otherwise` is said, and the
    question is asked again, which costs nothing. Raises NoMore."""
    while True:
        answer = one_line().strip()
        if answer == GIVE_UP:
            return None
        found = read(answer)
        if found is not None:
            return found
        say(f"   {otherwise} A ? shows how it comes about.", 0)


def choice(question: Choice) -> str | None:
    """Returns the next option that is answered, by its name; None for `?`. Raises NoMore."""
    return _answered(question.named, f"Write a number from 1 to {len(question.options)}, or a name.")


def number() -> float | None:
    """Returns the next number that is answered; None for `?`. Raises NoMore."""
    return _answered(number_in, "Write a number: 45, 1024, 2^14 or 3.5.")
