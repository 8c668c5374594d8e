"""A run of the grader, from its arguments to the sheet and the exit status."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import pathlib
import resource
import signal
import sys
import time
import typing

from book.manifest import ManifestError
from book.screen import wrapped
from course.grade import chapters as chapter_list
from course.grade import children, command_line, formats, submissions, trial
from course.grade import compiler as compiling
from course.grade.chapters import Chapter
from course.grade.formats.surroundings import Around
from course.grade.grader import Grader, describe_error, grade
from course.grade.journal import Journal
from course.grade.result import State
from course.grade.sheet import Sheet
from course.grade.sheet_contents import Times
from course.grade.words import visible

PR_SET_DUMPABLE = 4
OWN = "this tree"


def separation(view: children.Bubblewrap, judge_runner: trial.JudgeRunner) -> str:
    """Returns a description of what separates a submission from the rest of this system."""
    has = judge_runner.confinement()
    words = [
        "limits on time and memory" if "limits" in has else "NO LIMITS on memory",
        "system calls filtered" if "filter" in has else "SYSTEM CALLS NOT FILTERED",
        "separate view without a network (bubblewrap)" if view.program else f"no own view: {view.why_not}",
    ]
    return ", ".join(words)


def fingerprint(compiler: compiling.Compiler, build: pathlib.Path, all_chapters: list[Chapter]) -> str:
    """Returns a hash that identifies a grader. If two graders differ in judges, headers or checks, one doesn't reuse
    the results of the other."""
    programs = [build / "bin/exercise_host", *(chapter.judge for chapter in all_chapters)]
    both = hashlib.sha256(compiler.environment.encode())
    for path in [*programs, *sorted(pathlib.Path(__file__).parent.glob("*.py"))]:
        both.update(hashlib.sha256(path.read_bytes()).digest())
    return both.hexdigest()


def saved_meanwhile(sheet: Sheet, root: pathlib.Path) -> list[pathlib.PurePath]:
    """Returns the exercises of this source tree that have changed since they were graded. No other function reads a
    file again."""
    graded = {number: key for (number, key), names in sheet.files.items() if OWN in names}
    return [
        chapter.exercise
        for chapter in sheet.chapters
        if chapter.number in graded
        and ((now := submissions.read(root, chapter.exercise)) is None or now.key != graded[chapter.number])
    ]


def time_taken(judged: int, seconds: float, grader: Grader) -> Times:
    """Returns the times of a run, for the sheet."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Bubblewrap does not report the processor time of what ran in its view.
    processor = None if grader.compiler.view.program else round(used.ru_utime + used.ru_stime, 1)
    return Times(
        exercises=judged,
        at_a_time=grader.jobs,
        seconds=round(seconds, 1),
        compiling_seconds=round(grader.seconds["compile"], 1),
        judging_seconds=round(grader.seconds["judge"], 1),
        processor_seconds=processor,
    )


@contextlib.contextmanager
def alone_in(folder: pathlib.Path) -> typing.Iterator[None]:
    """Locks a folder against other graders. Raises ValueError with a message if another grader is using it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            words = f"Another grading writes into {os.path.relpath(folder)}: wait for it, or give --out."
            raise ValueError(words) from error
        yield


def run(args: command_line.Arguments) -> int:
    chapters = chapter_list.chosen(chapter_list.load(args.root, args.build), args.chapters)
    folders = submissions.find(args.submissions) if args.submissions else {OWN: args.root}
    if not folders:
        raise ValueError(f"--submissions {args.submissions}: the folder has no subfolder")
    out = args.out
    about = Around(
        root=args.root,
        titles={chapter.number: chapter.title for chapter in chapters},
        exercises={chapter.number: chapter.exercise for chapter in chapters},
        points=args.points,
        folders=folders,
        students=args.students,
        due=args.due,
    )
    if not args.submissions and formats.only_kits(args.formats):
        out.mkdir(parents=True, exist_ok=True)
        print(wrapped(f"In {os.path.relpath(out)}: {', '.join(formats.write(args.formats, None, out, about))}."))
        return 0
    with alone_in(out), compiling.scratch_in(args.build / "grade/scratch") as scratch:
        compiler = compiling.Compiler(args.root, args.build, scratch, args.wants_view, args.compile_seconds)
        settings = {
            "submissions": str(args.submissions.resolve()) if args.submissions else "",
            "seed": args.seed,
            "chapters": [chapter.number for chapter in chapters],
            "judges": fingerprint(compiler, args.build, chapters),
        }
        journal = Journal(out / "results.jsonl", settings, args.fresh)
        judge_runner = trial.JudgeRunner(args.build, scratch, compiler.view)
        sheet = Sheet(chapters, journal.settings, args.weights, separation(compiler.view, judge_runner))
        report_known(journal)
        begin = time.monotonic()
        grader = Grader(compiler, judge_runner, args.jobs)
        about.files = submissions.read_all(folders, about.exercises)
        judged = grade(grader, journal, sheet, about.files, args.seed)
        journal.finish()
        times = sheet.times = time_taken(judged, time.monotonic() - begin, grader)
        sheet.write(out)
        more = formats.write(args.formats, sheet.contents(), out, about)
    print(sheet.text().rstrip())
    print(f"\n{times.text()}")
    print(wrapped(f"In {os.path.relpath(out)}: {', '.join(['sheet.txt', 'sheet.json', 'junit.xml', *more])}."))
    return status_of(sheet, args.root, whole_class=args.submissions is not None)


def report_known(journal: Journal) -> None:
    """Prints how many results an earlier run has left, if there are any."""
    count = len(journal.known)
    if count:
        print(
            f"Going on with the run of seed {journal.settings['seed']}: {count} results are there."
            if journal.resumed
            else f"{count} results are there from before; --fresh judges these files again, too.",
            file=sys.stderr,
        )


def status_of(sheet: Sheet, root: pathlib.Path, whole_class: bool) -> int:
    """Prints what the user has to know about the run's sheet, and returns the exit status."""
    left = [result for result in sheet.results() if result.state == State.NOT_JUDGED]
    if left:
        words = f"{len(left)} could not be judged, through no fault of their own: {left[0].words}."
        print(wrapped(f"{words} Run the same command to try them again."), file=sys.stderr)
        return 3
    if whole_class:
        return 0
    if saved := saved_meanwhile(sheet, root):
        names = ", ".join(map(str, saved))
        print(
            wrapped(f"{names} changed while being graded, so the points are for the version before."), file=sys.stderr
        )
        return 1
    begun = [result for result in sheet.results() if result.state != State.NOT_STARTED]
    return 0 if all(result.done for result in begun) else 1


def main(arguments: list[str] | None = None) -> int:
    # A submission's process may run as the same user. This prevents it from reading the seed in this process's memory.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(command_line.parse(arguments))
    except (ValueError, ManifestError, chapter_list.NotBuilt) as error:
        print(wrapped(visible(str(error))), file=sys.stderr)
        return 2
    except OSError as error:
        why = f"The grader had to stop: {describe_error(error)} ({visible(str(error.filename))})."
        print(wrapped(f"{why} Run the same command to resume."), file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command to resume.", file=sys.stderr)
        return 130
