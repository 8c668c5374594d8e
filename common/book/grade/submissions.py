"""The folders of students: one per submission, with exercise files at the paths that they have in the repository."""

from __future__ import annotations

import hashlib
import os
import pathlib
import stat

LARGEST_FILE = 256 * 1024


class Submitted:
    """A student's file for one chapter: its text, or why it is not taken."""

    def __init__(self, data: bytes = b"", refused: str | None = None) -> None:
        self.data, self.refused = data, refused
        self.key = hashlib.sha256(data).hexdigest()


def read(folder: pathlib.Path, exercise: pathlib.PurePath) -> Submitted | None:
    """Reads a file of a submission; None where there is none. No link is followed, in no part of its path."""
    at = folder
    for part in exercise.parts:
        at = at / part
        if at.is_symlink():
            return Submitted(refused="it is a link")
    try:
        handle = os.open(at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Submitted(refused=f"it cannot be read ({error.strerror})")
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            return Submitted(refused="it is no plain file")
        if facts.st_size > LARGEST_FILE:
            return Submitted(refused=f"it has {facts.st_size} bytes; {LARGEST_FILE} is the most")
        return Submitted(data=file.read(LARGEST_FILE + 1))


def find(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the submissions in a folder: its subfolders, by name. A folder that holds chapters/ is one submission."""
    if (folder / "chapters").is_dir():
        return {folder.resolve().name: folder}
    return {
        one.name: one
        for one in sorted(folder.iterdir())
        if one.is_dir() and not one.is_symlink() and not one.name.startswith(".")
    }
