"""Grades exercises: your own, or those of a class.

    grade                        the exercises of this tree
    grade --submissions DIR      one row per subfolder of DIR, each with chapters/NN_name/… as in the repository

The sheet goes to standard output and, as sheet.txt, sheet.json and junit.xml, to --out. Each run has fresh inputs;
--seed makes them again. A run that was interrupted goes on where it was. Exit status: 0 graded; 1 the tree's own
exercises, and one that was begun is not done; 2 bad usage.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import resource
import secrets
import sys
import time
import typing

from book.grade import chapters as chapter_list
from book.grade import children, formats, points, submissions, trial
from book.grade import compiler as compiling
from book.grade.chapters import Chapter
from book.grade.journal import Journal, Result
from book.grade.sheet import Sheet
from book.manifest import ROOT, ManifestError
from book.screen import meanwhile, wrapped

PR_SET_DUMPABLE = 4
OWN = "this tree"


def parse_words(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="book grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--submissions", type=pathlib.Path, help="a folder with one folder per student")
    parser.add_argument("--seed", type=int, help="the inputs of an earlier run (default: fresh ones)")
    parser.add_argument("--chapters", help="such as 1,2,3 or 1-9 (default: all)")
    parser.add_argument("--points", default="right=4,clean=3,goal=2,accuracy=1", help="what each part is worth")
    parser.add_argument("--out", type=pathlib.Path, help="where the sheets go (default: in the build folder)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="exercises at a time")
    parser.add_argument("--fresh", action="store_true", help="do not go on with an interrupted run")
    parser.add_argument("--no-bubblewrap", action="store_true", help="leave it out even where it is installed")
    parser.add_argument("--compile-seconds", type=int, default=compiling.SECONDS, help="for the compiler, per file")
    formats.add_options(parser)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    return parser.parse_args(arguments)


def chosen(all_chapters: list[Chapter], text: str | None) -> list[Chapter]:
    """Returns the chapters that --chapters names. Raises ValueError with words."""
    if not text:
        return all_chapters
    numbers = chapter_list.numbers_in(text)
    missing = numbers - {chapter.number for chapter in all_chapters}
    if missing:
        raise ValueError(f"--chapters {text}: there is no judge for chapter {', '.join(map(str, sorted(missing)))}")
    return [chapter for chapter in all_chapters if chapter.number in numbers]


class Progress:
    """A line on a terminal that is written over."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.begin = total, 0, time.monotonic()

    def step(self) -> None:
        self.done += 1
        left = (time.monotonic() - self.begin) / self.done * (self.total - self.done)
        meanwhile(f"{self.done} of {self.total} exercises, about {left:.0f} s left")


class Grader:
    """Compiles and judges, and keeps account of the time."""

    def __init__(self, compiler: compiling.Compiler, court: trial.Court, jobs: int) -> None:
        self.compiler, self.court, self.jobs = compiler, court, jobs
        self.seconds = {"compile": 0.0, "judge": 0.0}

    def result(self, chapter: Chapter, data: bytes) -> Result:
        """Returns the result of one file."""
        compiled = self.compiler.compile(chapter, data)
        self.seconds["compile"] += compiled.seconds
        if not compiled.good:
            return points.nothing(compiled.state, compiled.words)
        record, words, seconds = self.court.hear(chapter, compiled)
        self.seconds["judge"] += seconds
        return points.judge(record) if record is not None else points.nothing("failed", words)


def separation(view: children.Bubblewrap, court: trial.Court) -> str:
    """Says what keeps a submission from everything else on this system."""
    has = court.confinement()
    words = [
        "limits on time and memory" if "limits" in has else "NO LIMITS on memory",
        "system calls filtered" if "filter" in has else "SYSTEM CALLS NOT FILTERED",
        "own view without a network (bubblewrap)" if view.program else f"no own view: {view.why_not}",
    ]
    return ", ".join(words)


def grade(grader: Grader, journal: Journal, sheet: Sheet, folders: dict[str, pathlib.Path]) -> int:
    """Judges every file of `folders` that the journal does not know, then fills the sheet in order. Returns how many
    it judged."""
    cells: list[tuple[str, Chapter, str | None, Result | None]] = []
    work: dict[tuple[int, str], tuple[Chapter, bytes]] = {}
    for name, folder in folders.items():
        for chapter in sheet.chapters:
            given = submissions.read(folder, chapter.exercise)
            if given is None:
                cells.append((name, chapter, None, points.nothing("missing")))
            elif given.refused:
                cells.append((name, chapter, None, points.nothing("refused", given.refused)))
            elif chapter_list.untouched(given.data.decode("utf-8", "replace"), chapter):
                cells.append((name, chapter, given.key, points.nothing("not started")))
            else:
                cells.append((name, chapter, given.key, None))
                work[(chapter.number, given.key)] = (chapter, given.data)
    todo = {key: value for key, value in work.items() if key not in journal.known}
    progress = Progress(len(todo))
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, grader.jobs)) as pool:
        asked = {pool.submit(grader.result, *value): key for key, value in todo.items()}
        try:
            for done in concurrent.futures.as_completed(asked):
                journal.add(asked[done], done.result())
                progress.step()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            meanwhile()
    for name, chapter, content, result in cells:
        sheet.add(name, chapter.number, content, result or journal.known[(chapter.number, content)])
    return len(todo)


