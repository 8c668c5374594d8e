#!/usr/bin/env python3
"""Checks that a section of a page covers each item of the texts that the book follows:

sources.py ROOT

tests/docs/source_items.txt lists the items: text | item | words, with " … " between words that are not adjacent.
docs/pages/references.md has a table for each text, which links each item to a section of a page. The section must exist
and must contain the words.
"""

import pathlib
import re
import sys

from book import links, markers

LIST, PAGE = "tests/docs/source_items.txt", "docs/pages/references.md"
# The number of items in each text, as counted by hand, so that an item that is missing in both files is noticed.
TEXTS = {
    "ranges": ("On GPUs, ranges, latency, and superoptimisers", 44),
    "tuning": ("Memory access tuning", 21),
    "arrays": ("Private arrays", 20),
    "reduction": ("Parallel reduction, 2007", 29),
    "julia": ("The GPU lecture in Julia", 49),
}
ROW = re.compile(r"^\| (?P<item>.+?) \| \[[^\]]+\]\((?P<path>[^)#]+)#(?P<anchor>[^)]+)\) \|$")
HEADING = re.compile(r"^(#+) (.+)$")


def items_of(text):
    """Returns {text: {item: words}}. Raises ValueError if a line is not an item, or if an item is listed twice."""
    found: dict[str, dict[str, str]] = {name: {} for name in TEXTS}
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        name, item, words = line.split(" | ", 2)
        if item in found[name]:
            raise ValueError(f"{name} has the item `{item}` twice")
        found[name][item] = words
    return found


def rows_of(page):
    """Returns {heading of a table: {item: (path, anchor)}}."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    heading = ""
    for line in page.split("\n"):
        if match := HEADING.match(line):
            heading = match[2]
        elif match := ROW.match(line):
            found.setdefault(heading, {})[match["item"]] = (match["path"], match["anchor"])
    return found


def section(page, anchor):
    """Returns the text below this heading, up to the next heading of its level, as one line. Returns None if there is
    no such heading."""
    lines, level, fenced = [], 0, False
    for line in markers.without_markers(page).split("\n"):
        fenced ^= line.startswith("```")
        match = None if fenced else HEADING.match(line)
        if match and level and len(match[1]) <= level:
            break
        # A page's title is not a section. The page refers to it by the page's name alone.
        if match and len(match[1]) > 1 and links.slug(match[2]) == anchor:
            level = len(match[1])
        if level:
            lines.append(line)
    return " ".join(" ".join(lines).split()) if level else None


def complaints(items, page, read):
    """Yields messages about what the list and the page lack. `read` returns a page's text by its path, or None."""
    tables = rows_of(page)
    for name, (heading, count) in TEXTS.items():
        wanted, there = items[name], tables.get(heading, {})
        if len(wanted) != count:
            yield f"{LIST}: {name} has {len(wanted)} items, and the text has {count}"
        for item in sorted(set(wanted) - set(there)):
            yield f"{PAGE}: `{item}` has no row below `{heading}`, or one without a link to a section"
        for item in sorted(set(there) - set(wanted)):
            yield f"{LIST}: `{item}` of {PAGE} is not among the items of {name}"
        for item in sorted(set(wanted) & set(there)):
            path, anchor = there[item]
            text = read(path)
            body = None if text is None else section(text, anchor)
            if body is None:
                yield f"{PAGE}: `{item}` leads to {path}#{anchor}, which is not there"
                continue
            for words in wanted[item].split(" … "):
                if words not in body:
                    yield f"{path}#{anchor} does not cover `{item}`: the words `{words}` are missing"


def main():
    root = pathlib.Path(sys.argv[1])

    def read(path):
        file = (root / PAGE).parent / path
        return file.read_text(encoding="utf-8") if file.exists() else None

    items = items_of((root / LIST).read_text(encoding="utf-8"))
    found = list(complaints(items, (root / PAGE).read_text(encoding="utf-8"), read))
    print("\n".join(found) or f"{sum(map(len, items.values()))} items of {len(items)} texts are covered")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
