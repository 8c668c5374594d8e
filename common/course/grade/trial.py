"""Runs the judge on one exercise. The judge's process has the input, the emulated device and the verdict, but none of
the student's host code. That code runs in another process, which can only request CUDA calls (docs/decisions/006)."""

from __future__ import annotations

import dataclasses
import hmac
import json
import os
import pathlib
import socket
import subprocess
import tempfile

from book import processes
from course.grade import children, judge_record
from course.grade.chapters import Chapter
from course.grade.compiler import Compiled
from course.grade.result import Result, State

MAX_INPUTS = 1024  # a strict test has a few hundred
JUDGE = children.Limits(seconds=240, data=8 << 30, by_clock=120)
ARGUMENTS = ["--device", "emulator", "--test", "--to-the-end", "--json"]  # the name of the record's file follows
HOST = children.Limits(seconds=60, address_space=2 << 30, file_bytes=0)


class JudgeRunner:
    """Runs judges."""

    def __init__(self, build: pathlib.Path, scratch: pathlib.Path, view: children.Bubblewrap) -> None:
        self.build, self.scratch, self.view = build, scratch, view
        self.seed = ""  # the run's seed; set only after everything is compiled
        self.numbers = scratch / "numbers"  # the counts of the book's own kernels on the run's inputs
        self.numbers.mkdir()
        self.host = build / "bin/exercise_host"
        facts = json.loads((build / "grade/compiler.json").read_text(encoding="utf-8"))
        self.sanitized = facts["sanitized"]

    def confinement(self) -> list[str]:
        """Returns the kinds of confinement that this system supports for the host process."""
        done = processes.run_captured([self.host, "--confinement"])
        return done.stdout.split() if done.returncode == 0 else []

    def seeds_for(self, chapter: Chapter) -> str:
        """Returns the seeds of a chapter's inputs in the form that its judge reads. They are the same for all
        submissions, and knowing one of them does not reveal the others."""
        return " ".join(
            hmac.digest(self.seed.encode(), f"chapter {chapter.number}, input {k}".encode(), "sha256")[:8].hex()
            for k in range(MAX_INPUTS)
        )

    def run(self, chapter: Chapter, compiled: Compiled) -> Result:
        """Runs the judge of `chapter` on a compiled exercise."""
        # The sanitizers reserve more memory than any limit.
        limits = dataclasses.replace(JUDGE, data=0) if self.sanitized else JUDGE
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            verdict, log = pathlib.Path(place, "verdict.json"), pathlib.Path(place, "log")
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            started: list[children.Child] = []
            try:
                with ours, theirs, log.open("wb") as out:
                    environment = {
                        **os.environ,
                        "TMPDIR": place,  # a killed judge's temporary files are removed with this folder
                        "WORKBOOK_JUDGE_DEVICE_CODE": str(compiled.device_code),
                        # Only root can read the environment of a process that is not dumpable, such as the judge.
                        "WORKBOOK_JUDGE_SEEDS": self.seeds_for(chapter),
                        "WORKBOOK_JUDGE_NUMBERS": str(self.numbers),
                    }
                    nowhere = subprocess.DEVNULL
                    command: list[str | pathlib.Path] = [chapter.judge, *ARGUMENTS, verdict]
                    judge = children.start(command, limits, stdin=ours, stdout=nowhere, stderr=out, env=environment)
                    started.append(judge)
                    host = self.view.wrap([self.host, compiled.library], [], [self.host, compiled.folder])
                    bare = {"PATH": os.environ.get("PATH", "")}
                    started.append(
                        children.start(host, HOST, stdin=theirs, stdout=nowhere, stderr=nowhere, cwd="/", env=bare)
                    )
                status = children.wait(judge, limits.by_clock)
                if status is None:
                    return Result(State.FAILED, f"no verdict after {limits.by_clock} seconds")
            finally:
                for child in started:
                    children.end(child)
            if status in (0, 1) and verdict.exists():
                return judge_record.read(json.loads(verdict.read_text(encoding="utf-8")))
            said = children.text_of(log, 2000).strip().split("\n")[-1][:200]
        why = f"the judge could not finish ({children.words_for(status)}{': ' + said if said else ''})"
        return Result(State.FAILED, why)
