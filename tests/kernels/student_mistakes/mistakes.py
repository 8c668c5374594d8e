"""Mistakes that students make: small edits of the reference solutions, one file per chapter, each with the cause that
the first sentence of the answer must name.

    == stops_before_the_last_step
    cause: the loop ends before stride 1, so elements at odd places never reach the sum
    says: stride 1\\b|odd
    - for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    + for (unsigned stride = blockDim.x / 2; stride > 1; stride /= 2) {

The lines after `- ` are replaced by the lines after `+ `; leading and trailing blanks do not count. Every `says:` is
a regular expression that the sentence must match."""

from __future__ import annotations

import dataclasses
import pathlib
import re

from book import exercises, manifest

FOLDER = pathlib.Path(__file__).resolve().parent


def reference_lines(chapter: int) -> list[str]:
    """Returns the lines of a chapter's solution as they appear in the exercise file."""
    return exercises.reference_text(manifest.load()[chapter]).split("\n")


@dataclasses.dataclass
class Mistake:
    chapter: int
    name: str
    cause: str = ""
    says: list[str] = dataclasses.field(default_factory=list)
    hunks: list[tuple[list[str], list[str]]] = dataclasses.field(default_factory=list)

    def text(self) -> str:
        """Returns the exercise file with the mistake in it. Raises ValueError if the reference has no such lines."""
        lines = reference_lines(self.chapter)
        for old, new in self.hunks:
            wanted = [line.strip() for line in old]
            at = [
                k
                for k in range(len(lines) - len(old) + 1)
                if [line.strip() for line in lines[k : k + len(old)]] == wanted
            ]
            if len(at) != 1:
                raise ValueError(f"{self.chapter:02d}, {self.name}: found {len(at)} times:\n" + "\n".join(old))
            lines[at[0] : at[0] + len(old)] = new
        return "\n".join(lines)

    def named_in(self, sentence: str) -> bool:
        return all(re.search(pattern, sentence, re.IGNORECASE) for pattern in self.says)


def read(path: pathlib.Path) -> list[Mistake]:
    found: list[Mistake] = []
    adding = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            found.append(Mistake(int(path.stem), line[3:].strip()))
            adding = False
        elif line.startswith("cause: "):
            found[-1].cause = line[7:]
        elif line.startswith("says: "):
            found[-1].says.append(line[6:])
        elif line.startswith("- ") or line == "-":
            if adding or not found[-1].hunks:
                found[-1].hunks.append(([], []))
            adding = False
            found[-1].hunks[-1][0].append(line[2:])
        elif line.startswith("+ ") or line == "+":
            adding = True
            found[-1].hunks[-1][1].append(line[2:])
        elif not line.strip():
            adding = True
        else:
            raise ValueError(f"{path}: {line}")
    return found


def load(folder: pathlib.Path = FOLDER) -> list[Mistake]:
    return [one for path in sorted(folder.glob("[0-9][0-9].txt")) for one in read(path)]
