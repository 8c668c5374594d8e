"""What is remembered from call to call."""

from __future__ import annotations

import json
import os
import pathlib
import typing

from book.student.failure import Failure

Page = dict[str, typing.Any]


class Notebook:
    """One plain file with a page per chapter. It can be copied to another machine."""

    def __init__(self, root: pathlib.Path) -> None:
        self.path = root / ".workbook" / "progress.json"
        self.pages: dict[str, Page] = {}
        if self.path.exists():
            try:
                self.pages = json.loads(self.path.read_text(encoding="utf-8"))["chapters"]
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise Failure(
                    f"{self.path.relative_to(root)} was not written by this program ({error!r}). Move it away, and "
                    "try again."
                ) from error

    def of(self, name: int | str) -> Page:
        return self.pages.setdefault(str(name), {})

    def save(self) -> None:
        self.path.parent.mkdir(exist_ok=True)
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        data = {"schema": 1, "chapters": self.pages}
        temporary.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        temporary.replace(self.path)
