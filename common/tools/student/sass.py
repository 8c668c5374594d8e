#!/usr/bin/env python3
"""The machine code of a chapter's kernels: `make sassN` calls it.

    sass.py N [options]     the reference of chapter N, and yours where you have begun

--diff without kernels compares the chapter before with chapter N; --table shows everything that lesson N speaks of.
All other options are those of build/bin/sass. The reference comes in one instance (ints where the lesson has no other
type, blocks of 128 threads) for several architectures; `--kernel NAME` looks into the chapter's own program instead,
which has an instance for each type.

Exit status: that of build/bin/sass.
"""

import os
import pathlib
import re
import subprocess
import sys

import student

# Chapters whose lesson starts from another one than the chapter before.
BEFORE = {12: 9}


class Sass:
    """build/bin/sass, with what it is to read."""

    def __init__(self, book):
        self.program = str(book.build_folder / "bin" / "sass")
        self.references = sorted(str(path) for path in (book.build_folder / "sass" / "machine_code").glob("*.fatbin"))

    def run(self, *words):
        sys.stdout.flush()
        return subprocess.run([self.program, *words], check=False).returncode

    def names(self, files, wanted):
        """The names of the kernels that the regular expression finds."""
        done = subprocess.run([self.program, *files, "--names"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise student.Failure(done.stderr.rstrip("\n"))
        kernels = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
        return [kernel for kernel in kernels if re.search(wanted, kernel)]


def reference_of(sass, number):
    """The name of the chapter's reference: for ints where it has several."""
    names = sass.names(sass.references, rf"^chapter{number}::solution::")
    if not names:
        raise student.Failure(f"There is no machine code of chapter {number} to compare.")
    return sorted(names, key=lambda name: "int" not in name)[0]


def yours(sass, program, reference):
    """The student's instances of the reference's kernel, or all that there are where it has another name."""
    names = sass.names([program], r"::exercise::")
    same = [name for name in names if name.replace("::exercise::", "::solution::") == reference]
    if same:
        return same
    few = [name for name in names if re.search(r"<(128u, )?int\b", name)]
    return few or names


def show(book, number, words):
    sass = Sass(book)
    program = str(book.build_folder / "bin" / f"chapter{number}")
    if words[:1] == ["--diff"] and (len(words) == 1 or words[1].startswith("-")):
        before = BEFORE.get(number, number - 1)
        if number == 0:
            raise student.Failure("Chapter 0 comes after no other: --diff A B compares two kernels.")
        pair = [reference_of(sass, before), reference_of(sass, number)]
        return sass.run(*sass.references, "--diff", *pair, *words[1:])
    if "--diff" in words or "--kernel" in words or "--help" in words or "-h" in words:
        return sass.run(program, *sass.references, *words) if "--diff" in words else sass.run(program, *words)
    wanted = f"chapter{number}::" if "--table" in words else f"chapter{number}::solution::"
    status = sass.run(*sass.references, "--kernel", wanted, *words)
    if status != 0 or not book.touched(number) or "--json" in words:
        return status
    if "--arch" in words:
        print("\nYours is built for this workbook's own architectures only; leave out --arch to see it.")
        return 0
    print("\n\nYours:\n")
    kernels = [word for name in yours(sass, program, reference_of(sass, number)) for word in ("--kernel", name)]
    return sass.run(program, *kernels, *words)


def main():
    root = pathlib.Path(__file__).resolve().parents[3]
    if len(sys.argv) < 2 or not sys.argv[1].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    try:
        book = student.Workbook(root, os.environ.get("WORKBOOK_BUILD_DIR", "build"))
        number = int(sys.argv[1])
        book.exercise(number)
        return show(book, number, sys.argv[2:])
    except student.Failure as failure:
        print(failure, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
