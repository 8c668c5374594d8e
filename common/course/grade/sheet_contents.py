"""The contents of sheet.json. Formats, the page about a class, and the graders for other systems read it. `from_json`
and `to_json` define how it is stored. All other modules use the fields."""

from __future__ import annotations

import dataclasses

from course.grade.result import Json, Result

SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class Times:
    """The times of a run. Those of the compilers and of the judges are sums over all files, which overlap."""

    exercises: int  # judged ones
    at_a_time: int
    seconds: float
    compiling_seconds: float
    judging_seconds: float
    processor_seconds: float | None  # None if it isn't known

    def text(self) -> str:
        """Returns the times as text for people."""
        if self.exercises == 0:
            return "No exercise had to be judged."
        words = (
            f"{self.exercises} exercises judged in {self.seconds:.0f} s, {self.at_a_time} at a time: "
            f"compilers {self.compiling_seconds:.0f} s, judges {self.judging_seconds:.0f} s."
        )
        if self.processor_seconds is not None:
            each = self.processor_seconds / self.exercises
            words += f"\nProcessor time: {self.processor_seconds:.0f} s, {each:.1f} s each."
        return words


@dataclasses.dataclass(frozen=True)
class Entry:
    """A chapter of a submission. `file` is the hash of the graded content; None if no file was read."""

    result: Result
    file: str | None
    points: int

    @staticmethod
    def from_json(data: Json) -> Entry:
        return Entry(Result.from_json(data), data.get("file"), data["points"])

    def to_json(self) -> Json:
        return {**self.result.to_json(), "file": self.file, "points": self.points}


@dataclasses.dataclass(frozen=True)
class Submission:
    """A submission, with an entry per chapter."""

    name: str
    points: int
    chapters: dict[int, Entry]

    @staticmethod
    def from_json(data: Json) -> Submission:
        chapters = {int(number): Entry.from_json(one) for number, one in data["chapters"].items()}
        return Submission(data["name"], data["points"], chapters)

    def to_json(self) -> Json:
        chapters = {str(number): entry.to_json() for number, entry in self.chapters.items()}
        return {"name": self.name, "points": self.points, "chapters": chapters}


@dataclasses.dataclass(frozen=True)
class Contents:
    """A whole sheet."""

    graded_at: str  # "" if the sheet is of a version that didn't record it
    seed: str
    separation: str
    weights: dict[str, int]
    chapters: list[int]
    most_points: int  # of a submission
    times: Times | None
    submissions: list[Submission]
    shared: list[tuple[str, list[str]]]  # the kinds of findings, each with the submissions that have it
    equal_files: list[tuple[int, list[str]]]  # the submissions with the same file for a chapter

    @staticmethod
    def from_json(data: Json) -> Contents:
        """Reads a sheet of this version or of an earlier one, which may lack some fields. Raises KeyError or ValueError
        if it isn't a sheet."""
        return Contents(
            graded_at=str(data.get("graded_at", "")),
            seed=data.get("seed", ""),
            separation=data.get("separation", ""),
            weights=data["weights"],
            chapters=data["chapters"],
            most_points=data["most_points"],
            times=Times(**data["time"]) if data.get("time") else None,
            submissions=[Submission.from_json(one) for one in data["submissions"]],
            shared=[(one["kind"], one["submissions"]) for one in data.get("shared", [])],
            equal_files=[(one["chapter"], one["submissions"]) for one in data.get("equal_files", [])],
        )

    def to_json(self) -> Json:
        return {
            "schema": SCHEMA,
            "graded_at": self.graded_at,
            "seed": self.seed,
            "separation": self.separation,
            "weights": self.weights,
            "chapters": self.chapters,
            "most_points": self.most_points,
            "time": dataclasses.asdict(self.times) if self.times else {},
            "submissions": [one.to_json() for one in self.submissions],
            "shared": [{"kind": kind, "submissions": names} for kind, names in self.shared],
            "equal_files": [{"chapter": number, "submissions": names} for number, names in self.equal_files],
        }
