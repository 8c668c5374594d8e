"""A mistake to make on purpose, from tests/kernels/student_mistakes.

<!-- mistake:change begin 1 NAME -->                    the lines that change, marked - and +
<!-- mistake:answer begin 1 NAME --count 2^16 -->       what `make chapter1 ARGS="--count 2^16"` then reports

The answer is that of the chapter's judge, which compiles the mistake in the same way as the grader. If the build has no
judge, the answer stays unchanged, and a message is printed.
"""

from __future__ import annotations

import os
import shlex
import sys

from book import markers, processes, records
from book.outputs import TIMEOUT_S, Failure, Setting, programs

TOOL = records.ROOT / "tests" / "kernels" / "student_mistakes" / "shown_mistake.py"
NO_JUDGE = 77


def made(part: markers.Part, setting: Setting) -> str:
    number, name, *arguments = shlex.split(part.arguments) + [""] * 2
    arguments = [word for word in arguments if word]
    if part.detail not in ("change", "answer") or not name or (part.detail == "change" and arguments):
        raise Failure(
            f"{setting.page}: `mistake:{part.detail} begin {part.arguments}`: it is `mistake:change` with a chapter "
            "and a name, or `mistake:answer` with these and the chapter's arguments"
        )
    build = setting.programs.resolve().parent
    done = processes.run_captured(
        [sys.executable, TOOL, build, number, name, part.detail, *arguments],
        timeout=TIMEOUT_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(programs.PACKAGES)},
    )
    if done.returncode == NO_JUDGE:
        print(f"{setting.page}: {name} not compared: {done.stderr.strip()}")
        return part.body
    if done.returncode != 0:
        raise Failure(f"{setting.page}: {name}: {done.stderr.strip()}")
    shown = "\n".join(line.rstrip() for line in done.stdout.rstrip().split("\n"))
    if part.detail == "change":
        return f"```diff\n{shown}\n```\n"
    command = programs.command_shown(f"chapter{number}", " ".join(arguments))
    return f"```text\n$ {command}\n{shown}\n```\n"
