"""grades.csv: one row per student of the roster, for a spreadsheet; submissions of nobody on it stand at the end."""

from __future__ import annotations

import csv
import io
import pathlib

from book.grade import words
from book.grade.formats import entries
from book.grade.formats.entries import Data
from book.grade.formats.roster import Row
from book.grade.formats.surroundings import Around
from book.grade.journal import NOT_JUDGED


def put(folder: pathlib.Path, name: str, rows: list[list[str]], encoding: str = "utf-8") -> str:
    """Writes rows as CSV (RFC 4180), whole or not at all. Returns the file's name."""
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
    """Writes grades.csv. Who handed nothing in has empty cells: what that is worth is the instructor's to say."""
    chapters = [str(number) for number in data["chapters"]]
    rows = [
        ["name", "email", "id", "folder", "state", "remark", "points", "most"] + [f"chapter {n}" for n in chapters],
    ]
    for row in about.rows(data):
        student, submission = row.student, row.submission
        who = [row.name, student.email, student.id, student.folder] if student else [row.name, "", "", row.name]
        # The sheet's own name of the folder is shown as it is on screen.
        cells = [words.cell(text) for text in who] + [row.state, remark(row, about.students is not None)]
        if submission is None:
            cells += ["", str(data["most_points"])] + [""] * len(chapters)
        else:
            got = submission["chapters"]
            known = all(one["state"] != NOT_JUDGED for one in got.values())
            cells += [str(submission["points"]) if known else "", str(data["most_points"])]
            cells += [entries.cell(got.get(n)) for n in chapters]
        rows.append(cells)
    # With a mark at its beginning, since a widespread spreadsheet takes UTF-8 for Latin-1 otherwise.
    return [put(folder, "grades.csv", rows, "utf-8-sig")]
