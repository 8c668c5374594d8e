"""What the parts of a chapter are worth, and the points of a result."""

from __future__ import annotations

from course.grade.result import PARTS, Result

WORTH = "right=4,clean=3,goal=2,accuracy=1"  # the default


def parse(text: str) -> dict[str, int]:
    """Parses "right=4,clean=3". A part that is not named gets 0. Raises ValueError with a message for the user."""
    weights = dict.fromkeys(PARTS, 0)
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip() not in PARTS or not value.strip().isdigit():
            raise ValueError(f"--points {text}: write {WORTH}, in whole numbers")
        weights[name.strip()] = int(value)
    if sum(weights.values()) == 0:
        raise ValueError(f"--points {text}: at least one part must be worth something")
    return weights


def score(result: Result, weights: dict[str, int]) -> int:
    """Returns the points of a result."""
    return sum(weights[part] for part in PARTS if result.reaches(part))
