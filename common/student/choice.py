"""Multiple-choice questions. Each option is a cost, which has its own time."""

from __future__ import annotations

import dataclasses

from book.screen import wrapped

NEAR = 0.85  # of the longest time. The model can't distinguish closer times, so either answer is right
MAX_MARKS = 30


@dataclasses.dataclass(frozen=True)
class Option:
    name: str
    words: str  # an explanation for readers who don't know the term


@dataclasses.dataclass(frozen=True)
class Choice:
    """Asks which option takes the most time."""

    idea: str  # one of reckoning.IDEAS
    words: str
    value: str  # the name of the option that takes the most time in the model
    options: tuple[Option, ...]
    alone: dict[str, float]  # microseconds that each option would take alone
    us: float  # the time of all options together

    def with_share(self, name: str) -> str:
        """Returns `latency, 63 % of the time`. For an option that isn't the longest, also names the longest one, which
        takes about as long."""
        share = f"{name}, {100 * self.alone[name] / self.us:.0f} % of the time"
        return share if name == self.value else f"{share}; {self.value} would take about as long"

    def listed(self) -> str:
        """Returns one numbered line per option."""
        lines = [f"   {k}  {option.name}: {option.words}" for k, option in enumerate(self.options, start=1)]
        return "\n".join(wrapped(line, 3) for line in lines)

    def named(self, given: str) -> str | None:
        """Returns the option that an answer identifies by its number, its name, or the beginning of its name; None if
        it identifies no option or several."""
        given = given.strip().lower()
        if given.isdigit():
            return self.options[int(given) - 1].name if 1 <= int(given) <= len(self.options) else None
        found = [option.name for option in self.options if given and option.name.startswith(given)]
        return found[0] if len(found) == 1 else None

    def is_right(self, given: str) -> bool:
        return given == self.value or self.alone[given] >= NEAR * self.alone[self.value]

    def doubt(self, given: str, more: bool = True) -> str:
        """Returns the reply to a wrong answer, which doesn't reveal the right one. If `more`, it includes a hint where
        to look again."""
        nudge = " Think of what there is more of: blocks, instructions, bytes, or waiting?" if more else ""
        return (
            f"Alone, {given} would take {self.alone[given]:.1f} us of {self.us:.1f} us; something else takes "
            f"longer.{nudge}"
        )

    def lines(self, indent: str = "   ") -> str:
        """Returns the options as a bar chart, one line each, with the longest first."""
        longest = max(self.alone.values())
        rows = sorted(self.alone.items(), key=lambda row: -row[1])
        return "\n".join(
            f"{indent}{name:<14} {us:>9.2f} us  {'#' * round(MAX_MARKS * us / longest)}".rstrip() for name, us in rows
        )
