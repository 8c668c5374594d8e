#!/usr/bin/env python3
"""Arranges the headers of common/ in chains, for the test that each header compiles alone:
header_chains.py ROOT FILE [COMMAND…]

Each header of a chain includes all headers before it, directly or indirectly. So a file that includes a chain from
first to last shows that each of its headers compiles alone, because a header includes everything before it anyway.
There are about half as many chains as headers. Their number is the minimum, because each header is matched with one
that it includes (Dilworth). If the chains have changed, writes them to FILE, one chain per line, with its headers
separated by blanks, and then runs COMMAND."""

from __future__ import annotations

import os
import pathlib
import re
import sys

INCLUDE = re.compile(r'#\s*include\s+"([^"]+)"')


def included(text: str, known: set[str]) -> set[str]:
    """Returns the known headers that a header includes independently of macros."""
    depth, found = 0, set()
    for line in text.splitlines():
        if re.match(r"#\s*if", line):
            depth += 1
        elif re.match(r"#\s*endif", line):
            depth -= 1
        elif depth == 0 and (named := INCLUDE.match(line)) and named[1] in known:
            found.add(named[1])
    return found


def chains(includes: dict[str, set[str]]) -> list[list[str]]:
    """Returns the headers of an acyclic graph in chains, as the file's docstring describes."""
    reached: dict[str, set[str]] = {}

    def reach(header: str) -> set[str]:
        if header not in reached:
            reached[header] = includes[header].union(*map(reach, includes[header]))
        return reached[header]

    behind: dict[str, str] = {}  # header: the next one in its chain

    def finds_one(header: str, tried: set[str]) -> bool:
        for one in sorted(reach(header) - tried):
            tried.add(one)
            if one not in behind or finds_one(behind[one], tried):
                behind[one] = header
                return True
        return False

    for header in sorted(includes):
        finds_one(header, set())
    made = []
    for first in sorted(set(includes) - set(behind.values())):
        chain = [first]
        while chain[-1] in behind:
            chain.append(behind[chain[-1]])
        made.append(chain)
    return made


def main() -> int:
    root, out = pathlib.Path(sys.argv[1]) / "common", pathlib.Path(sys.argv[2])
    lines = []
    for form in ("*.hpp", "*.cuh"):
        texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob(form)}
        lines += [" ".join(chain) for chain in chains({one: included(text, set(texts)) for one, text in texts.items()})]
    text = "\n".join(lines) + "\n"
    if not out.exists() or out.read_text(encoding="utf-8") != text:
        out.write_text(text, encoding="utf-8")
    if command := sys.argv[3:]:
        os.execvp(command[0], command)
    return 0


if __name__ == "__main__":
    sys.exit(main())
