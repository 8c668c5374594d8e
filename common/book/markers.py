"""The grammar of the markers with which a Markdown page declares that a part of it is generated.

A block is between two markers, each alone on its line:

    <!-- KIND[:DETAIL] begin [ARGUMENTS] -->
    (the generator's output)
    <!-- KIND[:DETAIL] end -->

A figure is inside a sentence, between two short markers:

    It takes <!--=ARGUMENTS-->4.8<!--/--> microseconds.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import re

_BLOCK = re.compile(
    r"^<!-- (?P<kind>\w+)(?::(?P<detail>[\w-]+))? begin ?(?P<arguments>[^\n]*?) ?-->\n"
    r"(?P<body>.*?)"
    r"^<!-- (?P=kind)(?(detail):(?P=detail)) end -->$",
    re.MULTILINE | re.DOTALL,
)
_BEGIN = re.compile(r"^<!-- \w+(?::[\w-]+)? begin\b", re.MULTILINE)
_FIGURE = re.compile(r"<!--=(?P<arguments>[^>]*?)-->(?P<body>[^<]*)<!--/-->")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class BadMarkers(Exception):
    """Raised for a marker without its counterpart. The message names the place."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A generated part of a page: a block, or a figure in a sentence. The kind of a figure is ""."""

    kind: str
    detail: str
    arguments: str
    body: str


Maker = collections.abc.Callable[[Part], str]


def _part(match: re.Match[str]) -> Part:
    found = match.groupdict()
    return Part(found.get("kind") or "", found.get("detail") or "", found["arguments"], found["body"])


def _replaced(match: re.Match[str], make: Maker) -> str:
    begin, end = match.start("body") - match.start(), match.end("body") - match.start()
    return match[0][:begin] + make(_part(match)) + match[0][end:]


def check(text: str, name: object) -> None:
    """Raises BadMarkers if a marker has no counterpart."""
    if len(_BLOCK.findall(text)) != len(_BEGIN.findall(text)):
        raise BadMarkers(f"{name}: a begin marker without its end")
    if len(_FIGURE.findall(text)) != text.count("<!--="):
        raise BadMarkers(f"{name}: a figure without its end, <!--/-->")


def parts(text: str) -> list[Part]:
    """Returns all generated parts, blocks first."""
    return [_part(match) for pattern in (_BLOCK, _FIGURE) for match in pattern.finditer(text)]


def renewed(text: str, make: Maker) -> str:
    """Returns the text in which the body of each part is replaced by what `make` returns for the part."""
    for pattern in (_BLOCK, _FIGURE):
        text = pattern.sub(lambda match: _replaced(match, make), text)
    return text


def without_blocks(text: str) -> str:
    """Returns the text without its generated blocks: only the text that was written by hand, and figures."""
    return re.sub(_BLOCK.pattern + "\n", "", text, flags=_BLOCK.flags)


def without_markers(text: str) -> str:
    """Returns the text as a reader sees it: with the generated parts, but without HTML comments."""
    return _COMMENT.sub("", text)
