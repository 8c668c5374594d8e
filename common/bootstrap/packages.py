"""Installs packages of Debian and Ubuntu: with apt or, without root, by unpacking them into the build folder."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import time

from bootstrap.folder import BuildFolder, Failure, complain, last_lines, say
from bootstrap.machine import apt_knows, is_root, output_of, sudo_asks_nothing, way_to_root
from bootstrap.needs import Search
from bootstrap.unpacked import libraries_of, use_unpacked
from bootstrap.wheels import run_logged

NO_SERVER = re.compile(r"Temporary failure resolving|Could not resolve|Could not connect|Network is unreachable")
# They look for their parts in fixed folders, so they don't work from a folder of our own.
CANNOT_BE_UNPACKED = re.compile(r"g\+\+.*|openmpi-bin|libopenmpi-dev")
# What the command below installs.
IN_CONDA = {
    "cmake", "ninja-build", "python3-venv", "libfmt-dev", "libcli11-dev", "nlohmann-json3-dev", "catch2",
}  # fmt: skip
CONDA_PACKAGES = "cmake ninja python fmt cli11 nlohmann_json benchmark asmjit catch2"


@dataclasses.dataclass(frozen=True)
class Means:
    """How packages get here: with apt as root or, if `unpacks` is not empty, by unpacking them, for that reason."""

    as_root: str  # "" or "sudo"
    unpacks: str = ""


def what_to_install(folder: BuildFolder, search: Search, reason: str) -> str:
    """Returns the text about how to install the packages by hand, and why the bootstrap did not."""
    names = " ".join(search.missing.packages)
    lines = [f"The workbook needs these, and they are not here ({reason}):", "", search.missing.list(), ""]
    if not shutil.which("apt-get"):
        lines.append("Install what your system calls these packages.")
        if not IN_CONDA.isdisjoint(search.missing.packages):
            lines += [
                "Without root, conda (or micromamba) can install those that `make chapter1` needs:",
                f"  conda create -p {folder.name}/conda -c conda-forge {CONDA_PACKAGES}",
                f'  export PATH="{folder.path}/conda/bin:$PATH" CMAKE_PREFIX_PATH="{folder.path}/conda"',
            ]
    elif is_root():
        lines.append(f"To install them:  apt-get install {names}")
    elif shutil.which("sudo"):
        lines.append(f"To install them:  sudo apt-get install {names}")
    else:
        lines.append(f"Ask the administrator of this machine to run:  apt-get install {names}")
    return "\n".join([*lines, "Then run make again."])


class Packages:
    """Installs what a search has found missing."""

    def __init__(self, folder: BuildFolder, search: Search) -> None:
        self.folder = folder
        self.search = search

    def provide(self, groups: list[str]) -> None:
        """Looks for what the groups need, installs what is missing, and looks again. Afterwards, the search names the
        groups that are still incomplete, and what they lack has been printed."""
        search = self.search
        self.finish_unpacking()
        # All groups together, so that apt runs only once.
        search.look_for(groups)
        if not search.missing.packages:
            return
        try:
            means = self._means()
        except Failure as obstacle:
            if search.missing.incomplete:
                complain(what_to_install(self.folder, search, str(obstacle)))
            return
        # Never asks for a password only because of an optional package.
        if not search.missing.incomplete and means.as_root and not sudo_asks_nothing():
            return
        start = time.monotonic()
        # Looking again may find more that is missing: a CUDA compiler can be tried only after there is a C++ compiler.
        for _ in range(3):
            before = list(search.missing.packages)
            if not self._install(means):
                self._say_why_apt_failed()
            search.look_for(groups)
            if not search.missing.incomplete or search.missing.packages == before:
                break
        if search.missing.incomplete:
            reason = f"apt-get could not install them; its output is in {self.folder.shown_log}"
            complain(what_to_install(self.folder, search, reason))
        elif search.missing.packages:
            complain(
                "The workbook does without these, which apt-get could not install "
                f"(its output is in {self.folder.shown_log}):\n{search.missing.list()}"
            )
        else:
            say(f"  done in {time.monotonic() - start:.0f} s")

    def _means(self) -> Means:
        """Returns how packages can be installed. Raises Failure with the reason if they can't."""
        if os.environ.get("WORKBOOK_NO_INSTALL"):
            raise Failure("WORKBOOK_NO_INSTALL is set")
        if not shutil.which("apt-get"):
            raise Failure("no apt-get here to install them")
        try:
            return Means(way_to_root())
        except Failure as obstacle:
            if not self._can_be_unpacked():
                raise
            return Means("", str(obstacle))

    def _can_be_unpacked(self) -> bool:
        """Returns true if the missing packages work from the build folder."""
        return bool(shutil.which("dpkg-deb")) and not any(
            map(CANNOT_BE_UNPACKED.fullmatch, self.search.missing.packages)
        )

    def _install(self, means: Means) -> bool:
        """Installs or unpacks the missing packages, and prints what it does."""
        name = self.folder.name
        if means.unpacks:
            say(f"The workbook needs these, and unpacks them into {name}/packages ({means.unpacks}):")
            say(self.search.missing.list())
            return self._unpack()
        say(f"The workbook installs what it needs{', with ' * bool(means.as_root)}{means.as_root}:")
        say(self.search.missing.list())
        sudo_refuses = means.as_root and subprocess.run([means.as_root, "true"], check=False).returncode != 0
        if sudo_refuses and self._can_be_unpacked():
            say(f"They are unpacked into {name}/packages instead (sudo refuses).")
            return self._unpack()
        return self._install_as(means.as_root)

    def _log(self) -> str:
        return self.folder.log.read_text(encoding="utf-8", errors="replace") if self.folder.log.exists() else ""

    def _apt_get(self, as_root: str, *words: str) -> bool:
        """Runs apt, which asks no questions, and waits for another apt instead of failing. Processes that a package
        starts don't inherit our lock."""
        command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=120", "-qq"]
        return run_logged(self.folder, *([as_root] if as_root else []), *command, *words)

    def _install_as(self, as_root: str) -> bool:
        """Installs the missing packages: all at once, and, if that fails, one by one."""
        packages = self.search.missing.packages
        install = ("install", "-y", "--no-install-recommends")
        if not all(map(apt_knows, packages)):
            say("  reading the package lists …")
            self._apt_get(as_root, "update")
        if self._apt_get(as_root, *install, *packages):
            return True
        if NO_SERVER.search(self._log()):
            return False
        # Outdated package lists name files that no longer exist, so the lists are read again, once.
        if self._apt_get(as_root, "update") and self._apt_get(as_root, *install, *packages):
            return True
        if NO_SERVER.search(self._log()):
            return False
        done = [self._apt_get(as_root, *install, package) for package in packages]
        return all(done)

    def _unpack(self) -> bool:
        """Downloads the missing packages and their dependencies without root, and unpacks them into the build folder.
        apt checks signatures as always. No package's scripts are run."""
        target, packages = self.folder.packages, self.search.missing.packages
        files = target / "files"
        (target / "lists/partial").mkdir(parents=True, exist_ok=True)
        files.mkdir(exist_ok=True)
        apt = ["apt-get", "-qq", "-o", "Debug::NoLocking=1"]
        if not all(map(apt_knows, packages)):
            # The system has no package lists. Our own lists need no root.
            caches = ("Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache=")
            for setting in (f"Dir::State::lists={target}/lists", *caches):
                apt += ["-o", setting]
            say("  reading the package lists …")
            run_logged(self.folder, *apt, "update")
        names: set[str] = set()
        for package in packages:
            # If apt does not have one of the packages, the others are still installed.
            planned = output_of(*apt, "-s", "--no-install-recommends", "install", package)
            names.update(re.findall(r"^Inst (\S+)", planned, re.MULTILINE))
        if not names or not run_logged(self.folder, *apt, "download", *sorted(names), cwd=files):
            return False
        files.rename(target / "downloaded")
        self.finish_unpacking()
        return True

    def finish_unpacking(self) -> None:
        """Unpacks the downloaded packages. If an earlier run was interrupted or the disk was full, they are still here;
        without this, a later run would find some of the packages and take them for all. Raises Failure."""
        target = self.folder.packages
        downloaded = target / "downloaded"
        if not downloaded.is_dir():
            return
        for package in sorted(downloaded.glob("*.deb")):
            before = len(self._log())
            if run_logged(self.folder, "dpkg-deb", "-x", str(package), str(target)):
                continue
            output = self._log()[before:]
            if self.folder.disk_is_full(output):
                raise Failure
            shutil.rmtree(target)
            raise Failure(
                f"dpkg-deb cannot unpack {package.name}; its last lines:\n{last_lines(output)}\n"
                "Run make again: it downloads these packages again."
            )
        # If the system has a library without its headers, only a link to the library was unpacked. It must point to the
        # system's library.
        libraries = libraries_of(self.folder)
        for link in libraries.glob("*.so"):
            if link.is_symlink() and not link.exists():
                aim = f"/usr/lib/{libraries.name}/{link.readlink()}"
                link.unlink()
                link.symlink_to(aim)
        shutil.rmtree(downloaded)
        use_unpacked(self.folder)
        if os.environ.get("GVBINDIR"):
            run_logged(self.folder, "dot", "-c")

    def _say_why_apt_failed(self) -> None:
        output = self._log()
        if NO_SERVER.search(output):
            complain(
                "No package server can be reached from here. Connect to the network and run make again, or install by "
                "hand."
            )
        elif not self.folder.disk_is_full(output):
            complain(f"apt-get failed; its last lines:\n{last_lines(output)}")
