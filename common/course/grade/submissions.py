"""The submissions: a folder for each, with exercise files at the same paths as in the repository."""

from __future__ import annotations

import collections.abc
import hashlib
import os
import pathlib
import stat

from course.grade.words import visible

LARGEST_FILE = 256 * 1024
LINKED = "its folder is a link, which could lead to another student's files. Put the folder itself there"


class Submitted:
    """A student's file for one chapter: its contents, or why it was refused."""

    def __init__(self, data: bytes = b"", refused: str | None = None) -> None:
        self.data, self.refused = data, refused
        self.key = hashlib.sha256(data).hexdigest()


def read(folder: pathlib.Path, exercise: pathlib.PurePath) -> Submitted | None:
    """Reads a file of a submission. Returns None if it doesn't exist. Follows no links: if the submission's folder or
    any part of the path is a link, the file is refused."""
    at = folder
    try:
        if stat.S_ISLNK(os.lstat(folder).st_mode):
            return Submitted(refused=LINKED)
        for part in exercise.parts:
            at = at / part
            if stat.S_ISLNK(os.lstat(at).st_mode):
                return Submitted(refused="it is a link")
        handle = os.open(at, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Submitted(refused=f"it cannot be read ({error.strerror})")
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            return Submitted(refused="it isn't a regular file")
        if facts.st_size > LARGEST_FILE:
            return Submitted(refused=f"it has {facts.st_size} bytes; the limit is {LARGEST_FILE}")
        with os.fdopen(os.dup(handle), "rb") as file:
            return Submitted(data=file.read(LARGEST_FILE + 1))
    except OSError as error:
        return Submitted(refused=f"it cannot be read ({error.strerror})")
    finally:
        os.close(handle)


Files = collections.abc.Mapping[str, collections.abc.Mapping[int, Submitted | None]]  # by submission and chapter


def read_all(folders: dict[str, pathlib.Path], exercises: collections.abc.Mapping[int, pathlib.PurePosixPath]) -> Files:
    """Reads the files of all submissions, one per chapter."""
    return {
        name: {number: read(folder, path) for number, path in exercises.items()} for name, folder in folders.items()
    }


def find(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the submissions in a folder, by name: each subfolder is one. A folder that contains chapters/ is a single
    submission. Names are made printable; if two names are then equal, a number is appended. A link to a folder, or a
    broken link, is also listed: nothing in it is read, but the submission must not disappear silently."""
    if (folder / "chapters").is_dir():
        return {visible(folder.resolve().name): folder.resolve()}
    found: dict[str, pathlib.Path] = {}
    for one in sorted(folder.iterdir()):
        leads_nowhere = one.is_symlink() and not one.exists()
        if not (one.is_dir() or leads_nowhere) or one.name.startswith("."):
            continue
        name = visible(one.name)
        same = 1
        while name in found:
            same += 1
            name = f"{visible(one.name)} ({same})"
        found[name] = one
    return found
