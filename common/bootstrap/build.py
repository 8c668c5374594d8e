"""Does everything between a fresh clone and a built target."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import typing

from book import manifest
from bootstrap.build_output import Progress
from bootstrap.folder import ROOT, BuildFolder, Failure, say
from bootstrap.install import install
from bootstrap.lock import locked
from bootstrap.unpacked import use_unpacked

# `make test` tests this machine. The tests of the source tree, its style and its pages need more groups.
NEEDED = (
    (r"quick", "test sass grade"),
    (r"all", "test sass grade"),
    (r"test_.*|specimen|wrong_kernel|machine_code|.*headers_compile_alone", "test"),
    (r"grader|judge.*", "grade"),
    (r"ranks16|faulty_ranks", "mpi"),
)
# Without these groups, some tests are skipped, and no result is called proved.
OPTIONAL = (
    (r"quick|.*superopt.*", "proofs"),
    (r"all", "proofs style docs plots wheel browser mpi"),
)
# Variables of a calling make, whose settings (such as a job server that it doesn't share) must not affect the build.
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")


def groups_of(target: str) -> tuple[list[str], list[str]]:
    """Returns the groups that the target needs, and its optional groups."""

    def matching(table: tuple[tuple[str, str], ...]) -> list[str]:
        return [group for pattern, groups in table if re.fullmatch(pattern, target) for group in groups.split()]

    optional = matching(OPTIONAL)
    chapter = re.fullmatch(r"chapter(\d+)", target)
    known = manifest.load().get(int(chapter[1])) if chapter else None
    if known and "superopt" in known.libraries:
        optional.append("proofs")
    return ["build", "cuda", *matching(NEEDED)], optional


@contextlib.contextmanager
def everything_on_standard_error() -> typing.Iterator[None]:
    """Sends what this process and its children print to standard error, so that a program's own standard output can be
    redirected: make -s chapter1 ARGS="--json -" > chapter1.json"""
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def build(target: str) -> None:
    """Installs what is missing, configures if necessary, and builds the target. With V=1 it shows every command. Raises
    Failure, with status 3 if something is missing and nothing was built."""
    with everything_on_standard_error():
        needed, optional = groups_of(target)
        try:
            complete = install(needed)
        except Failure as failure:
            failure.status = 3
            raise
        if not complete:
            raise Failure(status=3)
        if optional and not install(optional):
            say("Without these, some tests are skipped; their output says which.")
        folder = BuildFolder()
        use_unpacked(folder)
        with locked(folder):
            compile_target(folder, target)


def compile_target(folder: BuildFolder, target: str) -> None:
    """Configures if necessary, and builds the target; the tools are there, and the lock is held. Raises Failure."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    Build(folder, environment).run(target)


class Build:
    """Builds in one folder."""

    def __init__(self, folder: BuildFolder, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.cache = folder.path / "CMakeCache.txt"
        self.configured = folder.state / "configured"

    def run(self, target: str) -> None:
        self._configure_if_necessary()
        # CMake finds new files only if it searches again. Chapters have no lists of files, so they don't need that.
        lists = self.folder.path / "source_lists.cmake"
        if not re.fullmatch(r"(chapter|judge)\d+", target) and lists.exists() and not self._quiet("cmake", "-P", lists):
            say(f"Configuring in {self.folder.name} again, for files that have come or gone …")
            self._configure()
        status = self._compile(target)
        if status != 0:
            raise Failure(status=status)

    def _quiet(self, *command: str | pathlib.Path) -> bool:
        return subprocess.run(command, capture_output=True, check=False, env=self.environment).returncode == 0

    def _configure_if_necessary(self) -> None:
        name = self.folder.name
        # If a build folder was moved or copied with the source tree, its cache still contains the old path.
        if self.cache.exists():
            text = self.cache.read_text(encoding="utf-8", errors="replace")
            home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)
            if not home or pathlib.Path(home[1]).resolve() != ROOT:
                self.folder.forget_configuration()
        if not self.cache.exists() or not any(
            (self.folder.path / file).exists() for file in ("build.ninja", "Makefile")
        ):
            generator = "Ninja" if shutil.which("ninja") else "Unix Makefiles"
            say(f"Configuring in {name} ({generator}) …")
            try:
                self._configure("-G", generator, *shlex.split(os.environ.get("WORKBOOK_CMAKE_ARGS", "")))
            except Failure:
                # The next run would take an incomplete cache for a complete one.
                self.cache.unlink(missing_ok=True)
                raise
            say("Building (the first time takes some minutes; then only what has changed is built) …")
        elif modified(self.folder.facts) > modified(self.configured):
            # The bootstrap has found more than last time, such as the library that runs the tests, so CMake can now
            # make more targets.
            say(f"Configuring in {name} again …")
            self._configure()

    def _configure(self, *words: str) -> None:
        """Runs CMake, and shows its output if it fails. Raises Failure."""
        done = subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(self.folder.path), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False, close_fds=False, env=self.environment,
        )  # fmt: skip
        if done.returncode != 0:
            raise Failure("" if self.folder.disk_is_full(done.stdout) else done.stdout.rstrip("\n"))
        self.configured.touch()

    def _compile(self, target: str) -> int:
        """Builds the target, and prints no more than necessary. Returns the exit status of the build tool."""
        path, jobs = str(self.folder.path), str(jobs_at_once())
        uses_ninja = (self.folder.path / "build.ninja").exists()
        shows_all = bool(os.environ.get("V"))
        if uses_ninja:
            command = ["ninja", "-C", path, "-j", jobs, *(["-v"] if shows_all else []), target]
        else:
            tool = ["VERBOSE=1"] if shows_all else ["-s"]
            command = ["cmake", "--build", path, "--target", target, "-j", jobs, "--", *tool]
        if shows_all:
            return subprocess.run(command, check=False, close_fds=False, env=self.environment).returncode
        progress = Progress(self.folder)
        self.environment["NINJA_STATUS"] = f"{progress.MARK}%f %t "
        # If the user interrupts, the build tool is interrupted, too, and prints a last line.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                close_fds=False, env=self.environment,
            ) as tool_process:  # fmt: skip
                assert tool_process.stdout
                progress.show(tool_process.stdout)
        finally:
            signal.signal(signal.SIGINT, before)
        return tool_process.returncode if tool_process.returncode >= 0 else 128 - tool_process.returncode


def modified(path: pathlib.Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def jobs_at_once() -> int:
    """Returns as many jobs as there are cores, but at most one per 1.5 GiB of memory: nvcc needs more than 1 GiB for a
    large header."""
    cores = len(os.sched_getaffinity(0))
    try:
        text = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
        kib = int(re.search(r"^MemAvailable: *(\d+)", text, re.MULTILINE)[1])  # type: ignore[index]
    except (OSError, TypeError):
        return cores
    return max(1, min(cores, int(kib / 1024 / 1024 / 1.5)))
