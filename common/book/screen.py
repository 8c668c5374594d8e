"""Text on a plain terminal: 80 columns, no colour, no escape codes."""

from __future__ import annotations

import os
import re
import sys
import textwrap

WIDTH = 80


def wrapped(text: str, more: int = 0, width: int = WIDTH) -> str:
    """Returns the text in lines of `width` columns. Continuation lines are indented like the first one, plus `more`."""
    lines: list[str] = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + more)
        lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        ) or [""]
    return "\n".join(lines)


def say(text: str, more: int = 0) -> None:
    print(wrapped(text, more), flush=True)


def show_progress(words: str = "") -> None:
    """Shows the current activity in a line that each call overwrites. Without text, clears the line. Prints nothing if
    standard error is not a terminal that supports this."""
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def _list_item(line: str) -> re.Match[str] | None:
    return re.match(r"(- |\d+\. )", line)


def reflowed(markdown: str) -> list[str]:
    """Returns a lesson's text for the screen. Paragraphs and list items are filled; code and tables stay as they are,
    but without fences and markers."""
    lines: list[str] = []
    open_lines: list[str] = []
    code = False

    def fill() -> None:
        if open_lines:
            lines.extend(wrapped(" ".join(open_lines), 2 if _list_item(open_lines[0]) else 0).split("\n"))
            open_lines.clear()

    for line in markdown.strip().split("\n"):
        if line.startswith(("```", "<!--")):
            fill()
            code = code != line.startswith("```")
        elif code or line.startswith("|"):
            fill()
            lines.append(line)
        elif line.startswith("!["):
            continue  # a picture
        elif not line.strip():
            fill()
            if lines and lines[-1]:
                lines.append("")
        else:
            if _list_item(line):
                fill()
            open_lines.append(line.strip())
    fill()
    return lines[:-1] if lines and not lines[-1] else lines
