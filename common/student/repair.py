"""Repairs of the zoo's kernels: the student's file is compiled in the same way as the zoo, and run under all checks."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import subprocess
import typing

from book import processes
from book.screen import WIDTH, say, wrapped
from student.exercise import unused_name
from student.failure import Failure, NotBuilt
from student.notebook import Notebook
from student.specimen import Problem, Specimen

PAGE = "zoo repairs"  # a page of the notebook
COUNTS = (0, 1, 2, 31, 100, 127, 128, 129, 999, 1000, 1024, 4099, 70000)
BLOCK_SIZES = (64, 128, 256)
SECONDS = 60  # for one run; the emulator stops endless runs much earlier
UNIT = """// Made by `make zoo`: one repaired kernel in the place of the zoo's.
#include "{file}"

#include "kernels/wrong_kernels/zoo.hpp"

namespace wrong {{
const named_table tables[] = {{{{"specimen", {{{functions}}}}}}};
const std::size_t table_count = 1;
}}  // namespace wrong
"""
# Patterns that find, in the build's commands, the object file of the zoo's kernels and the program that runs them.
OBJECT = r"\S*wrong_kernels\.dir/kernels\.cu\.o"
PROGRAM = r"-o \S*bin/specimen\b"


def file_of(own: Specimen, root: pathlib.Path) -> pathlib.Path:
    return root / ".workbook/zoo" / f"{own.number}.cuh"


def as_given(own: Specimen) -> str:
    """Returns the file that the student gets: the kernel without anything that reveals its fault."""
    task = (
        f"Kernel {own.number} of the zoo, which belongs to chapter {own.chapter}. It does not pass the checks "
        f'with {own.shown_for.in_words()}. Repair it, here, and run `make zoo ARGS="{own.number} --repair"` again. '
        "`reduce` leaves one sum per block in partials, and returns how many: keep its name, its arguments, and the "
        "namespace. Everything else is yours."
    )
    lines = [f"// {line}" for line in wrapped(task, width=WIDTH - len("// ")).split("\n")]
    return "\n".join([*lines, own.plain()]) + "\n"


def problems_of(own: Specimen) -> list[Problem]:
    """Returns the problems on which a repaired kernel must be right. The first one shows the fault."""
    found = [
        Problem(count, block_size, kind)
        for kind in own.types
        for block_size in sorted({*BLOCK_SIZES, own.shown_for.block_size})
        for count in sorted({*COUNTS, own.shown_for.elements})
    ]
    return sorted(found, key=lambda one: one != own.shown_for)


class Workshop:
    """Compiles a kernel with the commands that the build uses for the zoo, so that nothing has to be configured."""

    def __init__(self, root: pathlib.Path, build: pathlib.Path) -> None:
        self.root, self.build = root, build

    def compile(self, own: Specimen) -> pathlib.Path:
        """Returns the program that runs the student's kernel. Raises NotBuilt with the compiler's output."""
        place = self.build / "zoo" / str(own.number)
        place.mkdir(parents=True, exist_ok=True)
        unit, made, program = place / "unit.cu", place / "unit.cu.o", place / "specimen"
        unit.write_text(
            UNIT.format(file=file_of(own, self.root), functions=own.functions.replace(own.name, "specimen")),
            encoding="utf-8",
        )
        program.unlink(missing_ok=True)
        self._run(self._compile_command(unit, made), self.build)
        command, folder = self._link_command()
        command = re.sub(OBJECT, lambda _: shlex.quote(str(made)), command)
        self._run(re.sub(PROGRAM, lambda _: f"-o {shlex.quote(str(program))}", command), folder)
        return program

    def _run(self, command: str, folder: pathlib.Path) -> None:
        done = processes.run_captured(["sh", "-c", command], together=True, cwd=folder)
        if done.returncode != 0:
            raise NotBuilt(done.stdout.strip())

    def _compile_command(self, unit: pathlib.Path, made: pathlib.Path) -> str:
        path = self.build / "compile_commands.json"
        try:
            commands = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Failure(f"{path} could not be read, so it is not known how kernels are compiled: {error}") from error
        found = [one for one in commands if one["file"].endswith("tests/kernels/wrong_kernels/kernels.cu")]
        if not found:
            raise Failure(f"{path} does not say how the zoo is compiled: run `make zoo` first.")
        words = shlex.split(found[0]["command"])
        replaced = {found[0]["file"]: str(unit)}
        words = [str(made) if re.fullmatch(OBJECT, word) else replaced.get(word, word) for word in words]
        return shlex.join(words)

    def _link_command(self) -> tuple[str, pathlib.Path]:
        """Returns the command that links the zoo's program, and the folder in which to run it."""
        if not (self.build / "build.ninja").exists():  # Makefiles
            written = self.build / "tests/kernels/wrong_kernels/CMakeFiles/specimen.dir/link.txt"
            try:
                return written.read_text(encoding="utf-8").strip(), self.build / "tests/kernels/wrong_kernels"
            except OSError as error:
                raise Failure(f"{written} does not say how the zoo is linked: {error.strerror}") from error
        done = processes.run_captured(["ninja", "-t", "commands", "-s", "bin/specimen"], cwd=self.build)
        if done.returncode != 0 or not re.search(PROGRAM, done.stdout):
            raise Failure(f"The build folder does not say how the zoo is linked: {done.stderr.strip() or done.stdout}")
        return done.stdout.strip(), self.build


