"""Runs chapter 16 in several processes on this machine, with mpirun."""

from __future__ import annotations

import os
import shutil
import typing

from bootstrap.build import build
from bootstrap.folder import BuildFolder, Failure, say
from bootstrap.machine import is_root, output_of


def run(ranks: str, arguments: list[str]) -> typing.NoReturn:
    """Replaces this process by mpirun with this many ranks; both programs must be built. Raises Failure."""
    if not ranks.isascii() or not ranks.isdigit() or ranks.startswith("0"):
        raise Failure(f"RANKS={ranks}: give the number of processes, such as make ranks RANKS=4", status=2)
    options = []
    # Only Open MPI needs options for more ranks than cores, for ranks that have threads, and for root.
    if "Open MPI" in output_of("mpirun", "--version"):
        options = ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if is_root() else [])]
    command = ["mpirun", "-n", ranks, *options, f"{BuildFolder().name}/bin/chapter16", *arguments]
    say(" ".join(command))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise Failure(f"mpirun: {error.strerror}") from error


def run_if_there_is_mpi() -> None:
    """Builds chapter 16's ranks and runs four of them; without MPI, prints one line on how to install it."""
    say("")
    if has_mpi():
        build("ranks16")
        run("4", [])
    say("Many processes, too: `make ranks` installs MPI, and runs a rank for each GPU.")


def has_mpi() -> bool:
    return all(map(shutil.which, ("mpirun", "mpicxx")))
