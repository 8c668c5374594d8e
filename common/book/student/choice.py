"""Questions with a few answers to choose from, each of which would take a time of its own."""

from __future__ import annotations

import dataclasses

from book.screen import wrapped

NEAR = 0.85  # of the longest time: the model cannot tell such times apart, and either is right
MOST_MARKS = 30


@dataclasses.dataclass(frozen=True)
class Option:
    name: str
    words: str  # what that is, for who has not met it


@dataclasses.dataclass(frozen=True)
class Choice:
    """A question what takes longest."""

    idea: str  # one of reckoning.IDEAS
    words: str
    value: str  # the name of the option that the model says
    options: tuple[Option, ...]
    alone: dict[str, float]  # microseconds that each option would take by itself
    us: float  # what all take together

    def with_share(self, name: str) -> str:
        """Returns `latency, 63 % of the time`, and what takes about as long where it is not the longest."""
        share = f"{name}, {100 * self.alone[name] / self.us:.0f} % of the time"
        return share if name == self.value else f"{share}; {self.value} would take about as long"

    def listed(self) -> str:
        """Returns a line for each option, with its number."""
        lines = [f"   {k}  {option.name}: {option.words}" for k, option in enumerate(self.options, start=1)]
        return "\n".join(wrapped(line, 3) for line in lines)

    def named(self, given: str) -> str | None:
        """Returns the option that an answer means: its number, its name, or how the name begins; None where it means
        none, or several."""
        given = given.strip().lower()
        if given.isdigit():
            return self.options[int(given) - 1].name if 1 <= int(given) <= len(self.options) else None
        found = [option.name for option in self.options if given and option.name.startswith(given)]
        return found[0] if len(found) == 1 else None

    def is_right(self, given: str) -> bool:
        return given == self.value or self.alone[given] >= NEAR * self.alone[self.value]

    def doubt(self, given: str, more: bool = True) -> str:
        """Returns what to say of a wrong answer, without the right one; `more`: with a hint where to look again."""
        nudge = " Think of what there is more of: blocks, instructions, bytes, or waiting?" if more else ""
        return (
            f"Alone, {given} would take {self.alone[given]:.1f} us of {self.us:.1f} us; something else takes "
            f"longer.{nudge}"
        )

    def lines(self, indent: str = "   ") -> str:
        """Returns a line per option, the longest first, as a bar."""
        longest = max(self.alone.values())
        rows = sorted(self.alone.items(), key=lambda row: -row[1])
        return "\n".join(
            f"{indent}{name:<14} {us:>9.2f} us  {'#' * round(MOST_MARKS * us / longest)}".rstrip() for name, us in rows
        )
