"""What has been judged so far: one line per result, so that an interrupted run goes on where it was."""

from __future__ import annotations

import json
import pathlib
import typing

Key = tuple[typing.Any, ...]
Result = dict[str, typing.Any]
Settings = dict[str, typing.Any]


class Journal:
    """The file results.jsonl of a run. Results are found again by chapter and by the file's content: equal files are
    judged once."""

    def __init__(self, path: pathlib.Path, settings: Settings, fresh: bool) -> None:
        self.path = path
        self.known: dict[Key, Result] = {}
        lines = [] if fresh or not path.exists() else self._lines()
        first = lines[0] if lines else {}
        # A run that came to its end is not resumed: the next one has inputs of its own.
        finished = bool(lines) and lines[-1].get("finished", False)
        given = {name: value for name, value in settings.items() if value is not None}
        self.resumed = bool(lines) and not finished and given.items() <= first.get("settings", {}).items()
        if self.resumed:
            self.settings: Settings = first["settings"]
            self.known = {tuple(line["key"]): line["result"] for line in lines if "key" in line}
            self.file = path.open("a", encoding="utf-8")
            self.file.write("\n")  # the last line may have been cut off
        else:
            self.settings = settings
            self.file = path.open("w", encoding="utf-8")

    def begin(self, seed: int) -> None:
        """Writes the run's settings, with the seed that it has come to."""
        if not self.resumed:
            self.settings = {**self.settings, "seed": seed}
            self._write({"settings": self.settings})

    def _lines(self) -> list[dict[str, typing.Any]]:
        lines = []
        for text in self.path.read_text(encoding="utf-8").split("\n"):
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                continue  # cut off in the middle, or the end
        return lines

    def _write(self, line: dict[str, typing.Any]) -> None:
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def add(self, key: Key, result: Result) -> None:
        self.known[key] = result
        self._write({"key": list(key), "result": result})

    def finish(self) -> None:
        self._write({"finished": True})
        self.file.close()
