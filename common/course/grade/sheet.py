"""The grade sheet: as text for people, and as JSON and JUnit XML for programs."""

from __future__ import annotations

import collections
import datetime
import json
import pathlib
import textwrap
from xml.etree import ElementTree

from course.grade import points
from course.grade.chapters import Chapter
from course.grade.journal import Settings
from course.grade.result import PARTS, Result, State
from course.grade.sheet_contents import Contents, Entry, Submission, Times
from course.grade.words import cut, lines, visible

MARK = "~"  # marks where a line of the text was cut
LETTERS = {"right": "R", "clean": "C", "goal": "G", "accuracy": "A"}
SHORT = {
    State.NOT_STARTED: "start",
    State.MISSING: "-",
    State.DOES_NOT_COMPILE: "comp.",
    State.REFUSED: "refus.",
    State.FAILED: "fail.",
    State.COMPILER_OUT_OF_LIMITS: "limit",
    State.NOT_JUDGED: "?",
}


class Sheet:
    """All results of a run: one row per submission, with the result of every chapter."""

    def __init__(self, chapters: list[Chapter], settings: Settings, weights: dict[str, int], view: str) -> None:
        self.chapters, self.settings, self.weights, self.view = chapters, settings, weights, view
        self.times: Times | None = None  # of the run
        self.rows: dict[str, dict[int, Entry]] = {}
        # the submissions with the same file, by (chapter, hash of the content)
        self.files: dict[tuple[int, str], list[str]] = collections.defaultdict(list)

    def add(self, name: str, number: int, key: str | None, result: Result) -> None:
        """Adds a result. `key` is the hash of the graded content."""
        self.rows.setdefault(name, {})[number] = Entry(result, key, points.score(result, self.weights))
        if key is not None and result.state not in (State.NOT_STARTED, State.MISSING):
            self.files[(number, key)].append(name)

    def most(self) -> int:
        return len(self.chapters) * sum(self.weights.values())

    def total(self, name: str) -> int:
        return sum(entry.points for entry in self.rows[name].values())

    def results(self) -> list[Result]:
        return [entry.result for row in self.rows.values() for entry in row.values()]

    def shared(self) -> list[tuple[str, set[str]]]:
        """Returns the kinds of findings, the most common first, each with the submissions that have it."""
        who: dict[str, set[str]] = collections.defaultdict(set)
        for name, row in self.rows.items():
            for number, entry in row.items():
                result = entry.result
                kinds = list(result.kinds)
                if result.state == State.JUDGED and not result.right:
                    kinds.append("wrong result")
                elif result.state == State.JUDGED and result.clean and not result.goal:
                    kinds.append(f"goal of chapter {number} missed")
                for kind in kinds:
                    who[kind].add(name)
        return sorted(who.items(), key=lambda item: (-len(item[1]), item[0]))

    def equal_files(self) -> dict[int, list[str]]:
        return {number: sorted(names) for (number, _), names in self.files.items() if len(names) > 1}

    # Text

    def text(self, width: int = 80) -> str:
        lines = [
            *textwrap.wrap(f"{self.seeds()}. {self.legend()}", width),
            *textwrap.wrap(f"Separation: {self.view}.", width),
            "",
        ]
        name_width = min(max([len(name) for name in self.rows] + [10]), 24)
        per_line = max(1, (width - name_width - 9) // 7)
        numbers = [chapter.number for chapter in self.chapters]
        for begin in range(0, len(numbers), per_line):
            part = numbers[begin : begin + per_line]
            last = begin + per_line >= len(numbers)
            lines.append(
                " " * name_width + "".join(f"{'ch. ' + str(n):>7}" for n in part) + (f"{'points':>9}" if last else "")
            )
            for name, row in self.rows.items():
                cells = "".join(f"{self.cell(row[n].result) if n in row else '':>7}" for n in part)
                lines.append(
                    f"{cut(name, name_width, MARK):<{name_width}}{cells}"
                    + (f"{self.total(name):>5}/{self.most()}" if last else "")
                )
            lines.append("")
        return "\n".join(lines + self.remarks(width))

    def seeds(self) -> str:
        """Returns a description of the seeds with which the inputs were made."""
        last = self.settings["seed"]
        kept = sum(result.seed not in (None, last) for result in self.results())
        return f"Seed {last}" + (
            f"; {kept} results are from earlier runs, whose seeds are in sheet.json" if kept else ""
        )

    def legend(self) -> str:
        worth = ", ".join(f"{LETTERS[part]} {part} {self.weights[part]}" for part in PARTS)
        return f"Points: {worth}."

    @staticmethod
    def cell(result: Result) -> str:
        if result.state != State.JUDGED:
            return SHORT[result.state]
        return "".join(LETTERS[part] if result.reaches(part) else "." for part in PARTS)

    def remarks(self, width: int) -> list[str]:
        lines = []
        for name, row in self.rows.items():
            for number, entry in row.items():
                if entry.result.words and not entry.result.done:
                    first = " ".join(entry.result.words.split())
                    lines.append(cut(f"{name}, chapter {number}: {first}", width, MARK))
        if lines:
            lines = ["Messages:"] + [f"  {cut(line, width - 2, MARK)}" for line in lines] + [""]
        shared = self.shared()
        if shared:
            lines.append("What the submissions share:")
            lines += [f"  {len(names):>3} of {len(self.rows)}  {cut(kind, width - 14, MARK)}" for kind, names in shared]
            lines.append("")
        for number, names in sorted(self.equal_files().items()):
            lines.append(cut(f"Equal files for chapter {number}: {', '.join(names)}", width, MARK))
        return lines

    # Data

    def contents(self) -> Contents:
        return Contents(
            graded_at=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            seed=self.settings["seed"],
            separation=self.view,
            weights=self.weights,
            chapters=[chapter.number for chapter in self.chapters],
            most_points=self.most(),
            times=self.times,
            submissions=[Submission(name, self.total(name), row) for name, row in self.rows.items()],
            shared=[(kind, sorted(names)) for kind, names in self.shared()],
            equal_files=sorted(self.equal_files().items()),
        )

    def junit(self) -> str:
        suites = ElementTree.Element("testsuites", name="The Reduction Workbook")
        for name, row in self.rows.items():
            suite = ElementTree.SubElement(suites, "testsuite", name=visible(name))
            for number, entry in row.items():
                result = entry.result
                for part in PARTS:
                    case = ElementTree.SubElement(
                        suite, "testcase", classname=visible(name), name=f"chapter {number}: {part}"
                    )
                    if not result.reaches(part):
                        words = f"not {part}" if result.state == State.JUDGED else result.state.value
                        ElementTree.SubElement(case, "failure", message=words).text = lines(result.words[:1000])
            suite.set("tests", str(len(suite)))
            suite.set("failures", str(len(suite.findall("testcase/failure"))))
        ElementTree.indent(suites)
        return "<?xml version='1.0' encoding='utf-8'?>\n" + ElementTree.tostring(suites, encoding="unicode") + "\n"

    def write(self, folder: pathlib.Path) -> None:
        """Writes sheet.txt, sheet.json and junit.xml."""
        for name, text in (
            ("sheet.txt", self.text() + "\n"),
            ("sheet.json", json.dumps(self.contents().to_json(), indent=1) + "\n"),
            ("junit.xml", self.junit()),
        ):
            part = folder / (name + ".part")
            part.write_text(text, encoding="utf-8")
            part.replace(folder / name)
