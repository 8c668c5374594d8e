"""What the programs of the CUDA toolkit print for a file, as a session in a folder of its own.

<!-- listing begin vector_add.cu: nvcc -arch=compute_90 --ptx vector_add.cu -->

The file, from a folder in docs/examples, is copied into the folder, and the shell runs the command there. All listings
of a page that name the same file share the folder, in the page's order, so a command can use the results of earlier
ones. Different compilers generate different code, so a comment below a listing names the version of the compiler. If
this machine has a different version, the listing is not compared, and a message is printed.
"""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import re
import shutil
import tempfile

from book import markers, records
from book.outputs import Failure, Setting, ran

MADE_BY = re.compile(r"^<!-- by (nvcc [\d.]+) -->$", re.MULTILINE)
EXAMPLES = records.ROOT / "docs" / "examples"


@functools.cache
def compiler(build: pathlib.Path) -> pathlib.Path:
    """Returns the build's CUDA compiler. Raises Failure."""
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    match = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.+)$", text, re.MULTILINE)
    found = match[1] if match else shutil.which("nvcc")
    if not found:
        raise Failure(f"{build} has no CUDA compiler configured: run `make outputs`")
    return pathlib.Path(found)


def shell(command: str, folder: pathlib.Path, build: pathlib.Path) -> str:
    """Runs the command in the folder, and returns what it prints. Raises Failure."""
    path = [str(compiler(build).parent), str(build.resolve() / "sass" / "bin"), os.environ.get("PATH", "")]
    environment = {**os.environ, "PATH": os.pathsep.join(path), "LC_ALL": "C"}
    done = ran(["sh", "-c", command], f"`{command}`", cwd=folder, env=environment)
    return done.stdout + done.stderr


@functools.cache
def version(build: pathlib.Path) -> str:
    """Returns the compiler's version, such as 13.0.88. Raises Failure."""
    match = re.search(r"\bV(\d[\d.]*)", shell("nvcc --version", build, build))
    if match is None:
        raise Failure("nvcc printed no version")
    return match[1]


@functools.cache
def session(page: pathlib.Path, file: str) -> pathlib.Path:
    """Returns the folder for a page's listings of a file, with the file in it. Raises Failure."""
    found = sorted(EXAMPLES.glob(f"*/{file}"))
    if len(found) != 1:
        raise Failure(f"{page}: there are {len(found)} files {file} in the folders of docs/examples; one is wanted")
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copy(found[0], folder)
    return folder


def made(part: markers.Part, setting: Setting) -> str:
    file, _, command = part.arguments.partition(": ")
    if not command:
        raise Failure(f"{setting.page}: `listing begin {part.arguments}`: it is a file, a colon, and a command")
    build = setting.programs.resolve().parent
    printed = shell(command, session(setting.page, file), build).expandtabs(8)
    lines = [line.rstrip() for line in printed.strip("\n").split("\n")] if printed.strip() else []
    return "\n".join(["```text", f"$ {command}", *lines, "```", f"<!-- by nvcc {version(build)} -->", ""])


def differs(part: markers.Part, new: str, page: pathlib.Path, check: bool) -> bool:
    """Returns true if the new listing counts as different. If the shown listing was made by a different compiler,
    prints this and returns false."""
    shown, today = MADE_BY.search(part.body), MADE_BY.search(new)
    if check and shown and today and shown[1] != today[1]:
        print(f"{page}: listing not compared: {shown[1]} made what is shown, and today it is {today[1]}")
        return False
    return True
