"""canvas.csv: for Canvas' gradebook, under Import.

Rules (Canvas' guide "How do I import grades in the Gradebook?" and its importer, gradebook_importer.rb): the header
begins with Student, ID, SIS User ID, SIS Login ID, Section, and every later column is an assignment by its title; a row
whose first cell holds "Points Possible" says what each is worth; a student is found by ID, else by SIS User ID, else by
SIS Login ID, else by the name. An empty cell leaves a grade as it is."""

from __future__ import annotations

import pathlib
import re

from book.grade import words
from book.grade.formats import table
from book.grade.formats.entries import Data
from book.grade.formats.roster import Row
from book.grade.formats.surroundings import Around

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
POINTS = "Points Possible"


def title(number: int) -> str:
    """The assignment's title in Canvas. No brackets at its end, where Canvas looks for a number of its own."""
    return f"Reduction Workbook chapter {number}"


def name_of(row: Row) -> str:
    """Returns the name. Canvas takes a student named "Points Possible" for the row of that name."""
    return re.sub(POINTS, POINTS.replace(" ", "_"), words.cell(row.name), flags=re.IGNORECASE)


def write(data: Data, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes canvas.csv: the roster's students; without a roster, a row per folder, by its name."""
    each = sum(data["weights"].values())
    chapters = [str(number) for number in data["chapters"]]
    rows = [
        HEADER + [title(int(n)) for n in chapters],
        [f"    {POINTS}", "", "", "", ""] + [str(each)] * len(chapters),
    ]
    for row in about.rows(data):
        if row.student is None and about.students is not None:
            continue
        more = row.student.more if row.student else {}
        login = more.get("login") or (row.student.email if row.student else "")
        who = [more.get("canvas id", ""), row.student.id if row.student else "", login, more.get("section", "")]
        rows.append([name_of(row), *map(words.cell, who), *row.points(chapters)])
    return [table.put(folder, "canvas.csv", rows)]
