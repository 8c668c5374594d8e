"""The student's commands, one at a time. `make hintN`, `make diffN` … call them.

    hint N               one more hint of chapter N each time
    diff N [--yes]       compares your kernel with the reference; asks for confirmation once if your kernel doesn't pass
                         yet
    reset N              the exercise as the chapter gave it; your version is kept beside it
    progress             every chapter: not started, wrong, unsafe, goal missed, done
    next                 the first chapter that is not done, and where to read
    watch N              builds and tests chapter N whenever its file is saved
    live N               a page for a browser that shows errors, verdict, profile and the kernel in motion at each save
    page N               after chapter N is done: shows your kernel, the reference and the library's side by side
    predict N            asks for counts and limits of chapter N, and checks the answers against its own
    review               asks again, days later and with other values, what you got wrong

They store your progress in .workbook/progress.json, which can be copied to another machine. Exit status: 0; 1 if
the command did not do what was asked, such as showing the reference; 2 bad usage, or a chapter that does not build.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import typing

from book import exercises, manifest
from book.screen import wrapped
from student.exercise import diff, hint, reset
from student.failure import Failure, NotBuilt, words_of
from student.page import show_page
from student.predict import predict
from student.progress import next_chapter, progress
from student.review import review
from student.watch import watch
from student.workbook import Workbook


def live(book: Workbook, number: int) -> int:
    from student.live.live import live as serve  # only here: the other commands serve nothing

    return serve(book, number)


OF_A_CHAPTER: dict[str, typing.Callable[..., int]] = {
    "hint": hint,
    "diff": diff,
    "reset": reset,
    "watch": watch,
    "live": live,
    "predict": predict,
    "page": show_page,
}
OF_ALL: dict[str, typing.Callable[[Workbook], int]] = {"progress": progress, "next": next_chapter, "review": review}


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="book", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=pathlib.Path, default=manifest.ROOT, help="the tree (default: this one)")
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in OF_A_CHAPTER:
        command = commands.add_parser(name)
        command.add_argument("number", type=int)
        if name == "diff":
            command.add_argument("--yes", action="store_true", help="do not ask")
        if name == "watch":
            command.add_argument("--rounds", type=int, default=0, help=argparse.SUPPRESS)
    for name in OF_ALL:
        commands.add_parser(name)
    return parser.parse_args(arguments)


def run(args: argparse.Namespace) -> int:
    book = Workbook(args.root.resolve(), args.build)
    if args.command in OF_ALL:
        return OF_ALL[args.command](book)
    given = {name: value for name, value in vars(args).items() if name in ("yes", "rounds")}
    return OF_A_CHAPTER[args.command](book, args.number, **given)


def silence() -> None:
    """Redirects standard output to the null device, so that output that Python still has to write is discarded."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: list[str] | None = None) -> int:
    args = parse_arguments(arguments)
    try:
        status = run(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the program that reads the pipe has closed it
        silence()
        return 1
    except NotBuilt as failure:
        print(failure, file=sys.stderr)
        return 2
    except (Failure, exercises.Unreadable, manifest.ManifestError) as failure:
        print(wrapped(str(failure)), file=sys.stderr)
        return 2
    except UnicodeDecodeError as failure:
        print(
            wrapped(
                f"A file of the workbook isn't valid UTF-8 ({failure.reason}). `git status` shows which has changed."
            ),
            file=sys.stderr,
        )
        return 2
    except OSError as failure:  # a file that the tree should have, or a disk that is full
        print(wrapped(words_of(failure, args.root.resolve())), file=sys.stderr)
        silence()
        return 2
    except (KeyboardInterrupt, EOFError):
        print()
        return 1
