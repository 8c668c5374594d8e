"""What the browser may do with each page, as a Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import re

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

# Comments and scripts that are data stand here, too, so that what looks like a script inside of them is none.
INLINE = re.compile(r"<!--.*?-->|<(script|style)(\s[^>]*)?>(.*?)</\1>", re.DOTALL)


def _sources(page: str, tag: str) -> str:
    """The hashes of the inline scripts or sheets of a page. Data is none of them: it changes each time."""
    texts = [text for name, said, text in INLINE.findall(page) if name == tag and "application/json" not in said]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"


def of_player(page: bytes) -> str:
    """The page of `--play` runs the scripts that were in it when it was made, and asks nobody for anything. Only the
    live page may show it in a frame."""
    text = page.decode("utf-8", "replace")
    return (
        f"default-src 'none'; script-src {_sources(text, 'script')}; style-src {_sources(text, 'style')}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
