"""The zoo: wrong kernels, and you say what is wrong with them.

    zoo                    the list, without saying what is wrong
    zoo 12                 shows kernel 12, runs it under all checks, and asks for its fault
    zoo 12 --answer 3      answers at once, for those who pipe
    zoo volatile           the classic of 2007: right by luck, then made to fail

`make zoo ARGS=…` calls it. Exit status: 0; 1 where the answer is wrong or there is none; 2 bad usage.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys

from book.manifest import ROOT
from book.screen import wrapped
from book.student.failure import Failure
from book.student.notebook import Notebook, Page

CHOICES = 4


class Specimen:
    """A wrong kernel. What its header and marks give away is taken out of what is shown."""

    def __init__(self, path: pathlib.Path) -> None:
        self.name = path.stem
        self.text = path.read_text(encoding="utf-8")
        head = dict(re.findall(r"^// (wrong|killed by|shows for): (.*)$", self.text, re.M))
        self.fault, self.check = head["wrong"], head["killed by"]
        shape = re.fullmatch(r"n = (\d+), blocks of (\d+), (\w+)", head["shows for"])
        if shape is None:
            raise Failure(f"{path}: `// shows for:` must read `n = COUNT, blocks of SIZE, TYPE`")
        self.count, self.block_size, self.type = shape.groups()
        # An order that gives nothing away, and stays when kernels are added.
        self.order = hashlib.sha256(self.name.encode()).hexdigest()

    def shown(self) -> str:
        """Returns the source with its line numbers, without what gives the answer away."""
        lines = []
        for number, written in enumerate(self.text.rstrip().split("\n"), start=1):
            line = self.without_name(re.sub(r" *// .*", "", written))
            if line.strip() and not line.startswith(("#pragma once", "#include")):
                lines.append(f"{number:>3}  {line}")
        return wrapped("\n".join(lines), 9)

    def without_name(self, text: str) -> str:
        return text.replace(self.name, "specimen")

    def run(self, program: pathlib.Path) -> str:
        """Runs the kernel under all checks. Returns what was said, without the kernel's name. Raises Failure."""
        command = [program, self.name, self.count, self.type, self.block_size]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise Failure(f"The program {program.name} failed:\n{done.stderr}")
        said = re.sub(r"\S*/specimen\.cuh", "specimen.cuh", self.without_name(done.stdout))
        return wrapped(said.strip())


def all_specimens(root: pathlib.Path) -> list[Specimen]:
    found = [Specimen(path) for path in (root / "tests/wrong_kernels").glob("*.cuh")]
    return sorted(found, key=lambda one: one.order)


def choices_for(number: int, specimens: list[Specimen]) -> list[Specimen]:
    """Returns the fault among others of the zoo; first those that the same check finds, since they look like it."""
    own = specimens[number - 1]
    others = [one for one in specimens if one is not own]
    others.sort(key=lambda one: (one.check != own.check, hashlib.sha256((own.name + one.name).encode()).hexdigest()))
    chosen = [own, *others[: CHOICES - 1]]
    return sorted(chosen, key=lambda one: hashlib.sha256((one.name + own.name).encode()).hexdigest())


def list_all(specimens: list[Specimen], remembered: Page) -> int:
    print(
        "The zoo: each of these kernels is wrong. `make zoo ARGS=12` shows the twelfth,\n"
        "runs it under all checks, and asks what is wrong with it.\n"
    )
    cells = []
    for number, one in enumerate(specimens, start=1):
        state = "" if one.name not in remembered else "named" if remembered[one.name] else "not named"
        cells.append(f"{number:>3}  {one.type:<9}{state:<10}")
    rows = -(-len(cells) // 3)
    for row in range(rows):
        print("  ".join(cells[row::rows]).rstrip())
    named = sum(1 for one in specimens if remembered.get(one.name))
    print(f"\n{named} of {len(specimens)} named. `make zoo ARGS=volatile` is a classic, made to fail.")
    return 0


def answer_of(given: str | None, count: int) -> int | None:
    """Returns the number that was answered; None where there is none."""
    if given is None:
        try:
            given = input(f"\nWhat is wrong? [1-{count}] ") if sys.stdin.isatty() else sys.stdin.readline()
        except EOFError:
            given = ""
    return int(given) if given.strip().isdigit() and 1 <= int(given) <= count else None


def examine(number: int, specimens: list[Specimen], book: Notebook, program: pathlib.Path, given: str | None) -> int:
    own = specimens[number - 1]
    print(
        f"{own.shown()}\n\nWith {own.count} elements of type {own.type} in blocks of "
        f"{own.block_size} threads:\n\n{own.run(program)}\n"
    )
    choices = choices_for(number, specimens)
    for k, one in enumerate(choices, start=1):
        print(wrapped(f"  {k}  {one.fault}", 3))
    answer = answer_of(given, len(choices))
    if answer is None:
        print(f'\nNo answer. With one:  make zoo ARGS="{number} --answer K", K from 1 to {len(choices)}.')
        return 1
    right = choices[answer - 1] is own
    remembered = book.of("zoo")
    remembered[own.name] = right or bool(remembered.get(own.name))
    book.save()
    where = next((line.split("// <-")[0].strip() for line in own.text.split("\n") if "// <- " in line), None)
    print(wrapped(f"\n{'Right' if right else 'No'}: {own.fault}."))
    if where:
        print(wrapped(f"It shows here:  {where}", 4))
    print(
        f"What finds it is {'the comparison of the sum' if own.check == 'verification' else own.check}.\n"
        f"The file: tests/wrong_kernels/{own.name}.cuh"
    )
    return 0 if right else 1


def first_finding(said: str) -> str:
    """Returns what was said up to the end of the first finding."""
    parts = said.split("\n\n")
    last = next((k for k, part in enumerate(parts) if part.startswith("racecheck")), len(parts) - 1)
    return "\n\n".join(parts[: last + 1])


def classic(specimens: list[Specimen], program: pathlib.Path) -> int:
    """Shows the volatile warp of the textbooks, and the same lines where lanes do not run in lockstep."""
    by_name = {one.name: one for one in specimens}
    print("2007: the last warp adds without barriers, over a volatile pointer.\n")
    print(by_name["volatile_warp"].shown() + "\n")
    print(first_finding(by_name["volatile_warp"].run(program)))
    print("\nFrom 2017 on lanes may run apart. The same lines, the even lanes first:\n")
    print(first_finding(by_name["volatile_lanes_apart"].run(program)))
    print(
        "\nBoth have the race; the first one's sum is right by the luck of lockstep.\n"
        "__syncwarp() between the reads and the writes of a step mends both: chapter 5."
    )
    return 0


def parse_words(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="book zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", nargs="?", help="a number of the list, or volatile")
    parser.add_argument("--answer", help="the number of your answer")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    return parser.parse_args(arguments)


def play(words: argparse.Namespace) -> int:
    root = words.root.resolve()
    program = root / words.build / "bin/specimen"
    specimens = all_specimens(root)
    book = Notebook(root)
    if words.which is None:
        return list_all(specimens, book.of("zoo"))
    if words.which == "volatile":
        return classic(specimens, program)
    if not words.which.isdigit() or not 1 <= int(words.which) <= len(specimens):
        raise Failure(
            f"There is no kernel {words.which}: give a number from 1 to {len(specimens)}, or the word volatile."
        )
    return examine(int(words.which), specimens, book, program, words.answer)


def main(arguments: list[str] | None = None) -> int:
    words = parse_words(arguments)
    try:
        return play(words)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
        return 1
