"""The context that the writers of sheets know in addition to the sheet."""

from __future__ import annotations

import dataclasses
import datetime
import pathlib

from course.grade import words
from course.grade.formats import roster
from course.grade.result import State
from course.grade.sheet_contents import Contents, Submission
from course.grade.submissions import Files


@dataclasses.dataclass
class Around:
    """The context of a sheet: where the files are, and what the instructor has specified about the course."""

    root: pathlib.Path
    titles: dict[int, str]
    exercises: dict[int, pathlib.PurePosixPath]
    points: str = ""
    folders: dict[str, pathlib.Path] = dataclasses.field(default_factory=dict)  # the submissions' folders, by name
    files: Files = dataclasses.field(default_factory=dict)  # the files that were graded
    students: list[roster.Student] | None = None
    due: datetime.datetime | None = None

    def rows(self, sheet: Contents) -> list[roster.Row]:
        """Returns a row for each student of the roster, then a row for each submission that belongs to none of them."""
        by_name = {one.name: one for one in sheet.submissions}
        rows, taken = [], set()
        for student in self.students or []:
            name = words.visible(student.folder)
            submission = by_name.get(name)
            taken.add(name)
            rows.append(roster.Row(student, submission, self._state(submission)))
        rows += [roster.Row(None, one, self._state(one)) for name, one in by_name.items() if name not in taken]
        return rows

    def _state(self, submission: Submission | None) -> str:
        if submission is None or all(one.result.state == State.MISSING for one in submission.chapters.values()):
            return "missing"
        folder = self.folders.get(submission.name)
        last = roster.newest(folder, self.exercises.values()) if folder and self.due else None
        return "late" if last and self.due and last > self.due else "handed in"

    def source(self, name: str, number: int) -> list[str]:
        """Returns the lines of a file that was graded; [] if there is none."""
        given = self.files.get(name, {}).get(number)
        return [] if given is None or given.refused else given.data.decode("utf-8", "replace").split("\n")
