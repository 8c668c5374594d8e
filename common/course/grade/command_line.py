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
import concurrent.futures
import contextlib
import ctypes
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import re
import resource
import secrets
import signal
import sys
import time
import typing

from book.manifest import ROOT, ManifestError
from book.screen import show_progress, wrapped
from course.grade import chapters as chapter_list
from course.grade import children, formats, points, submissions, trial
from course.grade import compiler as compiling
from course.grade.chapters import Chapter
from course.grade.journal import Journal, Key
from course.grade.result import Result, State
from course.grade.sheet import Sheet
from course.grade.sheet_contents import Times
from course.grade.words import visible

PR_SET_DUMPABLE = 4
OWN = "this tree"
Done = typing.TypeVar("Done")


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="book grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=pathlib.Path, help="a folder with one folder per student")
    parser.add_argument("--seed", help="use the inputs of an earlier run (default: new ones)")
    parser.add_argument("--chapters", help="such as 1,2,3 or 1-9 (default: all)")
    parser.add_argument("--points", default=points.WORTH, help="what each part is worth")
    parser.add_argument("--out", type=pathlib.Path, help="where the sheets go (default: in the build folder)")
    # One job more than there are cores, because a judge and the host process of its exercise wait for each other.
    jobs = len(os.sched_getaffinity(0)) + 1
    parser.add_argument("--jobs", type=int, default=jobs, help="exercises at a time")
    parser.add_argument("--fresh", action="store_true", help="judge everything again, without results of earlier runs")
    parser.add_argument("--no-bubblewrap", action="store_true", help="don't use bubblewrap, even if it is installed")
    parser.add_argument("--compile-seconds", type=int, default=compiling.SECONDS, help="for the compiler, per file")
    formats.add_options(parser)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    return parser.parse_args(arguments)


def chosen(all_chapters: list[Chapter], text: str | None) -> list[Chapter]:
    """Returns the chapters that --chapters names. Raises ValueError with a message for the user."""
    if not text:
        return all_chapters
    numbers = chapter_list.numbers_in(text)
    missing = numbers - {chapter.number for chapter in all_chapters}
    if missing:
        raise ValueError(f"--chapters {text}: there is no judge for chapter {', '.join(map(str, sorted(missing)))}")
    return [chapter for chapter in all_chapters if chapter.number in numbers]


