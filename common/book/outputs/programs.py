"""Output of the build's programs: `<!-- output:chapter1 begin --count 2^20 -->` names a program and its arguments.

After a bar, `without` leaves out paragraphs of the output, which are identified by how they begin. For example,
`<!-- output:chapter1 begin --count 8 | without "on an" Goal -->` leaves out those that begin with `on an` or `Goal`.
The page has `…` in their place.

Figures that change from run to run (times, rates) are not compared. Chapters run on the emulator, so that every machine
prints the same. If a program fails, that is an error, and its output is not shown.

`output:grade` is what `make grade` prints for a made-up class of thirty, with the seed in its arguments.

`output:ranks` is what `make ranks` prints. If the build has no MPI, it stays unchanged, and a message is printed.

`output:specimen begin volatile_warp 1000 int 256` is what the checks report about a kernel of the zoo: the name of its
file in tests/kernels/wrong_kernels, the number of elements, their type, and the threads per block. It is an error if
they find nothing.

`output:stepN` is what `make stepN` prints, and `output:run` and `output:report` what the emulator prints for a program
next to the page (see book.outputs.steps).

`output:elsewhereN` is what `make elsewhereN` prints, and with `solution` what it prints for the book's own kernel.

`output:sassN` is what `make sassN` prints: the machine code of chapter N's kernels. Different compilers generate
different code, so such a block is compared only if its last line, which names compiler and disassembler, is the same as
today's. If it isn't, a message is printed.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import sys
import tempfile

from book import markers, records
from book.outputs import Failure, Setting, ran, steps

VOLATILE = re.compile(r"\d[\d.,]*(?= ?(?:ns|µs|us|ms|s|min|GB/s|MHz|GHz)\b)")
SASS = re.compile(r"sass(\d+)")
ELSEWHERE = re.compile(r"elsewhere(\d+)")
WITHOUT_SOLVER = "this build has no Z3"  # the text of common/machine_code/superopt
WITHOUT, LEFT_OUT = "| without ", "…"
READ_BY = re.compile(r"^assembled by .*$", re.MULTILINE)
SASS_TOOL = ["-m", "book", "sass"]
SOMETHING_FOUND = 1  # the exit status of `specimen`
GRADE_TOOL = ["-m", "book", "grade"]
MAKE_CLASS = [str(records.ROOT / "tests" / "course" / "grade" / "make_class.py")]
# Programs run in folders of their own, so the search path for the packages is absolute.
INHERITED = [str(pathlib.Path(path).resolve()) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
PACKAGES = [str(records.ROOT / "common"), str(records.ROOT / "tests" / "book"), *INHERITED]


def command_shown(program: str, arguments: str) -> str:
    """Returns the command as a student types it."""
    if re.fullmatch(r"(chapter|sass|elsewhere)\d+|ranks", program):
        target = program
        if arguments.startswith("--profile"):
            target = program.replace("chapter", "profile")
            arguments = arguments.removeprefix("--profile").strip()
        return f"make {target}" + (f' ARGS="{arguments}"' if arguments else "")
    if program == "grade":
        return f'make grade SUBMISSIONS=class ARGS="{arguments}"'
    return f"build/bin/{program} {arguments}".rstrip()


def printed(command: list[str], folder: str | None = None, wanted: int = 0, **environment: str) -> str:
    """Runs a command. Returns its standard output. Raises Failure if its exit status isn't `wanted`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGES), **environment}
    return ran(command, shlex.join(command), wanted, cwd=folder, env=environment).stdout


def grade_of_a_class(programs: pathlib.Path, words: list[str]) -> str:
    """Makes a class of thirty students, with some odd submissions, in its own folder, and grades it there. Returns the
    output."""
    some = words[words.index("--chapters") + 1]
    build = str(programs.resolve().parent)
    with tempfile.TemporaryDirectory() as folder:
        printed([sys.executable, *MAKE_CLASS, "class", "30", "--equal", "--odd", "--chapters", some], folder)
        graded = [sys.executable, *GRADE_TOOL, "--build", build, "--submissions", "class", "--out", "sheet", *words]
        return printed(graded, folder)


