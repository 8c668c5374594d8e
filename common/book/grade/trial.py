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

from book.grade import children
from book.grade.chapters import Chapter
from book.grade.compiler import Compiled

Record = dict[str, typing.Any] | None

SECONDS = 120
MOST_INPUTS = 1024  # a strict test has some hundred
JUDGE = children.Limits(seconds=2 * SECONDS, data=8 << 30)
HOST = children.Limits(seconds=60, address_space=2 << 30, file_bytes=0)


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

    def confinement(self) -> list[str]:
        """Asks the host process how far this system lets it confine itself."""
        done = subprocess.run(
            [self.host, "--confinement"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
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
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            record, words = self._hear_in(pathlib.Path(place), chapter, compiled)
        return record, words, time.monotonic() - begin

    def _hear_in(self, place: pathlib.Path, chapter: Chapter, compiled: Compiled) -> tuple[Record, str]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        verdict, log = place / "verdict.json", place / "log"
        command: list[str | pathlib.Path] = [
            chapter.judge,
            "--device",
            "emulator",
            "--test",
            "--to-the-end",
            "--json",
            verdict,
        ]
        started: list[children.Child] = []
        try:
            with ours, theirs, log.open("wb") as out:
                judge = children.start(
                    command,
                    self.limits,
                    stdin=ours,
                    stdout=subprocess.DEVNULL,
                    stderr=out,
                    # Nobody but root can read the environment of a process that is not dumpable, as the judge is.
                    env={
                        **os.environ,
                        "WORKBOOK_JUDGE_DEVICE_CODE": str(compiled.device_code),
                        "WORKBOOK_JUDGE_SEEDS": self.seeds_for(chapter),
                        "WORKBOOK_JUDGE_NUMBERS": str(self.numbers),
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
            status = children.ended(judge, SECONDS)
            if status is None:
                return None, f"no verdict after {SECONDS} seconds"
        finally:
            for child in started:
                children.end(child)
        if status in (0, 1) and verdict.exists():
            return json.loads(verdict.read_text(encoding="utf-8")), ""
        said = children.text_of(log, 2000).strip().split("\n")[-1][:200]
        return None, f"the judge could not finish ({children.words_for(status)}{': ' + said if said else ''})"
