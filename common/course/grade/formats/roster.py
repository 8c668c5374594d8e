"""The roster of a course, which assigns submissions to students.

The first line of roster.csv names its columns, in any order: name, email, id, folder. The folder is that of the
student's submission; two students who work together have the same folder. The columns `canvas id`, `login` and
`section` are passed on to Canvas. Other columns are ignored."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import pathlib
import typing

from course.grade import words
from course.grade.formats import entries
from course.grade.sheet_contents import Submission

COLUMNS = ("name", "email", "id", "folder")
MORE = ("canvas id", "login", "section")
SAME = {"e-mail": "email", "email address": "email", "student id": "id", "id number": "id", "student": "name"}


@dataclasses.dataclass(frozen=True)
class Student:
    """A line of the roster."""

    name: str
    email: str = ""
    id: str = ""
    folder: str = ""
    more: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Row:
    """A student and their submission. Either may be None: a student may not have submitted anything, and a submission
    may not belong to any student of the roster."""

    student: Student | None
    submission: Submission | None
    state: str  # "handed in", "late" or "missing"

    @property
    def name(self) -> str:
        if self.student:
            return self.student.name
        return words.visible(self.submission.name) if self.submission else ""

    def points(self, chapters: list[int]) -> list[str]:
        """Returns the points of each chapter for a table; "" if the chapter has no grade."""
        got = self.submission.chapters if self.submission and self.state != "missing" else {}
        return [entries.cell(got.get(number)) for number in chapters]


def columns_of(header: list[str], path: pathlib.Path) -> dict[str, int]:
    """Returns the index of each known column. Raises ValueError with a message for the user."""
    found: dict[str, int] = {}
    for place, title in enumerate(header):
        plain = " ".join(title.replace("_", " ").split()).casefold()
        plain = SAME.get(plain, plain)
        if plain in (*COLUMNS, *MORE):
            if plain in found:
                raise ValueError(f"--roster {path}: two columns are named {plain}")
            found[plain] = place
    missing = [name for name in COLUMNS if name not in found]
    if missing:
        raise ValueError(
            f"--roster {path}: its first line has to name the columns name, email, id and folder; "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there"
        )
    return found


def separator_of(text: str) -> str:
    """Returns the separator of the cells: spreadsheets write commas, in some countries semicolons, and others tabs."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(",;\t", key=header.count)


def read(path: pathlib.Path) -> list[Student]:
    """Reads a roster; any line ends are accepted. Raises ValueError with a message for the user."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
        # A line break in a name would break the rows of a table, so all white space becomes single spaces.
        every = [
            [" ".join(cell.split()) for cell in line]
            for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text), strict=True)
        ]
        lines = [line for line in every if any(line)]
    except OSError as error:
        raise ValueError(f"--roster {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"--roster {path}: it is not UTF-8; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"--roster {path}: it is not a CSV file ({error})") from error
    if not lines:
        raise ValueError(f"--roster {path}: it is empty")
    columns = columns_of(lines[0], path)
    students: list[Student] = []
    for line in lines[1:]:
        cells = {name: line[at] if at < len(line) else "" for name, at in columns.items()}
        if any(cells.values()):
            more = {name: cells[name] for name in MORE if cells.get(name)}
            students.append(Student(cells["name"], cells["email"], cells["id"], cells["folder"], more))
    ids = [student.id for student in students if student.id]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise ValueError(f"--roster {path}: the id {words.visible(twice[0])} occurs twice")
    return students


def due_time(text: str) -> datetime.datetime:
    """Parses the argument of --due. A date means the end of that day. If no time zone is given, this machine's is used.
    Raises ValueError with a message for the user."""
    try:
        day_only = len(text) == len("2026-11-30")
        given = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--due {text}: write 2026-11-30 or 2026-11-30T18:00") from None
    if day_only:
        given = given.replace(hour=23, minute=59, second=59)
    return given if given.tzinfo else given.astimezone()


def newest(folder: pathlib.Path, exercises: typing.Iterable[pathlib.PurePosixPath]) -> datetime.datetime | None:
    """Returns when the newest of the exercise files was written; None if there are no such files."""
    times = []
    for exercise in exercises:
        try:
            times.append((folder / exercise).lstat().st_mtime)
        except OSError:
            continue
    return datetime.datetime.fromtimestamp(max(times)).astimezone() if times else None
