"""What a kit takes along: the workbook at its present commit, with every exercise as the chapter gave it. No file of a
student's gets in, not even one that has been committed."""

from __future__ import annotations

import io
import pathlib
import subprocess
import tarfile

from book import exercises, manifest

# What configuring, building and grading read. A class that was committed beside them stays where it is.
PARTS = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "Makefile",
    "chapters",
    "common",
    "docs",
    "plots",
    "solutions",
]
PARTS += ["pyproject.toml", "tests"]
Entry = tuple[str, bytes, bool]  # path in the tree, content, may it be executed


def git(root: pathlib.Path, *words: str) -> bytes:
    """Returns what git says. Raises ValueError with words."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=False)
    except OSError as error:
        raise ValueError(f"a kit holds the workbook as git knows it, and there is no git: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ValueError(f"a kit holds the workbook as git knows it, and git says: {said}")
    return done.stdout


def commit(root: pathlib.Path) -> str:
    return git(root, "rev-parse", "HEAD").decode().strip()


def changed(root: pathlib.Path) -> bool:
    """Says whether the grader in the tree is another than the commit's; exercises do not count."""
    said = git(root, "status", "--porcelain", "--", "common", "solutions", "tests", "CMakeLists.txt").decode()
    return bool(said.strip())


def tree(root: pathlib.Path) -> list[Entry]:
    """Returns the files of the present commit. Raises ValueError with words."""
    given = {str(one.exercise_path(root).relative_to(root)): one for one in manifest.load(root).values()}
    found: list[Entry] = []
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", "HEAD", *PARTS))) as archive:
        for member in archive:
            if not member.isfile():
                continue
            handle = archive.extractfile(member)
            data = handle.read() if handle else b""
            if member.name in given:
                data = exercises.start_text(given[member.name], root).encode()
            found.append((member.name, data, bool(member.mode & 0o100)))
    return found
