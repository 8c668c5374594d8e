"""moodle.csv: for Moodle's gradebook, under Import, CSV file.

Rules (MoodleDocs, "Grade import", and Moodle's load_data.php): the first line names the columns. During the import, the
user maps each column by hand: one to the user's e-mail address, and each chapter to a grade item or to a new one.
Addresses are compared letter by letter. An empty cell or - means no grade. If a single row belongs to no user, the
whole import is aborted, so students without an e-mail address are left out here."""

from __future__ import annotations

import pathlib

from course.grade import words
from course.grade.formats import table
from course.grade.formats.surroundings import Around
from course.grade.sheet_contents import Contents

HEADER = ["Name", "ID number", "Email address"]


def write(sheet: Contents, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes moodle.csv with those students of the roster who have an e-mail address."""
    rows = [HEADER + [f"Chapter {n} (of {sum(sheet.weights.values())})" for n in sheet.chapters]]
    for row in about.rows(sheet):
        if row.student is None or not row.student.email:
            continue
        who = [words.cell(text) for text in (row.student.name, row.student.id, row.student.email)]
        rows.append(who + row.points(sheet.chapters))
    return [table.put(folder, "moodle.csv", rows)]
