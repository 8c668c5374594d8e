"""What each page may do in the browser, as a Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import re

# The live page may load its own script and style sheet, but must not use inline ones or load anything from other hosts.
OF_LIVE_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A lesson consists of text and pictures, and its style sheet is inline.
OF_LESSON = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
OF_TEXT = "default-src 'none'; frame-ancestors 'none'"

# Comments and data scripts are matched, too, so that text in them that looks like a script is skipped.
INLINE = re.compile(r"<!--.*?-->|<(script|style)(\s[^>]*)?>(.*?)</\1>", re.DOTALL)


def _sources(page: str, tag: str) -> str:
    """Returns the hashes of a page's inline scripts or style sheets. Data scripts are left out, because their contents
    differ from page to page."""
    texts = [text for name, said, text in INLINE.findall(page) if name == tag and "application/json" not in said]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"


def of_player(page: bytes) -> str:
    """Returns the policy of a page of `--play`. The page may run only the scripts that it contains now, and may not
    send requests. Only the live page may show it in a frame."""
    text = page.decode("utf-8", "replace")
    return (
        f"default-src 'none'; script-src {_sources(text, 'script')}; style-src {_sources(text, 'style')}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
