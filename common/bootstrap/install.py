"""Finds what the workbook needs, and installs what is missing.

Packages are installed by apt. Without root, they are unpacked into build/packages. If no nvcc from 12.4 on works, a
CUDA compiler is installed from Python wheels into build/cuda; the style checkers are always installed from wheels, into
build/style. Neither needs root. The results are written to build/bootstrap.cmake, which CMake reads. If nothing has
changed, the next run reads only the stamps."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil

from bootstrap.folder import HERE, ROOT, BuildFolder, Failure, complain
from bootstrap.lock import locked
from bootstrap.machine import OLDER_COMPILERS
from bootstrap.needs import GROUPS, Search
from bootstrap.packages import Packages
from bootstrap.wheels import RACED_HEADER, SETS


def install(groups: list[str]) -> bool:
    """Provides what the groups need. Returns true if everything is there; otherwise the output shows what to install.
    Raises Failure if nothing can be installed or built here."""
    for group in groups:
        if group not in GROUPS:
            raise Failure(f"bootstrap: no group '{group}'; there are: {' '.join(GROUPS)}", status=2)
    folder = BuildFolder()
    folder.check_places()
    # CMake doesn't accept a compiler by a relative path.
    if os.environ.get("CUDA_HOME"):
        os.environ["CUDA_HOME"] = str(ROOT / os.environ["CUDA_HOME"])
    if not Installation(folder, groups).stale:
        return True
    with locked(folder):
        # Another installation may have provided everything in the meantime.
        return Installation(folder, groups).run()


class Installation:
    """One installation of some groups. `stale` are those that have to be looked at."""

    def __init__(self, folder: BuildFolder, groups: list[str]) -> None:
        self.folder = folder
        self.search = Search(folder)
        self.key = self._key()
        self.stale = [group for group in groups if not self._stamp_holds(group)]

    def _key(self) -> str:
        """Returns a checksum of the inputs of a stamp in addition to the files that it lists: this program, and the
        variables that control the search."""
        prefixes = self.search.libraries.system_prefixes
        names = ("CXX", "CUDA_HOME", "CMAKE_PREFIX_PATH", "WORKBOOK_IGNORE_SYSTEM_CUDA")
        inputs: list[object] = [[os.environ.get(name) for name in names], prefixes]
        # A newly installed CUDA Toolkit may be a better choice, and so may a g++ that works with an older toolkit.
        for prefix in map(pathlib.Path, prefixes):
            inputs.append(sorted(map(str, [*prefix.glob("cuda*"), *prefix.glob("bin/nvcc*")])))
        inputs.append([shutil.which(name) for name in OLDER_COMPILERS])
        # After an upgrade of the system, a different g++ has the same name.
        compiler = shutil.which(os.environ.get("CXX") or "g++")
        if compiler:
            facts = pathlib.Path(compiler).stat()
            inputs.append([compiler, facts.st_size, facts.st_mtime_ns, facts.st_ino])
        key = hashlib.sha256(repr(inputs).encode())
        for pattern in ("*.py", "*.txt", "*.cu"):
            for file in sorted(HERE.glob(pattern)):
                key.update(file.read_bytes())
        return key.hexdigest()

    def _stamp(self, group: str) -> pathlib.Path:
        return self.folder.state / f"{group}.stamp"

    def _stamp_holds(self, group: str) -> bool:
        """Returns true if the group's stamp is from this program, and everything that it lists still exists."""
        try:
            recorded, *paths = self._stamp(group).read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return False
        return recorded == self.key and all(map(os.path.exists, paths))

    def run(self) -> bool:
        if not self.stale:
            return True
        self.folder.log.write_text("", encoding="utf-8")
        for group in self.stale:
            self._stamp(group).unlink(missing_ok=True)
        Packages(self.folder, self.search).provide(self.stale)
        missing = self.search.missing
        complete = True
        for group in self.stale:
            # If a group lacks something, the others are still installed, unless nothing can be built without it.
            if not missing.incomplete.isdisjoint({group, "build"}) or not self._provide(group):
                complete = False
            # Optional packages may be installed later by other means, so a group that lacks one is checked in every
            # run.
            elif group not in missing.could_be_better:
                lines = [self.key, *self.search.found[group]]
                self._stamp(group).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self._write_facts()
        return complete

    def _provide(self, group: str) -> bool:
        """Installs what comes from wheels. Returns false, after a message, if that is not possible."""
        search = self.search
        try:
            if group == "cuda":
                search.look_for_compiler()
                assert search.compiler
                search.depends_on("cuda", search.toolkits.provide(search.compiler))
            elif group in SETS:
                for path in SETS[group].provide(self.folder):
                    search.depends_on(group, path)
        except Failure as failure:
            if str(failure):
                complain(str(failure))
            return False
        return True

    def _write_facts(self) -> None:
        """Writes what CMake needs to know. If the build folder was made with different compilers, removes its
        configuration. Raises Failure if the file cannot be written."""
        facts = self.folder.facts
        before = facts.read_text(encoding="utf-8") if facts.exists() else ""
        # A run for one group must keep what an earlier run has found for others.
        toolkits = self.search.toolkits
        compiler = toolkits.compiler or self.search.compiler
        cxx = compiler.path if compiler else fact(before, "cxx")
        nvcc = str(toolkits.nvcc or fact(before, "nvcc"))
        text = self._facts(cxx, nvcc)
        if text == before:
            return
        self.folder.write_facts(text)
        if any(fact(before, name) != fact(text, name) for name in ("cxx", "nvcc")):
            self.folder.forget_configuration()

    def _facts(self, cxx: str, nvcc: str) -> str:
        lines = [
            "# Written by common/bootstrap: what it found. A -D on CMake's command line overrides it.",
            f"# cxx {cxx}",
            f"# nvcc {nvcc}",
        ]
        if pathlib.Path(cxx).name not in ("", "g++", "c++"):
            lines += [
                f'set(CMAKE_CXX_COMPILER "{cxx}" CACHE FILEPATH "C++ compiler")',
                f'set(CMAKE_CUDA_HOST_COMPILER "{cxx}" CACHE FILEPATH "nvcc\'s C++ compiler")',
            ]
        # If one of these is missing, there are fewer targets. CMake has to run again after it has been installed.
        libraries = self.search.libraries
        for name, path in (
            ("test", libraries.config_of("Catch2")),
            ("proofs", libraries.z3_header),
            ("grade", libraries.header("seccomp.h")),
            ("mpi", shutil.which("mpicxx")),
        ):
            if path:
                lines.append(f"# {name} {path}")
        if (self.folder.path / RACED_HEADER).exists():
            about = "CUB and Thrust that the races are against"
            lines.append(f'set(WORKBOOK_RACED_CCCL "{self.folder.path}/races" CACHE PATH "{about}")')
        if nvcc:
            lines.append(f'set(CMAKE_CUDA_COMPILER "{nvcc}" CACHE FILEPATH "CUDA compiler")')
        return "".join(f"{line}\n" for line in lines)


def fact(text: str, name: str) -> str:
    """Returns the value in a line "# NAME VALUE" of the file for CMake; empty if there is none."""
    found = re.search(rf"^# {name} (.*)$", text, re.MULTILINE)
    return found[1] if found else ""
