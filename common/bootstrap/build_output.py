"""The output of a build, without the parts that only its authors read."""

from __future__ import annotations

import os
import re
import sys
import typing

from bootstrap.folder import BuildFolder

# Lines that CMake prints if it runs again, and lines of ninja and make.
DROPPED = re.compile(
    r"ninja: (Entering directory|no work to do\.|build stopped).*|-- .*|\[[ 0-9]*%\].*|g?make.*: \*\*\* .*"
    r"|Consolidate compiler generated.*"
)


class Progress:
    """Shows the part of a build's output that is for everyone: its progress, warnings, and the output of a command that
    has failed."""

    MARK = "@step@ "  # the prefix of ninja's progress lines, which distinguishes them from the output of compilers

    def __init__(self, folder: BuildFolder) -> None:
        self.folder = folder
        self.on_terminal = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.failure = ""  # the output of a failed command, as far as it is known

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def _clear_step(self) -> None:
        if self.on_terminal:
            self._write("\r\033[K")

    def _show_step(self, number: int, count: int) -> None:
        """On a terminal, each step overwrites the previous one, and none is left at the end. Elsewhere, prints the
        beginning and each quarter of a long build."""
        if self.on_terminal:
            self._write(f"\r\033[KBuilding [{number}/{count}]")
        elif number == 1 and count >= 40:
            self._write(f"Building: {count} steps\n")
        elif count >= 40 and number * 4 // count > (number - 1) * 4 // count:
            self._write(f"  {number} of {count} steps\n")

    def _show_failure(self) -> None:
        """Prints the output of a failed command. If the disk is full, prints one sentence instead."""
        if self.failure:
            self._clear_step()
            if not self.folder.disk_is_full(self.failure):
                self._write(self.failure)
            self.failure = ""

    def show(self, lines: typing.Iterable[str]) -> None:
        # After a step, ninja may report that it has failed. Then the failed command follows, and then its output.
        follows = ""
        for line in lines:
            text = line.rstrip("\n")
            if text.startswith(self.MARK):
                self._show_failure()
                follows = "step"
                number, count, *_ = text[len(self.MARK) :].split(" ")
                self._show_step(int(number), int(count))
                continue
            if follows == "step" and text.startswith("FAILED: "):
                follows = "failed command"
                continue
            if follows == "failed command":
                follows = "its output"
                continue
            if follows == "step":
                follows = ""
            if text.startswith("ninja: build stopped: interrupted"):
                self._clear_step()
                self._write(
                    "The build was interrupted. Its finished steps are kept, and the same command does the rest.\n"
                )
            elif DROPPED.fullmatch(text):
                pass
            elif follows == "its output":
                self.failure += f"{text}\n"
            else:
                self._clear_step()
                self._write(f"{text}\n")
        self._show_failure()
        self._clear_step()
