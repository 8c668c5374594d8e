"""The small programs of the first steps, docs/examples/steps, and their output.

<!-- source begin ../examples/steps/3_map.cu -->   a file, by its path from the page
<!-- source begin ../a.cpp open read -->           only its functions with these names, with the comments above them
<!-- output:step3 begin -->                        what `make step3` prints: the program's output, then the emulator's
<!-- output:step3 begin "if (i < n) " "" -->       the same after the student has replaced the first text by the second
<!-- output:run begin ../a.cu "n + 1" "n" -->      what `build/bin/emulate ../a.cu` prints, changed or not
<!-- output:run begin ../a.cu --profile Waves -->  the lines of its profile that match this expression of grep
<!-- output:report begin ../a.cu -->               what `build/bin/emulate ../a.cu` prints for a program that is wrong
"""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import tempfile

from book import markers, processes, records
from book.outputs import TIMEOUT_S, Failure, Setting

NAME = r"step(\d+)"
FOUND = 86  # the exit status of `emulate` if a check has found something
FOLDER = records.ROOT / "docs" / "examples" / "steps"


def step_file(setting: Setting, number: str) -> pathlib.Path:
    """Returns the program of a step: from the folder `steps` next to the page or, if there is no such folder, the
    book's. Raises Failure."""
    beside = setting.page.resolve().parent / "steps"
    folder = beside if beside.is_dir() else FOLDER
    found = sorted(folder.glob(f"{number}_*.cu"))
    if len(found) != 1:
        raise Failure(f"{setting.page}: there are {len(found)} files {number}_*.cu in {folder}; one is wanted")
    return found[0]


def edited() -> list[str]:
    """Returns the steps and tasks that differ from the last commit, because a student is working on them."""
    files = ["docs/examples/steps/*.cu", "docs/examples/elsewhere/*.cu"]
    command = ["git", "-C", str(records.ROOT), "diff", "--name-only", "HEAD", "--", *files]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return []  # without git this can't be found out


def shown_folder(path: pathlib.Path) -> str:
    """Returns the step's folder as a student's console shows it if the current folder is the root of the repository."""
    folder = path.parent
    return f"{folder.relative_to(records.ROOT)}/" if folder.is_relative_to(records.ROOT) else ""


def output_of_report(words: list[str], setting: Setting) -> tuple[str, str]:
    """Returns the emulator's output for a program that is wrong, and the command as a student types it.

    Raises Failure.
    """
    path = (setting.page.resolve().parent / (words or [""])[0]).resolve()
    if len(words) != 1 or not path.is_file():
        raise Failure(f"{setting.page}: `output:report` names no file beside the page")
    return output_of(path, [], setting, wanted=FOUND), f"build/bin/emulate {shown_folder(path)}{path.name}"


def output_of_run(words: list[str], setting: Setting) -> tuple[str, str]:
    """Returns the emulator's output for a program, and the command that a student types. Raises Failure."""
    file, *changes = words or [""]
    path = (setting.page.resolve().parent / file).resolve()
    if not path.is_file():
        raise Failure(f"{setting.page}: `output:run` names no file in the page's folder")
    shown = f"{shown_folder(path)}{path.name}"
    if changes[:1] != ["--profile"]:
        return output_of(path, changes, setting), f"build/bin/emulate {shown}"
    if len(changes) < 2:
        raise Failure(f"{setting.page}: {path.name}: `--profile` takes an expression, as grep does")
    lines = output_of(path, changes[2:], setting, "--profile").split("\n")
    kept = [line for line in lines if re.search(changes[1], line)]
    return "\n".join(kept), f"build/bin/emulate --profile {shown} 2>&1 | grep -E '{changes[1]}'"


def output_of(path: pathlib.Path, words: list[str], setting: Setting, *options: str, wanted: int = 0) -> str:
    """Runs a program on the emulator. Raises Failure if it ends with a status that isn't `wanted`, unless it has
    changes."""
    if len(words) % 2:
        raise Failure(f"{setting.page}: {path.name} needs pairs of a text and its replacement")
    emulate = setting.programs / "emulate"
    if not emulate.exists():
        raise Failure(f"{emulate} is not built; `make outputs` builds it")
    with tempfile.TemporaryDirectory() as folder:
        # As deep in the temporary folder as in the tree, so that paths are as long as a student sees them.
        root = pathlib.Path(folder).resolve()
        copy = root / shown_folder(path) / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        for old, new in zip(words[::2], words[1::2]):
            if text.count(old) != 1:
                raise Failure(f"{path.name} has `{old}` {text.count(old)} times; a change needs one place")
            text = text.replace(old, new)
        copy.write_text(text, encoding="utf-8")
        done = processes.run_captured(
            [emulate.resolve(), *options, copy.relative_to(root)], timeout=TIMEOUT_S, cwd=root
        )
        if done.returncode != wanted and not words:
            raise Failure(f"{path} ended with {done.returncode}, not {wanted}:\n{done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).replace(f"{root}/", "")


def function_of(code: str, name: str) -> str | None:
    """Returns the function with this name, with the comment and the template line above it; None if there is none. It
    must begin in the first column and end with a brace in the first column, as clang-format formats it."""
    lines = code.split("\n")
    declared = re.compile(rf"^[^\s/].*\b{re.escape(name)}\(")
    first = next((k for k, line in enumerate(lines) if declared.match(line)), None)
    if first is None or "}" not in lines[first:]:
        return None
    last = lines.index("}", first)
    while first and lines[first - 1].startswith(("//", "template")):
        first -= 1
    return "\n".join(lines[first : last + 1])


def source(part: markers.Part, setting: Setting) -> str:
    """Returns a file, which is given by its path from the page, or some of its functions, as a code block. Raises
    Failure."""
    file, *names = shlex.split(part.arguments) or [""]
    path = setting.page.parent / file
    if not path.is_file():
        raise Failure(f"{setting.page}: `source begin {part.arguments}` names no file in the page's folder")
    code = path.read_text(encoding="utf-8").rstrip()
    functions = {name: function_of(code, name) for name in names}
    if missing := [name for name, found in functions.items() if not found]:
        raise Failure(f"{setting.page}: {file} has no function {missing[0]}")
    language = "cmake" if path.name == "CMakeLists.txt" else "cpp"
    shown = "\n\n".join(filter(None, functions.values())) or code
    return f"```{language}\n{shown}\n```\n"
