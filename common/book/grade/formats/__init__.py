"""Sheets for other systems: `make grade FORMAT=…`. One module a format.

Most are made of a graded sheet, and reckon no points of their own: write(data, folder, around) gets what sheet.json
has. The others are kits that take the grader elsewhere: write(around, folder) gets the tree, and no student's file."""

from __future__ import annotations

import argparse
import collections.abc
import dataclasses
import datetime
import hashlib
import importlib
import pathlib
import typing

from book.grade import submissions, words
from book.grade.chapters import Chapter
from book.grade.formats import roster
from book.grade.formats.entries import Data

if typing.TYPE_CHECKING:
    from book.grade.pictures import Shown

# By name: the module whose write() makes it. junit.xml is written with every sheet.
OF_SHEET = {"csv": "table", "canvas": "canvas", "moodle": "moodle", "feedback": "feedback", "junit": ""}
KITS = {"gradescope": "gradescope", "classroom": "classroom"}


@dataclasses.dataclass
class Around:
    """What stands around a sheet: where the files are, and what the instructor has said of the course."""

    root: pathlib.Path
    titles: dict[int, str]
    exercises: dict[int, pathlib.PurePosixPath]
    points: str = ""
    folders: dict[str, pathlib.Path] = dataclasses.field(default_factory=dict)
    students: list[roster.Student] | None = None
    due: datetime.datetime | None = None
    # Of the kernels, by chapter and content; None: none were made.
    pictures: dict[tuple[int, str], Shown] | None = None

    def folder(self, name: str) -> pathlib.Path | None:
        """Returns the folder of a submission, by its name in the sheet."""
        return self.folders.get(name)

    def rows(self, data: Data) -> list[roster.Row]:
        """Returns a row for each student of the roster, then one for each submission of nobody on it."""
        by_name = {one["name"]: one for one in data["submissions"]}
        rows, taken = [], set()
        for student in self.students or []:
            name = words.visible(student.folder)
            submission = by_name.get(name)
            taken.add(name)
            rows.append(roster.Row(student, submission, self._state(submission)))
        rows += [roster.Row(None, one, self._state(one)) for name, one in by_name.items() if name not in taken]
        return rows

    def _state(self, submission: Data | None) -> str:
        folder = self.folder(submission["name"]) if submission else None
        return roster.state_of(submission, folder, list(self.exercises.values()), self.due)

    def source(self, name: str, number: int, key: str | None) -> list[str]:
        """Returns the lines of a file that was graded; none where it is no longer the same."""
        folder = self.folder(name)
        given = submissions.read(folder, self.exercises[number]) if folder and key else None
        if given is None or given.refused or hashlib.sha256(given.data).hexdigest() != key:
            return []
        return given.data.decode("utf-8", "replace").split("\n")


def add_options(parser: argparse.ArgumentParser) -> None:
    names = ", ".join([*OF_SHEET, *KITS])
    parser.add_argument("--format", default="", help=f"sheets for other systems besides, with commas: {names}")
    parser.add_argument("--roster", type=pathlib.Path, help="a CSV file with the columns name, email, id, folder")
    parser.add_argument("--due", help="what was saved later is late: 2026-11-30 or 2026-11-30T18:00")


def chosen(text: str) -> list[str]:
    """Returns the formats that --format names. Raises ValueError with words."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*OF_SHEET, *KITS):
            raise ValueError(f"--format {name}: there is no such format; there are {', '.join([*OF_SHEET, *KITS])}")
    return list(dict.fromkeys(names))


def around(
    given: argparse.Namespace, chapters: collections.abc.Sequence[Chapter], folders: dict[str, pathlib.Path]
) -> Around:
    """Returns what stands around the sheet of these words. Raises ValueError with words, before anything is graded."""
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
    """Says whether nothing has to be graded: there is a kit to make and no class. Raises ValueError with words."""
    names = chosen(given.format)
    return bool(names) and not given.submissions and all(name in KITS for name in names)


def write(text: str, data: Data | None, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes the formats that --format names. Returns the names of the files and folders, for people. `data` is None
    where nothing was graded; kits do without."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    for name in chosen(text):
        module = OF_SHEET.get(name) or KITS.get(name)
        if module is None or not module:
            continue
        writer = importlib.import_module(f"book.grade.formats.{module}")
        made += writer.write(about, folder) if name in KITS else writer.write(data, folder, about)
    return made
