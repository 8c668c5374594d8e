"""Words on a plain terminal: 80 columns, no colour, no escape codes."""

import os
import re
import sys
import textwrap

WIDTH = 80


def wrapped(text, more=0, width=WIDTH):
    """The text in lines of 80 columns, each as far indented as it begins, and `more` where it goes on."""
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + more)
        lines += textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False,
                               drop_whitespace=True, replace_whitespace=False) or [""]
    return "\n".join(lines)


def say(text, more=0):
    print(wrapped(text, more), flush=True)


def meanwhile(words=""):
    """On a terminal that can, shows in the place of the line before what goes on; without words, nothing is left there.
    Elsewhere nothing is printed."""
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def _list_item(line):
    return re.match(r"(- |\d+\. )", line)


def reflowed(markdown):
    """The lines of a lesson's text for the screen: paragraphs and items of lists filled anew; code and tables as they
    are, without their fences and marks."""
    lines, open_lines, code = [], [], False

    def fill():
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
