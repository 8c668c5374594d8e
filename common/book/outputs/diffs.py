"""The changed lines of a kernel as a diff. The marker specifies which:

<!-- diff begin 3 -->                          from chapter 3's exercise, as it is given to students, to its reference
<!-- diff begin 9 block_reduce\\(sum -->       the same, but only hunks in which a changed line matches this pattern
<!-- diff begin kernels.cuh one other -->      from one function or struct to another, in a file of the page's folder
"""

from __future__ import annotations

import difflib
import pathlib
import re

from book import exercises, manifest, markers
from book.outputs import Failure, Setting

CONTEXT = 1
# The task in an exercise, which is a comment of one or more lines.
TASK = re.compile(r"^ *// TO[D]O\(chapter \d+\):.*\n(?: *// (?![A-Z]).*\n)*", flags=re.MULTILINE)


def hunks(start: list[str], end: list[str]) -> list[list[str]]:
    """Returns the hunks of a unified diff, each as a list of lines."""
    result: list[list[str]] = []
    for line in list(difflib.unified_diff(start, end, n=CONTEXT, lineterm=""))[2:]:
        if line.startswith("@@"):
            result.append([])
        else:
            result[-1].append(line.rstrip())
    return result


def fenced(pieces: list[list[str]]) -> str:
    return "\n".join(["```diff", *"\n\n".join("\n".join(piece) for piece in pieces).split("\n"), "```", ""])


def kernel_name(text: str) -> str | None:
    """Returns the name of the first kernel, or None."""
    match = re.search(r"__global__ [^;{]*?(\w+)\(const", text)
    return match[1] if match else None


def of_chapter(number: int, pattern: str = "") -> str:
    """Returns the fenced diff of a chapter. Leaves out the differences that all chapters have: the namespace, the
    file's comment, the task, and the kernel's name at its launch. Raises Failure."""
    chapter = manifest.load()[number]
    start, end = exercises.start_text(chapter), exercises.reference_text(chapter)
    old, new, kept = kernel_name(start), kernel_name(end), set(end.split("\n"))

    def launched(match: re.Match[str]) -> str:
        renamed = match[0].replace(old or "", new or "")
        return renamed if renamed in kept else match[0]

    if old and new:
        start = re.sub(rf"^ *{old}(<\w+>)?<<<.*$", launched, start, flags=re.MULTILINE)

    def lines(text: str) -> list[str]:
        text = re.sub(r"chapter\d+::\w+", "chapter", text)
        text = re.sub(r"^/// Chapter \d+.*\n", "", text, flags=re.MULTILINE)
        text = TASK.sub("", text)
        return text.split("\n")

    pieces = [
        piece
        for piece in hunks(lines(start), lines(end))
        if any(line[0:1] in "+-" and re.search(pattern, line[1:]) for line in piece if line)
    ]
    if not pieces:
        raise Failure(f"chapter {number} has no difference with `{pattern}`")
    return fenced(pieces)


def definition(path: pathlib.Path, name: str) -> list[str]:
    """Returns the lines of a function or struct, without its documentation. Raises Failure."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for k, line in enumerate(lines):
        # A definition is indented by at most one level. A call is indented more, or ends with a semicolon.
        if re.match(rf"( {{4}})?\S.*\b{name}(\(.*)?( {{|,)$|struct {name} {{$| {{4}}{name}\(.*\{{$", line):
            first = k
            while lines[first - 1] and not lines[first - 1].startswith(("///", "}")):
                first -= 1
            return lines[first : next(j for j in range(k, len(lines)) if lines[j] in ("}", "};")) + 1]
    raise Failure(f"{path} defines no `{name}`")


def made(part: markers.Part, setting: Setting) -> str:
    words = part.arguments.split()
    if words and words[0].isdigit() and len(words) <= 2:
        return of_chapter(int(words[0]), *words[1:])
    if len(words) == 3:
        path = setting.page.parent / words[0]
        return fenced(hunks(definition(path, words[1]), definition(path, words[2])))
    raise Failure(f"`diff begin {part.arguments}`: a chapter, a chapter and a pattern, or a file and two names")
