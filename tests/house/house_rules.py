#!/usr/bin/env python3
"""Checks those house rules that a program can check: house_rules.py TREE.

Prints a line for each violation, as FILE:LINE: what is wrong and how to fix it. Exits with 1 if there is any.
"""

import pathlib
import re
import subprocess
import sys

SOURCE = {".cpp", ".hpp", ".cu", ".cuh"}
TEXT = SOURCE | {".py", ".sh", ".cmake", ".txt", ".md", ".json", ".yml", ""}
HEADER = {".hpp", ".cuh"}
CODE = SOURCE | {".py", ".sh", ".cmake"}

MAX_LINES = 400
MAX_COLUMNS = 120
# The front page has two screens: one that makes readers start, and one that leads on. Other pages are in docs/pages.
MAX_LINES_OF_README = 150
# A file of more than MAX_LINES gives the reason in a comment with these words.
LONG_BECAUSE = re.compile(r"(?://|#|\*)+\s*Long because")

# The project's files refer only to each other. Exceptions are pages that readers are sent to, and the one URL that a
# SARIF log must contain.
ALLOWED_URLS = re.compile(
    r"https?://(docs\.nvidia\.com|developer\.nvidia\.com|developer\.download\.nvidia\.com|"
    r"doi\.org|docs\.oasis-open\.org/sarif)\b"
)
ANY_URL = re.compile(r"https?://[\w.-]+")
# Paths in these folders exist on one machine only. The names are put together here, so that this file obeys the rule.
MACHINE_PATH = re.compile(r"(?:^|[^\w.$}/-])/(?:" + "|".join(["work", "farm", "root", "home/[a-z]"]) + r")/[\w.-]+")
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b(?!\()")
# A glob in each build costs every student time, and a glob that is not repeated does not find new files.
GLOB = re.compile(r"\bfile\s*\(\s*GLOB|\bCONFIGURE_DEPENDS\b(?<!CMAKE_CONFIGURE_DEPENDS)", re.IGNORECASE)
# A line that begins with a comment ends the paragraph before it, and Markdown takes the rest of the line for HTML.
COMMENT_FIRST = re.compile(r"[ >]*(?:(?:[-*+]|\d+[.)]) +)*(?:<!--.*?-->)+(?P<rest>.*)")
FENCE = re.compile(r"[ >]*(?:```|~~~)")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def files_of(tree):
    """Returns the tracked and the new files, relative to the tree. If git does not know the tree, returns all files."""
    listed = subprocess.run(
        ["git", "-C", str(tree), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode().split("\0")
        paths = [pathlib.Path(name) for name in names if name]
    else:
        paths = [path.relative_to(tree) for path in tree.rglob("*") if path.parts[len(tree.parts)][:5] != "build"]
    return sorted(path for path in set(paths) if (tree / path).is_file())


def check_lines(path, lines):
    """Yields (line number, message) for each line that breaks a rule."""
    is_code = path.suffix in CODE
    exercise = path.parts[0] == "chapters"
    # In C++, clang-format enforces these two rules. It leaves raw strings alone, in which the characters matter.
    by_formatter = path.suffix in SOURCE
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not by_formatter:
            yield number, "blanks at the end of the line"
        if is_code and "\t" in line and not by_formatter:
            yield number, "a tab; indent with blanks"
        if is_code and len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; the limit is {MAX_COLUMNS}"
        for url in ANY_URL.finditer(line):
            if not ALLOWED_URLS.match(line, url.start()):
                yield number, f"an address outside the documentation that we cite: {url.group()}"
        if found := MACHINE_PATH.search(line):
            yield number, f"a path of one machine: {found.group().strip()}"
        if (path.suffix == ".cmake" or path.name == "CMakeLists.txt") and GLOB.search(line):
            yield number, "a glob in CMake; use workbook_files (SourceLists.cmake), which finds new files"
        if not exercise and UNFINISHED.search(line):
            yield number, "a mark of unfinished work outside the exercises"


def check_markdown(tree, path, lines):
    """Yields (line number, message) for each broken link of a page and for each line that Markdown takes for HTML."""
    is_code = False
    for number, line in enumerate(lines, 1):
        for target in LINK.findall(line):
            if not ANY_URL.match(target) and not (tree / path.parent / target).exists():
                yield number, f"a link to a file that is not there: {target}"
        is_code ^= bool(FENCE.match(line))
        comment = COMMENT_FIRST.match(line)
        if comment and comment["rest"].strip() and not is_code:
            yield number, "a comment before text; Markdown takes the whole line for HTML, so begin it with a word"


def check_file(tree, path, text):
    """Yields (line number, message) for the file as a whole and for its lines."""
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"
    yield from check_lines(path, lines)
    if path.suffix in HEADER and not any(line == "#pragma once" for line in lines[:5]):
        yield 1, "a header without #pragma once at its top"
    if path.suffix in CODE and len(lines) - 1 > MAX_LINES and not LONG_BECAUSE.search(text):
        yield 1, f"{len(lines) - 1} lines; files above {MAX_LINES} need a comment 'Long because …' with the reason"
    if path == pathlib.Path("README.md") and len(lines) - 1 > MAX_LINES_OF_README:
        yield 1, f"{len(lines) - 1} lines; {MAX_LINES_OF_README} at most: move the rest to docs/pages, and link it"
    if path.suffix == ".md":
        yield from check_markdown(tree, path, lines)


def breaches(tree):
    """Returns all violations in the tree as printable lines, and the number of files checked."""
    found, count = [], 0
    for path in files_of(tree):
        if path.suffix not in TEXT:
            continue
        try:
            text = (tree / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            if path.suffix in CODE | {".md"}:
                found.append(f"{path}:1: not UTF-8")
            continue
        # Recorded inputs and outputs are not checked.
        if path.parts[:2] in {("tests", "data"), ("plots", "data")}:
            continue
        count += 1
        found += [f"{path}:{number}: {message}" for number, message in check_file(tree, path, text)]
    return found, count


def main():
    if len(sys.argv) != 2:
        print("usage: house_rules.py TREE", file=sys.stderr)
        return 2
    found, count = breaches(pathlib.Path(sys.argv[1]).resolve())
    for line in found:
        print(line)
    if count == 0:
        print("found no file to check", file=sys.stderr)
        return 1
    print(f"{count} files, {len(found)} violations of the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
