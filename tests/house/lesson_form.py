#!/usr/bin/env python3
"""Every lesson has the manifest's title, and the parts that a reader knows from the others, in their order:

lesson_form.py ROOT
"""

import pathlib
import re
import sys

from book import manifest, markers

PARTS = [
    "Where we are",
    "The idea",
    "What changes",
    "Your task",
    "Predict",
    "Look inside",
    "Measure",
    "What changed since",
    "Questions",
    "Solution",
    "Source",
]
HAS = {
    "a drawing": r"^!\[.+\]\(drawing\.svg\)$",
    "an output of its program": r"^<!-- output:chapter\d+ begin",
    "a diff": r"^<!-- diff begin",
    "links to the glossary": r"^New words: .*glossary\.md#",
    "its hints": r"`make hint\d+`.*\(hints\.md\)",
    "its predictions": r"`make predict\d+`",
    "a recorded figure": r"<!--=|<!-- recorded:",
}
# Of a chapter that has a kernel before it, the section behind `Measure`, and what it shows.
LIMITS = "What limits it now"
LIMITS_TABLE = "<!-- recorded:limits begin ablations_h200.json 2^29 {kernel} -->"
# Machine code is for those who want it until a reader has met what it is made of.
MACHINE_CODE = "In the machine code"
FOLDED = re.compile(r"\n<details>\n<summary>What you would see: [^`\n]+</summary>\n.*\n</details>\n*", re.DOTALL)
FIRST_UNFOLDED = 6
SHORTEST, LONGEST = 80, 200  # lines that a person wrote; the generated parts come on top
# Chapter 0 begins with a first hour of CUDA, which whoever knows CUDA leaves out; it has a limit of its own.
STEPS = "CUDA in four steps"
LONGEST_STEPS = 90


def section_of(text, heading):
    """The text of a section, without its heading."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def without_limits(text, kernel, headings):
    """What a ladder chapter's lesson lacks of what limits its kernel."""
    measure = next(k for k, heading in enumerate(headings) if heading.startswith("Measure"))
    if headings[measure + 1] != LIMITS:
        yield f"has no section `{LIMITS}` directly behind `Measure`"
        return
    section = section_of(text, LIMITS)
    for wanted in (LIMITS_TABLE.format(kernel=kernel), "docs/pages/limits.md"):
        if wanted not in section:
            yield f"has no `{wanted}` in its section `{LIMITS}`"


def complaints(text, chapter):
    """What the lesson lacks, in words."""
    title = f"# Chapter {chapter.number}: {chapter.title}"
    if text.split("\n", 1)[0] != title:
        yield f"does not begin with the manifest's title, `{title}`"
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    at = -1
    for part in PARTS:
        places = [k for k, heading in enumerate(headings) if heading.startswith(part) and k > at]
        if not places:
            yield f"has no section `{part}` behind `{headings[at] if at >= 0 else 'its title'}`"
            return
        at = places[0]
    if chapter.kind == "ladder" and chapter.parent is not None:
        yield from without_limits(text, chapter.kernel, headings)
    if chapter.number < FIRST_UNFOLDED and MACHINE_CODE in headings:
        if not FOLDED.fullmatch(section_of(text, MACHINE_CODE)):
            yield f"has a section `{MACHINE_CODE}` that is not one fold, whose summary says what one would see"
    for what, pattern in HAS.items():
        if not re.search(pattern, text, re.MULTILINE):
            yield f"has not {what}"
    lines = markers.without_blocks(text).count("\n")
    if STEPS in headings:
        steps = markers.without_blocks(section_of(text, STEPS)).count("\n")
        lines -= steps
        if steps > LONGEST_STEPS:
            yield f"has {steps} lines in its section `{STEPS}` beside what is generated; {LONGEST_STEPS} are enough"
    if not SHORTEST <= lines <= LONGEST:
        yield f"has {lines} lines beside what is generated; {SHORTEST} to {LONGEST} are wanted"


def main():
    root = pathlib.Path(sys.argv[1])
    chapters = manifest.load(root).values()
    found = [
        f"{chapter.folder}: {words}"
        for chapter in chapters
        for words in complaints(chapter.lesson_path(root).read_text(encoding="utf-8"), chapter)
    ]
    folders = {path.name for path in root.glob("chapters/[0-9][0-9]_*")}
    found += [f"{name}: has no entry in chapters.json" for name in sorted(folders - {c.folder for c in chapters})]
    print("\n".join(found) or f"{len(chapters)} lessons have the form")
    return 1 if found or not chapters else 0


if __name__ == "__main__":
    sys.exit(main())
