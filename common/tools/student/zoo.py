#!/usr/bin/env python3
"""The zoo: wrong kernels, and what is wrong with them is yours to say.

    zoo.py                    the list, without saying what is wrong
    zoo.py 12                 shows kernel 12, runs it under all checks, and asks for its fault
    zoo.py 12 --answer 3      answers at once, for those who pipe
    zoo.py volatile           the classic of 2007: right by luck, then made to fail

`make zoo ARGS=…` calls it. Exit status: 0; 1 where the answer is wrong or there is none; 2 bad usage.
"""

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import student  # noqa: E402  (beside this file)
from screen import wrapped  # noqa: E402

CHOICES = 4


class Specimen:
    """A wrong kernel; what its header and marks tell is taken out of what is shown."""

    def __init__(self, path):
        self.name = path.stem
        self.text = path.read_text(encoding="utf-8")
        head = dict(re.findall(r"^// (wrong|killed by|shows for): (.*)$", self.text, re.M))
        self.fault, self.check = head["wrong"], head["killed by"]
        self.count, self.block_size, self.type = re.fullmatch(r"n = (\d+), blocks of (\d+), (\w+)",
                                                              head["shows for"]).groups()
        # An order that says nothing, and stays when kernels are added.
        self.order = hashlib.sha256(self.name.encode()).hexdigest()

    def shown(self):
        """The source with its line numbers, without what gives the answer away."""
        lines = []
        for number, line in enumerate(self.text.rstrip().split("\n"), start=1):
            line = self.without_name(re.sub(r" *// .*", "", line))
            if line.strip() and not line.startswith(("#pragma once", "#include")):
                lines.append(f"{number:>3}  {line}")
        return wrapped("\n".join(lines), 9)

    def without_name(self, text):
        return text.replace(self.name, "specimen")

    def run(self, program):
        done = subprocess.run([program, self.name, self.count, self.type, self.block_size], capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise student.Failure(f"{program} failed:\n{done.stderr}")
        said = re.sub(r"\S*/specimen\.cuh", "specimen.cuh", self.without_name(done.stdout))
        return wrapped(said.strip())


def all_specimens(root):
    found = [Specimen(path) for path in (root / "tests/wrong_kernels").glob("*.cuh")]
    return sorted(found, key=lambda one: one.order)


def choices_for(number, specimens):
    """The fault, among others of the zoo; those that the same check finds first, since they are easily taken for it."""
    own = specimens[number - 1]
    others = [one for one in specimens if one is not own]
    others.sort(key=lambda one: (one.check != own.check,
                                 hashlib.sha256((own.name + one.name).encode()).hexdigest()))
    chosen = [own, *others[:CHOICES - 1]]
    return sorted(chosen, key=lambda one: hashlib.sha256((one.name + own.name).encode()).hexdigest())


def list_all(specimens, remembered):
    print("The zoo: each of these kernels is wrong. `make zoo ARGS=12` shows the twelfth,\n"
          "runs it under all checks, and asks what is wrong with it.\n")
    cells = []
    for number, one in enumerate(specimens, start=1):
        state = {True: "named", False: "not named"}.get(remembered.get(one.name), "")
        cells.append(f"{number:>3}  {one.type:<9}{state:<10}")
    rows = -(-len(cells) // 3)
    for row in range(rows):
        print("  ".join(cells[row::rows]).rstrip())
    named = sum(1 for one in specimens if remembered.get(one.name))
    print(f"\n{named} of {len(specimens)} named. `make zoo ARGS=volatile` is a classic, made to fail.")
    return 0


def answer_of(given, count):
    """The number that was answered; nothing where there is none."""
    if given is None:
        try:
            given = input(f"\nWhat is wrong? [1-{count}] ") if sys.stdin.isatty() else sys.stdin.readline()
        except EOFError:
            given = ""
    return int(given) if given.strip().isdigit() and 1 <= int(given) <= count else None


def examine(number, specimens, book, program, given):
    own = specimens[number - 1]
    print(f"{own.shown()}\n\nWith {own.count} elements of type {own.type} in blocks of "
          f"{own.block_size} threads:\n\n{own.run(program)}\n")
    choices = choices_for(number, specimens)
    for k, one in enumerate(choices, start=1):
        print(wrapped(f"  {k}  {one.fault}", 3))
    answer = answer_of(given, len(choices))
    if answer is None:
        print(f"\nNo answer. With one:  make zoo ARGS=\"{number} --answer K\", K from 1 to {len(choices)}.")
        return 1
    right = choices[answer - 1] is own
    remembered = book.of("zoo")
    remembered[own.name] = right or bool(remembered.get(own.name))
    book.save()
    where = next((line.split("// <-")[0].strip() for line in own.text.split("\n") if "// <- " in line), None)
    print(wrapped(f"\n{'Right' if right else 'No'}: {own.fault}."))
    if where:
        print(wrapped(f"It shows here:  {where}", 4))
    print(f"What finds it is {'the comparison of the sum' if own.check == 'verification' else own.check}.\n"
          f"The file: tests/wrong_kernels/{own.name}.cuh")
    return 0 if right else 1


def first_finding(said):
    """What was said up to the end of the first finding."""
    parts = said.split("\n\n")
    last = next((k for k, part in enumerate(parts) if part.startswith("racecheck")), len(parts) - 1)
    return "\n\n".join(parts[:last + 1])


def classic(specimens, program):
    """The volatile warp, as it stood in textbooks, and the same lines where lanes do not run in lockstep."""
    by_name = {one.name: one for one in specimens}
    print("2007: the last warp adds without barriers, over a volatile pointer.\n")
    print(by_name["volatile_warp"].shown() + "\n")
    print(first_finding(by_name["volatile_warp"].run(program)))
    print("\nFrom 2017 on lanes may run apart. The same lines, the even lanes first:\n")
    print(first_finding(by_name["volatile_lanes_apart"].run(program)))
    print("\nBoth have the race; the first one's sum is right by the luck of lockstep.\n"
          "__syncwarp() between the reads and the writes of a step mends both: chapter 5.")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="?", help="a number of the list, or volatile")
    parser.add_argument("--answer", help="the number of your answer")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[2], help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    words = parser.parse_args()
    root = words.root.resolve()
    program = root / words.build / "bin/specimen"
    specimens = all_specimens(root)
    try:
        book = student.Notebook(root)
        if words.which is None:
            return list_all(specimens, book.of("zoo"))
        if words.which == "volatile":
            return classic(specimens, program)
        if not words.which.isdigit() or not 1 <= int(words.which) <= len(specimens):
            raise student.Failure(f"There is no kernel {words.which}: give a number from 1 to {len(specimens)}, or "
                                  "volatile.")
        return examine(int(words.which), specimens, book, program, words.answer)
    except student.Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
        return 1


if __name__ == "__main__":
    sys.exit(main())
