"""Child processes with limits: time, memory, sizes, and nothing left of them afterwards."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time
import typing

Words = typing.Sequence[str | pathlib.Path]
Child = subprocess.Popen[bytes]

# Sets the limits, then becomes the command: $1 address space (KiB), $2 data (KiB), $3 seconds of processor time,
# $4 size of a file (blocks of 512 bytes).
SHELL = (
    '[ "$1" = 0 ] || ulimit -v "$1"; [ "$2" = 0 ] || ulimit -d "$2"; ulimit -t "$3"; ulimit -f "$4"; '
    'ulimit -c 0; shift 4; exec "$@"'
)


class Limits:
    """What a child may use: seconds of a processor, of the clock (the same where not said), bytes. 0 bytes of address
    space or data: no limit."""

    def __init__(
        self,
        seconds: int,
        address_space: int = 0,
        data: int = 0,
        file_bytes: int = 64 << 20,
        by_clock: int | None = None,
    ) -> None:
        self.seconds, self.by_clock = seconds, by_clock or seconds
        self.address_space, self.data, self.file_bytes = address_space, data, file_bytes

    def around(self, command: Words) -> list[str]:
        """Returns the command that runs `command` within the limits."""
        return [
            "sh",
            "-c",
            SHELL,
            "limits",
            str(self.address_space // 1024),
            str(self.data // 1024),
            str(self.seconds),
            str(self.file_bytes // 512),
            *map(str, command),
        ]


class Bubblewrap:
    """A read-only view of the system without a network, where bubblewrap is installed and allowed to make one."""

    def __init__(
        self, root: pathlib.Path, build: pathlib.Path, submissions: pathlib.Path | None, wanted: bool = True
    ) -> None:
        self.root, self.build, self.submissions = root, build, submissions
        self.program = shutil.which("bwrap") if wanted else None
        self.why_not = "" if self.program else "bubblewrap is not installed" if wanted else "it was not wanted"
        if self.program:
            tried = subprocess.run(
                self.around(["true"], []), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            if tried.returncode != 0:
                self.program, self.why_not = None, f"bubblewrap is not allowed here ({tried.stderr.strip()[:80]})"

    def around(self, command: Words, writable: typing.Sequence[pathlib.Path]) -> list[str]:
        """Returns the command in a view of its own, where it can write to the `writable` folders only and sees neither
        the solutions nor the other submissions; the command itself where there is no bubblewrap."""
        if not self.program:
            return [str(word) for word in command]
        view: list[str | pathlib.Path] = [
            self.program,
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--tmpfs",
            "/tmp",
        ]
        for folder in (self.root, self.build):
            view += ["--ro-bind", folder, folder]
        hidden = [self.root / "solutions"] + ([self.submissions] if self.submissions else [])
        for folder in hidden:
            view += ["--tmpfs", folder]
        for folder in writable:
            view += ["--bind", folder, folder]
        return [str(word) for word in [*view, "--", *command]]


def start(command: Words, limits: Limits, **more: typing.Any) -> Child:
    """Starts a command in a group of its own."""
    return subprocess.Popen(limits.around(command), start_new_session=True, **more)


def end(child: Child) -> None:
    """Ends a child and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait(child: Child, seconds: float) -> int | None:
    """Waits for a child, then ends what is left of its group. Returns its status; None where time ran out."""
    try:
        status = child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        status = None
    end(child)
    return status


def run(command: Words, limits: Limits, log: pathlib.Path, **more: typing.Any) -> tuple[int | None, float]:
    """Runs a command to its end with its words in the file `log`. Returns status (None: out of time), seconds."""
    begin = time.monotonic()
    with log.open("wb") as out:
        child = start(command, limits, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **more)
        status = wait(child, limits.by_clock)
    return status, time.monotonic() - begin


def text_of(log: pathlib.Path, most: int = 20000) -> str:
    """Returns the first `most` bytes of a log, printable."""
    with log.open("rb") as file:
        text = file.read(most).decode("utf-8", "replace")
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def words_for(status: int | None) -> str:
    """Says how a child ended."""
    if status is None:
        return "it ran out of time"
    # A shell tells a signal as 128 + number.
    number = -status if status < 0 else status - 128 if status > 128 else 0
    try:
        name = signal.Signals(number).name if number else ""
    except ValueError:
        name = ""
    return f"it was ended by {name}" if name else f"its exit status was {status}"
