"""The journal of results, one per line. With it, an interrupted run resumes where it stopped, and the next run judges
only what is new."""

from __future__ import annotations

import json
import pathlib
import typing

Key = tuple[typing.Any, ...]
Result = dict[str, typing.Any]
Settings = dict[str, typing.Any]

# The state of a file that could not be judged, because of the system and not because of the file.
NOT_JUDGED = "not judged"
# The states that depend only on the file, not on how busy this machine is.
LASTING = frozenset({"judged", "does not compile", "refused"})


class Journal:
    """The file results.jsonl of a run. A result is found by its chapter and by the content of the file, so equal files
    are judged only once. The journal does not contain the run's seed before `begin`. The seed of a finished run may be
    public."""

    def __init__(self, path: pathlib.Path, settings: Settings, fresh: bool) -> None:
        self.path = path
        self.known: dict[Key, Result] = {}
        self.last_seed: str | None = None  # the seed of the finished run that has computed the known results
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
            # The previous run was finished. Judged files keep their results, and new files get new inputs.
            self.known = {key: result for key, result in results.items() if result["state"] in LASTING}
            self.settings = {**settings, "seed": None}
            self.last_seed = first["seed"]
        else:
            self.start_anew()

    def start_anew(self) -> None:
        """Discards everything from earlier runs, most importantly the seed."""
        self.resumed = False
        self.known = {}
        self.settings = {**self.settings, "seed": None}
        self.path.write_text("", encoding="utf-8")

    def begin(self, seed: str) -> None:
        """Writes the run's settings with its seed, and the results that are still valid from an earlier run."""
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
                continue  # a line that was cut off, or the empty one at the end
            if isinstance(line, dict):
                lines.append(line)
        return lines

    def _write(self, line: dict[str, typing.Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def add(self, key: Key, result: Result) -> None:
        """Records a result. If the file could not be judged, the result isn't written, so that the next run tries
        again."""
        self.known[key] = result
        if result["state"] != NOT_JUDGED:
            self._write({"key": list(key), "result": result})

    def whole(self) -> bool:
        """Returns true if all files have been judged."""
        return all(result["state"] != NOT_JUDGED for result in self.known.values())

    def finish(self) -> None:
        """Marks the run as finished, unless a file is still to be judged."""
        if self.whole():
            self._write({"finished": True})