def ranks_on(programs: pathlib.Path, words: list[str]) -> str:
    """Runs chapter 16 on four ranks. Returns the output; parts that depend on the user and the folder are replaced."""
    build = str(programs.resolve().parent)
    script = str(records.ROOT / "common" / "bootstrap" / "bootstrap.sh")
    output = printed(["sh", script, "ranks", "4", "--device", "emulator", *words], WORKBOOK_BUILD_DIR=build)
    for shown_elsewhere in (" --allow-run-as-root", " --device emulator"):
        output = output.replace(shown_elsewhere, "", 1)
    return output.replace(build, "build")


def output_of(program: str, words: list[str], programs: pathlib.Path) -> str:
    """Runs the program. Returns its standard output. Raises Failure."""
    if program == "grade":
        return grade_of_a_class(programs, words)
    if program == "ranks":
        return ranks_on(programs, words)
    build = str(programs.resolve().parent)
    if task := ELSEWHERE.fullmatch(program):
        return printed([sys.executable, "-m", "book", program[: task.start(1)], task[1], "--build", build, *words])
    sass = SASS.fullmatch(program)
    path = programs / ("sass" if sass else program)
    if not path.exists():
        raise Failure(f"{path} is not built: run `make outputs`")
    if re.fullmatch(r"chapter\d+", program) and "--device" not in words:
        words += ["--device", "emulator"]
    command = [sys.executable, *SASS_TOOL, sass[1]] if sass else [str(path)]
    columns = "120" if sass else "100"
    wanted = SOMETHING_FOUND if program == "specimen" else 0
    return printed([*command, *words], wanted=wanted, COLUMNS=columns, WORKBOOK_BUILD_DIR=build)


def without(output: str, beginnings: list[str]) -> str:
    """Returns the output without the paragraphs that begin with these texts. Raises Failure if any of these texts
    begins no paragraph."""
    shown: list[str] = []
    unused = set(beginnings)
    for paragraph in re.split(r"\n\n+", output.strip("\n")):
        begins = [one for one in beginnings if paragraph.startswith(one)]
        unused -= set(begins)
        if not begins:
            shown.append(paragraph)
        elif shown[-1:] != [LEFT_OUT]:
            shown.append(LEFT_OUT)
    if unused:
        raise Failure(f"no paragraph of the output begins with `{min(unused)}`")
    return "\n\n".join(shown)


def made(part: markers.Part, setting: Setting) -> str:
    arguments, _, left_out = part.arguments.partition(WITHOUT)
    words = shlex.split(arguments)
    if part.detail == "ranks" and not (setting.programs / "ranks16").exists():
        print(f"{setting.page}: ranks not compared: this build has no MPI")
        return part.body
    step = re.fullmatch(steps.NAME, part.detail)
    if part.detail == "run":
        output, command = steps.output_of_run(words, setting)
    elif part.detail == "report":
        output, command = steps.output_of_report(words, setting)
    elif step:
        output = steps.output_of(steps.step_file(setting, step[1]), words, setting)
        command = f"make {part.detail}"
    else:
        output = output_of(part.detail, words, setting.programs)
        command = command_shown(part.detail, arguments.strip())
    if left_out:
        output = without(output, shlex.split(left_out))
    lines = [line.rstrip() for line in output.strip("\n").split("\n")]
    return "\n".join(["```text", f"$ {command}", *lines, "```", ""])


def comparable(text: str) -> list[str]:
    """Returns the lines without what changes from run to run: volatile figures, and the widths that depend on them."""
    return [re.sub(r"[ -]{2,}", " ", VOLATILE.sub("#", line)) for line in text.split("\n")]


def made_with_other_tools(program: str, old: str, new: str) -> str | None:
    """Returns the reason if the new output can't be compared with the shown one because this machine has different
    tools; otherwise None."""
    if program == "superopt" and WITHOUT_SOLVER in new and WITHOUT_SOLVER not in old:
        return "search not compared: it was shown with proofs, and this build has no Z3"
    shown, today = READ_BY.search(old), READ_BY.search(new)
    if not SASS.fullmatch(program) or not shown or not today or shown[0] == today[0]:
        return None
    return f"machine code not compared: the shown code was {shown[0]}, today's was {today[0]}"


def differs(part: markers.Part, new: str, page: pathlib.Path, check: bool) -> bool:
    """Returns true if the comparable parts of the new and the shown output differ. If the outputs can't be compared,
    prints the reason and returns false."""
    if comparable(part.body) == comparable(new):
        return False
    if check and (why := made_with_other_tools(part.detail, part.body, new)):
        print(f"{page}: {why}")
        return False
    return True
