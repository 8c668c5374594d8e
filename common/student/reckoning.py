"""How a count is derived: its terms, and the wrong numbers that result from overlooking one of them."""

from __future__ import annotations

import dataclasses
import math
import re

from book.screen import wrapped


def shown(value: float) -> str:
    """Returns a number in the form in which a person would write it."""
    return f"{value:.0f}" if math.isclose(value, round(value), abs_tol=1e-9) else f"{value:.4g}"


def plural(n: float, what: str) -> str:
    """Returns a number with its noun: `1 step`, `2 steps`. Only the first word gets the plural: `2 steps of the
    tree`."""
    first, _, rest = what.partition(" ")
    ending = "" if n == 1 else "es" if first.endswith(("ss", "sh", "ch")) else "s"
    return f"{shown(n)} {first}{ending}{' ' + rest if rest else ''}"


@dataclasses.dataclass(frozen=True)
class Factor:
    """A number and what it counts. If `divides`, the preceding product is divided by it."""

    value: float
    words: str
    divides: bool = False

    def __str__(self) -> str:
        return f"{shown(self.value)} {self.words}".rstrip()


@dataclasses.dataclass(frozen=True)
class Term:
    """A summand: a product of factors."""

    factors: tuple[Factor, ...]

    @property
    def value(self) -> float:
        product = 1.0
        for factor in self.factors:
            product = product / factor.value if factor.divides else product * factor.value
        return product

    def __str__(self) -> str:
        text = str(self.factors[0])
        for factor in self.factors[1:]:
            text += f" {'/' if factor.divides else 'x'} {factor}"
        return text


@dataclasses.dataclass(frozen=True)
class Derivation:
    """A sum of terms, rounded to a whole number if `rounding` is "up" or "down"."""

    terms: tuple[Term, ...]
    rounding: str = ""

    @property
    def value(self) -> float:
        total = sum(term.value for term in self.terms)
        # If a sum differs from a whole number only by rounding errors, it is made whole.
        if math.isclose(total, round(total), rel_tol=1e-12):
            total = round(total)
        return math.ceil(total) if self.rounding == "up" else math.floor(total) if self.rounding == "down" else total

    def lines(self, indent: str = "   ") -> str:
        """Returns a line for each term, and one for the total."""
        rounded = f", rounded {self.rounding}" if self.rounding else ""
        if len(self.terms) == 1:
            return wrapped(f"{indent}{self.terms[0]}\n{indent}= {shown(self.value)}{rounded}", 4)
        width = max(len(shown(value)) for value in [self.value, *(term.value for term in self.terms)])
        written = []
        for k, term in enumerate(self.terms):
            what = f"({term})" if len(term.factors) > 1 else term.factors[0].words
            written.append(f"{indent}{'+' if k else ' '} {shown(term.value):>{width}}  {what}")
        written.append(f"{indent}= {shown(self.value):>{width}}{rounded}")
        return wrapped("\n".join(written), width + 4)


def one(value: float, words: str) -> Term:
    return Term((Factor(value, words),))


def product(*factors: tuple[float, str]) -> Term:
    """Returns a product of pairs of a number and what it counts; a negative number divides by its absolute value."""
    return Term(tuple(Factor(abs(value), words, value < 0) for value, words in factors))


def total(*terms: Term, rounding: str = "") -> Derivation:
    return Derivation(terms, rounding)


@dataclasses.dataclass(frozen=True)
class Slip:
    """A number that results from overlooking something, with an explanation. The text does not reveal the right
    number."""

    value: float
    words: str


@dataclasses.dataclass(frozen=True)
class Question:
    """A question whose answer is a number that the program has counted."""

    idea: str  # one of IDEAS
    words: str
    value: float
    derivation: Derivation
    slips: tuple[Slip, ...]
    nudge: str  # where to look again if no slip explains the wrong answer
    about: str  # a pattern for the words by which a lesson refers to this number
    tolerance: float = 0.005

    def is_right(self, given: float) -> bool:
        return math.isclose(given, self.value, rel_tol=self.tolerance, abs_tol=1e-9)

    def slip_of(self, given: float) -> Slip | None:
        """Returns the mistake that leads to the number, or None if no known one does."""
        if self.is_right(given):
            return None
        near = min(self.tolerance, 0.02)
        return next((slip for slip in self.slips if math.isclose(given, slip.value, rel_tol=near)), None)

    def doubt(self, given: float, more: bool = True) -> str:
        """Returns the reply to a wrong number, which doesn't reveal the right one. If `more`, it includes a hint where
        to look again."""
        slip = self.slip_of(given)
        if slip:
            return f"You counted {shown(given)}: {slip.words}."
        return f"{shown(given)} is not it.{' ' + self.nudge if more else ''}"


IDEAS = (
    "blocks and launches",
    "barriers",
    "bank conflicts",
    "coalescing",
    "instruction counts",
    "registers and occupancy",
    "several GPUs",
    "what limits the time",
)


def slips(*found: tuple[float, str]) -> tuple[Slip, ...]:
    return tuple(Slip(value, words) for value, words in found)


def number_in(answer: str) -> float | None:
    """Returns the number in an answer such as 45, 1,024, 1_024, 2^14, 3.5 or 0.5e3; None if it isn't a number."""
    text = re.sub(r"[,_ ](?=\d{3}\b)", "", answer.strip())
    power = re.fullmatch(r"(?:(\d+)\s*[x*]\s*)?2\s*(?:\^|\*\*)\s*(\d{1,2})", text)
    if power:
        return float(int(power[1] or 1) * 2 ** int(power[2]))
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", text, re.I):
        return None
    return float(text)
