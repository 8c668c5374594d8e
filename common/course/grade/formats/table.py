"""grades.csv: one row per student of the roster, for a spreadsheet. Submissions that belong to no student follow."""

from __future__ import annotations

import csv
import io
import pathlib

from course.grade import words
from course.grade.formats import entries
from course.grade.formats.roster import Row
from course.grade.formats.surroundings import Around
from course.grade.result import State
from course.grade.sheet_contents import Contents


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


def write(sheet: Contents, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes grades.csv. If a student has no submission, the cells are empty, and the instructor decides on the
    grade."""
    rows = [
        ["name", "email", "id", "folder", "state", "remark", "points", "most"]
        + [f"chapter {n}" for n in sheet.chapters],
    ]
    for row in about.rows(sheet):
        student, submission = row.student, row.submission
        who = [row.name, student.email, student.id, student.folder] if student else [row.name, "", "", row.name]
        # Only text from the roster and the folder's name can begin with a formula, so only these are escaped.
        cells = [words.cell(text) for text in who] + [row.state, remark(row, about.students is not None)]
        if submission is None:
            cells += ["", str(sheet.most_points)] + [""] * len(sheet.chapters)
        else:
            got = submission.chapters
            known = all(one.result.state != State.NOT_JUDGED for one in got.values())
            cells += [str(submission.points) if known else "", str(sheet.most_points)]
            cells += [entries.cell(got.get(n)) for n in sheet.chapters]
        rows.append(cells)
    # Written with a byte order mark, because without it a common spreadsheet program reads UTF-8 as Latin-1.
    return [put(folder, "grades.csv", rows, "utf-8-sig")]
