"""The result of one file: its state, the parts that it reaches, and what was found. `from_json` and `to_json` define
how it is stored, in the journal and in sheet.json. All other modules use the fields."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import typing

Json = dict[str, typing.Any]  # an object of a JSON file
Number = int | float

PARTS = ("right", "clean", "goal", "accuracy")


class State(enum.Enum):
    """Whether a file was judged and, if not, why not. The values are stored, and shown to people."""

    JUDGED = "judged"
    NOT_JUDGED = "not judged"  # because of the system, and not because of the file
    NOT_STARTED = "not started"  # the file is as the chapter gave it
    MISSING = "missing"
    REFUSED = "refused"
    DOES_NOT_COMPILE = "does not compile"
    COMPILER_OUT_OF_LIMITS = "compiler out of limits"
    FAILED = "failed"  # the judge has written no verdict


@dataclasses.dataclass(frozen=True)
class Finding:
    """A finding of a check. Line 0 means that it has no line in the student's file."""

    line: int
    check: str
    kind: str
    cause: str = ""
    cure: str = ""

    @staticmethod
    def from_json(data: Json) -> Finding:
        texts = (str(data.get(name, "")) for name in ("check", "kind", "cause", "cure"))
        return Finding(int(data.get("line") or 0), *texts)


@dataclasses.dataclass(frozen=True)
class Count:
    """A count of the chapter's goal. A field is None if the judge doesn't know it."""

    metric: str | None
    wanted: Number | None
    yours: Number | None


@dataclasses.dataclass(frozen=True)
class Figures:
    """The numbers of a judged file: the goal's counts, the sentences on what is missing for the goal, and the largest
    error of a sum as a share of its bound."""

    counts: tuple[Count, ...]
    missing: tuple[str, ...]
    worst_share_of_bound: Number | None

    @staticmethod
    def from_json(data: Json) -> Figures:
        counts = tuple(
            Count(one.get("metric"), one.get("wanted"), one.get("yours")) for one in data.get("counts") or ()
        )
        return Figures(counts, tuple(data.get("missing") or ()), data.get("worst_share_of_bound"))

    def to_json(self) -> Json:
        return {
            "counts": [dataclasses.asdict(one) for one in self.counts],
            "missing": list(self.missing),
            "worst_share_of_bound": self.worst_share_of_bound,
        }


@dataclasses.dataclass(frozen=True)
class LineCost:
    """What a line of the student's file costs: instructions, bank conflicts, and sectors of global memory."""

    line: int
    instructions: int
    conflicts: int
    sectors: int


@dataclasses.dataclass(frozen=True)
class Profile:
    """The costs of the most expensive lines, in the order of the file, on the goal's input. `instructions` is the total
    of all files. There are no lines if the goal was not checked."""

    instructions: int = 0
    lines: tuple[LineCost, ...] = ()

    @staticmethod
    def from_json(data: Json) -> Profile:
        return Profile(data["instructions"], tuple(LineCost(**one) for one in data["lines"])) if data else Profile()

    def to_json(self) -> Json:
        if not self.lines:
            return {}
        return {"instructions": self.instructions, "lines": [dataclasses.asdict(one) for one in self.lines]}


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of a file. If it was not judged, it reaches no part, and `words` says why it was not judged. Otherwise
    `words` is the judge's message on the first fault."""

    state: State
    words: str = ""
    right: bool = False
    clean: bool = False
    goal: bool = False
    accuracy: bool = False
    kinds: tuple[str, ...] = ()  # the kinds of all findings
    findings: tuple[Finding, ...] = ()  # sorted by line, and at most judge_record.MOST
    # None if the file was not judged:
    figures: Figures | None = None
    failed_on: collections.abc.Mapping[str, str | int] | None = None  # the first input on which it failed
    profile: Profile | None = None
    seed: str | None = None  # the seed of the run that computed this result

    def reaches(self, part: str) -> bool:
        """Returns true if the file reaches one of the PARTS."""
        return {"right": self.right, "clean": self.clean, "goal": self.goal, "accuracy": self.accuracy}[part]

    @property
    def done(self) -> bool:
        return all(map(self.reaches, PARTS))

    @staticmethod
    def from_json(data: Json) -> Result:
        """Reads a result of this version or of an earlier one, which may lack some fields. Raises KeyError or
        ValueError if it isn't a result."""
        return Result(
            state=State(data["state"]),
            words=data.get("words", ""),
            **{part: bool(data.get(part)) for part in PARTS},
            # The stored names are older than the fields' names.
            kinds=tuple(data.get("findings") or ()),
            findings=tuple(map(Finding.from_json, data.get("places") or ())),
            figures=Figures.from_json(data["figures"]) if data.get("figures") else None,
            failed_on=data.get("failed_on"),
            profile=Profile.from_json(data["profile"]) if "profile" in data else None,
            seed=data.get("seed"),
        )

    def to_json(self) -> Json:
        data: Json = {
            "state": self.state.value,
            "words": self.words,
            **{part: self.reaches(part) for part in PARTS},
            "findings": list(self.kinds),
            "places": [dataclasses.asdict(one) for one in self.findings],
            "figures": self.figures.to_json() if self.figures else {},
        }
        if self.failed_on is not None:
            data["failed_on"] = dict(self.failed_on)
        if self.profile is not None:
            data["profile"] = self.profile.to_json()
        if self.seed is not None:
            data["seed"] = self.seed
        return data
