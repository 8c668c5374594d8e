"""Reads chapters/chapters.json, the one place where the facts of a chapter stand."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ManifestError(Exception):
    """The manifest cannot be read, or lacks something. The text says what and where."""


@dataclasses.dataclass(frozen=True)
class Chapter:
    """One entry of the manifest."""

    number: int
    folder: str  # "03_sequential_addressing", in chapters/ and in solutions/
    title: str
    kind: str  # "ladder": a step of the sum; "study": kernels side by side
    exercise: str  # the file that the student edits
    task: str
    kernel: str | None = None  # the reference kernel's name; ladder only
    parent: int | None = None  # the chapter whose kernel stands in the table as `previous`
    block_sizes: str = "powers of two"  # or "whole warps"
    longest_path: str = "tree"  # or "every element": additions between an element and the sum
    # The line of the parent's solution above which the task stands; None: the exercise is the own solution with a gap.
    task_above: str | None = None
    large_step: str | None = None  # why the step from the parent is larger than the budget
    predict: tuple[str, ...] = ()  # the questions of `make predictN`, by name
    sources: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    shows: tuple[int, ...] = ()  # chapters whose solutions its table shows besides
    nvcc_options: tuple[str, ...] = ()
    beside: tuple[dict[str, str], ...] = ()  # further kernels in the table
    machine_code: dict[str, typing.Any] = dataclasses.field(default_factory=dict)

    def exercise_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "chapters" / self.folder / self.exercise

    def solution_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "solutions" / self.folder / self.exercise

    def lesson_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "chapters" / self.folder / "README.md"


def load(root: pathlib.Path = ROOT) -> dict[int, Chapter]:
    """Returns the chapters by number, in order. Raises ManifestError with words."""
    path = root / "chapters" / "chapters.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["chapters"]
        chapters = [
            Chapter(**{name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()})
            for entry in entries
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ManifestError(f"{path} is not a manifest of chapters: {error}") from error
    numbers = [chapter.number for chapter in chapters]
    if numbers != sorted(set(numbers)):
        raise ManifestError(f"{path}: the chapters must stand in order, each number once; they are {numbers}")
    return {chapter.number: chapter for chapter in chapters}
