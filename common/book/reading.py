"""How long a page takes to read, by the rule of the student's guide: 200 words per minute, code and outputs included,
and half a minute for each command and each change. Folded text does not count."""

from __future__ import annotations

import re

from book import markers

WORDS_PER_MINUTE, ACTS_PER_MINUTE = 200, 2
FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)
# Each bold word asks for a change and a command, and each line of a numbered list for two actions. The reader also
# types the command of each output.
ASKED = re.compile(r"\*\*(?:Change|Make a mistake|Try it)\b|^\d+\. ", re.MULTILINE)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)
SHOWN = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")


def in_sight(text: str) -> str:
    """Returns the part of a page that a reader sees without opening a fold."""
    return markers.without_markers(FOLD.sub(r"\1", text))


def minutes(text: str) -> float:
    """Returns how many minutes it takes to read a part of a page and to do what it asks for."""
    seen = in_sight(text)
    words = sum(1 for word in SHOWN.sub(r"\1", seen).split() if re.search(r"\w", word))
    acts = 2 * len(ASKED.findall(seen)) + len(COMMAND.findall(seen))
    return words / WORDS_PER_MINUTE + acts / ACTS_PER_MINUTE
