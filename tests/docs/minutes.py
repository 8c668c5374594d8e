#!/usr/bin/env python3
"""Measures how long a newcomer reads and types before running their own kernel, by the rule of the student's guide:

minutes.py ROOT

The path consists of the README up to its table, CUDA in four steps, and the page of the first kernel up to the end of
its list `Yours now`. The test also recounts the minutes in the student's guide.
"""

import pathlib
import re
import sys

from book import reading

MAX_MINUTES = 20
README, STEPS, CHAPTER_0 = "README.md", "docs/pages/four-steps.md", "chapters/00_ceiling/README.md"
KERNEL, GPU, GUIDE = "docs/pages/first-kernel.md", "docs/pages/how-a-gpu-works.md", "docs/pages/student.md"
# The guide states whole minutes.
OFF_BY = 1


def parts(root):
    """Returns {page: minutes} for the path to the reader's own kernel, and the minutes of the pages in the guide's
    rows."""
    page = {name: (root / name).read_text(encoding="utf-8") for name in (README, STEPS, KERNEL, GPU, CHAPTER_0)}
    own = page[KERNEL].partition("\n## Yours now\n")
    listed = re.search(r"\A.*?(?:^\d+\. [^\n]*\n)+", own[2], re.MULTILINE | re.DOTALL)
    top, _, begin = page[README].partition("\n## Where to begin\n")
    table = re.search(r"\A.*?(?:^\|[^\n]*\n)+", begin, re.MULTILINE | re.DOTALL)
    if not (listed and table):
        raise SystemExit(f"The headings, table or list that lead to a kernel are gone: {README}, {KERNEL}")
    way = {README: top + table[0], STEPS: page[STEPS], KERNEL: own[0] + listed[0]}
    rows = [reading.minutes(page[name]) for name in (STEPS, KERNEL, GPU, CHAPTER_0)]
    return {name: reading.minutes(text) for name, text in way.items()}, rows


def complaints(root):
    way, rows = parts(root)
    print(", ".join(f"{name} {needed:.1f}" for name, needed in way.items()), f"minutes: {sum(way.values()):.1f} in all")
    if sum(way.values()) > MAX_MINUTES:
        yield f"a kernel of one's own runs after {sum(way.values()):.1f} minutes; {MAX_MINUTES} are wanted"
    told = re.findall(r"^\| ([1-4]) \|.*\| (\d+) \|$", (root / GUIDE).read_text(encoding="utf-8"), re.MULTILINE)
    if len(told) != len(rows):
        yield f"{GUIDE} gives minutes for {len(told)} rows instead of {len(rows)}"
    for (number, said), needed in zip(told, rows):
        print(f"{GUIDE}, row {number}: {said}, counted {needed:.1f}")
        if abs(int(said) - needed) > OFF_BY:
            yield f"{GUIDE}, row {number} gives {said} minutes, but counting gives {needed:.1f}"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
