#!/usr/bin/env python3
"""Tests that the table of docs/pages/layout.md and the folders of the tree agree: test_layout.py [TREE]

A folder that the table names has to exist. Each folder of common/ that holds sources has to have a row, and so does
each folder in it that holds sources.
"""

import pathlib
import re
import sys
import tempfile
import unittest

TREE = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/pages/layout.md"
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".js", ".html", ".toml"}


def rows(page):
    """Returns the folders in the first column of the page's tables."""
    cells = re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE)
    return [folder.rstrip("/") for cell in cells for folder in re.findall(r"`([^`]+)`", cell)]


def rooms(tree):
    """Returns the folders of common/, down to the second level, that hold a source or a folder with one."""
    found = set()
    for path in (tree / "common").rglob("*"):
        parts = path.relative_to(tree).parts
        if path.suffix in SOURCES and "__pycache__" not in parts:
            found |= {"/".join(parts[:depth]) for depth in (2, 3) if len(parts) > depth}
    return sorted(found)


def complaints(tree):
    """Returns a line for each difference between the table and the tree."""
    named = rows((tree / PAGE).read_text(encoding="utf-8"))
    missing = [f"{PAGE}: there is no folder {folder}" for folder in named if not (tree / folder).is_dir()]
    unnamed = [f"{PAGE}: no row for {room}/" for room in rooms(tree) if room not in named]
    twice = [f"{PAGE}: {folder} has two rows" for folder in sorted(set(named)) if named.count(folder) > 1]
    return missing + unnamed + twice


class Layout(unittest.TestCase):
    def test_the_page_has_a_row_for_each_room_and_each_row_has_its_room(self):
        self.assertGreater(len(rooms(TREE)), 30)
        self.assertEqual(complaints(TREE), [])

    def test_each_difference_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name in ("common/host/a.cpp", "common/timing/model/b.hpp", "common/data/c.json", PAGE):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).touch()
            (tree / PAGE).write_text(
                "| folder | contents |\n| --- | --- |\n"
                "| `common/host/` | `common/code/` is named only here |\n| `common/host/`, `gone/` | x |\n"
            )
            self.assertEqual(
                complaints(tree),
                [
                    f"{PAGE}: there is no folder gone",
                    f"{PAGE}: no row for common/timing/",
                    f"{PAGE}: no row for common/timing/model/",
                    f"{PAGE}: common/host has two rows",
                ],
            )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
