"""grades.csv: one row per student of the roster, for a spreadsheet. Submissions that belong to no student follow."""

from __future__ import annotations

import csv
import io
import pathlib

from course.grade import words
from course.grade.formats import entries
from course.grade.formats.entries import Data
from course.grade.formats.roster import Row
from course.grade.formats.surroundings import Around
from course.grade.result import State


def put(folder: pathlib.Path, name: str, rows: list[list[str]], encoding: str = "utf-8") -> str:
    """Writes rows as CSV (RFC 4180), and returns the file's name. The file is replaced at once, so it is never
    partial."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    part = folder / (name + ".part")
    part.write_text(text.getvalue(), encoding=encoding, newline="")
    part.replace(folder / name)
    return name


def remark(row: Row, with_roster: bool) -> str:
    if row.student is None:
        return "not in the roster" if with_roster else ""
    return "" if row.student.email else "no e-mail"


def write(data: Data, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes grades.csv. If a student has no submission, the cells are empty, and the instructor decides on the
    grade."""
    chapters = [str(number) for number in data["chapters"]]
    rows = [
        ["name", "email", "id", "folder", "state", "remark", "points", "most"] + [f"chapter {n}" for n in chapters],
    ]
    for row in about.rows(data):
        student, submission = row.student, row.submission
        who = [row.name, student.email, student.id, student.folder] if student else [row.name, "", "", row.name]
        # Only text from the roster and the folder's name can begin with a formula, so only these are escaped.
        cells = [words.cell(text) for text in who] + [row.state, remark(row, about.students is not None)]
        if submission is None:
            cells += ["", str(data["most_points"])] + [""] * len(chapters)
        else:
            got = submission["chapters"]
            known = all(one["state"] != State.NOT_JUDGED.value for one in got.values())
            cells += [str(submission["points"]) if known else "", str(data["most_points"])]
            cells += [entries.cell(got.get(n)) for n in chapters]
        rows.append(cells)
    # Written with a byte order mark, because without it a common spreadsheet program reads UTF-8 as Latin-1.
    return [put(folder, "grades.csv", rows, "utf-8-sig")]
