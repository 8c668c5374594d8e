#!/usr/bin/env python3
"""Makes a class for the grader: FOLDER with one folder a student, each with exercise files as students hand them in.

    make_class.py FOLDER COUNT [--chapters 1-9,12] [--equal]

Of ten files four are the reference, three the second solution, and one each the exercise touched but not solved, wrong
by one, and with a race or a word that does not compile. No two files are equal, so that each costs the grader its whole
time; with --equal those of a kind are. The same words make the same class. How long a class takes, compilers
included (what they have made before is kept in build/grade/cache):

    PYTHONPATH=common:tests/book python3 tests/book/grade/make_class.py class 30 && rm -rf build/grade/cache
    time make grade SUBMISSIONS=class ARGS="--chapters 1-9,12 --fresh --no-bubblewrap"
"""

import argparse
import pathlib
import sys

import tries
from book.grade import chapters

NAMES = ("ada", "ben", "cho", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "lea", "max", "nia", "oto")


def does_not_compile(number):
    return tries.reference(number).replace("\nnamespace", "\nclearly no C++\nnamespace", 1)


def racy_or_not_compiled(number):
    return (tries.racy if number % 2 else does_not_compile)(number)


# In this order over students and chapters; 10 and the number of names have to do with each other as little as can be.
KINDS = (tries.reference, tries.second, tries.start, tries.reference, tries.wrong, tries.second, tries.reference,
         racy_or_not_compiled, tries.second, tries.reference)


def name_of(student):
    return NAMES[student % len(NAMES)] + (str(student // len(NAMES) + 1) if student >= len(NAMES) else "")


def make(folder, count, numbers, equal):
    for student in range(count):
        for number in numbers:
            path = folder / name_of(student) / tries.CHAPTERS[number].exercise_path(pathlib.Path())
            path.parent.mkdir(parents=True, exist_ok=True)
            text = KINDS[(student * 3 + number) % len(KINDS)](number)
            path.write_text(text + ("" if equal else f"// {name_of(student)}\n"), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--chapters", default="1-9,12")
    parser.add_argument("--equal", action="store_true", help="files of a kind are the same")
    words = parser.parse_args()
    try:
        make(words.folder, words.count, sorted(chapters.numbers_in(words.chapters)), words.equal)
    except (ValueError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
