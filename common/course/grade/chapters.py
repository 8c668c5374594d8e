"""The chapters that can be graded: the chapters for which the build has made a judge."""

from __future__ import annotations

import json
import pathlib
import re

from book import exercises, manifest


class NotBuilt(Exception):
    """Raised if the build folder lacks what the grader needs."""


class Chapter:
    """A chapter's exercise, the unit that includes it, and its judge."""

    def __init__(self, facts: manifest.Chapter, unit: pathlib.Path, root: pathlib.Path, build: pathlib.Path) -> None:
        self.number, self.title = facts.number, facts.title
        self.exercise = pathlib.PurePosixPath(facts.exercise_path(root).relative_to(root))
        self.unit = unit
        self.nvcc_options = facts.nvcc_options
        self.judge = build / "bin" / f"judge{self.number}"
        self.start = exercises.start_text(facts, root)
        self.headers = self._headers(root)

    def _headers(self, root: pathlib.Path) -> list[pathlib.Path]:
        """Returns the chapter's own headers that are included by the exercise's starting text or by the unit around it,
        directly or through each other. A submission may include these headers and no other file of the chapters."""
        found: set[pathlib.Path] = set()
        texts = [self.start, self.unit.read_text(encoding="utf-8")]
        while texts:
            for name in re.findall(r'^#include "(\d\d_[^"]+)"', texts.pop(), re.M):
                path = (root / "chapters" / name).resolve()
                if path not in found and path != (root / self.exercise).resolve() and path.is_file():
                    found.add(path)
                    texts.append(path.read_text(encoding="utf-8"))
        return sorted(found)


def load(root: pathlib.Path, build: pathlib.Path) -> list[Chapter]:
    """Returns all chapters that can be graded, in order. Raises NotBuilt if there are none."""
    found = []
    for number, facts in manifest.load(root).items():
        built = build / "grade" / f"chapter{number}.json"
        if built.exists() and facts.exercise_path(root).exists():
            unit = pathlib.Path(json.loads(built.read_text(encoding="utf-8"))["unit"])
            found.append(Chapter(facts, unit, root, build))
    if not found:
        raise NotBuilt(f"{build} holds no grader: run `make grade`, which builds it.")
    return found


def numbers_in(text: str) -> set[int]:
    """Returns the chapter numbers in the argument of --chapters. Raises ValueError with a message for the user."""
    numbers: set[int] = set()
    for word in text.split(","):
        first, dash, last = word.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"--chapters {text}: write numbers and ranges, such as 1,2,5-9")
        numbers.update(range(int(first), int(last if dash else first) + 1))
    return numbers


def chosen(all_chapters: list[Chapter], text: str | None) -> list[Chapter]:
    """Returns the chapters that --chapters names. Raises ValueError with a message for the user."""
    if not text:
        return all_chapters
    numbers = numbers_in(text)
    missing = numbers - {chapter.number for chapter in all_chapters}
    if missing:
        raise ValueError(f"--chapters {text}: there is no judge for chapter {', '.join(map(str, sorted(missing)))}")
    return [chapter for chapter in all_chapters if chapter.number in numbers]
