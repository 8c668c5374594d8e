#!/usr/bin/env python3
"""Keeps the differences shown in the lessons true: from the exercise as the chapter gives it to the reference.

    <!-- diff begin 3 -->
    (a fenced diff, made by this program)
    <!-- diff end -->

    diffs.py [--check] FILE.md …
"""

import difflib
import importlib.util
import pathlib
import re
import sys

import pages

BLOCK = re.compile(r"^<!-- diff begin (?P<number>\d+) -->\n(?P<body>.*?)^<!-- diff end -->$", re.MULTILINE | re.DOTALL)
CONTEXT = 1


def generator():
    """The exercise generator, as a module."""
    path = pathlib.Path(__file__).resolve().parents[1] / "exercises" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def block_of(generate, number):
    """The fenced diff of a chapter, without what every chapter's differs in: namespace, file comment, task."""

    def lines(text):
        text = re.sub(r"chapter\d+::\w+", "chapter", text)
        text = re.sub(r"^/// Chapter \d+.*\n", "", text, flags=re.M)
        text = re.sub(r"^ *// TO[D]O\(chapter \d+\):.*\n(?: *// (?![A-Z]).*\n)*", "", text, flags=re.M)
        return text.split("\n")

    start = lines(generate.exercise_text(number))
    end = lines(generate.without_markers(generate.solution_text(number)))
    changes = list(difflib.unified_diff(start, end, n=CONTEXT, lineterm=""))[2:]
    shown = ["" if line.startswith("@@") else line.rstrip() for line in changes]
    return "\n".join(["```diff", *shown[1:], "```", ""])


def main():
    generate = generator()

    def renewed(text, _, name):
        stale = []

        def renew(match):
            new = block_of(generate, int(match["number"]))
            if new == match["body"]:
                return match[0]
            stale.extend(pages.diff(match["body"], new, name, "today"))
            return pages.replaced_body(match, new)

        return BLOCK.sub(renew, text), stale

    return pages.keep("diffs.py", pages.parser(__doc__).parse_args(), renewed)


if __name__ == "__main__":
    sys.exit(main())
