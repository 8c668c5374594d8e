"""`make liveN`: serves a page that follows the student's file until Ctrl-C or a signal ends it."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import signal
import tempfile
import threading

from book.screen import say
from student import memory
from student.live.board import Board
from student.live.lesson import lesson
from student.live.rounds import Round, publish_unread
from student.live.server import Server
from student.notebook import Notebook
from student.watch import version_of
from student.workbook import Workbook

LOOK_S = 0.05  # the interval between two looks at the file


def ended_by_signals() -> threading.Event:
    """Returns an event that is set when a signal tells the program to end. Then it can end its children."""
    ended = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A program that was started to outlive its terminal (with nohup) ignores the signal.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, lambda *_: ended.set())
    return ended


def follow(book: Workbook, number: int, board: Board, folder: pathlib.Path, ended: threading.Event) -> None:
    """Starts a round for each save of the exercise, until `ended` is set."""
    path, count = book.exercise(number), 0
    # Differs from every version, so the first look finds a change even if the file is missing.
    seen: tuple[int, ...] | None = ()
    current: Round | None = None
    words = f"{path.relative_to(book.root)} is missing. Save it again, or run `make reset{number}` to create it again."
    try:
        while True:
            now = version_of(path)
            # A running build reads the newest version anyway, and a build that is killed might leave an incomplete
            # object file.
            if now != seen and not (current and current.building):
                if current:
                    current.stop()
                seen, count = now, count + 1
                if now is None:
                    current = None
                    publish_unread(board, count, words)
                else:
                    current = Round(book, number, board, folder, count)
                    current.start()
            if ended.wait(LOOK_S):
                return
    finally:
        if current:
            current.stop()


def answered(book: Workbook, number: int, lock: threading.Lock, kind: str, result: str) -> bool:
    """Records an answer that was given in the player as one of the chapter's predictions. Returns true if the question
    and the result are known."""
    with lock:
        # The notebook is read each time, because other commands write to the file, too.
        notebook = Notebook(book.root)
        known = memory.remember_played(notebook.of(number), kind, result, memory.today())
        if known:
            notebook.save()
        return known


def live(book: Workbook, number: int) -> int:
    """Serves the page until a signal tells the program to end."""
    path = book.exercise(number).relative_to(book.root)
    board = Board(
        chapter=number, title=book.chapter(number).title, file=str(path), round=0, stage="building", source=[], notes=[]
    )
    read = functools.cache(functools.partial(lesson, book, number))
    told = functools.partial(answered, book, number, threading.Lock())
    ended = ended_by_signals()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbook_live_", ignore_cleanup_errors=True))
        server = stack.enter_context(Server(board, read, told))
        say(f"Following {path}. Ctrl-C ends it. Open this in a browser on this machine:")
        print(server.address, flush=True)
        follow(book, number, board, pathlib.Path(folder), ended)
    print("Ended.", flush=True)
    return 0
