"""The notebook: the facts that are stored between commands."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import typing

from student.failure import Failure

Page = dict[str, typing.Any]
SCHEMA = 1


class Notebook:
    """A text file with a page per chapter. It can be copied to another machine.

    Several commands may run at once, because each of them writes only the pages that it has used and leaves the others
    unchanged."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.path = root / ".workbook" / "progress.json"
        self.pages = self._read()
        self.mine: set[str] = set()

    def of(self, name: int | str) -> Page:
        self.mine.add(str(name))
        return self.pages.setdefault(str(name), {})

    def save(self) -> None:
        """Writes the file. If that is not possible, raises Failure, and the old file stays unchanged."""
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self.path.parent.mkdir(exist_ok=True)
            with (self.path.parent / "lock").open("w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.pages = {**self._read(), **{name: self.pages[name] for name in self.mine}}
                data = {"schema": SCHEMA, "chapters": self.pages}
                temporary.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
                temporary.replace(self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise Failure(
                f"Your progress could not be saved in {self._name()}: {error.strerror}. Free some space, or make "
                "the folder .workbook yours."
            ) from error

    def _name(self) -> pathlib.Path:
        return self.path.relative_to(self.root)

    def _read(self) -> dict[str, Page]:
        """Returns the pages in the file, or {} if there is no file. Raises Failure."""
        try:
            book = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Failure(f"{self._name()} cannot be read: {error.strerror}. Move it away, and try again.") from error
        except ValueError as error:  # not JSON, or not text
            raise self._strange(str(error)) from error
        pages = book.get("chapters") if isinstance(book, dict) else None
        if isinstance(book, dict) and isinstance(book.get("schema"), int) and book["schema"] > SCHEMA:
            raise Failure(
                f"{self._name()} was written by a newer version of the workbook. Use that version (git pull), or move "
                "the file away."
            )
        if not isinstance(pages, dict) or not all(isinstance(page, dict) for page in pages.values()):
            raise self._strange("it contains no chapters")
        return pages

    def _strange(self, why: str) -> Failure:
        return Failure(f"{self._name()} was not written by this program ({why}). Move it away, and try again.")
