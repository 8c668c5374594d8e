"""canvas.csv: for Canvas' gradebook, under Import.

Rules (Canvas' guide "How do I import grades in the Gradebook?" and its importer, gradebook_importer.rb): the header
begins with Student, ID, SIS User ID, SIS Login ID, Section, and every later column is an assignment, named by its
title. A row whose first cell contains "Points Possible" gives the maximum of each assignment. Canvas finds a student by
ID, otherwise by SIS User ID, otherwise by SIS Login ID, otherwise by name. An empty cell leaves a grade unchanged."""

from __future__ import annotations

import pathlib
import re

from course.grade import words
from course.grade.formats import table
from course.grade.formats.roster import Row
from course.grade.formats.surroundings import Around
from course.grade.sheet_contents import Contents

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
POINTS = "Points Possible"


def title(number: int) -> str:
    """Returns the assignment's title in Canvas. It doesn't end in brackets, because Canvas looks for its own number
    there."""
    return f"Reduction Workbook chapter {number}"


def name_of(row: Row) -> str:
    """Returns the student's name. It is changed if Canvas would take it for the row "Points Possible"."""
    return re.sub(POINTS, POINTS.replace(" ", "_"), words.cell(row.name), flags=re.IGNORECASE)


def write(sheet: Contents, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes canvas.csv with the roster's students. Without a roster, writes a row per folder, under its name."""
    each = sum(sheet.weights.values())
    rows = [
        HEADER + [title(n) for n in sheet.chapters],
        [f"    {POINTS}", "", "", "", ""] + [str(each)] * len(sheet.chapters),
    ]
    for row in about.rows(sheet):
        if row.student is None and about.students is not None:
            continue
        more = row.student.more if row.student else {}
        login = more.get("login") or (row.student.email if row.student else "")
        who = [more.get("canvas id", ""), row.student.id if row.student else "", login, more.get("section", "")]
        rows.append([name_of(row), *map(words.cell, who), *row.points(sheet.chapters)])
    return [table.put(folder, "canvas.csv", rows)]
