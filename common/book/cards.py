"""The chapters as cards for the site: idea, gain and minutes. They are read from the table on docs/pages/lessons.md, so
that the table on a code host shows the same facts."""

from __future__ import annotations

import dataclasses
import html
import re

from book import manifest, markers, reading

PAGE = manifest.ROOT / "docs" / "pages" / "lessons.md"
# A heading, the line below it, and one row per chapter.
TABLE = re.compile(r"^\| \| the idea \|[^\n]*\n\|[-:| ]+\n(?:^\|[^\n]*\n)+", re.MULTILINE)
ROW = re.compile(r"^\| \[(\d+)\]\([^)]*\) \| (.*?) \| (.*?) \|$", re.MULTILINE)
MAX_WORDS = 6  # in an idea, because a card is small


class BadTable(Exception):
    """Raised if the table lacks a chapter, or if an idea is too long. The message names the chapter."""


@dataclasses.dataclass(frozen=True)
class Card:
    number: int
    title: str
    idea: str
    gain: str
    minutes: int


def cards(text: str | None = None) -> list[Card]:
    """Returns the chapters' cards, in order. If `text` is given, it is used instead of the page. Raises BadTable."""
    page = markers.without_markers(PAGE.read_text(encoding="utf-8") if text is None else text)
    table = TABLE.search(page)
    rows = {int(number): (idea, gain) for number, idea, gain in ROW.findall(table[0] if table else "")}
    chapters = manifest.load()
    if missing := [number for number in chapters if number not in rows]:
        raise BadTable(f"{PAGE.name}: the table of the lessons has no row for chapter {missing[0]}")
    made = []
    for number, chapter in chapters.items():
        idea, gain = rows[number]
        if len(idea.split()) > MAX_WORDS:
            raise BadTable(f"{PAGE.name}, chapter {number}: {MAX_WORDS} words are the most for an idea")
        lesson = chapter.lesson_path().read_text(encoding="utf-8")
        made.append(Card(number, chapter.title, idea, gain, max(1, round(reading.minutes(lesson)))))
    return made


def list_of(chosen: list[Card]) -> str:
    """Returns the cards as HTML. Each card is one link."""
    rows = "".join(
        f'<li><a href="chapter{card.number}.html"><span class="number">{card.number}</span>'
        f'<strong>{html.escape(card.idea)}</strong><span class="title">{html.escape(card.title)}</span>'
        f'<span class="gain">{html.escape(card.gain)}</span><span class="minutes">{card.minutes} min</span></a></li>'
        for card in chosen
    )
    return f'<ol class="cards">{rows}</ol>'


def without_table(text: str) -> str:
    """Returns the page of the lessons with a placeholder for the cards instead of its table."""
    return TABLE.sub(lambda _: "<!-- lessons -->\n", markers.without_markers(text), count=1)
