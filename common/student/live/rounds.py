"""The work after each save of the student's file: build, test, count and record it."""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import signal
import threading
import time
import typing

from book import exercises
from course.grade.children import Limits, text_of, words_for
from student.live import notes
from student.live.board import Board
from student.live.children import BUILD_LIMITS, LIMITS, RECORDING_LIMITS, SECONDS, Children, Over
from student.workbook import NO_TOOLS, Workbook

MAX_SHOWN = 200_000  # bytes of a program's output
PATIENCE_S = 3  # the time after which the page shows that a test is still running


def publish_unread(board: Board, number: int, why: str) -> None:
    """Shows that version `number` of the file cannot be read, and why. Removes the parts of the page that belong to an
    earlier version."""
    verdict = {"of": number, "word": "cannot be read", "more": why}
    board.publish(round=number, stage="unread", saved="", source=[], notes=[], verdict=verdict)


class Round:
    """The work on one version of the file, from its build to its player. It runs in its own thread."""

    def __init__(self, book: Workbook, chapter: int, board: Board, folder: pathlib.Path, number: int) -> None:
        self.book, self.chapter, self.board, self.folder, self.number = book, chapter, board, folder, number
        self.exercise = book.exercise(chapter)
        self.building = True
        self._build_command, environment = book.building(chapter, install=False)
        self._afresh = f"`make reset{chapter}` restores the exercise."
        # The temporary files of a program that was killed are deleted together with this folder.
        self._children = Children(book.root, {**os.environ, **environment, "TMPDIR": str(folder)})
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the round's remaining work. Nothing is published for it afterwards."""
        self._children.end()
        self._thread.join()

    def _piece(self, **values: typing.Any) -> dict[str, typing.Any]:
        """Returns a part of the page with the number of its round, so that the page can mark outdated parts."""
        return {"of": self.number, **values}

    def _run(self) -> None:
        try:
            self._answer()
        except Over:
            return
        except (exercises.Unreadable, OSError) as error:
            publish_unread(self.board, self.number, str(error))
        finally:
            self.building = False

    def _answer(self) -> None:
        text = exercises.exercise_bytes(self.book.chapter(self.chapter), self.book.root)
        self.board.publish(
            round=self.number,
            stage="building",
            saved=time.strftime("%H:%M:%S"),
            source=text.decode("utf-8", "replace").split("\n"),
            notes=[] if text.strip() else [notes.note(1, "error", f"This file is empty. {self._afresh}")],
        )
        if not self._built():
            return
        self.board.publish(stage="running")
        self.building = False
        # The order in which a student looks at the results: the picture and the verdict first.
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for one in [pool.submit(step) for step in (self._play, self._test, self._profile)]:
                one.result()
        self.board.publish(stage="ready")

    def _built(self) -> bool:
        log = self.folder / "build.txt"
        status = self._children.run(self._build_command, log, BUILD_LIMITS)
        said = text_of(log, MAX_SHOWN).strip()
        found = notes.of_compiler(said, self.exercise, self.book.root)
        # If the build succeeded, its output is shown only if there are warnings.
        self.board.publish(compiler=self._piece(text=said if found or status != 0 else ""))
        self.board.add_notes(found)
        if status == 0:
            return True
        word = "not tested" if status == NO_TOOLS else "does not compile"
        self.board.publish(stage="ready", verdict=self._piece(word=word, more=""))
        return False

    def _program(
        self,
        name: str,
        *words: str,
        limits: Limits = LIMITS,
        each_second: typing.Callable[[int], None] | None = None,
    ) -> tuple[int | None, str, pathlib.Path]:
        """Runs the chapter's program. Returns its status, its output, and the path of the file that it has to write."""
        log, file = self._log_of(name), self.folder / name
        file.unlink(missing_ok=True)
        command = [self.book.program(self.chapter), *words, str(file)]
        status = self._children.run(command, log, limits, each_second)
        return status, text_of(log, MAX_SHOWN).strip(), file

    def _log_of(self, name: str) -> pathlib.Path:
        return self.folder / f"{name}.txt"

    def _report(
        self, name: str, *words: str, each_second: typing.Callable[[int], None] | None = None
    ) -> tuple[str, dict[str, typing.Any] | None]:
        """Returns the program's output and its report. The report is None if the program wrote none."""
        status, said, file = self._program(name, *words, "--json", each_second=each_second)
        try:
            report: dict[str, typing.Any] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return f"{said}\n{self._how_it_ended(status)}".strip(), None
        return said, report

    def _how_it_ended(self, status: int | None) -> str:
        if status is None:
            return f"chapter{self.chapter} was stopped because it was still running after {SECONDS} s."
        if status in (-signal.SIGXFSZ, 128 + signal.SIGXFSZ):
            return f"chapter{self.chapter} was stopped: it prints without end."
        return f"chapter{self.chapter} ended by itself: {words_for(status)}."

    def _still_testing(self, seconds: int) -> None:
        """Shows the progress of a test that takes a long time, for example because the kernel prints a lot."""
        if seconds < PATIENCE_S:
            return
        more = f"The test has been running for {seconds} s. It will be stopped after {SECONDS} s."
        self.board.publish(
            verdict=self._piece(word="still testing", more=more),
            test=self._piece(text=text_of(self._log_of("test.json"), MAX_SHOWN).strip()),
        )

    def _test(self) -> None:
        said, verdict = self._report("test.json", "--test", each_second=self._still_testing)
        if verdict and verdict["verdict"] == "another version":
            return  # the file was saved again, so the next round is about to begin
        self.board.publish(test=self._piece(text=said))
        if verdict is None:
            self.board.publish(verdict=self._piece(word="crashed", more=""))
            return
        self.board.add_notes(notes.of_test(verdict))
        self.board.publish(verdict=self._piece(word=verdict["verdict"], more=notes.of_goal(verdict.get("goal"))))

    def _profile(self) -> None:
        said, report = self._report("profile.json", "--profile", "yours")
        time_in_words = notes.of_time(report) if report else ""
        self.board.publish(profile=self._piece(text=said, time=time_in_words))
        if report:
            self.board.add_notes(notes.of_profile(report, self.exercise))

    def _play(self) -> None:
        status, said, file = self._program("play.html", "--profile", "yours", "--play", limits=RECORDING_LIMITS)
        try:
            page = file.read_bytes()
        except OSError:
            more = f"{said}\n{self._how_it_ended(status)}".strip()
            self.board.publish(player=self._piece(there=False, text=more))
            return
        self.board.player = page
        self.board.publish(player=self._piece(there=True, text=""))
