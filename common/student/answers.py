"""Reads answers from a terminal or a pipe."""

from __future__ import annotations

import collections.abc
import sys
import typing

from book.screen import say

GIVE_UP = "?"
Answer = typing.TypeVar("Answer")


class NoMore(Exception):
    """Raised if the input has ended."""


def one_line() -> str:
    """Returns the next line. Raises NoMore if there is none."""
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


def answered(read: collections.abc.Callable[[str], Answer | None], otherwise: str) -> Answer | None:
    """Returns what `read` returns for the next answer, or None for the answer `?`. If `read` returns None, prints
    `otherwise` and asks again, which does not count as a try. Raises NoMore."""
    while True:
        answer = one_line().strip()
        if answer == GIVE_UP:
            return None
        found = read(answer)
        if found is not None:
            return found
        say(f"   {otherwise} Type ? to see how it is derived.", 0)
