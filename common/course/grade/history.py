"""Reads all sheets of a course, in order of time, and the predictions in the students' notebooks."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime
import json
import pathlib
import typing

from course.grade import words
from course.grade.result import Result, State
from course.grade.sheet_contents import SCHEMA, Contents

LARGEST_NOTEBOOK = 1 << 20
NAMES = 60  # characters of an idea that are shown


class NoSheets(Exception):
    """Raised if there is nothing that a page could show. The message tells the user what to do."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One sheet: when it was made, and its contents."""

    at: datetime.datetime
    sheet: Contents


def time_of(sheet: Contents, path: pathlib.Path) -> datetime.datetime:
    """Returns when a sheet was made. Sheets of an older version do not record this, so the file's time is used."""
    try:
        at = datetime.datetime.fromisoformat(sheet.graded_at)
    except ValueError:
        at = datetime.datetime.fromtimestamp(path.stat().st_mtime)
    return at.astimezone()


def read_sheets(folder: pathlib.Path) -> list[Run]:
    """Reads every sheet*.json in a folder or below it, the oldest first. Raises NoSheets."""
    runs = []
    for path in [folder] if folder.is_file() else sorted(folder.rglob("sheet*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(data, dict) and data["schema"] == SCHEMA and data["submissions"]:
                sheet = Contents.from_json(data)
                runs.append(Run(time_of(sheet, path), sheet))
        except (OSError, ValueError, KeyError) as error:
            raise NoSheets(f"{path} is not a sheet of the grader ({error}). Move it away and try again.") from error
    if not runs:
        raise NoSheets(
            f"There is no sheet.json below {folder}. Grade the class first: make grade SUBMISSIONS=dir "
            f'ARGS="--out {folder}/week1"'
        )
    return sorted(runs, key=lambda run: run.at)


def latest(runs: list[Run]) -> dict[int, dict[str, Result]]:
    """Returns each student's last result in each chapter. If a file is missing in a later run, the earlier result
    stays, because the later run may have been for other chapters."""
    found: dict[int, dict[str, Result]] = collections.defaultdict(dict)
    for run in runs:
        for one in run.sheet.submissions:
            for number, entry in one.chapters.items():
                if one.name not in found[number] or entry.result.state != State.MISSING:
                    found[number][one.name] = entry.result
    return dict(sorted(found.items()))


def students(runs: list[Run]) -> list[str]:
    return sorted({one.name for run in runs for one in run.sheet.submissions})


def standing(result: Result) -> str:
    """Returns how far a result is: "done", "right", "not right" (begun), or "not begun"."""
    if result.state in (State.MISSING, State.NOT_STARTED):
        return "not begun"
    if result.done:
        return "done"
    return "right" if result.right else "not right"


def kinds(run: Run) -> dict[str, set[str]]:
    """Returns the kinds of findings in a run, each with the submissions that have it."""
    return {kind: set(names) for kind, names in run.sheet.shared}


@dataclasses.dataclass
class Asked:
    """The results of one question of `make predictN`, over all students whose notebooks contain the question."""

    chapter: int
    name: str
    idea: str = ""
    days: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # the day and the result of each answer

    def count(self, result: str) -> int:
        """Returns the number of answers with a given result: `first` (right at once), `second`, or `wrong`."""
        return sum(how == result for _, how in self.days)


def notebook(folder: pathlib.Path) -> dict[str, typing.Any]:
    """Returns the pages in a student's .workbook/progress.json, or {} if it is missing or malformed. Follows no links,
    and does not read a file that is larger than a notebook can be."""
    path = folder / ".workbook" / "progress.json"
    try:
        if (
            any(one.is_symlink() for one in (path, path.parent, folder))
            or not path.is_file()
            or path.stat().st_size > LARGEST_NOTEBOOK
        ):
            return {}
        pages = json.loads(path.read_text(encoding="utf-8"))["chapters"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {name: page for name, page in pages.items() if isinstance(page, dict)} if isinstance(pages, dict) else {}


def predictions(
    folders: dict[str, pathlib.Path], known: dict[int, tuple[str, ...]]
) -> tuple[dict[tuple[int, str], Asked], int]:
    """Returns the results of each question, and the number of notebooks. `known` contains the questions of each
    chapter. A notebook may have been edited, so only questions in `known` get onto the page."""
    found: dict[tuple[int, str], Asked] = {}
    count = 0
    for folder in folders.values():
        pages = notebook(folder)
        count += bool(pages)
        for number, page in pages.items():
            entries = page.get("asked")
            if not number.isdecimal() or int(number) not in known or not isinstance(entries, dict):
                continue
            for name, entry in entries.items():
                if name not in known[int(number)] or not isinstance(entry, dict):
                    continue
                if entry.get("result") not in ("first", "second", "wrong"):
                    continue
                asked = found.setdefault((int(number), name), Asked(int(number), name))
                asked.idea = asked.idea or words.visible(str(entry.get("idea", "")))[:NAMES]
                asked.days.append((str(entry.get("on", "")), entry["result"]))
    return found, count


def by_week(asked: collections.abc.Iterable[Asked]) -> dict[str, tuple[int, int]]:
    """Returns the numbers of all answers and of wrong answers in each week, by the week's Monday."""
    weeks: dict[str, tuple[int, int]] = {}
    for one in asked:
        for day, result in one.days:
            try:
                date = datetime.date.fromisoformat(day)
            except ValueError:
                continue
            monday = (date - datetime.timedelta(days=date.weekday())).isoformat()
            count, wrong = weeks.get(monday, (0, 0))
            weeks[monday] = (count + 1, wrong + (result == "wrong"))
    return dict(sorted(weeks.items()))
