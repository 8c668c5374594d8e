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

`output:grade` is what `make grade` says of a made-up class of five, with the seed that its arguments name.

`output:sassN` is what `make sassN` prints: the machine code of chapter N's kernels. Another compiler makes other code,
so such a block is compared only where its last line, which names compiler and disassembler, is today's; else that is
said.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pages
from pages import Failure

BLOCK = re.compile(r"^<!-- output:(?P<program>[\w-]+) begin ?(?P<arguments>.*?) ?-->\n"
                   r"(?P<body>.*?)"
                   r"^<!-- output:(?P=program) end -->$", re.MULTILINE | re.DOTALL)
BEGIN = re.compile(r"^<!-- output:[\w-]+ begin", re.MULTILINE)
VOLATILE = re.compile(r"\d[\d.,]*(?= ?(?:ns|µs|us|ms|s|min|GB/s|MHz|GHz)\b)")
TIMEOUT_S = 240
SASS = re.compile(r"sass(\d+)")
WITHOUT_SOLVER = "this build has no Z3"  # as common/superopt says it
READ_BY = re.compile(r"^assembled by .*$", re.MULTILINE)
TOOLS = pathlib.Path(__file__).resolve().parents[1]
SASS_TOOL = TOOLS / "student" / "sass.py"
MAKE_CLASS = TOOLS.parents[1] / "tests" / "tools" / "grade" / "make_class.py"


def command_shown(program, arguments):
    """The command as a student types it."""
    if re.fullmatch(r"(chapter|sass)\d+", program):
        make = program
        if arguments.startswith("--profile"):
            make = program.replace("chapter", "profile")
            arguments = arguments.removeprefix("--profile").strip()
        return f"make {make}" + (f' ARGS="{arguments}"' if arguments else "")
    if program == "grade":
        return f'make grade SUBMISSIONS=class ARGS="{arguments}"'
    return f"build/bin/{program} {arguments}".rstrip()


def fenced(program, arguments, output):
    lines = [line.rstrip() for line in output.strip("\n").split("\n")]
    return "\n".join(["```text", f"$ {command_shown(program, arguments)}", *lines, "```", ""])


def grade_of_a_class(programs, arguments):
    """Makes a class of five in a folder of its own, and grades it there. Returns the fenced block."""
    words = shlex.split(arguments)
    some = words[words.index("--chapters") + 1]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(MAKE_CLASS), "class", "5", "--equal", "--chapters", some], cwd=folder,
                       check=True, timeout=TIMEOUT_S)
        done = subprocess.run([sys.executable, str(TOOLS / "grade" / "grade.py"), "--build",
                               str(programs.resolve().parent), "--submissions", "class", "--out", "sheet", *words],
                              cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                              stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"grade.py {arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return fenced("grade", arguments, done.stdout)


def block_of(programs, program, arguments):
    """Runs the program; returns the fenced block with its command and its standard output."""
    if program == "grade":
        return grade_of_a_class(programs, arguments)
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
    return fenced(program, arguments, done.stdout)


def comparable(text):
    """The text without what changes from run to run: volatile figures, and the widths that follow from them."""
    return [re.sub(r"[ -]{2,}", " ", VOLATILE.sub("#", line)) for line in text.split("\n")]


def made_with_other_tools(program, old, new):
    """Why today's output says nothing of the shown one, where this machine has other tools; else nothing."""
    if program == "superopt" and WITHOUT_SOLVER in new and WITHOUT_SOLVER not in old:
        return "search not compared: it was shown with proofs, and this build has no Z3"
    shown, today = READ_BY.search(old), READ_BY.search(new)
    if not SASS.fullmatch(program) or not shown or not today or shown[0] == today[0]:
        return None
    return f"machine code not compared: shown is what was {shown[0]}; today it is {today[0]}"


def renewed(text, words, name):
    """As `pages.keep` wants it."""
    stale = []

    def renew(match):
        new = block_of(words.programs, match["program"], match["arguments"])
        old = match["body"]
        if comparable(old) == comparable(new):
            return match[0]
        if words.check and (why := made_with_other_tools(match["program"], old, new)):
            print(f"{name}: {why}")
            return match[0]
        stale.extend(pages.diff(old, new, name, "today"))
        return pages.replaced_body(match, new)

    blocks = len(BLOCK.findall(text))
    if blocks != len(BEGIN.findall(text)):
        raise Failure(f"{name}: a begin marker without its end")
    return BLOCK.sub(renew, text), stale


def main():
    parser = pages.parser(__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    parser.add_argument("--exercises", type=pathlib.Path, metavar="generate.py",
                        help="check nothing, and end with 77, where this finds an exercise edited")
    words = parser.parse_args()
    if words.exercises:
        done = subprocess.run([sys.executable, str(words.exercises), "--check"], check=False)
        if done.returncode != 0:
            return done.returncode
    return pages.keep("outputs.py", words, renewed)


if __name__ == "__main__":
    sys.exit(main())
