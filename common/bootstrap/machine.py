"""What is on this machine: programs and their versions, libraries, headers, and a C++ compiler."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import typing

from bootstrap.folder import BuildFolder, Failure

# In addition to g++ itself. Newest first, so that the best one is used.
OTHER_COMPILERS = ("g++-16", "g++-15", "g++-14", "g++-13", "g++-12", "g++-11")
OLDER_COMPILERS = ("g++-14", "g++-13", "g++-12", "g++-11")


def output_of(*command: str | pathlib.Path) -> str:
    """Returns what the program prints on standard output; empty if it cannot be run."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        ).stdout
    except OSError:
        return ""


def version_in(text: str) -> str:
    """Returns the first number such as 3.25.1 in the first line of the text; empty if there is none."""
    found = re.search(r"[0-9][0-9.]*", text.partition("\n")[0])
    return found[0] if found else ""


def at_least(have: str, want: str) -> bool:
    """Returns true if version `have` is `want` or newer. An empty version is older than any other."""

    def numbers(version: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", version)]

    return bool(have) and numbers(have) >= numbers(want)


def is_executable(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A C++ compiler: its path, and a version such as 12.2.0."""

    path: str
    version: str
    is_clang: bool

    @property
    def major(self) -> int:
        return int(re.match(r"\d*", self.version)[0] or 0)  # type: ignore[index]

    @property
    def name(self) -> str:
        """The name and the major version, for example "g++ 12" or "clang 17"."""
        return f"{'clang' if self.is_clang else 'g++'} {self.major}"

    @property
    def is_new_enough(self) -> bool:
        """True if it supports C++20."""
        return self.major >= (14 if self.is_clang else 11)


def compiler_called(name: str) -> Compiler | None:
    """Returns the compiler with this name on the search path, or None."""
    path = shutil.which(name)
    if path is None:
        return None
    version = output_of(path, "-dumpfullversion", "-dumpversion").split("\n")[0]
    return Compiler(path, version, "clang" in output_of(path, "--version").split("\n")[0])


class Libraries:
    """Where libraries and headers are searched: packages in the build folder, $CMAKE_PREFIX_PATH, and the system."""

    def __init__(self, folder: BuildFolder) -> None:
        self.folder = folder

    @property
    def system_prefixes(self) -> list[str]:
        return (os.environ.get("WORKBOOK_PREFIXES") or "/usr/local /usr").split()

    def prefixes(self, *first: str) -> list[pathlib.Path]:
        unpacked = str(self.folder.packages / "usr")
        own = re.split("[:;]", os.environ.get("CMAKE_PREFIX_PATH", ""))
        return [pathlib.Path(prefix) for prefix in (unpacked, *first, *own, *self.system_prefixes) if prefix]

    def config_of(self, name: str) -> pathlib.Path | None:
        """Returns the file that find_package(NAME) reads, or None."""
        # CMake reads NAME_DIR and NAME_ROOT from the environment.
        own = [os.environ.get(f"{name}_{part}", "") for part in ("DIR", "ROOT")]
        folders = (".", f"lib/cmake/{name}", f"lib/*/cmake/{name}", f"lib64/cmake/{name}", f"share/cmake/{name}",
                   f"share/{name}/cmake", f"share/{name}")  # fmt: skip
        files = (f"{name}Config.cmake", f"{name.lower()}-config.cmake")
        return first_match(self.prefixes(*own), [f"{folder}/{file}" for folder in folders for file in files])

    def header(self, *names: str) -> pathlib.Path | None:
        """Returns the first of these headers that exists, or None."""
        return first_match(self.prefixes(), [f"include/{name}" for name in names])

    @property
    def z3_header(self) -> pathlib.Path | None:
        return self.header("z3++.h", "z3/z3++.h")


def first_match(folders: typing.Iterable[pathlib.Path], patterns: list[str]) -> pathlib.Path | None:
    """Returns the first readable file in one of the folders that matches one of the patterns, or None."""
    for folder in folders:
        for pattern in patterns:
            files = folder.glob(pattern) if "*" in pattern else [folder / pattern]
            for file in files:
                if os.access(file, os.R_OK):
                    return file
    return None


def is_root() -> bool:
    # `id` and not os.geteuid(): containers and tests may replace it.
    return output_of("id", "-u").strip() == "0"


def way_to_root() -> str:
    """Returns the command to put before another one so that root runs it; empty if the user is root. Raises Failure
    with the reason if there is no way."""
    if is_root():
        return ""
    if shutil.which("sudo") is None:
        raise Failure("not root, and there is no sudo")
    if not sudo_asks_nothing() and not os.isatty(0):
        raise Failure("not root, and sudo would ask for a password")
    return "sudo"


def sudo_asks_nothing() -> bool:
    return subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0


def apt_knows(package: str) -> bool:
    if not shutil.which("apt-cache"):
        return False
    return subprocess.run(["apt-cache", "show", package], capture_output=True, check=False).returncode == 0


def root_is_possible() -> bool:
    try:
        way_to_root()
    except Failure:
        return False
    return True
