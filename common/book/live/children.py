"""The programs of one round. They can be ended all at once, and then no more start."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
import typing

from book.grade import children

# A kernel that hangs is stopped by the emulator, in less. This is for a host function that does, or prints for ever.
SECONDS = 120
LIMITS = children.Limits(seconds=8 * SECONDS, file_bytes=64 << 20, by_clock=SECONDS)
# The steps of all launches together, 256 MiB at most, lie in one file.
RECORDING_LIMITS = children.Limits(seconds=8 * SECONDS, file_bytes=512 << 20, by_clock=SECONDS)
BUILD_LIMITS = children.Limits(seconds=3600, file_bytes=4 << 30)
GRACE_S = 3.0  # for Ninja to end its compilers, which have groups of their own


class Over(Exception):
    """The round has ended: nothing more is to be run for it."""


def wait_for_group(child: children.Child, seconds: float) -> None:
    """Waits until nothing is left of the group of a child that has ended."""
    until = time.monotonic() + seconds
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(child.pid, 0)
            time.sleep(0.02)


class Children:
    def __init__(self, root: pathlib.Path, environment: dict[str, str]) -> None:
        self._root, self._environment = root, environment
        self._lock = threading.Lock()
        self._running: list[children.Child] = []
        self._over = threading.Event()

    def run(
        self,
        command: list[str],
        log: pathlib.Path,
        limits: children.Limits = LIMITS,
        each_second: typing.Callable[[int], None] | None = None,
    ) -> int | None:
        """Runs a command with its words in the file `log`. Returns its exit status; None where time ran out.
        `each_second` is told how many seconds it has taken. Raises Over."""
        with log.open("wb") as out:
            with self._lock:
                if self._over.is_set():
                    raise Over
                child = children.start(
                    command,
                    limits,
                    cwd=self._root,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                )
                self._running.append(child)
            status = self._ended(child, limits.by_clock, each_second)
            if self._over.is_set():
                wait_for_group(child, GRACE_S)
            children.end(child)
            with self._lock:
                self._running.remove(child)
                if self._over.is_set():
                    raise Over
        return status

    def _ended(self, child: children.Child, seconds: int, told: typing.Callable[[int], None] | None) -> int | None:
        if told is None:
            return children.ended(child, seconds)
        for second in range(1, seconds + 1):
            status = children.ended(child, 1)
            if status is not None or self._over.is_set():
                return status
            told(second)
        return None

    def end(self) -> None:
        """Ends what runs, and what it has started. Whoever waits in run() gets Over."""
        with self._lock:
            self._over.set()
            running = list(self._running)
        for child in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGTERM)
