#!/usr/bin/env python3
"""Prints a lesson's view of a mistake to make on purpose: the lines that it changes, or the chapter's output for it.

    shown_mistake.py BUILD CHAPTER NAME change
    shown_mistake.py BUILD CHAPTER NAME answer [ARGUMENT …]

The arguments are those of `make chapterN`. Exit status: 0; 1 if there is no such mistake, or it does not compile; 77 if
the build has no judge of the chapter.
"""

from __future__ import annotations

import difflib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mistakes

LEFT_OUT = "..."
YOURS = re.compile(r"\(yours\)|\byours\b")


def change(mistake: mistakes.Mistake) -> str:
    """Returns the lines before and after the change, indented as in the file."""
    shown = []
    reference = mistakes.reference_lines(mistake.chapter)
    for old, new in mistake.hunks:
        first = next(line for line in reference if line.strip() == old[0].strip())
        indent = first[: len(first) - len(first.lstrip())]
        before, after = ([f"{indent}{line.rstrip()}" for line in lines] for lines in (old, new))
        # Lines of context appear in both.
        same = difflib.SequenceMatcher(None, [line.strip() for line in before], [line.strip() for line in after])
        for what, a, b, c, d in same.get_opcodes():
            context = what == "equal"
            shown += [f" {line}" if context else f"-{line}" for line in before[a:b]]
            shown += [f"+{line}" for line in after[c:d] if not context]
    return "\n".join(shown)


def answer(printed: str) -> str:
    """Returns the student's row of a chapter's output with its heading, and the messages."""
    paragraphs = printed.strip("\n").split("\n\n")
    table = next(one for one in paragraphs if YOURS.search(one)).split("\n")
    head = next(k for k, line in enumerate(table) if line.startswith("kernel "))
    row = next(line for line in table[head:] if YOURS.search(line))
    # If a kernel is stopped, its counts depend on the blocks that ran on other threads of the host.
    row = re.sub(r"\bfailed\b.*", "failed", row)
    said = [one for one in paragraphs if re.match(r"[a-z]+: ", one)]
    return "\n".join([*table[: head + 1], LEFT_OUT, row, *(f"{LEFT_OUT}\n{one}" for one in said)])


def main() -> int:
    build, number, name, what, *arguments = sys.argv[1:]
    mistake = next((one for one in mistakes.load() if (str(one.chapter), one.name) == (number, name)), None)
    if mistake is None:
        print(f"tests/kernels/student_mistakes has no mistake {name} of chapter {number}", file=sys.stderr)
        return 1
    if what == "change":
        print(change(mistake))
        return 0
    if not (pathlib.Path(build) / f"bin/judge{number}").exists():
        print(f"{build} has no judge of chapter {number}", file=sys.stderr)
        return 77
    import try_mistakes  # imported only here, because it needs the grader's modules

    laboratory = try_mistakes.Laboratory(pathlib.Path(build).resolve())
    ended, out, err = laboratory.run(mistake, "--device", "emulator", *arguments)
    if ended != 1:
        print(f"{name} of chapter {number} ended with {ended}: {out}{err}", file=sys.stderr)
        return 1
    print(answer(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
