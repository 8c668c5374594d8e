"""python3 -m bootstrap COMMAND …: what `make` does between a fresh clone and a running chapter.

  install GROUP…         finds what these groups of targets need, and installs what is missing
  build TARGET           installs what the target needs, configures if necessary, and builds it
  compile TARGET         the same without installing anything
  run N OPTION…          builds chapter N and runs it with these options
  number TEXT            prints the chapter's number without leading zeros
  chapters               prints the chapters, one per line
  ranks RANKS OPTION…    runs chapter 16 in this many processes, with mpirun
  grader [CHAPTERS]      builds the grader for an image without a network, for chapters such as 1,3,5-9
  lock FOLDER COMMAND…   runs a command while no other build runs in the folder

Environment:
  WORKBOOK_BUILD_DIR           a different build folder (default: build)
  WORKBOOK_CMAKE_ARGS          arguments for CMake when it configures for the first time
  WORKBOOK_NO_INSTALL=1        install nothing: print what is missing, and fail
  WORKBOOK_IGNORE_SYSTEM_CUDA=1  use only the CUDA compiler in the build folder
  WORKBOOK_PREFIXES            where packages are searched, in addition to $CMAKE_PREFIX_PATH ("/usr/local /usr")
  CXX, CUDA_HOME               your own compilers, which are tried first

Exit status: that of the program that runs; 0 if everything is there; 1 if something is missing (the output shows what
to install); 2 for bad usage; 3 if `build` lacks something, so that nothing was built.
"""

from __future__ import annotations

import os
import subprocess
import sys

# The system's Python may be older than the one that ruff checks for.
if sys.version_info < (3, 10):  # noqa: UP036
    version = ".".join(map(str, sys.version_info[:2]))
    sys.exit(f"The workbook needs Python 3.10 or newer, and python3 is {version}. Put a newer one first on the PATH.")

# The search path of this program is not meant for the programs that it starts.
os.environ["PYTHONPATH"] = os.environ.get("PYTHONPATH", "").partition(":")[2]
if not os.environ["PYTHONPATH"]:
    del os.environ["PYTHONPATH"]

from book import manifest
from bootstrap.folder import BuildFolder, Failure, complain, say

RANKS_CHAPTER = 16


def groups_description() -> str:
    from bootstrap.needs import GROUPS

    return "\n".join(f"  {name:<9}{text}" for name, text in GROUPS.items())


def number_of(text: str) -> int:
    """Returns the chapter's number. Raises Failure if it doesn't exist."""
    chapters = manifest.load()
    if text.isascii() and text.isdigit() and int(text) in chapters:
        return int(text)
    if text in ("", ".o"):
        raise Failure(
            "The chapter's number is missing. Write it directly after the word, without a space: make chapter3"
        )
    raise Failure(
        f"There is no chapter {text}. There are: {' '.join(map(str, chapters))}\n"
        "(`make chapters` tells what they are about.)"
    )


def run_chapter(number: int, options: list[str]) -> int:
    """Builds the chapter and runs it. Returns its exit status."""
    from bootstrap.build import build

    build(f"chapter{number}")
    program = f"{BuildFolder().name}/bin/chapter{number}"
    if number != RANKS_CHAPTER or options:
        os.execv(program, [program, *options])
    status = subprocess.run([program], check=False).returncode
    if status == 0:
        from bootstrap import ranks

        ranks.run_if_there_is_mpi()
    return status


def build_grader(chapters: str) -> None:
    """Installs what the grader needs and builds it. Raises Failure if the image can't grade."""
    import shutil

    from bootstrap.build import build
    from bootstrap.machine import is_root

    parts = [part.partition("-") for part in chapters.split(",") if part]
    numbers = [number for first, _, last in parts for number in range(number_of(first), number_of(last or first) + 1)]
    # The bootstrap looks for packages by their files, so the system needs its lists of packages.
    if is_root() and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=True)
    if not numbers:
        build("grader")
        return
    build("exercise_host")
    for number in numbers:
        build(f"judge{number}")


def hold_lock(name: str, command: list[str]) -> int:
    from bootstrap.lock import locked

    with locked(BuildFolder(name)):
        return subprocess.run(command, check=False, close_fds=False).returncode


def do(command: str, words: list[str]) -> int:
    if command == "install":
        from bootstrap.install import install

        return 0 if install(words or ["build", "cuda"]) else 1
    if command in ("build", "compile") and len(words) == 1:
        from bootstrap import build
        from bootstrap.lock import locked

        if command == "build":
            build.build(words[0])
        else:
            folder = BuildFolder()
            with build.everything_on_standard_error(), locked(folder):
                build.compile_target(folder, words[0])
        return 0
    if command == "run" and words:
        return run_chapter(number_of(words[0]), words[1:])
    if command == "number" and len(words) == 1:
        say(str(number_of(words[0])))
        return 0
    if command == "chapters":
        for chapter in manifest.load().values():
            say(f"  make chapter{chapter.number:<3} {chapter.title}")
        return 0
    if command == "ranks" and words:
        from bootstrap import ranks

        ranks.run(words[0], words[1:])
    if command == "grader":
        build_grader("".join(words[:1]))
        return 0
    if command == "lock" and len(words) > 1:
        return hold_lock(words[0], words[1:])
    raise Failure(f"{__doc__}\nGroups:\n{groups_description()}", status=2)


def main() -> int:
    words = sys.argv[1:]
    if words[:1] in (["-h"], ["--help"]):
        say(f"{__doc__}\nGroups:\n{groups_description()}")
        return 0
    if words == ["--version"]:
        from book.version import version_text

        say(version_text("bootstrap"))
        return 0
    try:
        return do(words[0] if words else "", words[1:])
    except manifest.ManifestError as error:
        complain(f"{error}\nFix that line, or restore the file: git checkout chapters/chapters.json")
        return 1
    except Failure as failure:
        if str(failure):
            complain(str(failure))
        return failure.status
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
