"""Installs Python wheels. The wheels of each list are installed into one folder of the build tree. They contain parts
of the CUDA Toolkit, style checkers and Python modules."""

from __future__ import annotations

import dataclasses
import filecmp
import os
import pathlib
import platform
import re
import shutil
import subprocess
import typing

from bootstrap.folder import HERE, ROOT, BuildFolder, Failure, last_lines, say
from bootstrap.machine import at_least, is_executable, output_of

NO_NETWORK = re.compile(
    r"NewConnectionError|Temporary failure in name resolution|Name or service not known|Network is unreachable"
    r"|Connection (refused|timed out)|ConnectTimeout|ProxyError"
)
NO_BUILD = re.compile(r"No matching distribution|Could not find a version")


def pip_is_new() -> bool:
    """Returns true if the system's pip supports the wheels' platform tags."""
    found = re.match(r"pip ([0-9.]+)", output_of("python3", "-m", "pip", "--version"))
    return found is not None and at_least(found[1], "20.3")


def can_be_installed() -> bool:
    """Returns true if there is such a pip, or if there are the modules that create one in a virtual environment."""
    return pip_is_new() or python_runs("import ensurepip, venv")


def python_runs(statement: str, python: str = "python3") -> bool:
    try:
        return subprocess.run([python, "-c", statement], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def some_python_has(module: str, statement: str = "") -> bool:
    """Returns true if a Python that python.sh finds has the module and runs the statement."""
    command = ["sh", str(ROOT / "common/book/python.sh"), module, "-c", statement]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run_logged(folder: BuildFolder, *command: str, **more: typing.Any) -> bool:
    """Runs a program, appends its output to the log, and returns true if it succeeded."""
    with folder.log.open("a", encoding="utf-8") as log:
        log.flush()
        return (
            subprocess.run(
                list(command), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False, **more
            ).returncode
            == 0
        )


def python_with_pip(folder: BuildFolder) -> str:
    """Returns the Python whose pip is used: the system's, or that of a virtual environment in the build folder. An
    'externally managed' pip can be used, because --target doesn't change the system's packages. Raises Failure."""
    if pip_is_new():
        return "python3"
    if not run_logged(folder, "python3", "-m", "venv", str(folder.state / "venv")):
        raise Failure(f"  python3 -m venv failed; its output is in {folder.shown_log}")
    return str(folder.state / "venv/bin/python")


def why_pip_failed(folder: BuildFolder, output: str) -> str:
    """Returns a sentence if the reason is known, otherwise the last lines of pip's output. Returns nothing if the
    reason has been printed."""
    by_hand = (
        f"WORKBOOK_NO_INSTALL=1 make chapter1 prints what to install by hand. pip's output is in {folder.shown_log}."
    )
    # If no index answers, pip retries several times and then reports that it has found no version.
    if NO_NETWORK.search(output):
        return (
            "No package index can be reached from here, so nothing could be downloaded.\n"
            "Connect to the network (or to an index through PIP_INDEX_URL or HTTPS_PROXY) and run make again.\n"
            f"{by_hand}"
        )
    if NO_BUILD.search(output):
        return (
            "The package index has no build of a package for this Python and this processor, or cannot be reached:\n"
            f"  Python {platform.python_version()}, {platform.machine()}\n{by_hand}"
        )
    if folder.disk_is_full(output):
        return ""
    return f"  pip failed; its last lines:\n{last_lines(output)}"


def install(folder: BuildFolder, listed: str, target: pathlib.Path, part: str = "") -> None:
    """Installs the wheels of a list, and puts their common tree, or only this part of it, into the target folder, which
    is created only when it is complete. Raises Failure."""
    incomplete = target.with_name(target.name + ".part")
    shutil.rmtree(incomplete, ignore_errors=True)
    python = python_with_pip(folder)
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_REQUIRE_VIRTUALENV": "0"}
    before = folder.log.stat().st_size if folder.log.exists() else 0
    done = run_logged(
        folder, python, "-m", "pip", "install", "--no-input", "--progress-bar", "off", "--no-deps", "--only-binary",
        ":all:", "--require-hashes", "--target", str(incomplete), "-r",
        str(HERE / listed), env={**os.environ, **settings}, close_fds=False,
    )  # fmt: skip
    if not done:
        shutil.rmtree(incomplete, ignore_errors=True)
        raise Failure(why_pip_failed(folder, folder.log.read_text(encoding="utf-8", errors="replace")[before:]))
    shutil.rmtree(target, ignore_errors=True)
    (incomplete / part).rename(target)
    shutil.rmtree(incomplete, ignore_errors=True)


@dataclasses.dataclass(frozen=True)
class WheelSet:
    """A list of wheels that one group needs. What it installs is used only in the versions of the list if
    `keeps_versions`; otherwise any version will do."""

    group: str  # of the list GROUP_wheels.txt
    target: str  # the folder in the build folder
    what: str  # "ruff into {build}/style (35 MB to download)"
    lacking: str  # the message if nothing may be installed
    files: typing.Callable[[BuildFolder], list[pathlib.Path | None]]  # what must be there; None: something is missing
    part: str = ""  # of the wheels' common tree
    keeps_versions: bool = True

    def is_here(self, folder: BuildFolder) -> bool:
        if self.keeps_versions:
            mine, theirs = HERE / f"{self.group}_wheels.txt", folder.path / self.target / "wheels.txt"
            if not (theirs.is_file() and filecmp.cmp(mine, theirs, shallow=False)):
                return False
        return None not in self.files(folder)

    def provide(self, folder: BuildFolder) -> list[pathlib.Path]:
        """Installs the wheels if necessary. Returns the files on which the group depends. Raises Failure."""
        if not self.is_here(folder):
            if os.environ.get("WORKBOOK_NO_INSTALL"):
                raise Failure(self.lacking.format(build=folder.name))
            say(f"Installing {self.what.format(build=folder.name)}")
            target = folder.path / self.target
            install(folder, f"{self.group}_wheels.txt", target, self.part)
            if self.group == "style":
                arrange_style(target)
            if self.keeps_versions:
                shutil.copy(HERE / f"{self.group}_wheels.txt", target / "wheels.txt")
        return [file for file in self.files(folder) if file]


def there(*paths: pathlib.Path) -> list[pathlib.Path | None]:
    return [path if path.exists() else None for path in paths]


STYLE_TOOLS = ("clang-format", "ruff", "mypy", "zizmor")


def style_files(folder: BuildFolder) -> list[pathlib.Path | None]:
    return there(*(folder.path / "style/bin" / tool for tool in STYLE_TOOLS))


def arrange_style(target: pathlib.Path) -> None:
    """Completes build/style/bin: pip's own launcher for mypy finds neither this folder nor, after the folder was moved,
    its Python."""
    (target / "bin/clang-format").unlink(missing_ok=True)
    (target / "bin/clang-format").symlink_to("../clang_format/data/bin/clang-format")
    (target / "bin/mypy").write_text(
        "#!/bin/sh\n"
        'folder=$(cd "$(dirname "$0")/.." && pwd)\n'
        'PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH} exec python3 -m mypy "$@"\n',
        encoding="utf-8",
    )
    (target / "bin/mypy").chmod(0o755)


def sass_tool(folder: BuildFolder, name: str) -> pathlib.Path | None:
    """Returns the path of a program that reads machine code, or None."""
    own = os.environ.get("CUDA_HOME", "/nowhere")
    found = shutil.which(name)
    candidates = [pathlib.Path(own) / "bin" / name, *([pathlib.Path(found)] if found else [])]
    return next(filter(is_executable, [*candidates, folder.path / "sass/bin" / name]), None)


def sass_files(folder: BuildFolder) -> list[pathlib.Path | None]:
    return [sass_tool(folder, name) for name in ("cuobjdump", "nvdisasm")]


def grade_files(folder: BuildFolder) -> list[pathlib.Path | None]:
    """If the Python on the path lacks the module that grading needs, it is in build/python."""
    settings = {**os.environ, "PYTHONPATH": str(folder.path / "python")}
    done = subprocess.run(["python3", "-c", "import elftools"], capture_output=True, check=False, env=settings)
    return [] if done.returncode == 0 else [None]


# The system's style checkers are never used, because other versions report and format different things.
STYLE = WheelSet(
    "style",
    "style",
    f"{' '.join(STYLE_TOOLS)} into {{build}}/style (25 MB to download)",
    f"{{build}}/style lacks {' '.join(STYLE_TOOLS)} (WORKBOOK_NO_INSTALL is set).",
    style_files,
)
GRADE = WheelSet(
    "grade",
    "python",
    "pyelftools into {build}/python (0.2 MB to download)",
    "The grader needs the Python module elftools: pip install pyelftools (WORKBOOK_NO_INSTALL is set).",
    grade_files,
    keeps_versions=False,
)
WHEEL = WheelSet(
    "wheel",
    "wheel_tools",
    "scikit-build-core into {build}/wheel_tools (0.4 MB to download)",
    "{build}/wheel_tools lacks scikit-build-core (WORKBOOK_NO_INSTALL is set).",
    lambda folder: there(folder.path / "wheel_tools/scikit_build_core"),
)
# The headers that the races are compiled with.
RACED_HEADER = "races/cub/version.cuh"
RACES = WheelSet(
    "races",
    "races",
    "the newest CUB into {build}/races (4 MB to download)",
    "{build}/races lacks the newest CUB (WORKBOOK_NO_INSTALL is set).",
    lambda folder: there(folder.path / RACED_HEADER),
    part="nvidia/cu13/include/cccl",
)
SASS = WheelSet(
    "sass",
    "sass",
    "cuobjdump and nvdisasm into {build}/sass (5 MB to download)",
    "cuobjdump and nvdisasm are missing (WORKBOOK_NO_INSTALL is set)",
    sass_files,
    part="nvidia/cu13",
    keeps_versions=False,
)
SETS = {wheels.group: wheels for wheels in (STYLE, GRADE, WHEEL, RACES, SASS)}
