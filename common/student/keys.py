"""Reads single keys. On a terminal they need no Enter; from a pipe, each key is a line."""

from __future__ import annotations

import os
import select
import sys
import time
import typing

try:
    import termios
    import tty
except ImportError:  # no terminal of this kind
    termios = tty = None  # type: ignore[assignment]


class Keys:
    """While the context is active, keys are read one at a time and without echo. Afterwards, the terminal is restored.
    Ctrl-C still works. If standard input is not a terminal, the first letter of each line is a key, and no key arrives
    after the last line."""

    def __init__(self) -> None:
        self.there = not sys.stdin.closed
        self.terminal = self.there and termios is not None and sys.stdin.isatty()
        self.before: list[typing.Any] | None = None
        self.read = b""  # bytes from a pipe that haven't been consumed

    def __enter__(self) -> Keys:
        if self.terminal:
            self.before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.before)

    def pressed(self, seconds: float) -> str:
        """Waits up to `seconds` for a key. Returns it in lower case, "" if none was pressed, or "q" if the terminal has
        been closed."""
        if b"\n" in self.read:
            return self._of_line()
        if not self.there:
            time.sleep(seconds)
            return ""
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        if not ready:
            return ""
        try:
            read = os.read(sys.stdin.fileno(), 1 if self.terminal else 4096)
        except OSError:
            read = b""
        if self.terminal:
            return read.decode("ascii", "replace").lower() if read else "q"
        self.there = bool(read)
        self.read += read if read else b"\n"
        return self._of_line() if b"\n" in self.read else ""

    def _of_line(self) -> str:
        line, _, self.read = self.read.partition(b"\n")
        return line.strip()[:1].decode("ascii", "replace").lower()