def saved_meanwhile(sheet: Sheet, root: pathlib.Path) -> list[pathlib.PurePath]:
    """Returns the tree's own exercises that are no longer the text that was graded."""
    graded = {number: key for (number, key), names in sheet.files.items() if OWN in names}
    return [
        chapter.exercise
        for chapter in sheet.chapters
        if chapter.number in graded
        and ((now := submissions.read(root, chapter.exercise)) is None or now.key != graded[chapter.number])
    ]


def time_taken(judged: int, seconds: float, grader: Grader) -> dict[str, typing.Any]:
    """Says what a run took, for the sheet."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Bubblewrap does not tell what ran in its view.
    processor = None if grader.compiler.view.program else round(used.ru_utime + used.ru_stime, 1)
    return {
        "exercises": judged,
        "at_a_time": grader.jobs,
        "seconds": round(seconds, 1),
        "compiling_seconds": round(grader.seconds["compile"], 1),
        "judging_seconds": round(grader.seconds["judge"], 1),
        "processor_seconds": processor,
    }


def in_words(taken: dict[str, typing.Any]) -> str:
    """Says the same for people."""
    if taken["exercises"] == 0:
        return "No exercise had to be judged."
    words = (
        f"{taken['exercises']} exercises judged in {taken['seconds']:.0f} s, {taken['at_a_time']} at a time: "
        f"compilers {taken['compiling_seconds']:.0f} s, judges {taken['judging_seconds']:.0f} s."
    )
    if taken["processor_seconds"] is not None:
        each = taken["processor_seconds"] / taken["exercises"]
        words += f"\nProcessor time: {taken['processor_seconds']:.0f} s, {each:.1f} s each."
    return words


def run(words: argparse.Namespace) -> int:
    root = words.root.resolve()
    build = (root / words.build).resolve()
    weights = points.parse(words.points)
    all_chapters = chosen(chapter_list.load(root, build), words.chapters)
    if words.seed is not None and not 0 <= words.seed < 10**9:
        raise ValueError(f"--seed {words.seed}: give a number from 0 to 999999999")
    if words.submissions and not words.submissions.is_dir():
        raise ValueError(f"--submissions {words.submissions}: there is no such folder")
    folders = submissions.find(words.submissions) if words.submissions else {OWN: root}
    if not folders:
        raise ValueError(f"--submissions {words.submissions}: the folder has no subfolder")
    out = words.out or build / "grade/sheet"
    about = formats.around(words, all_chapters, folders)
    if formats.only_kits(words):
        print(wrapped(f"In {os.path.relpath(out)}: {', '.join(formats.write(words.format, None, out, about))}."))
        return 0
    out.mkdir(parents=True, exist_ok=True)
    view = children.Bubblewrap(
        root, build, words.submissions.resolve() if words.submissions else None, wanted=not words.no_bubblewrap
    )
    settings = {
        "submissions": str(words.submissions.resolve()) if words.submissions else "",
        "seed": words.seed,
        "chapters": [chapter.number for chapter in all_chapters],
    }
    journal = Journal(out / "results.jsonl", settings, words.fresh)
    journal.begin(secrets.randbelow(10**9) if words.seed is None else words.seed)
    court = trial.Court(build, view, journal.settings["seed"])
    grader = Grader(compiling.Compiler(root, build, view, words.compile_seconds), court, words.jobs)
    sheet = Sheet(all_chapters, journal.settings, weights, separation(view, court))
    if journal.resumed and journal.known:
        print(
            f"Going on with the run of seed {journal.settings['seed']}: {len(journal.known)} results are there.",
            file=sys.stderr,
        )
    begin = time.monotonic()
    judged = grade(grader, journal, sheet, folders)
    journal.finish()
    sheet.time = time_taken(judged, time.monotonic() - begin, grader)
    sheet.write(out)
    more = formats.write(words.format, sheet.data(), out, about)
    print(sheet.text().rstrip())
    print(f"\n{in_words(sheet.time)}")
    print(wrapped(f"In {os.path.relpath(out)}: {', '.join(['sheet.txt', 'sheet.json', 'junit.xml', *more])}."))
    if words.submissions:
        return 0
    if saved := saved_meanwhile(sheet, root):
        names = ", ".join(map(str, saved))
        print(wrapped(f"Saved while it was graded: {names}. The points are for the version before."), file=sys.stderr)
        return 1
    begun = [result for result in sheet.rows[OWN].values() if result["state"] != "not started"]
    return 0 if all(all(result[part] for part in points.PARTS) for result in begun) else 1


def main(arguments: list[str] | None = None) -> int:
    words = parse_words(arguments)
    # A submission's process may run as the same user: it is not to look in here for the seed.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        return run(words)
    except (ValueError, ManifestError, chapter_list.NotBuilt) as error:
        print(wrapped(str(error)), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted. The same command goes on from here.", file=sys.stderr)
        return 130
