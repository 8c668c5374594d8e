"""What each group of targets needs from the system, how it is detected, and what is missing.

Something that is needed is detected by its files and not by asking the package manager, because it may have been
installed by other means."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import platform
import shutil
import typing

from bootstrap import cuda, wheels
from bootstrap.folder import BuildFolder, Failure
from bootstrap.machine import (
    OTHER_COMPILERS,
    Compiler,
    Libraries,
    apt_knows,
    at_least,
    compiler_called,
    output_of,
    root_is_possible,
    version_in,
)
from bootstrap.unpacked import use_unpacked


@dataclasses.dataclass
class Missing:
    """What is missing for some groups. Packages have Debian's names."""

    packages: list[str] = dataclasses.field(default_factory=list)
    purposes: set[tuple[str, str]] = dataclasses.field(default_factory=set)  # a package, and what it is for
    incomplete: set[str] = dataclasses.field(default_factory=set)  # groups that lack something that they need
    could_be_better: set[str] = dataclasses.field(default_factory=set)  # groups that lack something optional

    def add(self, package: str, purpose: str) -> None:
        if package not in self.packages:
            self.packages.append(package)
        self.purposes.add((package, purpose))

    def list(self) -> str:
        return "\n".join(f"  {package:<22} {purpose}" for package, purpose in sorted(self.purposes))


