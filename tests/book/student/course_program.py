#!/usr/bin/env python3
"""Stands for chapterN in a tree that has no build: course_program.py N WORD…

Takes what test_course.py compiled of the exercise's text as the grader does, which needs one file and no configuring,
and runs the chapter's judge with it. Screen, JSON and exit status are those of chapterN. A text is judged once: the
report that goes with the screen is kept, and given to whoever asks for it later."""

import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys


def key_of(number, text):
    return f"{number} {hashlib.sha256(text).hexdigest()}"


def run(made, words):
    """Runs a chapter's judge with what was made of a text. Returns its exit status."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        judge = subprocess.Popen(
            [made["judge"], *words], stdin=ours, env={**os.environ, "WORKBOOK_JUDGE_DEVICE_CODE": made["device_code"]}
        )
        host = subprocess.Popen([made["host"], made["library"]], stdin=theirs)
    status = judge.wait()
    host.kill()
    host.wait()
    return status


def main():
    number, words = sys.argv[1], sys.argv[2:]
    made_file = pathlib.Path(os.environ["COURSE_MADE"])
    known = json.loads(made_file.read_text(encoding="utf-8"))
    key = key_of(number, pathlib.Path(known["exercises"][number]).read_bytes())
    kept = made_file.parent / f"{key}.json"
    if words == ["--test", "--json", "-"] and kept.exists():
        report = kept.read_text(encoding="utf-8")
        sys.stdout.write(report)
        return 0 if json.loads(report)["verdict"] == "done" else 1
    return run(known["files"][key], [*words, "--json", str(kept)] if words == ["--test"] else words)


if __name__ == "__main__":
    sys.exit(main())
