"""What has been judged so far: one line per result. An interrupted run goes on where it was, and the next one judges
only what is new."""

from __future__ import annotations

import json
import pathlib
import typing

Key = tuple[typing.Any, ...]
Result = dict[str, typing.Any]
Settings = dict[str, typing.Any]

# The state of what the system, and not the file, kept from being judged.
NOT_JUDGED = "not judged"
# The states that depend on the file alone, and not on what else this machine had to do.
LASTING = frozenset({"judged", "does not compile", "refused"})


class Journal:
    """The file results.jsonl of a run. Results are found again by chapter and by the file's content: equal files are
    judged once. Nothing of the run's seed is in it before `begin`; that of a finished run is of no use any more."""

    def __init__(self, path: pathlib.Path, settings: Settings, fresh: bool) -> None:
        self.path = path
        self.known: dict[Key, Result] = {}
        self.last_seed: str | None = None  # of the finished run of which the known results are
        lines = [] if fresh or not path.exists() else self._lines()
        first = lines[0].get("settings", {}) if lines else {}
        finished = bool(lines) and lines[-1].get("finished", False)
        given = {name: value for name, value in settings.items() if value is not None}
        same = bool(first) and given.items() <= first.items()
        results = {tuple(line["key"]): line["result"] for line in lines if "key" in line}
        self.settings = settings
        self.resumed = same and not finished
        if self.resumed:
            self.settings = first
            self.known = results
        elif same and settings["seed"] is None:
            # What was judged stays judged, and what is new has inputs of its own.
            self.known = {key: result for key, result in results.items() if result["state"] in LASTING}
            self.settings = {**settings, "seed": None}
            self.last_seed = first["seed"]
        else:
            self.start_anew()

    def start_anew(self) -> None:
        """Forgets what an earlier run has left, its seed above all."""
        self.resumed = False
        self.known = {}
        self.settings = {**self.settings, "seed": None}
        self.path.write_text("", encoding="utf-8")

    def begin(self, seed: str) -> None:
        """Writes the run's settings, with the seed that it has come to, and what an earlier run has left."""
        if self.resumed:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")  # the last line may have been cut off
        else:
            self.settings = {**self.settings, "seed": seed}
            part = self.path.with_suffix(".part")
            lines = [
                {"settings": self.settings},
                *({"key": list(key), "result": one} for key, one in self.known.items()),
            ]
            part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            part.replace(self.path)

    def _lines(self) -> list[dict[str, typing.Any]]:
        lines = []
        for text in self.path.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue  # cut off in the middle, or the end
            if isinstance(line, dict):
                lines.append(line)
        return lines

    def _write(self, line: dict[str, typing.Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def add(self, key: Key, result: Result) -> None:
        """Notes a result. One that is no property of the file is not kept: the next run tries again."""
        self.known[key] = result
        if result["state"] != NOT_JUDGED:
            self._write({"key": list(key), "result": result})

    def whole(self) -> bool:
        """Says whether nothing is still to be done."""
        return all(result["state"] != NOT_JUDGED for result in self.known.values())

    def finish(self) -> None:
        """The run has come to its end, unless some of it is still to be done."""
        if self.whole():
            self._write({"finished": True})
