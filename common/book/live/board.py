"""What the page shows, and who waits for news of it."""

from __future__ import annotations

import json
import threading
import typing


class Board:
    """The page's contents as one document. Whoever waits gets it whole, so that nobody can miss a part."""

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
        """Whoever waits is told that no more will come."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def after(self, version: int, seconds: float) -> tuple[int, str | None]:
        """Waits until there is more than `version` has. Returns the newest version and the document as JSON; the same
        version where none came, and no document once the board is closed."""
        with self._news:
            self._news.wait_for(lambda: self._closed or self._version > version, seconds)
            return self._version, None if self._closed else json.dumps(self._shown)
