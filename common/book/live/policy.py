"""What the browser may do with each page, as a Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import html.parser

# The live page: its own script and sheet, by their addresses; nothing inline, and nothing from elsewhere.
OF_LIVE_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A lesson is text and pictures. Its colours stand in the page.
OF_LESSON = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
OF_TEXT = "default-src 'none'; frame-ancestors 'none'"


class _Inline(html.parser.HTMLParser):
    """Collects the texts of a page's inline scripts and sheets."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: dict[str, list[str]] = {"script": [], "style": []}
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Data is no script: no policy holds for it, and it changes each time.
        if tag in self.found and dict(attrs).get("type") != "application/json":
            self._inside = tag
            self.found[tag].append("")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[self._inside][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None


def _sources(texts: list[str]) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"


def of_player(page: bytes) -> str:
    """The page of `--play` runs the scripts that were in it when it was made, and asks nobody for anything. Only the
    live page may show it in a frame."""
    inline = _Inline()
    inline.feed(page.decode("utf-8", "replace"))
    inline.close()
    return (
        f"default-src 'none'; script-src {_sources(inline.found['script'])}; "
        f"style-src {_sources(inline.found['style'])}; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'"
    )
