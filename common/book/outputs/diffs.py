#!/usr/bin/env python3
"""Keeps the differences shown in the lessons true. A diff, which this program makes, stands between two markers:

    <!-- diff begin 3 -->
    <!-- diff end -->                      from the exercise as chapter 3 gives it to its reference
    <!-- diff begin 9 block_reduce\\(sum -->
    <!-- diff end -->                      the same, but only those pieces that have this pattern in a changed line
    <!-- diff begin kernels.cuh one other -->
    <!-- diff end -->                      between two functions or structs in a file of the page's folder

    diffs.py [--check] FILE.md …
"""

import difflib
import importlib.util
import pathlib
import re
import sys

import pages
from pages import Failure

BLOCK = re.compile(r"^<!-- diff begin (?P<what>[^\n]+?) -->\n"
                   r"(?P<body>.*?)"
                   r"^<!-- diff end -->$", re.MULTILINE | re.DOTALL)
BEGIN = re.compile(r"^<!-- diff begin", re.MULTILINE)
CONTEXT = 1


def generator():
    """The exercise generator, as a module."""
    path = pathlib.Path(__file__).resolve().parents[1] / "exercises" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hunks(start, end):
    """The pieces of a unified diff, each a list of lines."""
    result = []
    for line in list(difflib.unified_diff(start, end, n=CONTEXT, lineterm=""))[2:]:
        if line.startswith("@@"):
            result.append([])
        else:
            result[-1].append(line.rstrip())
    return result


def fenced(pieces):
    return "\n".join(["```diff", *"\n\n".join("\n".join(piece) for piece in pieces).split("\n"), "```", ""])


def kernel_name(text):
    """The name of the first kernel, or none."""
    match = re.search(r"__global__ [^;{]*?(\w+)\(const", text)
    return match[1] if match else None


def block_of(generate, number, pattern=""):
    """The fenced diff of a chapter, without what every chapter's differs in: namespace, file comment, task, and the
    kernel's name where it is launched. \\throws Failure"""
    start, end = generate.exercise_text(number), generate.without_markers(generate.solution_text(number))
    old, new, kept = kernel_name(start), kernel_name(end), set(end.split("\n"))

    def launched(match):
        renamed = match[0].replace(old, new)
        return renamed if renamed in kept else match[0]

    if old and new:
        start = re.sub(rf"^ *{old}(<\w+>)?<<<.*$", launched, start, flags=re.M)

    def lines(text):
        text = re.sub(r"chapter\d+::\w+", "chapter", text)
        text = re.sub(r"^/// Chapter \d+.*\n", "", text, flags=re.M)
        text = re.sub(r"^ *// TO[D]O\(chapter \d+\):.*\n(?: *// (?![A-Z]).*\n)*", "", text, flags=re.M)
        return text.split("\n")

    pieces = [piece for piece in hunks(lines(start), lines(end))
              if any(line[0:1] in "+-" and re.search(pattern, line[1:]) for line in piece if line)]
    if not pieces:
        raise Failure(f"chapter {number} has no difference with `{pattern}`")
    return fenced(pieces)


def definition(path, name):
    """The lines of a function or struct, without its documentation. \\throws Failure"""
    lines = path.read_text(encoding="utf-8").split("\n")
    for k, line in enumerate(lines):
        # A definition begins at most one indentation in; calls stand deeper, or end with a semicolon.
        if re.match(rf"( {{4}})?\S.*\b{name}(\(.*)?( {{|,)$|struct {name} {{$| {{4}}{name}\(.*\{{$", line):
            first = k
            while lines[first - 1] and not lines[first - 1].startswith(("///", "}")):
                first -= 1
            return lines[first:next(j for j in range(k, len(lines)) if lines[j] in ("}", "};")) + 1]
    raise Failure(f"{path} defines no `{name}`")


def main():
    generate = generator()

    def made(folder, what):
        words = what.split()
        if words[0].isdigit() and len(words) <= 2:
            return block_of(generate, int(words[0]), *words[1:])
        if len(words) == 3:
            one, other = (definition(folder / words[0], name) for name in words[1:])
            return fenced(hunks(one, other))
        raise Failure(f"`diff begin {what}`: a chapter, a chapter and a pattern, or a file and two names")

    def renewed(text, _, name):
        stale = []

        def renew(match):
            new = made(name.parent, match["what"])
            if new == match["body"]:
                return match[0]
            stale.extend(pages.diff(match["body"], new, name, "today"))
            return pages.replaced_body(match, new)

        if len(BLOCK.findall(text)) != len(BEGIN.findall(text)):
            raise Failure(f"{name}: a begin marker without its end")
        return BLOCK.sub(renew, text), stale

    return pages.keep("diffs.py", pages.parser(__doc__).parse_args(), renewed)


if __name__ == "__main__":
    sys.exit(main())
