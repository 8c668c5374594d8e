"""The source tree and the build folder: their paths, the log, and what can be wrong with them."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

from book.files import write_if_changed

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
DISK_IS_FULL = re.compile(r"No space left on device|Disk quota exceeded|Errno 28", re.IGNORECASE)
# nvcc passes its arguments to a shell in double quotes, and splits lists at commas. CMake splits lists at semicolons. A
# colon separates the folders of a search path. Ninja stops reading dependencies at & and ^, so it would compile
# everything each time. The other characters are patterns or comments in the files of a build.
UNUSABLE = "[],;:#$`'\"\\<>|*?&^"


class Failure(Exception):
    """Raised if a command cannot go on. The message is for the user; it is empty if it has been printed already."""

    def __init__(self, message: str = "", status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def say(text: str) -> None:
    print(text, flush=True)


def complain(text: str) -> None:
    """Prints a line on standard error."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


class BuildFolder:
    """The folder of a build. `name` is how the user calls it: relative to the tree, or absolute."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name or os.environ.get("WORKBOOK_BUILD_DIR") or "build"
        self.path = ROOT / self.name
        self.state = self.path / "bootstrap"  # what the bootstrap remembers
        self.log = self.state / "log.txt"  # the output of the programs that install something
        self.shown_log = f"{self.name}/bootstrap/log.txt"
        self.facts = self.path / "bootstrap.cmake"  # what CMake reads

    @property
    def packages(self) -> pathlib.Path:
        """The folder into which packages are unpacked without root."""
        return self.path / "packages"

    def forget_configuration(self) -> None:
        """Removes what CMake and Ninja have recorded about the folder's old path or compiler. Ninja checks every file
        in its records, and stops if it isn't allowed to read one."""
        for name in ("CMakeCache.txt", ".ninja_deps", ".ninja_log"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / "CMakeFiles", ignore_errors=True)

    def disk_is_full(self, output: str = "") -> bool:
        """Returns true, after a message on standard error, if the folder's disk is full, or if the output of a program
        reports a full disk."""
        free = free_kib(self.path)
        if (free is None or free >= 1024) and not DISK_IS_FULL.search(output):
            return False
        complain(
            f"The disk is full: nothing more can be written to {self.name}.\n"
            f"It has {'?' if free is None else free} KiB left. Make room on it (the build takes about 1 GB), or take a "
            "build\nfolder on another disk: make … BUILD=/path/to/folder. Then run make again."
        )
        return True

    def write_facts(self, text: str) -> None:
        """Writes what CMake reads. Raises Failure if that is not possible; then the file keeps its old content."""
        try:
            write_if_changed(self.facts, text)
        except OSError as error:
            raise Failure("" if self.disk_is_full(str(error)) else f"{self.facts} cannot be written.") from error

    def check_places(self) -> None:
        """Raises Failure if a tool of the build cannot handle the path of the tree or of this folder."""
        refuse_place(str(ROOT), "The path of this workbook")
        refuse_place(str(self.path), "The path of the build folder")


def free_kib(folder: pathlib.Path) -> int | None:
    """Returns how many KiB are free on the folder's disk, or None if that is unknown."""
    try:
        done = subprocess.run(["df", "-Pk", str(folder)], capture_output=True, text=True, check=False)
        return int(done.stdout.splitlines()[1].split()[3])
    except (OSError, IndexError, ValueError):
        return None


def refuse_place(path: str, what: str) -> None:
    """Raises Failure if the path has a character that a tool of the build cannot handle."""
    names = {"\n": "a line break", "\t": "a tab"}
    for character in path:
        if character in UNUSABLE or character in names:
            name = names.get(character, f"the character “{character}”")
            raise Failure(
                f"{what} holds {name}, which the CUDA compiler, CMake or make cannot take:\n  {path}\n"
                "Nothing was installed or built. Rename that folder, or move the workbook elsewhere, and run make "
                "again."
            )


def last_lines(text: str, count: int = 8) -> str:
    """Returns the last lines. A line that a second try has repeated is there only once."""
    return "\n".join(list(dict.fromkeys(text.rstrip("\n").split("\n")))[-count:])
