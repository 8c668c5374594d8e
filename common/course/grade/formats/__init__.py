"""Sheets for other systems: `make grade FORMAT=…`. Each format has its own module.

Most formats are made from a graded sheet and compute no points of their own. Their write(data, folder, around) receives
the contents of the sheet. The other formats are kits that run the grader elsewhere. Their write(around, folder)
receives the source tree but no student files."""

from __future__ import annotations

import argparse
import collections.abc
import importlib
import pathlib

from course.grade.chapters import Chapter
from course.grade.formats import roster
from course.grade.formats.surroundings import Around
from course.grade.sheet_contents import Contents

# The module whose write() makes a format, by the format's name. Every run writes junit.xml, so that has no module.
OF_SHEET = {"csv": "table", "canvas": "canvas", "moodle": "moodle", "feedback": "feedback", "junit": ""}
KITS = {"gradescope": "gradescope", "classroom": "classroom"}


def add_options(parser: argparse.ArgumentParser) -> None:
    names = ", ".join([*OF_SHEET, *KITS])
    parser.add_argument(
        "--format", default="", help=f"also write sheets for other systems, separated by commas: {names}"
    )
    parser.add_argument("--roster", type=pathlib.Path, help="a CSV file with the columns name, email, id, folder")
    parser.add_argument("--due", help="files saved after this are late: 2026-11-30 or 2026-11-30T18:00")


def chosen(text: str) -> list[str]:
    """Returns the formats that --format names. Raises ValueError with a message for the user."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*OF_SHEET, *KITS):
            raise ValueError(
                f"--format {name}: there is no such format; the formats are {', '.join([*OF_SHEET, *KITS])}"
            )
    return list(dict.fromkeys(names))


def around(
    given: argparse.Namespace, chapters: collections.abc.Sequence[Chapter], folders: dict[str, pathlib.Path]
) -> Around:
    """Returns the context that these arguments specify for the writers. Raises ValueError with a message for the user,
    before anything is graded."""
    if "moodle" in chosen(given.format) and not given.roster:
        raise ValueError("--format moodle: Moodle finds students by their e-mail; give a roster, --roster roster.csv")
    return Around(
        root=given.root.resolve(),
        titles={chapter.number: chapter.title for chapter in chapters},
        exercises={chapter.number: chapter.exercise for chapter in chapters},
        points=given.points,
        folders=folders,
        students=roster.read(given.roster) if given.roster else None,
        due=roster.due_time(given.due) if given.due else None,
    )


def only_kits(given: argparse.Namespace) -> bool:
    """Returns true if nothing has to be graded, because only kits are requested and no submissions are given. Raises
    ValueError with a message for the user."""
    names = chosen(given.format)
    return bool(names) and not given.submissions and all(name in KITS for name in names)


def write(text: str, sheet: Contents | None, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes the formats that --format names. Returns the names of the files and folders, as text for people. `sheet`
    is None if nothing was graded; kits don't need it."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    for name in chosen(text):
        module = OF_SHEET.get(name) or KITS.get(name)
        if not module:
            continue
        writer = importlib.import_module(f"course.grade.formats.{module}")
        made += writer.write(about, folder) if name in KITS else writer.write(sheet, folder, about)
    return made
