#!/usr/bin/env python3
"""Checks that all pages that tell a newcomer where to begin list the same pages in the same order, and that each of
these pages links to the next one:

reading_order.py ROOT
"""

import pathlib
import re
import sys

from book import slides

STEPS = "docs/pages/four-steps.md"
KERNEL, GPU = "docs/pages/first-kernel.md", "docs/pages/how-a-gpu-works.md"
SUM = "chapters/00_ceiling/README.md"
ORDER = [STEPS, KERNEL, GPU, SUM]
# Each page that lists the order, the heading above its list, and the order.
TOLD = [
    ("README.md", "Where to begin", ORDER),
    ("docs/pages/index.md", "Begin here", ORDER),
    ("docs/pages/student.md", "What comes first", ORDER),
    ("docs/pages/instructor.md", "Before the first session", ORDER),
]
NEXT = [(STEPS, KERNEL), (KERNEL, GPU), (GPU, SUM)]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def targets(root, page, text):
    """Yields the files in the source tree that a page's text links to, each with its anchor."""
    for link in LINK.findall(text):
        path, mark, place = link.partition("#")
        if path and ":" not in path:
            there = (root / page).parent / path
            yield there.resolve().relative_to(root.resolve()).as_posix() + mark + place


def complaints(root):
    for page, heading, wanted in TOLD:
        text = slides.sections((root / page).read_text(encoding="utf-8"), 2).get(heading)
        if text is None:
            yield f"{page} has no heading `## {heading}`"
            continue
        found = list(dict.fromkeys(one for one in targets(root, page, text) if one in wanted))
        if found != wanted:
            yield f"{page}, {heading}: it names {', '.join(found) or 'none'}; the order is {', '.join(wanted)}"
    for page, target in NEXT:
        last = re.findall(r"^Next: (.*)$", (root / page).read_text(encoding="utf-8"), re.MULTILINE)[-1:]
        if next(targets(root, page, "".join(last)), None) != target:
            yield f"{page}: its last `Next:` does not lead to {target} first"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(complaints(root))
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"{len(TOLD)} pages tell where to begin, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
