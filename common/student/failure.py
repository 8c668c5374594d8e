"""Errors, as messages for the student."""

from __future__ import annotations

import errno
import pathlib


class Failure(Exception):
    """An error. Its text is a message for the student: what is wrong, where, and what to do."""


class NotBuilt(Failure):
    """Raised if a build fails. Its text is the compiler's output, which is shown unchanged."""


# Remedies, by the system's error number.
REMEDIES = {
    errno.ENOSPC: "The disk is full. Make room on it, and try again.",
    errno.EDQUOT: "Your share of the disk is used up. Make room on it, and try again.",
    errno.EFBIG: "The file would exceed the system's limit (ulimit -f). Raise the limit, and try again.",
    errno.EROFS: "The workbook is in a read-only place. Copy it to a folder of yours, and work there.",
    errno.EACCES: "Make it yours (chmod u+rw, chown), and try again.",
    errno.EPERM: "Make it yours (chmod u+rw, chown), and try again.",
    errno.ENOENT: "`git status` shows what is gone, and `git checkout` brings it back.",
    errno.EISDIR: "There is a folder in place of a file. Move it away, and try again.",
    errno.ENOTDIR: "There is a file in place of a folder. Move it away, and try again.",
}


def words_of(error: OSError, root: pathlib.Path) -> str:
    """Returns a message that names the file, the error that the system reports, and what to do."""
    name = str(error.filename or "The workbook's files").removeprefix(f"{root}/")
    return f"{name}: {error.strerror}. {REMEDIES.get(error.errno or 0, 'Fix that, and try again.')}"
