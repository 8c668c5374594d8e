"""The lock of a build folder. Two simultaneous builds in one folder corrupt Ninja's dependency records, so that later
edits are not compiled."""

from __future__ import annotations

import contextlib
import fcntl
import os
import typing

from bootstrap.folder import BuildFolder, Failure, complain

VARIABLE = "WORKBOOK_LOCKED"


@contextlib.contextmanager
def locked(folder: BuildFolder) -> typing.Iterator[None]:
    """Waits until no other build or installation runs in the folder, and holds its lock.

    The lock belongs to an open file. A child process that is started with close_fds=False holds it, too, so it is
    released when the last of them ends, even if this process is killed. A process whose parent holds the lock does not
    wait for it. Raises Failure if the folder cannot be written to."""
    try:
        folder.state.mkdir(parents=True, exist_ok=True)
        path = folder.state.resolve() / "lock"
        if os.environ.get(VARIABLE) == str(path):
            yield
            return
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if folder.disk_is_full(str(error)):
            raise Failure from error
        raise Failure(
            f"{folder.name}/bootstrap cannot be written to. If it is a different user's, use a different build folder: "
            "make … BUILD=NAME"
        ) from error
    try:
        acquire(file, folder)
        os.set_inheritable(file, True)
        os.environ[VARIABLE] = str(path)
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        os.close(file)


def acquire(file: int, folder: BuildFolder) -> None:
    """Locks the open file, and writes the number of this process into it. If another process holds the lock, says so
    and waits."""
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(file, 20, 0).decode().strip()
            process = f" (process {owner})" if owner else ""
            complain(f"Another build is running in {folder.name}/{process}; waiting for it to end …")
            fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        complain(f"The file system of {folder.name} has no locks, so don't run two builds in it at once.")
    os.ftruncate(file, 0)
    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
