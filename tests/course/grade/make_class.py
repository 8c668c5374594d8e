#!/usr/bin/env python3
"""Makes a class for the grader. FOLDER gets one folder per student, with exercise files as students submit them.

    make_class.py FOLDER COUNT [--chapters 1-9,12] [--equal] [--odd]

Of ten files, four are the reference, three are the second solution, one is an exercise that was edited but not solved,
one is off by one, and one has a race or a syntax error. No two files are equal, so the grader must judge each of them,
which takes the full time; with --equal, files of the same kind are equal. With --odd, chapter 3 of the last students is
an unusual or hostile file. The same arguments make the same class. To measure the time for a class, including the
compilers (whose earlier results are cached in build/grade/cache):

    PYTHONPATH=common:tests/book python3 tests/course/grade/make_class.py class 30 && rm -rf build/grade/cache
    time make grade SUBMISSIONS=class ARGS="--chapters 1-9,12 --fresh --no-bubblewrap"
"""

import argparse
import pathlib
import sys

import malice
import tries
from course.grade import chapters

NAMES = ("ada", "ben", "cho", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "lea", "max", "nia", "oto")


def does_not_compile(number):
    return tries.reference(number).replace("\nnamespace", "\nclearly no C++\nnamespace", 1)


def racy_or_not_compiled(number):
    return (tries.racy if number % 2 else does_not_compile)(number)


# The kinds are assigned in this order to the chapters. Each student starts 3 places after the previous one.
KINDS = (
    tries.reference,
    tries.second,
    tries.start,
    tries.reference,
    tries.wrong,
    tries.second,
    tries.reference,
    racy_or_not_compiled,
    tries.second,
    tries.reference,
)


def name_of(student):
    return NAMES[student % len(NAMES)] + (str(student // len(NAMES) + 1) if student >= len(NAMES) else "")


def malicious(name):
    return lambda path: path.write_text(malice.submission(tries.reference(3), tries.start(3), name, {}))


def a_link(path):
    path.symlink_to("/etc/hostname")


def too_large(path):
    path.write_text(tries.reference(3) + "// and so on\n" * 30000)


def a_folder(path):
    path.mkdir()


# Unusual files for chapter 3 of the last students, one for each student.
ODD = (
    pathlib.Path.unlink,
    a_folder,
    a_link,
    too_large,
    malicious("reads_the_journal_while_it_is_assembled"),
    malicious("asks_for_the_time"),
    malicious("is_wrong_beyond_two_million"),
    malicious("loops_in_kernel"),
    malicious("prints_a_verdict"),
)


def make_odd(folder, count):
    for student, as_it_is in enumerate(ODD, start=count - len(ODD)):
        path = folder / name_of(student) / tries.CHAPTERS[3].exercise_path(pathlib.Path())
        if as_it_is is not pathlib.Path.unlink:
            path.unlink()
        as_it_is(path)


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
    parser.add_argument(
        "--odd", action="store_true", help="replace chapter 3 of the last students by unusual and hostile files"
    )
    args = parser.parse_args()
    try:
        numbers = sorted(chapters.numbers_in(args.chapters))
        if args.odd and (3 not in numbers or args.count < len(ODD)):
            raise ValueError(f"--odd needs chapter 3 and at least {len(ODD)} students")
        make(args.folder, args.count, numbers, args.equal)
        if args.odd:
            make_odd(args.folder, args.count)
    except (ValueError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
