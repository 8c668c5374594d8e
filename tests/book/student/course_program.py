#!/usr/bin/env python3
"""Stands for chapterN in a tree that has no build: compiles the tree's exercise as the grader does, which needs one
file and no configuring, and runs the chapter's judge with it. Screen, JSON and exit status are those of chapterN."""

import os
import pathlib
import re
import socket
import subprocess
import sys

from book.grade import chapters, children, compiler

ROOT, BUILD = pathlib.Path(os.environ["COURSE_ROOT"]), pathlib.Path(os.environ["COURSE_BUILD"])


def main():
    number = int(re.search(r"chapter(\d+)$", sys.argv[0])[1])
    chapter = next(one for one in chapters.load(ROOT, BUILD) if one.number == number)
    view = children.Bubblewrap(ROOT, BUILD, None, wanted=False)
    made = compiler.Compiler(ROOT, BUILD, view).compile(chapter, pathlib.Path(chapter.exercise).read_bytes())
    if not made.good:
        print(made.words, file=sys.stderr)
        return 99
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        judge = subprocess.Popen([chapter.judge, *sys.argv[1:]], stdin=ours,
                                 env={**os.environ, "WORKBOOK_JUDGE_DEVICE_CODE": str(made.device_code)})
        host = subprocess.Popen([BUILD / "bin/exercise_host", made.library], stdin=theirs)
    status = judge.wait()
    host.kill()
    host.wait()
    return status


if __name__ == "__main__":
    sys.exit(main())
