"""Grades exercises: your own, or those of a class.

    grade                        the exercises in this tree
    grade --submissions DIR      one row per subfolder of DIR, each with chapters/NN_name/… as in the repository

The sheet goes to standard output and, as sheet.txt, sheet.json and junit.xml, to --out. Each run has fresh inputs;
--seed repeats them. An interrupted run resumes where it stopped, and a file that an earlier run has judged
keeps its result. Exit status: 0 graded; 1 one of the tree's own exercises was begun and is not done; 2 bad usage;
3 some files could not be judged, for example because a disk is full.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import os
import pathlib
import re

from book.manifest import ROOT
from course.grade import compiler, formats, points
from course.grade.formats import roster


@dataclasses.dataclass(frozen=True)
class Arguments:
    """The arguments of a run."""

    root: pathlib.Path
    build: pathlib.Path
    submissions: pathlib.Path | None  # None: the tree's own exercises
    out: pathlib.Path
    seed: str | None
    chapters: str | None
    points: str
    weights: dict[str, int]  # the parsed `points`
    jobs: int
    fresh: bool
    wants_view: bool
    compile_seconds: int
    formats: list[str]
    students: list[roster.Student] | None
    due: datetime.datetime | None


def parser() -> argparse.ArgumentParser:
    into = argparse.ArgumentParser(
        prog="book grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    into.add_argument("--submissions", type=pathlib.Path, help="a folder with one folder per student")
    into.add_argument("--seed", help="use the inputs of an earlier run (default: new ones)")
    into.add_argument("--chapters", help="such as 1,2,3 or 1-9 (default: all)")
    into.add_argument("--points", default=points.WORTH, help="what each part is worth")
    into.add_argument("--out", type=pathlib.Path, help="where the sheets go (default: in the build folder)")
    # One job more than there are cores, because a judge and the host process of its exercise wait for each other.
    jobs = len(os.sched_getaffinity(0)) + 1
    into.add_argument("--jobs", type=int, default=jobs, help="exercises at a time")
    into.add_argument("--fresh", action="store_true", help="judge everything again, without results of earlier runs")
    into.add_argument("--no-bubblewrap", action="store_true", help="don't use bubblewrap, even if it is installed")
    into.add_argument("--compile-seconds", type=int, default=compiler.SECONDS, help="for the compiler, per file")
    names = ", ".join(formats.NAMES)
    into.add_argument("--format", default="", help=f"also write sheets for other systems, separated by commas: {names}")
    into.add_argument("--roster", type=pathlib.Path, help="a CSV file with the columns name, email, id, folder")
    into.add_argument("--due", help="files saved after this are late: 2026-11-30 or 2026-11-30T18:00")
    into.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    into.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    return into


def parse(arguments: list[str] | None) -> Arguments:
    """Parses the arguments, and reads the roster. Raises ValueError with a message for the user."""
    given = parser().parse_args(arguments)
    if given.seed is not None and not re.fullmatch(r"[0-9a-f]{1,32}", given.seed):
        raise ValueError(
            f"--seed {given.seed}: give the seed that an earlier run has named, up to 32 digits from 0 to f"
        )
    if given.submissions and not given.submissions.is_dir():
        raise ValueError(f"--submissions {given.submissions}: there is no such folder")
    wanted = formats.chosen(given.format)
    if "moodle" in wanted and not given.roster:
        raise ValueError("--format moodle: Moodle finds students by their e-mail; give a roster, --roster roster.csv")
    root = given.root.resolve()
    build = (root / given.build).resolve()
    return Arguments(
        root=root,
        build=build,
        submissions=given.submissions,
        out=given.out or build / "grade/sheet",
        seed=given.seed,
        chapters=given.chapters,
        points=given.points,
        weights=points.parse(given.points),
        jobs=given.jobs,
        fresh=given.fresh,
        wants_view=not given.no_bubblewrap,
        compile_seconds=given.compile_seconds,
        formats=wanted,
        students=roster.read(given.roster) if given.roster else None,
        due=roster.due_time(given.due) if given.due else None,
    )
