#!/usr/bin/env python3
"""Stands for chapterN in a tree that has no build: course_program.py N WORD…

Takes what test_course.py compiled of the exercise's text as the grader does, which needs one file and no configuring,
and runs the chapter's judge with it. Screen, JSON and exit status are those of chapterN."""

import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys


def key_of(number, text):
    return f"{number} {hashlib.sha256(text).hexdigest()}"


def main():
    number, words = sys.argv[1], sys.argv[2:]
    known = json.loads(pathlib.Path(os.environ["COURSE_MADE"]).read_text(encoding="utf-8"))
    made = known["files"][key_of(number, pathlib.Path(known["exercises"][number]).read_bytes())]
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


if __name__ == "__main__":
    sys.exit(main())
