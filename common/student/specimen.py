"""A wrong kernel of the zoo, and the parts of it that may be shown."""

from __future__ import annotations

import hashlib
import pathlib
import re
import typing

from book import processes
from book.screen import wrapped
from student.failure import Failure

FOLDER = "tests/kernels/wrong_kernels"


class Problem(typing.NamedTuple):
    """The input that a kernel is run on."""

    elements: int
    block_size: int
    type: str

    def command(self, program: pathlib.Path, name: str) -> list[str]:
        return [str(program), name, str(self.elements), self.type, str(self.block_size)]

    def in_words(self) -> str:
        return f"{self.elements} elements of type {self.type} in blocks of {self.block_size} threads"


class Specimen:
    """A wrong kernel. Everything in its header and its marks that reveals the fault is removed before it is shown."""

    def __init__(self, path: pathlib.Path) -> None:
        self.name = path.stem
        self.text = path.read_text(encoding="utf-8")
        head = dict(re.findall(r"^// (wrong|killed by|shows for|chapter): (.*)$", self.text, re.M))
        place = re.fullmatch(r"(\d+), kernel (\d+)", head.get("chapter", ""))
        shape = re.fullmatch(r"n = (\d+), blocks of (\d+), (\w+)", head.get("shows for", ""))
        if place is None:
            raise Failure(f"{path}: it has no line `// chapter: CHAPTER, kernel NUMBER`")
        if shape is None or "wrong" not in head or "killed by" not in head:
            raise Failure(
                f"{path}: it has no lines `// wrong: …`, `// killed by: …`, and "
                "`// shows for: n = COUNT, blocks of SIZE, TYPE`"
            )
        self.fault, self.check = head["wrong"], head["killed by"]
        self.chapter, self.number = int(place[1]), int(place[2])
        self.shown_for = Problem(int(shape[1]), int(shape[2]), shape[3])
        self.functions = self._functions(path.with_name("kernels.cu"))
        self.types = re.findall(r"\.for_(\w+) =", self.functions)

    def _functions(self, table: pathlib.Path) -> str:
        """Returns the kernel's functions by type, as the table of all specimens lists them."""
        found = re.search(rf"WORKBOOK_WRONG\({self.name},\s*([^()]*)\)", table.read_text(encoding="utf-8"))
        if found is None:
            raise Failure(f"{table}: {self.name} has no entry")
        return " ".join(found[1].split())

    def hashed(self, more: str = "") -> str:
        """Returns a sort key whose order reveals nothing."""
        return hashlib.sha256((self.name + more).encode()).hexdigest()

    def plain(self) -> str:
        """Returns the source without what reveals the answer: the kernel's name, and all comments."""
        lines = [re.sub(r" *// .*", "", line).rstrip() for line in self.text.rstrip().split("\n")]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
        return self.without_name(text)

    def shown(self) -> str:
        """Returns the source with its line numbers, without what reveals the answer."""
        lines = []
        for number, written in enumerate(self.text.rstrip().split("\n"), start=1):
            line = self.without_name(re.sub(r" *// .*", "", written))
            if line.strip() and not line.startswith(("#pragma once", "#include")):
                lines.append(f"{number:>3}  {line}")
        return wrapped("\n".join(lines), 9)

    def without_name(self, text: str) -> str:
        return text.replace(self.name, "specimen")

    def run(self, program: pathlib.Path, *options: str) -> str:
        """Runs the kernel under all checks. Returns its output without the kernel's name. Raises Failure."""
        command = [*self.shown_for.command(program, self.name), *options]
        done = processes.run_captured(command)
        if done.returncode not in (0, 1):
            raise Failure(f"The program {program.name} failed:\n{done.stderr}")
        said = re.sub(r"\S*/specimen\.cuh", "specimen.cuh", self.without_name(done.stdout))
        return wrapped(said.strip())


def all_specimens(root: pathlib.Path) -> list[Specimen]:
    """Returns all specimens, sorted by their chapter and number. A specimen keeps its number when others are added."""
    found = [Specimen(path) for path in (root / FOLDER).glob("*.cuh")]
    return sorted(found, key=lambda one: (one.chapter, one.number))
