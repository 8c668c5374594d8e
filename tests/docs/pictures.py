#!/usr/bin/env python3
"""Takes pictures of the site's lessons and guides for visual inspection: on a screen and on a phone, light and dark.

    PYTHONPATH=common:. python3 tests/docs/pictures.py build/docs/html build/pictures [chapter3 …]

Each picture shows a page from top to bottom, as a reader sees it first: folded parts stay folded.
"""

from __future__ import annotations

import pathlib
import sys

from book import site
from tests.student.player.browser import Browser

LOOKS = [(width, dark) for width in (1280, 390) for dark in (False, True)]
TALLEST_PX = 16_000  # the largest height that the browser draws in one piece
# The site's text scrolls in its own area, so the window has to be as tall as the text.
HEIGHT = """(() => {
  const area = document.getElementById("doc-content") || document.scrollingElement;
  return area.scrollHeight + innerHeight - area.clientHeight;
})()"""


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    html, out, wanted = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]
    labels = wanted or ["index", *(one for one in site.collect().values() if not one.startswith("decision_"))]
    out.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for label in labels:
            browser.open(html / f"{label}.html")
            for width, dark in LOOKS:
                height, wanted_px = 0, 900
                while height != wanted_px:  # the page's height changes once or twice after the window is resized
                    height = wanted_px
                    browser.look(width, height, dark)
                    browser.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                    wanted_px = max(height, min(TALLEST_PX, int(browser.value(HEIGHT))))
                browser.picture(out / f"{label}_{width}_{'dark' if dark else 'light'}.png")
    print(f"{len(labels) * len(LOOKS)} pictures in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
