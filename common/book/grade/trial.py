"""One exercise before its judge. The judge holds the input, the emulated device and the verdict, and none of the
student's host code; that runs in another process, which can only ask for CUDA calls (docs/decisions/006)."""

from __future__ import annotations

import hmac
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import typing

from book import processes
from book.grade import children
from book.grade.chapters import Chapter
from book.grade.compiler import Compiled

Record = dict[str, typing.Any] | None

SECONDS = 120
MOST_INPUTS = 1024  # a strict test has some hundred
JUDGE = children.Limits(seconds=2 * SECONDS, data=8 << 30)
# A recording is of one small run: whatever takes longer, or is larger, gets no picture.
RECORDING_SECONDS = 20
RECORDER = children.Limits(seconds=2 * RECORDING_SECONDS, data=4 << 30)
RECORDED = ["--record-blocks", "1", "--record-steps", "2000", "--record-launches", "4"]
# A loop without end is stopped soon; one thread of the host makes the same order every time.
RECORDING = {"EMULATOR_MAX_INSTRUCTIONS": "100000", "EMULATOR_HOST_THREADS": "1"}
HOST = children.Limits(seconds=60, address_space=2 << 30, file_bytes=0)


class Hearing(typing.NamedTuple):
    """One run of a judge: its command line up to the name of the file that it writes, what it finds in its environment
    beside the exercise, and how long it may take."""

    words: list[str]
    environment: dict[str, str]
    limits: children.Limits
    seconds: int


class Court:
    """Runs trials."""

    def __init__(self, build: pathlib.Path, scratch: pathlib.Path, view: children.Bubblewrap) -> None:
        self.build, self.scratch, self.view = build, scratch, view
        self.seed = ""  # of the run: not there before everything is compiled
        self.numbers = scratch / "numbers"  # what the kernels beside the students' count on the run's inputs
        self.numbers.mkdir()
        self.host = build / "bin/exercise_host"
        facts = json.loads((build / "grade/compiler.json").read_text(encoding="utf-8"))
        # The sanitizers reserve more than any limit.
        self.limits = children.Limits(seconds=JUDGE.seconds) if facts["sanitized"] else JUDGE
        self.recording_limits = children.Limits(2 * RECORDING_SECONDS) if facts["sanitized"] else RECORDER

    def confinement(self) -> list[str]:
        """Asks the host process how far this system lets it confine itself."""
        done = processes.said([self.host, "--confinement"])
        return done.stdout.split() if done.returncode == 0 else []

    def seeds_for(self, chapter: Chapter) -> str:
        """Returns the seeds of a chapter's inputs, as its judge reads them. They are the same for all submissions, and
        whoever knows one of them knows no other."""
        return " ".join(
            hmac.digest(self.seed.encode(), f"chapter {chapter.number}, input {k}".encode(), "sha256")[:8].hex()
            for k in range(MOST_INPUTS)
        )

    def hear(self, chapter: Chapter, compiled: Compiled) -> tuple[Record, str, float]:
        """Has the judge of `chapter` hear a compiled exercise. Returns its record, or words on why there is none, and
        the seconds that it took."""
        # Nobody but root can read the environment of a process that is not dumpable, as the judge is.
        secrets = {"WORKBOOK_JUDGE_SEEDS": self.seeds_for(chapter), "WORKBOOK_JUDGE_NUMBERS": str(self.numbers)}
        how = Hearing(["--device", "emulator", "--test", "--to-the-end", "--json"], secrets, self.limits, SECONDS)
        return self._hear(chapter, compiled, how)

    def record(self, chapter: Chapter, compiled: Compiled, problem: list[str]) -> tuple[Record, str, float]:
        """Has the judge record a compiled exercise, as the player shows it, on an input that everybody may know: the
        options of the chapter's program that say which. Returns likewise."""
        words = ["--profile", "yours", *problem, *RECORDED, "--record"]
        return self._hear(chapter, compiled, Hearing(words, RECORDING, self.recording_limits, RECORDING_SECONDS))

    def _hear(self, chapter: Chapter, compiled: Compiled, how: Hearing) -> tuple[Record, str, float]:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            record, words = self._hear_in(pathlib.Path(place), chapter, compiled, how)
        return record, words, time.monotonic() - begin

    def _hear_in(self, place: pathlib.Path, chapter: Chapter, compiled: Compiled, how: Hearing) -> tuple[Record, str]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        verdict, log = place / "verdict.json", place / "log"
        command: list[str | pathlib.Path] = [chapter.judge, *how.words, verdict]
        started: list[children.Child] = []
        try:
            with ours, theirs, log.open("wb") as out:
                judge = children.start(
                    command,
                    how.limits,
                    stdin=ours,
                    stdout=subprocess.DEVNULL,
                    stderr=out,
                    env={
                        **os.environ,
                        "TMPDIR": str(place),  # so that nothing is left of one that is killed
                        "WORKBOOK_JUDGE_DEVICE_CODE": str(compiled.device_code),
                        **how.environment,
                    },
                )
                started.append(judge)
                started.append(
                    children.start(
                        self.view.around([self.host, compiled.library], [], [self.host, compiled.folder]),
                        HOST,
                        stdin=theirs,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        cwd="/",
                        env={"PATH": os.environ.get("PATH", "")},
                    )
                )
            status = children.ended(judge, how.seconds)
            if status is None:
                return None, f"no verdict after {how.seconds} seconds"
        finally:
            for child in started:
                children.end(child)
        if status in (0, 1) and verdict.exists():
            return json.loads(verdict.read_text(encoding="utf-8")), ""
        said = children.text_of(log, 2000).strip().split("\n")[-1][:200]
        return None, f"the judge could not finish ({children.words_for(status)}{': ' + said if said else ''})"
