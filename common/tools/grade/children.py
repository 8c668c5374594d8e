"""Child processes with limits: time, memory, sizes, and nothing left of them afterwards."""

import os
import shutil
import signal
import subprocess
import time

# Sets the limits, then becomes the command: $1 bytes of address space (KiB), $2 of data (KiB), $3 seconds of processor
# time, $4 size of a file (blocks of 512 bytes).
SHELL = ('[ "$1" = 0 ] || ulimit -v "$1"; [ "$2" = 0 ] || ulimit -d "$2"; ulimit -t "$3"; ulimit -f "$4"; '
         'ulimit -c 0; shift 4; exec "$@"')


class Limits:
    """What a child may use: seconds of a processor, of the clock (the same where not said), bytes. 0 bytes of address
    space or data: no limit."""

    def __init__(self, seconds, address_space=0, data=0, file_bytes=64 << 20, by_clock=None):
        self.seconds, self.by_clock = seconds, by_clock or seconds
        self.address_space, self.data, self.file_bytes = address_space, data, file_bytes

    def around(self, command):
        """The command that runs `command` within the limits."""
        return ["sh", "-c", SHELL, "limits", str(self.address_space // 1024), str(self.data // 1024),
                str(self.seconds), str(self.file_bytes // 512), *map(str, command)]


class Bubblewrap:
    """A read-only view of the system without a network, where bubblewrap is installed and allowed to make one."""

    def __init__(self, root, build, submissions, wanted=True):
        self.root, self.build, self.submissions = root, build, submissions
        self.program = shutil.which("bwrap") if wanted else None
        self.why_not = None if self.program else "bubblewrap is not installed" if wanted else "it was not wanted"
        if self.program:
            tried = subprocess.run(self.around(["true"], []), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                   check=False)
            if tried.returncode != 0:
                self.program, self.why_not = None, f"bubblewrap is not allowed here ({tried.stderr.strip()[:80]})"

    def around(self, command, writable):
        """The command in its own view, in which only the `writable` folders can be written; itself where there is no
        bubblewrap. The solutions and the other submissions are not to be seen."""
        if not self.program:
            return list(command)
        view = [self.program, "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev",
                "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        for folder in (self.root, self.build):
            view += ["--ro-bind", folder, folder]
        hidden = [self.root / "solutions"] + ([self.submissions] if self.submissions else [])
        for folder in hidden:
            view += ["--tmpfs", folder]
        for folder in writable:
            view += ["--bind", folder, folder]
        return [str(word) for word in view] + ["--"] + list(command)


def start(command, limits, **more):
    """Starts a command in a group of its own."""
    return subprocess.Popen(limits.around(command), start_new_session=True, **more)


def end(child):
    """Ends a child and all that it has started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def wait(child, seconds):
    """Waits for a child, then ends what is left of its group. Returns its status, or nothing where time ran out."""
    try:
        status = child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        status = None
    end(child)
    return status


def run(command, limits, log, **more):
    """Runs a command to its end with its words in the file `log`. Returns status (nothing: out of time), seconds."""
    begin = time.monotonic()
    with open(log, "wb") as out:
        child = start(command, limits, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **more)
        status = wait(child, limits.by_clock)
    return status, time.monotonic() - begin


def text_of(log, most=20000):
    """The first `most` bytes of a log, printable."""
    with open(log, "rb") as file:
        text = file.read(most).decode("utf-8", "replace")
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def words_for(status):
    """How a child ended, in words."""
    if status is None:
        return "it ran out of time"
    # A shell tells a signal as 128 + number.
    number = -status if status < 0 else status - 128 if status > 128 else 0
    try:
        name = signal.Signals(number).name if number else ""
    except ValueError:
        name = ""
    return f"it was ended by {name}" if name else f"its exit status was {status}"
