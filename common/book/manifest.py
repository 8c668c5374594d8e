"""Reads chapters/chapters.json, the only file in which the facts about a chapter are written."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ManifestError(Exception):
    """Raised if the manifest cannot be read or lacks something. The message describes what and where."""


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
    parent: int | None = None  # the chapter whose kernel is `previous` in the table
    block_sizes: str = "powers of two"  # or "whole warps"
    longest_path: str = "tree"  # or "every element": additions between an element and the sum
    # The line of the parent's solution above which the task is inserted. None: the exercise is the chapter's own
    # solution with gaps.
    task_above: str | None = None
    large_step: str | None = None  # why the step from the parent is larger than the budget
    predict: tuple[str, ...] = ()  # the questions of `make predictN`, by name
    parts: tuple[str, ...] = ()  # further lessons in the chapter's folder, in reading order: "order_of_a_sum.md"
    sources: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    shows: tuple[int, ...] = ()  # further chapters whose solutions its table shows
    nvcc_options: tuple[str, ...] = ()
    beside: tuple[dict[str, str], ...] = ()  # further kernels in the table
    machine_code: dict[str, typing.Any] = dataclasses.field(default_factory=dict)

    def exercise_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "chapters" / self.folder / self.exercise

    def solution_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "solutions" / self.folder / self.exercise

    def lesson_path(self, root: pathlib.Path = ROOT) -> pathlib.Path:
        return root / "chapters" / self.folder / "README.md"

    def lesson_paths(self, root: pathlib.Path = ROOT) -> list[pathlib.Path]:
        """Returns the paths of the lesson and its further parts, in reading order."""
        return [self.lesson_path(root).with_name(name) for name in ("README.md", *self.parts)]


KINDS = ("ladder", "study")
BLOCK_SIZES = ("powers of two", "whole warps")
LONGEST_PATHS = ("tree", "every element")
TYPES = {"number": int, "folder": str, "title": str, "kind": str, "exercise": str, "task": str, "predict": list}
PART = re.compile(r"(?!hints\.)[a-z_]+\.md")


def words_complaint(entry: dict[str, typing.Any]) -> str | None:
    """Returns a message about a value of the entry that isn't one of the allowed values, or None."""
    for name, words in (("kind", KINDS), ("block_sizes", BLOCK_SIZES), ("longest_path", LONGEST_PATHS)):
        if name in entry and entry[name] not in words:
            return f"{name!r} is {entry[name]!r}; it can be {' or '.join(words)}"
    for name in entry.get("parts", []):
        if not isinstance(name, str) or not PART.fullmatch(name):
            return f"'parts' are names of lessons such as order_of_a_sum.md, and {name!r} isn't one"
    return None


def entry_complaint(entry: typing.Any, known: dict[int, typing.Any]) -> str | None:
    """Returns what is wrong with an entry of the list, or None. `known` contains the entries before it, by number."""
    if not isinstance(entry, dict):
        return "an entry is an object in braces"
    names = {field.name for field in dataclasses.fields(Chapter)}
    for name in entry:
        if name not in names:
            return f"there is no fact {name!r}; there are {', '.join(sorted(names))}"
    for name, kind in TYPES.items():
        if not isinstance(entry.get(name), kind) or entry[name] == "":
            return f"it needs {name!r}, {'a whole number' if kind is int else 'a list' if kind is list else 'a text'}"
    if complaint := words_complaint(entry):
        return complaint
    if entry["number"] in known:
        return "another chapter has this number"
    if known and entry["number"] < max(known):
        return f"chapters are in order, but it follows {max(known)}"
    for other in [entry.get("parent"), *entry.get("shows", [])]:
        if other is not None and (other not in known or known[other]["kind"] != "ladder"):
            return f"it names chapter {other!r}, and no chapter of the ladder before it has that number"
    return None


def chapter_of(entry: dict[str, typing.Any]) -> Chapter:
    facts: dict[str, typing.Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()
    }
    return Chapter(**facts)


def load(root: pathlib.Path = ROOT) -> dict[int, Chapter]:
    """Returns the chapters by number, in order. Raises ManifestError with a message for the user."""
    path = root / "chapters" / "chapters.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ManifestError(f"{path} is not a manifest of chapters: {error}") from error
    entries = document.get("chapters") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not entries:
        raise ManifestError(f'{path} is not a manifest of chapters: the list "chapters" is missing')
    known: dict[int, typing.Any] = {}
    for place, entry in enumerate(entries):
        if complaint := entry_complaint(entry, known):
            facts = entry if isinstance(entry, dict) else {}
            number = facts.get("number", f"in place {place + 1}")
            raise ManifestError(f"{path}, chapter {number}: {complaint}")
        known[entry["number"]] = entry
    return {number: chapter_of(entry) for number, entry in known.items()}
