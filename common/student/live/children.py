"""The child processes of one round. They can all be ended at once, and no child is started after that."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
import typing

from course.grade import children

# The emulator stops a kernel that hangs before this limit. The limit is for host code that hangs or prints endlessly.
SECONDS = 120
LIMITS = children.Limits(seconds=8 * SECONDS, file_bytes=64 << 20, by_clock=SECONDS)
# The recorded steps of all launches, up to 256 MiB, are in one file.
RECORDING_LIMITS = children.Limits(seconds=8 * SECONDS, file_bytes=512 << 20, by_clock=SECONDS)
BUILD_LIMITS = children.Limits(seconds=3600, file_bytes=4 << 30)
GRACE_S = 3.0  # for Ninja to end its compilers, which have process groups of their own


class Over(Exception):
    """Raised if the round has ended. No more programs may be run for it then."""


def wait_for_group(child: children.Child, seconds: float) -> None:
    """Waits until the process group of an ended child is empty, for up to `seconds`."""
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
        """Runs a command and writes its output to the file `log`. Returns its exit status, or None if its time ran out.
        `each_second` is called with the number of seconds so far. Raises Over."""
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
            return children.wait(child, seconds)
        for second in range(1, seconds + 1):
            status = children.wait(child, 1)
            if status is not None or self._over.is_set():
                return status
            told(second)
        return None

    def end(self) -> None:
        """Ends all running children and everything that they have started. Threads that wait in run() get Over."""
        with self._lock:
            self._over.set()
            running = list(self._running)
        for child in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGTERM)
