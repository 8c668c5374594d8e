"""A small source tree in which `make live2` follows a real exercise, with the real compiler, linker and program.

Its bootstrap.sh runs the commands with which this build makes chapter 2, but with the exercise and its object files
from the small tree. All other objects and libraries are those of this build."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHAPTER = "02_strided_index"
SECONDS = 60
BOOTSTRAP = """#!/bin/sh
case $1 in
  number) echo "$2" && exit ;;
  install) exit ;;
esac
# Its own words for the test: how long a build is to take.
exec >&2
cd {tree} && sleep "$(cat slow 2>/dev/null || echo 0)" && \\
PYTHONPATH=common {python} -S -m book exercises --snapshot 2 {tree}/chapters/{chapter}/reduce.cuh \\
  {tree}/build/chapters/chapter2_exercise.cuh && \\
cd {build} && {compile} && {link}
"""


def without_dependencies(words: list[str]) -> list[str]:
    """Returns the command without the options that would overwrite this build's dependency files."""
    left = [word for word in words if word != "-MD"]
    for name in ("-MT", "-MF"):
        at = left.index(name)
        del left[at : at + 2]
    return left


class Commands:
    """The build's commands. Some of their files are replaced by files of the small tree."""

    def __init__(self, build: pathlib.Path, tree: pathlib.Path) -> None:
        self.build, self.tree = build, tree
        said = subprocess.run(
            ["ninja", "-t", "commands", "bin/chapter2"], cwd=build, text=True, capture_output=True, check=True
        ).stdout
        self.lines = [part for line in said.splitlines() for part in line.split(" && ")]

    def words(self, made: str, into: str, **replaced: str) -> list[str]:
        """Returns the command that makes the file `made`. It and other files are replaced by those of the small
        tree."""
        found = [shlex.split(line) for line in self.lines if re.search(rf" -o {re.escape(made)}( |$)", line)]
        (words,) = found
        changed = {made: f"{self.tree}/build/{into}", **replaced}
        return [changed.get(word, word) for word in words]

    def of_exercise(self) -> str:
        made = "chapters/CMakeFiles/chapter2_exercise.dir/chapter2_exercise.cu.o"
        unit = f"{self.build}/chapters/chapter2_exercise.cu"
        own = {path: path.replace(str(self.build), f"{self.tree}/build") for path in (unit, f"{unit}h")}
        words = without_dependencies(self.words(made, "exercise.o", **own))
        # In a student's build, warnings are not errors, as they are in the maintainers' build (WORKBOOK_WERROR).
        return shlex.join(word for word in words if not word.startswith("-Werror"))

    def of_chapter(self) -> list[str]:
        made = f"chapters/CMakeFiles/chapter2.dir/{CHAPTER}/chapter.cpp.o"
        words = without_dependencies(self.words(made, "chapter.o"))
        # This folder has to be before the other folders, but after the compiler and its launcher, if there is one.
        options = next(k for k, word in enumerate(words) if word.startswith("-"))
        return [*words[:options], f"-I{self.tree}/build/generated", *words[options:]]

    def of_program(self) -> str:
        own = {
            "chapters/CMakeFiles/chapter2_exercise.dir/chapter2_exercise.cu.o": f"{self.tree}/build/exercise.o",
            f"chapters/CMakeFiles/chapter2.dir/{CHAPTER}/chapter.cpp.o": f"{self.tree}/build/chapter.o",
        }
        return shlex.join(self.words("bin/chapter2", "bin/chapter2", **own))


