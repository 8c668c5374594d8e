"""Child processes with limits on time, memory and file sizes. No process of theirs keeps running after their end."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time
import typing

from book import processes
from course.grade.words import lines, visible

Words = typing.Sequence[str | pathlib.Path]
Child = subprocess.Popen[bytes]

# Sets the limits, then executes the command. $1: address space (KiB); $2: data (KiB); $3: seconds of processor time;
# $4: size of a file (blocks of 512 bytes).
SHELL = (
    '[ "$1" = 0 ] || ulimit -v "$1"; [ "$2" = 0 ] || ulimit -d "$2"; ulimit -t "$3"; ulimit -f "$4"; '
    'ulimit -c 0; shift 4; exec "$@"'
)


@dataclasses.dataclass
class Limits:
    """The limits of a child. `seconds` is its processor time, `by_clock` its time by the clock (0: the same as
    `seconds`), and the other limits are in bytes. If address_space or data is 0, it is not limited."""

    seconds: int
    address_space: int = 0
    data: int = 0
    file_bytes: int = 64 << 20
    by_clock: int = 0

    def __post_init__(self) -> None:
        self.by_clock = self.by_clock or self.seconds

    def wrap(self, command: Words) -> list[str]:
        """Returns the command that runs `command` within the limits."""
        numbers = [self.address_space // 1024, self.data // 1024, self.seconds, self.file_bytes // 512]
        return ["sh", "-c", SHELL, "limits", *map(str, numbers), *map(str, command)]


# The parts of the system that programs need. A part that does not exist is left out.
SYSTEM = (
    "/usr /lib /lib32 /lib64 /libx32 /bin /sbin /etc/alternatives /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d"
)


class Bubblewrap:
    """A view of this system that contains its programs and the given files, but no other file, no network and no other
    process. It is used only if bubblewrap is installed, if it is allowed to create such a view, and if the compilers
    work in it."""

    def __init__(self, needed: Words, tried_with: typing.Sequence[Words], wanted: bool = True) -> None:
        """`needed`: files and folders that are always readable in the view. `tried_with`: commands that must work in
        it."""
        self.needed = [pathlib.Path(one) for one in needed]
        self.program = shutil.which("bwrap") if wanted else None
        self.why_not = "" if self.program else "bubblewrap is not installed" if wanted else "--no-bubblewrap was given"
        for command in [["true"], *tried_with]:
            if not self.program:
                break
            tried = processes.run_captured(self.wrap(command, []))
            if tried.returncode != 0:
                said = visible(tried.stderr.strip())[:80]
                self.program, self.why_not = None, f"bubblewrap is not allowed here ({said})"

    def wrap(
        self, command: Words, writable: typing.Sequence[pathlib.Path], readable: typing.Sequence[pathlib.Path] = ()
    ) -> list[str]:
        """Returns the command that runs `command` in its own view. There, it can write only to the `writable` folders,
        and it can also read the `readable` ones. Without bubblewrap, returns `command` itself."""
        if not self.program:
            return [str(word) for word in command]
        view: list[str | pathlib.Path] = [self.program, "--unshare-all", "--die-with-parent", "--new-session"]
        for always in SYSTEM.split():
            view += ["--ro-bind-try", always, always]
        view += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        for folder in (*self.needed, *readable):
            view += ["--ro-bind", folder, folder]
        for folder in writable:
            view += ["--bind", folder, folder]
        return [str(word) for word in [*view, "--", *command]]


def start(command: Words, limits: Limits, **more: typing.Any) -> Child:
    """Starts a command in its own process group."""
    return subprocess.Popen(limits.wrap(command), start_new_session=True, **more)


def end(child: Child) -> None:
    """Kills a child and the processes of its group, and waits for the child."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait(child: Child, seconds: float) -> int | None:
    """Waits until a child ends. Returns its status, or None if it does not end within `seconds`."""
    # Popen's own wait with a timeout polls, so it can return up to 50 ms late.
    with contextlib.suppress(OSError):  # a kernel before 5.3, or no descriptor left
        descriptor = os.pidfd_open(child.pid)
        try:
            watch = select.poll()
            watch.register(descriptor, select.POLLIN)
            watch.poll(1000 * seconds)
        finally:
            os.close(descriptor)
        return child.poll()
    try:
        return child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def run(command: Words, limits: Limits, log: pathlib.Path, **more: typing.Any) -> tuple[int | None, float]:
    """Runs a command to its end and writes its output to the file `log`. Then kills the processes that are left in its
    process group. Returns the status (None if the time ran out) and the seconds that it took."""
    begin = time.monotonic()
    with log.open("wb") as out:
        child = start(command, limits, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **more)
        status = wait(child, limits.by_clock)
        end(child)
    return status, time.monotonic() - begin


def text_of(log: pathlib.Path, most: int = 20000) -> str:
    """Returns the first `most` bytes of a log as printable text."""
    with log.open("rb") as file:
        text = file.read(most).decode("utf-8", "replace")
    return lines(text)


def words_for(status: int | None) -> str:
    """Returns a description of how a child ended."""
    if status is None:
        return "it ran out of time"
    # A shell reports death by a signal as 128 + the signal's number.
    number = -status if status < 0 else status - 128 if status > 128 else 0
    try:
        name = signal.Signals(number).name if number else ""
    except ValueError:
        name = ""
    return f"it was ended by {name}" if name else f"its exit status was {status}"
