"""Single keys from a terminal, without Enter."""

import os
import select
import sys
import time

try:
    import termios
    import tty
except ImportError:  # no terminal of this kind: nothing is ever pressed
    termios = tty = None


class Keys:
    """While it lives, keys come one at a time, unseen; afterwards the terminal is as it was. Ctrl-C stays what it is.
    Where standard input is no terminal, nothing is changed and no key ever comes."""

    def __init__(self):
        self.there = termios is not None and not sys.stdin.closed and sys.stdin.isatty()
        self.before = None

    def __enter__(self):
        if self.there:
            self.before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        return self

    def __exit__(self, *_):
        if self.before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.before)

    def pressed(self, seconds):
        """Waits; returns the key that was pressed meanwhile, small, or nothing; "q" where the terminal has gone."""
        if not self.there:
            time.sleep(seconds)
            return ""
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        if not ready:
            return ""
        try:
            key = os.read(sys.stdin.fileno(), 1)
        except OSError:
            key = b""
        return key.decode("ascii", "replace").lower() if key else "q"