class LiveTree:
    """The small tree on disk. `exercise` is the file that the student edits."""

    def __init__(self, folder: pathlib.Path, build: pathlib.Path) -> None:
        # The path is resolved, because the compiler's messages contain resolved paths.
        self.root = folder.resolve() / "a tree (of one)"
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        for part in ("solutions", "common/book", "common/course", "common/student", "common/bootstrap"):
            shutil.copytree(ROOT / part, self.root / part)
        for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
            (self.root / "chapters" / chapter.name).mkdir(parents=True)
            for file in (*chapter.glob("*.md"), *chapter.glob("*.svg")):
                shutil.copy(file, self.root / "chapters" / chapter.name)
        shutil.copy(ROOT / "chapters/chapters.json", self.root / "chapters")
        shutil.copy(ROOT / "Makefile", self.root)
        self.exercise = self.root / "chapters" / CHAPTER / "reduce.cuh"
        self.mark = f"WORKBOOK_LIVE_TEST={uuid.uuid4()}"
        name, value = self.mark.split("=")
        # ccache could return an object that contains the paths of a different tree.
        own = {"TMPDIR": str(self.temporary), name: value, "PYTHONPATH": "", "CCACHE_DISABLE": "1"}
        self.environment = {**os.environ, **own}
        for taken in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ARGS", "BUILD", "WORKBOOK_BUILD_DIR"):
            self.environment.pop(taken, None)
        subprocess.run(
            [sys.executable, "-m", "book", "exercises", "--write", "all"],
            cwd=self.root,
            env={**self.environment, "PYTHONPATH": str(self.root / "common")},
            check=True,
            capture_output=True,
        )
        self.given = self.exercise.read_text(encoding="utf-8")
        self.right = (self.root / "solutions" / CHAPTER / "reduce.cuh").read_text(encoding="utf-8")
        self.right = self.right.replace("chapter2::solution", "chapter2::exercise")
        self._prepare(build.resolve())

    def _prepare(self, build: pathlib.Path) -> None:
        for source, own in (("chapters", "chapters"), ("generated/chapters", "generated/chapters")):
            (self.root / "build" / own).mkdir(parents=True)
            for file in [*(build / source).glob("*.hpp"), *(build / source).glob("*_exercise.cu*")]:
                text = file.read_text(encoding="utf-8").replace(f"{build}/chapters", f"{self.root}/build/chapters")
                text = text.replace(f"{ROOT}/chapters", f"{self.root}/chapters")
                (self.root / "build" / own / file.name).write_text(text, encoding="utf-8")
        (self.root / "build/bin").mkdir()
        commands = Commands(build, self.root)
        subprocess.run(commands.of_chapter(), cwd=build, check=True)
        text = BOOTSTRAP.format(
            tree=shlex.quote(str(self.root)),
            chapter=CHAPTER,
            python=shlex.quote(sys.executable),
            build=shlex.quote(str(build)),
            compile=commands.of_exercise(),
            link=commands.of_program(),
        )
        (self.root / "common/bootstrap/bootstrap.sh").write_text(text, encoding="utf-8")

    def save(self, text: str, by_rename: bool = False) -> None:
        """Saves the exercise as an editor does: overwrites the file, or writes a new file and renames it."""
        path = self.exercise.with_name("reduce.cuh.new") if by_rename else self.exercise
        path.write_text(text, encoding="utf-8")
        path.replace(self.exercise)

    def line_of(self, words: str) -> int:
        """Returns the number of the first line of the exercise that contains these words."""
        lines = self.exercise.read_text(encoding="utf-8").split("\n")
        return next(k for k, line in enumerate(lines, start=1) if words in line)

    def processes(self) -> list[str]:
        """Returns the running processes that were started for this tree. They are recognised by an environment variable
        that they inherit."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            except OSError:  # it has ended or is another user's
                continue
        return found


class Live:
    """`make live2`, running in the tree."""

    def __init__(self, tree: LiveTree) -> None:
        self.tree = tree
        self.process = subprocess.Popen(
            ["make", "live2"],
            cwd=tree.root,
            env=tree.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.said = ""
        while not re.search(r"^http://\S+$", self.said, re.M):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"make live2 gave no address: {self.said}")
            self.said += line
        self.address = self.said.split()[-1]

    def end(self, number: int = signal.SIGTERM, group: bool = False) -> int:
        """Sends a signal to make or, like Ctrl-C, to its whole process group. Returns make's exit status after
        everything that it started has ended. Raises AssertionError if something is left."""
        (os.killpg if group else os.kill)(self.process.pid, number)
        status = self.process.wait(SECONDS)
        until = time.monotonic() + 10
        while (left := self.tree.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        assert self.process.stdout is not None
        self.process.stdout.close()
        files = list(self.tree.temporary.iterdir())
        if left or files:
            raise AssertionError(f"left behind: {left}, {files}")
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.end()


def make_tree(test: type[unittest.TestCase] | unittest.TestCase, build: pathlib.Path) -> LiveTree:
    """Returns a tree that is removed when the test, or the last test of a class, has ended."""
    kept = tempfile.TemporaryDirectory()
    (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(kept.cleanup)
    return LiveTree(pathlib.Path(kept.name), build)


def state_of(stream: typing.Iterator[bytes]) -> dict[str, typing.Any]:
    """Returns the next document of a stream of server-sent events."""
    for line in stream:
        if line.startswith(b"data: {"):
            found: dict[str, typing.Any] = json.loads(line[len("data: ") :])
            return found
    raise AssertionError("the stream has ended")
