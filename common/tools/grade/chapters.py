"""What can be graded: the chapters that the build has made a judge for."""

import importlib.util
import json
import pathlib
import re


class Chapter:
    """A chapter's exercise, the unit around it, and its judge."""

    def __init__(self, root, build, facts, start):
        self.number = facts["number"]
        self.exercise = pathlib.PurePosixPath(facts["exercise"])
        self.unit = pathlib.Path(facts["unit"])
        self.judge = build / "bin" / f"judge{self.number}"
        self.start = start
        self.headers = self._headers(root)

    @property
    def title(self):
        return self.exercise.parent.name[3:].replace("_", " ")


    def _headers(self, root):
        """The chapter's own headers that its exercise, as it was given, and the unit around it include: a submission
        may include these, and no other file of the chapters."""
        found, texts = set(), [self.start, self.unit.read_text(encoding="utf-8")]
        while texts:
            for name in re.findall(r'^#include "(\d\d_[^"]+)"', texts.pop(), re.M):
                path = (root / "chapters" / name).resolve()
                if path not in found and path != (root / self.exercise).resolve() and path.is_file():
                    found.add(path)
                    texts.append(path.read_text(encoding="utf-8"))
        return sorted(found)


class NotBuilt(Exception):
    """The build folder lacks what the grader needs."""


def load_generator(root):
    """The exercise generator of the tree: it knows how an exercise was given."""
    path = root / "common/tools/exercises/generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(root, build):
    """All chapters that can be graded, in order."""
    generator = load_generator(root)
    found = []
    for path in (build / "grade").glob("chapter*.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        if (root / facts["exercise"]).exists():
            found.append(Chapter(root, build, facts, generator.exercise_text(facts["number"])))
    if not found:
        raise NotBuilt(f"{build} holds no grader: run `make grade`, which builds it.")
    return sorted(found, key=lambda chapter: chapter.number)


def numbers_in(text):
    """The numbers that --chapters names. Raises ValueError with words."""
    numbers = set()
    for word in text.split(","):
        first, dash, last = word.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"--chapters {text}: write numbers and ranges, such as 1,2,5-9")
        numbers.update(range(int(first), int(last if dash else first) + 1))
    return numbers


def untouched(text, chapter):
    """Says whether a file is the exercise as it was given, blanks aside."""
    return text.split() == chapter.start.split()
