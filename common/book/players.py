"""The lessons' reference kernels in motion: a page of the player for each chapter whose program is built."""

from __future__ import annotations

import pathlib
import subprocess

from book import manifest

# Limits the size of a lesson's recording: a whole block in most chapters, and the beginning of a block in the others.
BOUNDS = ("--record-steps", "1000", "--record-launches", "2")
SECONDS = 60


class Failed(Exception):
    """Raised if a chapter's program has made no page. The message contains the program's output."""


def make(programs: pathlib.Path, into: pathlib.Path) -> tuple[dict[int, pathlib.Path], list[int]]:
    """Makes playN.html in the folder `into` for each chapter whose program is in `programs`. Returns {chapter: page},
    and the chapters that have no program. Raises Failed."""
    into.mkdir(parents=True, exist_ok=True)
    pages, without = {}, []
    for number in manifest.load():
        program, page = programs / f"chapter{number}", into / f"play{number}.html"
        if not program.exists():
            without.append(number)
            continue
        command = [str(program), "--profile", "reference", "--play", str(page), *BOUNDS]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"{program} was still running after {SECONDS} s") from None
        if done.returncode != 0:
            raise Failed(f"{program} made no page: {(done.stderr or done.stdout).strip()[-300:]}")
        pages[number] = page
    return pages, without


def html(number: int) -> str:
    """Returns the HTML with which a lesson embeds its player: folded, and loaded only when it is opened."""
    return (
        '<details class="player">\n<summary>Watch the solution move, one step of a warp at a time</summary>\n'
        f'<iframe src="play{number}.html" title="The kernel of chapter {number} in motion" loading="lazy"></iframe>\n'
        f'<p><a href="play{number}.html">On a page of its own</a></p>\n</details>\n'
    )
