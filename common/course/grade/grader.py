"""Compiles and judges the files of all submissions, several at a time, and fills the sheet."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import pathlib
import secrets
import time
import typing

from book.screen import show_progress
from course.grade import compiler as compiling
from course.grade import trial
from course.grade.chapters import Chapter
from course.grade.journal import Journal, Key
from course.grade.result import Result, State
from course.grade.sheet import Sheet
from course.grade.submissions import Files
from course.grade.words import visible

Done = typing.TypeVar("Done")
# A submission, a chapter, the hash of the content of its file, and the result, or a key if it has to be judged.
Cell = tuple[str, Chapter, str | None, Result | Key]


class Progress:
    """A progress line on a terminal; each update overwrites the previous one."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.begin = total, 0, time.monotonic()

    def step(self) -> None:
        self.done += 1
        left = (time.monotonic() - self.begin) / self.done * (self.total - self.done)
        show_progress(f"{self.done} of {self.total} exercises, about {left:.0f} s left")


def describe_error(error: Exception) -> str:
    """Returns an error as one printable line."""
    words = error.strerror or str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    return visible(words)[:300]


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


def cells_of(sheet: Sheet, files: Files) -> tuple[list[Cell], dict[Key, tuple[Chapter, bytes]]]:
    """Returns the cells of the sheet and the distinct files that have to be judged."""
    cells: list[Cell] = []
    work: dict[Key, tuple[Chapter, bytes]] = {}
    for name, submitted in files.items():
        for chapter in sheet.chapters:
            given = submitted[chapter.number]
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


def grade(grader: Grader, journal: Journal, sheet: Sheet, files: Files, seed: str | None) -> int:
    """Compiles every file that the journal does not know. After that, when no compiler can read the seed any more,
    draws a seed if none is given, judges the files, and fills the sheet in order. Returns the number of judged
    files."""
    cells, work = cells_of(sheet, files)
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
