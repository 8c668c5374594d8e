"""The journal of results, one per line. With it, an interrupted run resumes where it stopped, and the next run judges
only what is new."""

from __future__ import annotations

import json
import pathlib
import typing

from course.grade.result import Json, Result, State

Key = tuple[int, str]  # the chapter, and the hash of the file's content
Settings = dict[str, typing.Any]

# The states that depend only on the file, not on how busy this machine is.
LASTING = frozenset({State.JUDGED, State.DOES_NOT_COMPILE, State.REFUSED})


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
        self.settings = settings
        self.resumed = same and not finished
        if self.resumed:
            self.settings = first
            self.known = self._results(lines)
        elif same and settings["seed"] is None:
            # The previous run was finished. Judged files keep their results, and new files get new inputs.
            self.known = {key: one for key, one in self._results(lines).items() if one.state in LASTING}
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
                *(self._line(key, result) for key, result in self.known.items()),
            ]
            part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            part.replace(self.path)

    @staticmethod
    def _line(key: Key, result: Result) -> Json:
        return {"key": list(key), "result": result.to_json()}

    @staticmethod
    def _results(lines: list[Json]) -> dict[Key, Result]:
        found = {}
        for line in lines:
            if "key" in line:
                chapter, content = line["key"]
                found[(chapter, content)] = Result.from_json(line["result"])
        return found

    def _lines(self) -> list[Json]:
        lines = []
        for text in self.path.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue  # a line that was cut off, or the empty one at the end
            if isinstance(line, dict):
                lines.append(line)
        return lines

    def _write(self, line: Json) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def add(self, key: Key, result: Result) -> None:
        """Records a result. If the file could not be judged, the result isn't written, so that the next run tries
        again."""
        self.known[key] = result
        if result.state != State.NOT_JUDGED:
            self._write(self._line(key, result))

    def whole(self) -> bool:
        """Returns true if all files have been judged."""
        return all(result.state != State.NOT_JUDGED for result in self.known.values())

    def finish(self) -> None:
        """Marks the run as finished, unless a file is still to be judged."""
        if self.whole():
            self._write({"finished": True})