class Progress:
    """A progress line on a terminal; each update overwrites the previous one."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.begin = total, 0, time.monotonic()

    def step(self) -> None:
        self.done += 1
        left = (time.monotonic() - self.begin) / self.done * (self.total - self.done)
        show_progress(f"{self.done} of {self.total} exercises, about {left:.0f} s left")


class Grader:
    """Compiles and judges exercises, and adds up the time that this takes."""

    def __init__(self, compiler: compiling.Compiler, judge_runner: trial.JudgeRunner, jobs: int) -> None:
        self.compiler, self.judge_runner, self.jobs = compiler, judge_runner, jobs
        self.seconds = {"compile": 0.0, "judge": 0.0}

    def compile(self, chapter: Chapter, data: bytes) -> compiling.Compiled:
        """Compiles one file. Any error is attributed to this file and reported in the state of the result."""
        try:
            compiled = self.compiler.compile(chapter, data)
        except Exception as error:  # a file must not end the grading of a class
            why = f"it could not be compiled: {describe_error(error)}"
            compiled = compiling.Compiled(pathlib.Path(), State.NOT_JUDGED.value, why)
        self.seconds["compile"] += compiled.seconds
        return compiled

    def judge(self, chapter: Chapter, compiled: compiling.Compiled) -> Result:
        """Runs the judge on one compiled file. Any error is reported in the state of the result here, too."""
        if not compiled.good:
            return Result(State(compiled.state), compiled.words)
        try:
            begin = time.monotonic()
            result = self.judge_runner.run(chapter, compiled)
            self.seconds["judge"] += time.monotonic() - begin
            return result
        except Exception as error:  # as in `compile`
            return Result(State.NOT_JUDGED, f"it could not be judged: {describe_error(error)}")


def describe_error(error: Exception) -> str:
    """Returns an error as one printable line."""
    words = error.strerror or str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    return visible(words)[:300]


def separation(view: children.Bubblewrap, judge_runner: trial.JudgeRunner) -> str:
    """Returns a description of what separates a submission from the rest of this system."""
    has = judge_runner.confinement()
    words = [
        "limits on time and memory" if "limits" in has else "NO LIMITS on memory",
        "system calls filtered" if "filter" in has else "SYSTEM CALLS NOT FILTERED",
        "separate view without a network (bubblewrap)" if view.program else f"no own view: {view.why_not}",
    ]
    return ", ".join(words)


# A submission, a chapter, the hash of the content of its file, and the result, or a key if it has to be judged.
Cell = tuple[str, Chapter, str | None, Result | Key]


def handed_in(sheet: Sheet, folders: dict[str, pathlib.Path]) -> tuple[list[Cell], dict[Key, tuple[Chapter, bytes]]]:
    """Reads all submissions. Returns the cells of the sheet and the distinct files that have to be judged."""
    cells: list[Cell] = []
    work: dict[Key, tuple[Chapter, bytes]] = {}
    for name, folder in folders.items():
        for chapter in sheet.chapters:
            given = submissions.read(folder, chapter.exercise)
            if given is None:
                cells.append((name, chapter, None, Result(State.MISSING)))
            elif given.refused:
                cells.append((name, chapter, None, Result(State.REFUSED, given.refused)))
            elif given.data.decode("utf-8", "replace").split() == chapter.start.split():  # the starting text
                cells.append((name, chapter, given.key, Result(State.NOT_STARTED)))
            else:
                key = (chapter.number, given.key)
                cells.append((name, chapter, given.key, key))
                work[key] = (chapter, given.data)
    return cells, work


def side_by_side(
    jobs: int,
    progress: Progress,
    do: typing.Callable[..., Done],
    tasks: dict[Key, tuple[typing.Any, ...]],
    then: typing.Callable[[Key, Done], None],
) -> None:
    """Runs all tasks, up to `jobs` at a time, and calls `then` with each result."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        asked = {pool.submit(do, *task): key for key, task in tasks.items()}
        try:
            for done in concurrent.futures.as_completed(asked):
                then(asked[done], done.result())
                progress.step()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            show_progress()


def grade(grader: Grader, journal: Journal, sheet: Sheet, folders: dict[str, pathlib.Path], seed: str | None) -> int:
    """Compiles every file in `folders` that the journal does not know. After that, when no compiler can read the seed
    any more, draws a seed if none is given, judges the files, and fills the sheet in order. Returns the number of
    judged files."""
    cells, work = handed_in(sheet, folders)
    todo = {key: value for key, value in work.items() if key not in journal.known}
    # If a run is resumed, its seed is on the disk. No submission may be compiled then, because it could read the seed.
    if journal.resumed and not all(grader.compiler.knows(*value) for value in todo.values()):
        journal.start_anew()
        todo = work
    progress = Progress(2 * len(todo))
    compiled: dict[Key, tuple[Chapter, compiling.Compiled]] = {}

    def keep(key: Key, outcome: compiling.Compiled) -> None:
        compiled[key] = (todo[key][0], outcome)

    side_by_side(grader.jobs, progress, grader.compile, todo, keep)
    of_last_run = None if todo else journal.last_seed  # if nothing is left to judge, no file uses inputs of this run
    journal.begin(seed or of_last_run or secrets.token_hex(16))
    sheet.settings = journal.settings
    grader.judge_runner.seed = journal.settings["seed"]
    run_seed = grader.judge_runner.seed

    def note(key: Key, result: Result) -> None:
        journal.add(key, dataclasses.replace(result, seed=run_seed))

    side_by_side(grader.jobs, progress, grader.judge, compiled, note)
    for name, chapter, content, result in cells:
        known = result if isinstance(result, Result) else journal.known[result]
        sheet.add(name, chapter.number, content, known)
    return len(todo)


