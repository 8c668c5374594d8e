"""The contents of the live page, and the threads that wait until they change."""

from __future__ import annotations

import json
import threading
import typing


class Board:
    """The page's contents as one document. Every waiting thread receives the whole document, so it can't miss a
    part."""

    def __init__(self, **first: typing.Any) -> None:
        self._news = threading.Condition()
        self._shown = first
        self._version = 1
        self._closed = False
        self.player = b""  # the page of the player, once there is one

    def publish(self, **changes: typing.Any) -> None:
        with self._news:
            self._shown.update(changes)
            self._version += 1
            self._news.notify_all()

    def add_notes(self, notes: list[dict[str, typing.Any]]) -> None:
        with self._news:
            self.publish(notes=self._shown.get("notes", []) + notes)

    def close(self) -> None:
        """Notifies all waiting threads that there will be no more changes."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def after(self, version: int, seconds: float) -> tuple[int, str | None]:
        """Waits up to `seconds` for a version newer than `version`. Returns the newest version, which is `version` if
        nothing has changed, and the document as JSON, or None if the board is closed."""
        with self._news:
            self._news.wait_for(lambda: self._closed or self._version > version, seconds)
            return self._version, None if self._closed else json.dumps(self._shown)
