"""Packages that were unpacked into the build folder, because there was no way to root (packages.py)."""

from __future__ import annotations

import os
import pathlib
import platform

from bootstrap.folder import BuildFolder


def add_to(variable: str, *paths: pathlib.Path, at_end: bool = False) -> None:
    """Adds paths to a search path in the environment."""
    before = [part for part in os.environ.get(variable, "").split(":") if part]
    new = [str(path) for path in paths if str(path) not in before]
    os.environ[variable] = ":".join(before + new if at_end else new + before)


def libraries_of(folder: BuildFolder) -> pathlib.Path:
    return folder.packages / "usr/lib" / f"{platform.machine()}-linux-gnu"


def use_unpacked(folder: BuildFolder) -> None:
    """Sets variables so that programs, libraries and Python modules in build/packages are found. The Makefile sets the
    same ones for the programs that it starts itself."""
    unpacked = folder.packages / "usr"
    if not unpacked.is_dir():
        return
    libraries = libraries_of(folder)
    add_to("PATH", unpacked / "bin")
    # update-alternatives would choose a BLAS and a LAPACK if it ran as root. Here, their folders are listed instead.
    add_to("LD_LIBRARY_PATH", libraries, libraries / "blas", libraries / "lapack")
    add_to("CMAKE_PREFIX_PATH", unpacked)
    add_to("PYTHONPATH", unpacked / "lib/python3/dist-packages")
    # Debian has pip as a wheel, for virtual environments.
    add_to("PYTHONPATH", *sorted((unpacked / "share/python-wheels").glob("pip-*.whl")), at_end=True)
    # The folder that contains Graphviz's list of plugins.
    if (libraries / "graphviz").is_dir():
        os.environ["GVBINDIR"] = str(libraries / "graphviz")
