"""Sheets for other systems: `make grade FORMAT=…`. Each format has its own module.

Most formats are made from a graded sheet and compute no points of their own. Their write(data, folder, around) receives
the contents of the sheet. The other formats are kits that run the grader elsewhere. Their write(around, folder)
receives the source tree but no student files."""

from __future__ import annotations

import importlib
import pathlib

from course.grade.formats.surroundings import Around
from course.grade.sheet_contents import Contents

# The module whose write() makes a format, by the format's name. Every run writes junit.xml, so that has no module.
OF_SHEET = {"csv": "table", "canvas": "canvas", "moodle": "moodle", "feedback": "feedback", "junit": ""}
KITS = {"gradescope": "gradescope", "classroom": "classroom"}
NAMES = (*OF_SHEET, *KITS)


def chosen(text: str) -> list[str]:
    """Returns the formats that --format names. Raises ValueError with a message for the user."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in NAMES:
            raise ValueError(f"--format {name}: there is no such format; the formats are {', '.join(NAMES)}")
    return list(dict.fromkeys(names))


def only_kits(names: list[str]) -> bool:
    """Returns true if all of these formats are kits, for which nothing has to be graded."""
    return bool(names) and all(name in KITS for name in names)


def write(names: list[str], sheet: Contents | None, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes these formats. Returns the names of the files and folders, as text for people. `sheet` is None if nothing
    was graded; kits don't need it."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    for name in names:
        module = OF_SHEET.get(name) or KITS.get(name)
        if not module:
            continue
        writer = importlib.import_module(f"course.grade.formats.{module}")
        made += writer.write(about, folder) if name in KITS else writer.write(sheet, folder, about)
    return made
