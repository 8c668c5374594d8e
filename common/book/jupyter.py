"""Makes the notebook of chapter 1: python3 -m book.jupyter [--check]

It writes docs/notebooks/chapter1.ipynb, for Colab and JupyterHub. The cell in which the student writes contains the
exercise as the chapter gives it. Exit status: 0; with --check, 1 if the notebook is stale.
"""

from __future__ import annotations

import argparse
import json
import sys
import typing

from book import exercises, manifest

NOTEBOOK = manifest.ROOT / "docs" / "notebooks" / "chapter1.ipynb"
PLAYER_PX = 860

FIND = """\
import os, pathlib, subprocess

# If the workbook is not on this machine yet: the address from which you would clone it.
REPOSITORY = ""

here = pathlib.Path.cwd()
places = [here, *here.parents, here / "workbook"]
root = next((place for place in places if (place / "chapters/chapters.json").exists()), None)
if root is None:
    if not REPOSITORY:
        raise SystemExit("The workbook is not here: write its address into REPOSITORY, and run this cell again.")
    subprocess.run(["git", "clone", "--depth", "1", REPOSITORY, "workbook"], check=True)
    root = here / "workbook"
os.chdir(root)
print("The workbook is in", root)"""

PLAY = f'''\
import html, os, pathlib
from IPython.display import HTML, display

subprocess.run(["make", "play1"], check=True, stdout=subprocess.DEVNULL)
page = pathlib.Path(os.environ.get("BUILD", "build"), "play1.html").read_text(encoding="utf-8")
look = 'width="100%" height="{PLAYER_PX}" style="border: 0"'
display(HTML(f'<iframe srcdoc="{{html.escape(page)}}" {{look}}></iframe>'))'''


def cells() -> list[tuple[str, str]]:
    """Returns (kind, text) for each cell, in order."""
    chapter = manifest.load()[1]
    path = chapter.exercise_path().relative_to(manifest.ROOT).as_posix()
    lesson = f"../../chapters/{chapter.folder}/README.md"
    return [
        (
            "markdown",
            f"# Chapter 1 in a notebook\n\n**{chapter.title}.** Run the cells in order. None of them needs a GPU, "
            "because the kernel runs on an emulator, which counts what each source line does. If the notebook runs on "
            f"a machine with a GPU, the same cells also measure times.\n\nThe lesson itself is [here]({lesson}). Read "
            "its first two sections before you write.",
        ),
        ("code", FIND),
        (
            "markdown",
            "## Before you write\n\nThe first run installs the CUDA compiler, if there is none, and builds the "
            "emulator, which takes a few minutes. Then it shows the reference next to your kernel, which doesn't add "
            "anything up yet.",
        ),
        ("code", "!make chapter1"),
        (
            "markdown",
            "## Your kernel\n\nWrite your loop below the task in the comment. Four lines are enough. Then run this "
            "cell, which writes your file. If you need a hint, run `!make hint1` in a new cell.",
        ),
        ("code", f"%%writefile {path}\n{exercises.start_text(chapter)}".rstrip("\n")),
        ("markdown", "## Is it right, and what does it cost?"),
        ("code", "!make chapter1"),
        (
            "markdown",
            "## Watch it\n\nPress *Play*, or step with the arrow keys. Which lanes work in the first step of the tree, "
            "and which in the last?",
        ),
        ("code", PLAY),
        ("markdown", "## What does each line cost?"),
        ("code", "!make profile1"),
        (
            "markdown",
            "## The strict verdict\n\nThis cell tries your kernel with many sizes, with every type and with every "
            "check, and looks at the goal. It fails until your kernel passes all of them.",
        ),
        ("code", "!make test1"),
        (
            "markdown",
            "## Next\n\nThe other chapters work the same way: `!make chapter2`, and `%%writefile` with the file that "
            "its lesson names. If this machine isn't yours, download your files before you leave, because a hosted "
            "notebook may lose them.",
        ),
    ]


def notebook() -> str:
    """Returns the contents of the notebook file."""
    made: list[dict[str, typing.Any]] = []
    for number, (kind, text) in enumerate(cells(), start=1):
        cell: dict[str, typing.Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append({**cell, "source": text.splitlines(keepends=True)})
    document = {
        "cells": made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.jupyter", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the notebook is stale")
    new = notebook()
    if not parser.parse_args().check:
        NOTEBOOK.parent.mkdir(parents=True, exist_ok=True)
        NOTEBOOK.write_text(new, encoding="utf-8")
        return 0
    if not NOTEBOOK.exists() or NOTEBOOK.read_text(encoding="utf-8") != new:
        print(f"{NOTEBOOK.relative_to(manifest.ROOT)} is out of date: run `make generate`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