def fingerprint(compiler: compiling.Compiler, build: pathlib.Path, all_chapters: list[Chapter]) -> str:
    """Returns a hash that identifies a grader. If two graders differ in judges, headers or checks, one doesn't reuse
    the results of the other."""
    programs = [build / "bin/exercise_host", *(chapter.judge for chapter in all_chapters)]
    both = hashlib.sha256(compiler.environment.encode())
    for path in [*programs, *sorted(pathlib.Path(__file__).parent.glob("*.py"))]:
        both.update(hashlib.sha256(path.read_bytes()).digest())
    return both.hexdigest()


def saved_meanwhile(sheet: Sheet, root: pathlib.Path) -> list[pathlib.PurePath]:
    """Returns the exercises of this source tree that have changed since they were graded."""
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


def run(args: argparse.Namespace) -> int:
    root = args.root.resolve()
    build = (root / args.build).resolve()
    weights = points.parse(args.points)
    all_chapters = chosen(chapter_list.load(root, build), args.chapters)
    if args.seed is not None and not re.fullmatch(r"[0-9a-f]{1,32}", args.seed):
        raise ValueError(
            f"--seed {args.seed}: give the seed that an earlier run has named, up to 32 digits from 0 to f"
        )
    if args.submissions and not args.submissions.is_dir():
        raise ValueError(f"--submissions {args.submissions}: there is no such folder")
    folders = submissions.find(args.submissions) if args.submissions else {OWN: root}
    if not folders:
        raise ValueError(f"--submissions {args.submissions}: the folder has no subfolder")
    out = args.out or build / "grade/sheet"
    about = formats.around(args, all_chapters, folders)
    if formats.only_kits(args):
        out.mkdir(parents=True, exist_ok=True)
        print(wrapped(f"In {os.path.relpath(out)}: {', '.join(formats.write(args.format, None, out, about))}."))
        return 0
    settings = {
        "submissions": str(args.submissions.resolve()) if args.submissions else "",
        "seed": args.seed,
        "chapters": [chapter.number for chapter in all_chapters],
    }
    with alone_in(out), compiling.scratch_in(build / "grade/scratch") as scratch:
        compiler = compiling.Compiler(root, build, scratch, not args.no_bubblewrap, args.compile_seconds)
        settings["judges"] = fingerprint(compiler, build, all_chapters)
        journal = Journal(out / "results.jsonl", settings, args.fresh)
        judge_runner = trial.JudgeRunner(build, scratch, compiler.view)
        sheet = Sheet(all_chapters, journal.settings, weights, separation(compiler.view, judge_runner))
        if journal.known:
            count = len(journal.known)
            print(
                f"Going on with the run of seed {journal.settings['seed']}: {count} results are there."
                if journal.resumed
                else f"{count} results are there from before; --fresh judges these files again, too.",
                file=sys.stderr,
            )
        begin = time.monotonic()
        grader = Grader(compiler, judge_runner, args.jobs)
        judged = grade(grader, journal, sheet, folders, args.seed)
        journal.finish()
        times = sheet.times = time_taken(judged, time.monotonic() - begin, grader)
        sheet.write(out)
        more = formats.write(args.format, sheet.contents(), out, about)
    print(sheet.text().rstrip())
    print(f"\n{times.text()}")
    print(wrapped(f"In {os.path.relpath(out)}: {', '.join(['sheet.txt', 'sheet.json', 'junit.xml', *more])}."))
    return status_of(sheet, root, whole_class=args.submissions is not None)


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
    args = parse_arguments(arguments)
    # A submission's process may run as the same user. This prevents it from reading the seed in this process's memory.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(args)
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