class Verdict(typing.NamedTuple):
    """The result of the runs: the first problem that failed, and the output of its run. The problem is None if all runs
    were right."""

    runs: int
    problem: Problem | None = None
    said: str = ""

    @property
    def right(self) -> bool:
        return self.problem is None


def judge(own: Specimen, program: pathlib.Path, name: str = "specimen") -> Verdict:
    """Runs a kernel on many problems, up to the first that it fails."""
    problems = problems_of(own)
    for k, problem in enumerate(problems, start=1):
        command = problem.command(program, name)
        try:
            done = processes.run_captured(command, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return Verdict(k, problem, f"It was still running after {SECONDS} seconds.")
        if done.returncode != 0:
            said = (
                done.stdout.strip() if done.returncode == 1 else f"The program ended by itself.\n{done.stderr.strip()}"
            )
            return Verdict(k, problem, said)
    return Verdict(len(problems))


def first_finding(said: str) -> str:
    """Returns the output up to the end of the first finding, because the others are usually consequences of it."""
    parts = said.split("\n\n")
    last = next((k for k, part in enumerate(parts) if re.match(r"\w+check: ", part)), len(parts) - 1)
    return "\n\n".join(parts[: last + 1])


def repair(own: Specimen, book: Notebook, build: pathlib.Path, reset: bool) -> int:
    """Gives the kernel to the student, or judges the student's version. Returns 1 if the kernel is not repaired."""
    path = file_of(own, book.root)
    if reset and path.exists():
        kept = path.replace(unused_name(path))
        say(f"Your version is in {kept.name} next to it.")
    shown = path.relative_to(book.root)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_given(own), encoding="utf-8")
        say(f"Kernel {own.number} is in {shown}. Repair it there, and run the same command again.")
        return 0
    if path.read_text(encoding="utf-8", errors="replace").split() == as_given(own).split():
        say(
            f"{shown} is not yet touched. Repair the kernel there. "
            f"`make zoo ARGS={own.number}` shows what the checks say of it."
        )
        return 1
    try:
        program = Workshop(book.root, build).compile(own)
    except NotBuilt as failure:
        print(f"{failure}\n")  # the compiler's own output
        say(f'It does not compile. `make zoo ARGS="{own.number} --reset"` gives you a new copy of the kernel.')
        return 1
    verdict = judge(own, program)
    if verdict.problem is not None:
        say(f"Not repaired yet. With {verdict.problem.in_words()}:\n\n{first_finding(verdict.said)}\n")
        before = verdict.runs - 1
        say(
            f"{before} of {len(problems_of(own))} runs went through before it." if before else "That was the first run."
        )
        return 1
    book.of(PAGE)[own.name] = True
    book.save()
    sizes = sorted({one.block_size for one in problems_of(own)})
    counts = [one.elements for one in problems_of(own)]
    say(
        f"Repaired: right and without a finding in {verdict.runs} runs, with {min(counts)} to {max(counts)} elements "
        f"of type {' and '.join(own.types)} in blocks of {', '.join(map(str, sizes))} threads.\nIt was: {own.fault}."
    )
    return 0
