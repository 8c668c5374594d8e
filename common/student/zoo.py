"""The zoo: wrong kernels. Find out what is wrong with them, and repair them.

    zoo                    the list by chapter, without saying what is wrong
    zoo 12                 shows kernel 12, runs it under all checks, and asks for its fault
    zoo 12 --answer 3      answers without asking, for use in a pipe
    zoo 12 --repair        gives you kernel 12 as a file; once you have edited it, runs it under all checks
    zoo 12 --reset         gives you a new copy; your version is kept next to it
    zoo volatile           the classic before Volta: right by luck, then made to fail

`make zoo ARGS=…` calls it. Exit status: 0; 1 if the answer is wrong or there is none, or the kernel
is not repaired; 2 bad usage.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import sys

from book import manifest
from book.manifest import ROOT
from book.screen import wrapped
from student import repair
from student.failure import Failure
from student.notebook import Notebook, Page
from student.specimen import Specimen, all_specimens

CHOICES = 4
COLUMNS = 2


def choices_for(own: Specimen, specimens: list[Specimen]) -> list[Specimen]:
    """Returns the kernels whose faults the student can choose from: `own`, and preferably ones that the same check
    finds, because they look similar."""
    others = [one for one in specimens if one is not own]
    others.sort(key=lambda one: (one.check != own.check, own.hashed(one.name)))
    chosen = [own, *others[: CHOICES - 1]]
    return sorted(chosen, key=lambda one: one.hashed(own.name))


def state_of(one: Specimen, named: Page, repaired: Page) -> str:
    words = ["named" if named[one.name] else "not named"] if one.name in named else []
    return ", ".join([*words, "repaired"] if repaired.get(one.name) else words)


def list_all(specimens: list[Specimen], named: Page, repaired: Page) -> int:
    chapters = manifest.load()
    print(
        "The zoo: each of these kernels is wrong. `make zoo ARGS=12` shows the twelfth,\n"
        "runs it under all checks, and asks what is wrong with it.\n"
        '`make zoo ARGS="12 --repair"` gives it to you to repair.'
    )
    for chapter, some in itertools.groupby(specimens, key=lambda one: one.chapter):
        print(f"\nChapter {chapter}: {chapters[chapter].title if chapter in chapters else ''}"[:80].rstrip(": "))
        cells = [f"{one.number:>4}  {one.shown_for.type:<10}{state_of(one, named, repaired):<21}" for one in some]
        rows = -(-len(cells) // COLUMNS)
        for row in range(rows):
            print("".join(cells[row::rows]).rstrip())
    counts = [sum(1 for one in specimens if page.get(one.name)) for page in (named, repaired)]
    print(
        f"\n{counts[0]} of {len(specimens)} named, {counts[1]} repaired. "
        "`make zoo ARGS=volatile` is a classic, made to fail."
    )
    return 0


def answer_of(given: str | None, count: int) -> int | None:
    """Returns the number in the answer, or None if it isn't a number."""
    if given is None:
        try:
            given = input(f"\nWhat is wrong? [1-{count}] ") if sys.stdin.isatty() else sys.stdin.readline()
        except EOFError:
            given = ""
    return int(given) if given.strip().isdigit() and 1 <= int(given) <= count else None


def examine(own: Specimen, specimens: list[Specimen], book: Notebook, program: pathlib.Path, given: str | None) -> int:
    print(f"{own.shown()}\n\nWith {own.shown_for.in_words()}:\n\n{own.run(program)}\n")
    choices = choices_for(own, specimens)
    for k, one in enumerate(choices, start=1):
        print(wrapped(f"  {k}  {one.fault}", 3))
    answer = answer_of(given, len(choices))
    if answer is None:
        print(f'\nNo answer. With one:  make zoo ARGS="{own.number} --answer K", K from 1 to {len(choices)}.')
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
        f"The file: tests/kernels/wrong_kernels/{own.name}.cuh\n"
        f'To repair it:  make zoo ARGS="{own.number} --repair"'
    )
    return 0 if right else 1


def classic(specimens: list[Specimen], program: pathlib.Path) -> int:
    """Shows the volatile warp of the textbooks, and the same lines if the lanes do not run in lockstep."""
    by_name = {one.name: one for one in specimens}
    print("Before Volta: the last warp adds without barriers, over a volatile pointer.\n")
    print(by_name["volatile_warp"].shown() + "\n")
    print(repair.first_finding(by_name["volatile_warp"].run(program)))
    print("\nSince Volta lanes may run apart. The same lines, the even lanes first:\n")
    print(repair.first_finding(by_name["volatile_lanes_apart"].run(program)))
    print(
        "\nBoth have the race; the first one's sum is right by the luck of lockstep.\n"
        "__syncwarp() between the reads and the writes of a step fixes both: chapter 5."
    )
    return 0


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="book zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", nargs="?", help="a number of the list, or volatile")
    parser.add_argument("--answer", help="the number of your answer")
    parser.add_argument("--repair", action="store_true", help="the kernel as a file of yours, compiled and run")
    parser.add_argument("--reset", action="store_true", help="a new copy of that file; your version is kept next to it")
    parser.add_argument("--play", action="store_true", help="a page on which it moves; it gives the answer away")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    return parser.parse_args(arguments)


def play(args: argparse.Namespace) -> int:
    root = args.root.resolve()
    program = root / args.build / "bin/specimen"
    specimens = all_specimens(root)
    book = Notebook(root)
    if args.which is None:
        if args.repair or args.reset or args.play:
            raise Failure('Which kernel? Give its number: make zoo ARGS="12 --repair"')
        return list_all(specimens, book.of("zoo"), book.of(repair.PAGE))
    if args.which == "volatile":
        return classic(specimens, program)
    own = next((one for one in specimens if str(one.number) == args.which), None)
    if own is None:
        highest = max(one.number for one in specimens)
        raise Failure(f"There is no kernel {args.which}: give a number from 1 to {highest}, or the word volatile.")
    if args.repair or args.reset:
        return repair.repair(own, book, root / args.build, args.reset)
    if args.play:
        page = root / args.build / f"zoo{own.number}.html"
        own.run(program, "--play", str(page))
        print(f"{page}: open it in a browser; F goes to the next finding.")
        return 0
    return examine(own, specimens, book, program, args.answer)


def main(arguments: list[str] | None = None) -> int:
    args = parse_arguments(arguments)
    try:
        return play(args)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
        return 1