class Search:
    """Looks for what groups need. `missing` and `found` are the results of the last look_for()."""

    def __init__(self, folder: BuildFolder) -> None:
        self.folder = folder
        self.libraries = Libraries(folder)
        self.compiler: Compiler | None = None
        self.toolkits = cuda.Toolkits(folder, self.libraries)
        self.missing = Missing()
        self.found: dict[str, list[str]] = {}  # the files on which each group depends

    def look_for(self, groups: list[str]) -> None:
        use_unpacked(self.folder)
        self.missing = Missing()
        for group in groups:
            self.found[group] = []
            if look := getattr(self, f"_look_for_{group}", None):
                look()
            if group in wheels.SETS and not wheels.SETS[group].is_here(self.folder):
                self._need_pip(group)

    def depends_on(self, group: str, path: str | pathlib.Path) -> None:
        self.found[group].append(str(path))

    def _need(self, group: str, path: str | pathlib.Path | None, package: str, purpose: str) -> None:
        """Records that the group depends on this file or, if there is none, that it needs the package."""
        if path:
            self.depends_on(group, path)
        else:
            self.missing.incomplete.add(group)
            self.missing.add(package, purpose)

    def _wish(self, group: str, path: str | pathlib.Path | None, package: str, purpose: str) -> None:
        """As _need, for an optional package. It is installed only if no password is needed."""
        if path:
            self.depends_on(group, path)
        else:
            self.missing.could_be_better.add(group)
            self.missing.add(package, purpose)

    def _need_program(self, group: str, program: str, package: str, purpose: str, least: str = "") -> bool:
        """Needs a program on the search path, of at least this version."""
        path = shutil.which(program)
        if path and least:
            version = version_in(output_of(path, "--version"))
            if not at_least(version, least):
                path, purpose = None, f"{purpose} (here: {version or 'no version'}; needed: {least})"
        self._need(group, path, package, purpose)
        return path is not None

    def _need_library(self, group: str, name: str, package: str, purpose: str, optional: bool = False) -> None:
        """Needs a library, which is detected by the file that find_package(NAME) reads. One that is `optional` is only
        needed if apt can install it."""
        path = self.libraries.config_of(name)
        if path or not optional or shutil.which("apt-get"):
            self._need(group, path, package, purpose)

    def _need_pip(self, group: str) -> None:
        if not wheels.can_be_installed():
            self._need(group, None, "python3-venv", "installs Python wheels into the build folder")

    def _need_module(self, group: str, module: str, purpose: str, imports: str = "") -> None:
        """Needs a module of any Python that python.sh finds."""
        if not wheels.some_python_has(module, imports):
            self._need(group, None, f"python3-{module}", purpose)

    def look_for_compiler(self) -> None:
        """Sets `compiler` to one that supports C++20: $CXX, or g++ 11 or newer under any of its names. Raises Failure
        if $CXX cannot be used, because no package would change that."""
        if self.compiler:
            return
        own = os.environ.get("CXX", "").split()
        seen = []
        for name in own or ("g++", *OTHER_COMPILERS):
            compiler = compiler_called(name)
            if compiler and compiler.is_new_enough:
                self.compiler = compiler
                return
            if compiler:
                seen.append(f"{name} {compiler.version}")
        here = ", ".join(seen)
        if own:
            self._refuse_own_compiler(here)
        elif seen:
            self._need("build", None, "g++-12", f"the C++ compiler, for C++20 (here: {here}; needed: g++ 11)")
        else:
            self._need("build", None, "g++", "the C++ compiler")

    @staticmethod
    def _refuse_own_compiler(here: str) -> typing.NoReturn:
        own = os.environ["CXX"]
        if here:
            why = f", which is too old (here: {here}; needed: g++ 11 or newer, for C++20)."
        elif os.access(own, os.X_OK):
            why = ". A path with a blank cannot be used there."
        else:
            why = ", which is not a program here."
        raise Failure(f"$CXX is '{own}'{why}\nSet CXX to a g++ from 11 to 16, or unset it, and run make again.")

    def _look_for_build(self) -> None:
        self.look_for_compiler()
        if self.compiler:
            self.depends_on("build", self.compiler.path)
        self._need_program("build", "cmake", "cmake", "configures and runs the build", "3.22")
        self._need_library("build", "fmt", "libfmt-dev", "formats what the programs print")
        # Without asmjit the emulator interprets everything, as it does on other processors.
        if platform.machine() == "x86_64":
            self._need_library("build", "asmjit", "libasmjit-dev", "makes long-running kernels fast", optional=True)
        self._need_library("build", "CLI11", "libcli11-dev", "reads the command lines")
        self._need_library("build", "nlohmann_json", "nlohmann-json3-dev", "writes and reads JSON")
        self._need_library("build", "benchmark", "libbenchmark-dev", "times kernels with --benchmark", optional=True)
        # Ninja is only faster than make, so the build uses make if Ninja cannot be installed.
        if shutil.which("ninja") or self.missing.packages:
            self._wish("build", shutil.which("ninja"), "ninja-build", "makes rebuilding quicker")

    def _look_for_test(self) -> None:
        self._need_library("test", "Catch2", "catch2", "runs the tests")

    def _look_for_browser(self) -> None:
        names = ("chromium", "chromium-browser", "google-chrome")
        path = next(filter(None, map(shutil.which, names)), None)
        self._need("browser", path, "chromium", "opens the pages that the tests look at")

    def _look_for_proofs(self) -> None:
        self._wish("proofs", self.libraries.z3_header, "libz3-dev", "proves what the superoptimiser finds")

    def _look_for_mpi(self) -> None:
        # Any MPI works if its compiler and its mpirun belong together, as they do on Debian and Ubuntu.
        self._need_program("mpi", "mpirun", "openmpi-bin", "starts a program on several processes")
        self._need_program("mpi", "mpicxx", "libopenmpi-dev", "lets them talk to each other (MPI)")

    def _look_for_grade(self) -> None:
        header = self.libraries.header("seccomp.h")
        self._need("grade", header, "libseccomp-dev", "keeps the host code of what is graded from the system")
        bwrap = shutil.which("bwrap")
        self._wish("grade", bwrap, "bubblewrap", "keeps all of what is graded from the rest of the machine")

    def _look_for_docs(self) -> None:
        self._need_program("docs", "doxygen", "doxygen", "makes the documentation")
        self._need_program("docs", "dot", "graphviz", "draws its diagrams")
        self._need_module("docs", "markdown", "makes HTML of the lessons")
        self._need_module("docs", "pygments", "colours the code in them")
        # The site can be made without this package, which Ubuntu 22.04 does not have.
        style = "doxygen-awesome-css"
        is_here = os.access(f"/usr/share/{style}/doxygen-awesome.css", os.R_OK)
        if not is_here and not os.environ.get("WORKBOOK_NO_INSTALL") and apt_knows(style) and root_is_possible():
            self._need("docs", None, style, "gives the documentation its look")

    def _look_for_plots(self) -> None:
        self._need_module("plots", "matplotlib", "draws the plots", "import numpy")

    def _look_for_cuda(self) -> None:
        self.look_for_compiler()
        self.toolkits.find(self.compiler)
        if not self.toolkits.nvcc:
            self._need_pip("cuda")


GROUPS = {
    "build": "what `make chapter1` needs, together with `cuda`",
    "cuda": "the CUDA compiler",
    "book": "Python, for commands that compile nothing: hints, progress, the story",
    "test": "the library that runs the tests",
    "browser": "the browser that tests open pages with",
    "sass": "the programs that read machine code",
    "proofs": "the solver of the superoptimiser",
    "mpi": "MPI, to run chapter 16 on several processes",
    "grade": "the programs that inspect a class's submissions and isolate them",
    "style": "formatters, linters and type checkers",
    "docs": "the programs that make the site",
    "plots": "the library that draws the plots",
    "wheel": "the programs that pack the emulator into a Python wheel",
    "races": "the newest CUB, for the programs that race the reductions against it",
}
