#!/usr/bin/env python3
"""Judges mistakes as the strict test does: compiles each as the grader does and runs the chapter's judge.

try_mistakes.py BUILD [--folder DIR] [NAME …]    prints what a student would read, and whether it names the cause
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import typing

from book.manifest import ROOT
from course.grade import chapters, compiler

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mistakes


class Trial(typing.NamedTuple):
    mistake: mistakes.Mistake
    report: dict[str, typing.Any]  # of the strict test; empty if it made none
    complaint: str  # of the compiler or the judge

    @property
    def told(self) -> list[dict[str, typing.Any]]:
        return (self.report.get("failed") or {}).get("mistakes", [])

    @property
    def first(self) -> str:
        return self.told[0]["cause"] if self.told else ""

    @property
    def named(self) -> bool:
        return self.mistake.named_in(self.first)


class Laboratory:
    """Compiles and judges mistakes. Several threads may use it."""

    def __init__(self, build: pathlib.Path) -> None:
        self.build = build
        self.chapters = {one.number: one for one in chapters.load(ROOT, build)}
        scratch = build / "grade/scratch/mistakes"
        scratch.mkdir(parents=True, exist_ok=True)
        self.compiler = compiler.Compiler(ROOT, build, scratch, wants_view=False)

    def judge(self, mistake: mistakes.Mistake) -> Trial:
        ended, out, err = self.run(mistake, "--test", "--json", "-")
        try:
            return Trial(mistake, json.loads(out), err)
        except json.JSONDecodeError:
            return Trial(mistake, {}, err if ended is None else f"the judge ended with {ended}: {err}")

    def run(self, mistake: mistakes.Mistake, *arguments: str) -> tuple[int | None, str, str]:
        """Runs the chapter's judge on the mistake. Returns the exit status, the output, and the error output. The
        status is None if the mistake does not compile."""
        chapter = self.chapters[mistake.chapter]
        made = self.compiler.compile(chapter, mistake.text().encode())
        if not made.good:
            return None, "", "does not compile: " + made.words
        seen = self.seen_at(made.device_code, chapter.exercise)
        seen.parent.mkdir(parents=True)
        seen.write_text(mistake.text(), encoding="utf-8")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            judge = subprocess.Popen(
                [chapter.judge, *arguments],
                stdin=ours.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "WORKBOOK_JUDGE_DEVICE_CODE": str(made.device_code)},
            )
            host = subprocess.Popen([self.build / "bin/exercise_host", made.library], stdin=theirs.fileno())
        out, err = judge.communicate()
        host.kill()
        host.wait()
        shutil.rmtree(seen.parents[2])
        return judge.returncode, out.decode(), err.decode()

    @staticmethod
    def seen_at(device_code: pathlib.Path, exercise: pathlib.PurePath) -> pathlib.Path:
        """Returns the source path in the device code. The judge reads lines and names from the file at that path."""
        found = re.search(rb'"([^"]*/' + re.escape(str(exercise).encode()) + rb')"', device_code.read_bytes())
        assert found, f"{device_code} does not name {exercise}"
        # PTX has bytes beyond ASCII as octal numbers.
        return pathlib.Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), found[1])))

    def judge_all(self, these: list[mistakes.Mistake]) -> typing.Iterator[Trial]:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            yield from pool.map(self.judge, these)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="all where none is given; behind the options")
    parser.add_argument("--folder", type=pathlib.Path, default=mistakes.FOLDER)
    args = parser.parse_args()
    these = [one for one in mistakes.load(args.folder) if not args.names or one.name in args.names]
    named = 0
    for trial in Laboratory(args.build.resolve()).judge_all(these):
        named += trial.named
        verdict = "named" if trial.named else "PASSES" if trial.report.get("verdict") == "done" else "NOT NAMED"
        print(f"\n== {trial.mistake.chapter:02d} {trial.mistake.name}: {verdict}\n   ({trial.mistake.cause})")
        print((trial.report.get("failed") or {}).get("words", trial.complaint or str(trial.report)[:300]), flush=True)
    print(f"\n{named} of {len(these)} named in the first sentence")
    return 0


if __name__ == "__main__":
    sys.exit(main())
