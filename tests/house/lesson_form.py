#!/usr/bin/env python3
"""Every lesson has the parts that a reader knows from the others, in their order: `lesson_form.py ROOT`."""

import pathlib
import re
import sys

PARTS = ["Where we are", "The idea", "What changes", "Your task", "Predict", "Look inside", "Measure",
         "What changed since", "Questions", "Solution", "Source"]
HAS = {
    "a drawing": r"^!\[.+\]\(drawing\.svg\)$",
    "an output of its program": r"^<!-- output:chapter\d+ begin",
    "a diff": r"^<!-- diff begin",
    "links to the glossary": r"^New words: .*glossary\.md#",
    "its hints": r"`make hint\d+`.*\(hints\.md\)",
    "its predictions": r"`make predict\d+`",
    "a recorded figure": r"<!--=|<!-- recorded:",
}
GENERATED = re.compile(r"^<!-- (diff|output:\w+|recorded:\w+) begin.*?^<!-- .*? end -->\n", re.MULTILINE | re.DOTALL)
SHORTEST, LONGEST = 80, 200  # lines that a person wrote; the generated parts come on top


def complaints(text):
    """What the lesson lacks, in words."""
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    at = -1
    for part in PARTS:
        places = [k for k, heading in enumerate(headings) if heading.startswith(part) and k > at]
        if not places:
            yield f"has no section `{part}` behind `{headings[at] if at >= 0 else 'its title'}`"
            return
        at = places[0]
    for what, pattern in HAS.items():
        if not re.search(pattern, text, re.MULTILINE):
            yield f"has not {what}"
    lines = GENERATED.sub("", text).count("\n")
    if not SHORTEST <= lines <= LONGEST:
        yield f"has {lines} lines beside what is generated; {SHORTEST} to {LONGEST} are wanted"


def main():
    pages = sorted(pathlib.Path(sys.argv[1]).glob("chapters/[0-9][0-9]_*/README.md"))
    found = [f"{page.parent.name}: {words}" for page in pages for words in complaints(page.read_text(encoding="utf-8"))]
    print("\n".join(found) or f"{len(pages)} lessons have the form")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
