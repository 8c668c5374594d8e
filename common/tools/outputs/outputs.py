#!/usr/bin/env python3
"""Keeps the program outputs shown in Markdown files true.

A shown output stands between two markers, which name a program of the build and its arguments:

    <!-- output:chapter1 begin --count 2^20 -->
    (a fenced block: the command, and what it prints)
    <!-- output:chapter1 end -->

    outputs.py [--check] --programs build/bin FILE.md …

Without --check the blocks are written anew. With it, a block that differs from what the program prints today is shown
as a diff, and the exit status is 1. Figures that change from run to run (times, rates) are not compared. Chapters run
on the emulator, so that every machine shows the same. A program that fails is an error: no output of it is shown.

`output:sassN` is what `make sassN` prints: the machine code of chapter N's kernels. Another compiler makes other code,
so such a block is compared only where its last line, which names compiler and disassembler, is today's; else that is
said.
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"^<!-- output:(?P<program>[\w-]+) begin ?(?P<arguments>.*?) ?-->\n"
                   r"(?P<body>.*?)"
                   r"^<!-- output:(?P=program) end -->$", re.MULTILINE | re.DOTALL)
BEGIN = re.compile(r"^<!-- output:[\w-]+ begin", re.MULTILINE)
VOLATILE = re.compile(r"\d[\d.,]*(?= ?(?:ns|µs|us|ms|s|min|GB/s|MHz|GHz)\b)")
TIMEOUT_S = 240
SASS = re.compile(r"sass(\d+)")
READ_BY = re.compile(r"^assembled by .*$", re.MULTILINE)
SASS_TOOL = pathlib.Path(__file__).resolve().parents[1] / "student" / "sass.py"


class Failure(Exception):
    """A message for the reader of the console."""


def command_shown(program, arguments):
    """The command as a student types it."""
    if re.fullmatch(r"(chapter|sass)\d+", program):
        make = program
        if arguments.startswith("--profile"):
            make = program.replace("chapter", "profile")
            arguments = arguments.removeprefix("--profile").strip()
        return f"make {make}" + (f' ARGS="{arguments}"' if arguments else "")
    return f"build/bin/{program} {arguments}".rstrip()


def block_of(programs, program, arguments):
    """Runs the program; returns the fenced block with its command and its standard output."""
    sass = SASS.fullmatch(program)
    path = programs / ("sass" if sass else program)
    if not path.exists():
        raise Failure(f"{path} is not built; `make outputs` builds it")
    words = shlex.split(arguments)
    if re.fullmatch(r"chapter\d+", program) and "--device" not in words:
        words += ["--device", "emulator"]
    command = [sys.executable, str(SASS_TOOL), sass[1]] if sass else [str(path)]
    environment = {"COLUMNS": "120" if sass else "100", "WORKBOOK_BUILD_DIR": str(programs.resolve().parent)}
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode != 0:
        raise Failure(f"{path} {shlex.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    lines = [line.rstrip() for line in done.stdout.strip("\n").split("\n")]
    return "\n".join(["```text", f"$ {command_shown(program, arguments)}", *lines, "```", ""])


def comparable(text):
    """The text without what changes from run to run: volatile figures, and the widths that follow from them."""
    return [re.sub(r"[ -]{2,}", " ", VOLATILE.sub("#", line)) for line in text.split("\n")]


def of_another_compiler(old, new):
    """Which compiler's machine code is shown and which is today's, where they differ; else nothing."""
    shown, today = READ_BY.search(old), READ_BY.search(new)
    if not shown or not today or shown[0] == today[0]:
        return None
    return f"shown is what was {shown[0]}; today it is {today[0]}"


def renewed(text, programs, name, check=False):
    """Returns the file's text with all its blocks made anew, and the diff of what is stale (empty: nothing)."""
    stale = []

    def renew(match):
        new = block_of(programs, match["program"], match["arguments"])
        old = match["body"]
        if comparable(old) == comparable(new):
            return match[0]
        if check and SASS.fullmatch(match["program"]) and (other := of_another_compiler(old, new)):
            print(f"{name}: machine code not compared: {other}")
            return match[0]
        stale.extend(difflib.unified_diff(old.split("\n"), new.split("\n"), f"{name} (shown)", f"{name} (today)",
                                          lineterm=""))
        begin, end = match.start("body") - match.start(), match.end("body") - match.start()
        return match[0][:begin] + new + match[0][end:]

    blocks = len(BLOCK.findall(text))
    if blocks != len(BEGIN.findall(text)):
        raise Failure(f"{name}: a begin marker without its end")
    return BLOCK.sub(renew, text), stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a block is stale")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    parser.add_argument("--exercises", type=pathlib.Path, metavar="generate.py",
                        help="check nothing, and end with 77, where this finds an exercise edited")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.md")
    arguments = parser.parse_args()
    any_stale = False
    if arguments.exercises:
        done = subprocess.run([sys.executable, str(arguments.exercises), "--check"], check=False)
        if done.returncode != 0:
            return done.returncode
    try:
        for path in arguments.files:
            text = path.read_text(encoding="utf-8")
            new, stale = renewed(text, arguments.programs, path, arguments.check)
            if not stale:
                continue
            any_stale = True
            if arguments.check:
                print("\n".join(stale))
            else:
                path.write_text(new, encoding="utf-8")
                print(f"renewed {path}")
    except (Failure, OSError, subprocess.TimeoutExpired) as error:
        print(f"outputs.py: {error}", file=sys.stderr)
        return 1
    if any_stale and arguments.check:
        print("\n`make outputs` renews what is stale.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
