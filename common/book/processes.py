"""Runs programs to their end and captures their output."""

from __future__ import annotations

import pathlib
import subprocess
import typing

Done = subprocess.CompletedProcess[str]


def run_captured(command: typing.Sequence[str | pathlib.Path], together: bool = False, **more: typing.Any) -> Done:
    """Runs a program with empty input and captures its output. If `together`, all output is in `stdout`, in the order
    in which it was written. `more` are arguments of subprocess.run."""
    words, errors = [str(word) for word in command], subprocess.STDOUT if together else subprocess.PIPE
    return subprocess.run(
        words, text=True, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, **more
    )
