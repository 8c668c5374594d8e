#!/usr/bin/env python3
"""Tests the animation on the front page in a browser: it moves as a picture, but not if the reader prefers reduced
motion."""

from __future__ import annotations

import pathlib
import re
import tempfile
import time
import unittest

from book import manifest
from tests.student.player.browser import Browser

PICTURE = manifest.ROOT / "docs/pages/kernels-in-motion.svg"
MAX_BYTES = 300_000
WAIT_S = 20


class Motion(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.page = pathlib.Path(place.name) / "page.html"
        # Shown in the way that code hosts show it: as a picture, in which no script may run.
        self.page.write_text(f'<body style="margin: 0"><img src="{PICTURE.as_uri()}" width="800">', encoding="utf-8")

    def test_it_is_small_and_runs_no_script(self) -> None:
        text = PICTURE.read_text(encoding="utf-8")
        self.assertLess(len(text.encode()), MAX_BYTES)
        self.assertNotIn("<script", text)
        self.assertNotIn("href", text)

    def test_it_moves(self) -> None:
        with Browser() as shown:
            shown.ask("Emulation.setDeviceMetricsOverride", width=800, height=420, deviceScaleFactor=1, mobile=False)
            shown.open(self.page)
            seen, until = {shown.seen()}, time.monotonic() + WAIT_S
            while len(seen) < 4:
                self.assertLess(time.monotonic(), until, "it does not move")
                time.sleep(0.2)
                seen.add(shown.seen())

    def test_it_stands_still_where_no_motion_is_wanted_and_shows_one_moment_of_each_block(self) -> None:
        with Browser("--force-prefers-reduced-motion") as shown:
            shown.ask("Emulation.setDeviceMetricsOverride", width=800, height=420, deviceScaleFactor=1, mobile=False)
            shown.open(self.page)
            seen = set()
            for _ in range(6):
                seen.add(shown.seen())
                time.sleep(0.4)
            self.assertEqual(len(seen), 1)
            shown.open(PICTURE)
            texts = "[...document.querySelectorAll('.f')].filter((g) => getComputedStyle(g).visibility === 'visible')"
            said = shown.value(f"{texts}.map((g) => g.querySelector('text')?.textContent).filter((text) => text)")
            self.assertEqual(len(said), 2, said)
            for words in said:
                self.assertTrue(re.search(r"^warp \d (adds|reads words to add)", words), said)


if __name__ == "__main__":
    unittest.main()
