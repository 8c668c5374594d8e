"""The machine code of a chapter's kernels: `make sassN` calls it.

    sass N [options]             your kernel of chapter N
    sass N reference [options]   the reference, which is the chapter's solution

--diff without kernels compares the kernel that N starts from with the reference of N; --table counts the instructions
of all kernels that lesson N speaks of. All other options are those of build/bin/sass. The reference comes in one
instance (ints unless the lesson has a different type, blocks of 256 threads) for several architectures; `--kernel NAME`
looks into the chapter's own program instead, which has an instance for each type.

Exit status: that of build/bin/sass.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from book import manifest
from student.failure import Failure
from student.workbook import Workbook


class Sass:
    """Runs build/bin/sass on the references of some chapters."""

    def __init__(self, book: Workbook, *chapters: int) -> None:
        """Reads the references of these chapters, or of all chapters if none is given."""
        self.program = str(book.build_folder / "bin" / "sass")
        wanted = [f"chapter{number}.fatbin" for number in chapters] or ["*.fatbin"]
        folder = book.build_folder / "sass" / "machine_code"
        self.references = sorted(str(path) for name in wanted for path in folder.glob(name))

    def run(self, *words: str) -> int:
        sys.stdout.flush()
        return subprocess.run([self.program, *words], check=False).returncode

    def names(self, files: list[str], wanted: str) -> list[str]:
        """Returns the names of the kernels that match the regular expression."""
        done = subprocess.run([self.program, *files, "--names"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(done.stderr.rstrip("\n"))
        kernels = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
        return [kernel for kernel in kernels if re.search(wanted, kernel)]


def reference_of(sass: Sass, number: int) -> str:
    """Returns the name of the chapter's reference. If it has several instances, returns the one for ints."""
    names = sass.names(sass.references, rf"^chapter{number}::solution::")
    if not names:
        raise Failure(f"There is no machine code of chapter {number} to compare.")
    return sorted(names, key=lambda name: "int" not in name)[0]


def yours(sass: Sass, program: str, reference: str) -> list[str]:
    """Returns the student's instance with the same name as the reference. If there is none, returns all instances for
    ints, and if there are none of these either, all instances."""
    names = sass.names([program], r"::exercise::")
    if not names:
        raise Failure(f"There is no machine code of a kernel of yours in {program}.")
    same = [name for name in names if name.replace("::exercise::", "::solution::") == reference]
    few = [name for name in names if re.search(r"<(256u, )?int\b", name)]
    return same or few or names


def before(book: Workbook, number: int) -> int:
    """Returns the chapter that this chapter is compared with: its parent or, if it has none, the previous chapter."""
    if number == 0:
        raise Failure("Chapter 0 has no chapter before it to compare with; use --diff A B to compare two kernels.")
    parent = book.chapter(number).parent
    return number - 1 if parent is None else parent


def show(book: Workbook, number: int, words: list[str]) -> int:
    sass = Sass(book, number)
    program = book.program(number)
    if words[:1] == ["--diff"] and (len(words) == 1 or words[1].startswith("-")):
        parent = before(book, number)
        sass = Sass(book, parent, number)
        pair = [reference_of(sass, parent), reference_of(sass, number)]
        return sass.run(*sass.references, "--diff", *pair, *words[1:])
    if "--diff" in words:
        sass = Sass(book)
        return sass.run(program, *sass.references, *words)
    if {"--kernel", "--help", "-h"} & set(words):
        return sass.run(program, *words)
    if "--table" in words:
        return sass.run(*sass.references, "--kernel", f"chapter{number}::", *words)
    if words[:1] == ["reference"]:
        return sass.run(*sass.references, "--kernel", f"chapter{number}::solution::", *words[1:])
    if "--arch" in words:
        raise Failure(
            "--arch works only for the reference, because your kernel is built for "
            "the workbook's own architectures: leave it out.\n"
            f'`make sass{number} ARGS="reference {" ".join(words)}"` shows the reference, the chapter\'s solution.'
        )
    kernels = [word for name in yours(sass, program, reference_of(sass, number)) for word in ("--kernel", name)]
    status = sass.run(program, *kernels, *words)
    if status == 0 and not book.touched(number):
        # Printed to standard error, because --json - may use standard output.
        print(
            f"\nThis is your kernel as the chapter gave it. `make sass{number} ARGS=reference` shows the reference,\n"
            "which is the chapter's solution.",
            file=sys.stderr,
        )
    return status


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if not words or not words[0].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    try:
        book = Workbook(manifest.ROOT, os.environ.get("WORKBOOK_BUILD_DIR", "build"))
        number = int(words[0])
        book.chapter(number)
        return show(book, number, words[1:])
    except (Failure, manifest.ManifestError) as failure:
        print(failure, file=sys.stderr)
        return 2
