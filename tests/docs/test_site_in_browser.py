#!/usr/bin/env python3
"""Tests the site's lessons and guides in a browser, on a screen and on a phone, light and dark: nothing is wider than
the page, all text is readable, code can be copied, nothing is loaded from other hosts, and the console shows no
error."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import typing
import unittest

from book import site
from tests.student.player.browser import Browser

HTML = pathlib.Path(sys.argv.pop(1))
# The layout does not depend on the colours, and the colours do not depend on the width. So each page is tested in both
# widths and both themes, but only in two of the four combinations, which alternate from page to page.
LOOKS = (((1280, False), (390, True)), ((1280, True), (390, False)))

# Finds things outside the page, and text that is hard to read. Text of more than 18 points, or of more than 14 points
# in bold, may have a contrast of only 3.
PROBE = r"""
(() => {
  const area = document.getElementById("doc-content") || document.scrollingElement;
  const found = new Set();
  const name = (e) => [e.tagName.toLowerCase() + (e.id ? "#" + e.id : ""), ...e.classList].join(".");
  const path = (e) => (e.parentElement ? name(e.parentElement) + " > " : "") + name(e);
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
  const right = area.getBoundingClientRect().left + area.clientWidth;
  if (document.scrollingElement.scrollWidth > innerWidth) found.add("the page scrolls sideways");
  for (const e of area.querySelectorAll("*")) {
    if (e.getBoundingClientRect().right <= right + 1 || e.closest("svg, .ui-resizable-handle")) continue;
    let above = e.parentElement;
    while (above && above !== area && !scrolls(above)) above = above.parentElement;
    if (above === area || !above) found.add(`wider than the page: ${path(e)}`);
  }
  const over = (top, below) => {
    const alpha = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map((k) => alpha * top[k] + (1 - alpha) * below[k]);
  };
  const grounds = new Map();  // what stands behind the text of an element
  const behind = (e) => {
    if (!e) return [255, 255, 255];
    if (!grounds.has(e)) {
      const own = parts(getComputedStyle(e).backgroundColor);
      grounds.set(e, own.length === 3 ? own : over(own, behind(e.parentElement)));
    }
    return grounds.get(e);
  };
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let looked = 0;
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || e.closest("script, style, svg, noscript")) continue;
    if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true}) || !e.getClientRects().length) continue;
    ++looked;
    const style = getComputedStyle(e), ground = behind(e);
    const [one, other] = [luminance(over(parts(style.color), ground)), luminance(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < (large ? 3 : 4.5)) found.add(`contrast ${contrast.toFixed(1)}: ${path(e)}`);
  }
  return {found: [...found], looked};
})()
"""


class Site(unittest.TestCase):
    shown: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.shown = Browser()
        cls.addClassCleanup(cls.shown.close)
        # The page must not use this machine's clipboard. The test replaces it, and stores what is written to it.
        cls.shown.ask("Page.addScriptToEvaluateOnNewDocument", source=(
            "Object.defineProperty(navigator, 'clipboard',"
            " {value: {writeText: async (words) => { window.copied = words; }}})"
        ))  # fmt: skip

    def look_at(self, page: pathlib.Path, looks: typing.Iterable[tuple[int, bool]]) -> list[str]:
        """Returns what is wrong with a page."""
        wrong = []
        self.shown.open(page)
        # Folded parts belong to the page, too, so they are opened.
        self.shown.value("document.querySelectorAll('details:not(.player)').forEach((fold) => { fold.open = true; })")
        for width, dark in looks:
            self.shown.look(width, 900, dark)
            self.shown.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            seen = self.shown.value(PROBE)
            self.assertGreater(seen["looked"], 5, page)
            wrong += [f"{page.name} at {width}, {'dark' if dark else 'light'}: {one}" for one in seen["found"]]
        return wrong

    def test_every_page_fits_and_can_be_read(self) -> None:
        pages = [f"{label}.html" for label in site.collect().values() if not label.startswith("decision_")]
        pages += [path.name for path in sorted(HTML.glob("group_[a-z]*.html"))]
        self.assertGreater(len(pages), 46)
        shown = [HTML / page for page in ["index.html", *pages]]
        wrong = [one for k, page in enumerate(shown) for one in self.look_at(page, LOOKS[k % 2])]
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertEqual(self.shown.complaints, [])
        self.assertEqual([url for url in self.shown.requests if not url.startswith(("file:", "about:", "data:"))], [])

    def test_every_player_and_the_machine_of_blocks_fit_and_can_be_read(self) -> None:
        pages = [*sorted(HTML.glob("play[0-9]*.html")), HTML / "machine_of_blocks.html"]
        self.assertGreater(len(pages), 10)
        wrong = [one for k, page in enumerate(pages) for one in self.look_at(page, LOOKS[k % 2])]
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertEqual(self.shown.complaints, [])

    def test_the_machine_of_blocks_is_as_tall_as_its_page(self) -> None:
        for width in (1280, 390):
            self.shown.look(width, 900)
            self.shown.open(HTML / "blocks.html")
            # The frame's page is loaded when the frame gets near the window.
            self.shown.value("document.querySelector('iframe.player').scrollIntoView()")
            self.shown.wait_for("parseFloat(document.querySelector('iframe.player').style.height) > 1000")
            frame = self.shown.value("parseFloat(document.querySelector('iframe.player').style.height)")
            inner = self.shown.value("document.querySelector('iframe.player').clientWidth")
            self.shown.look(inner, 900)
            self.shown.open(HTML / "machine_of_blocks.html")
            self.assertLessEqual(self.shown.value("document.documentElement.getBoundingClientRect().height"), frame)

    def test_a_player_in_a_frame_of_another_size_has_the_line_of_its_step_in_the_middle_next_to_the_lanes(self) -> None:
        # The same for a frame that was folded. When it is opened, its size differs from the size for which its page was
        # laid out.
        self.shown.look(1280, 3000)
        self.shown.open(HTML / "play2.html")
        for width, height in ((1280, 580), (860, 860)):
            self.shown.look(width, height)
            self.shown.value("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 200))")
            places = "['#source .here', '#source', '#lanes'].map((one) => document.querySelector(one))"
            boxes = f"{places}.map((one) => one.getBoundingClientRect())"
            line, source, lanes = self.shown.value(f"{boxes}.map(({{top, bottom, left}}) => [top, bottom, left])")
            self.assertLess(abs(line[0] + line[1] - source[0] - source[1]) / 2, 20)
            self.assertGreater(lanes[2], source[2] + 200)

    def test_a_lesson_begins_near_the_top_of_the_window(self) -> None:
        # The title once took half of a phone's screen, and on a large screen there was an empty band above it.
        for width, height, most in ((1280, 900, 235), (390, 844, 340)):
            self.shown.look(width, height)
            self.shown.open(HTML / "chapter2.html")
            first = self.shown.value("document.querySelector('.contents h2').getBoundingClientRect().top")
            self.assertLess(first, most, width)

    def test_on_paper_the_front_page_is_whole_and_without_a_menu(self) -> None:
        self.shown.look(1280, 900)
        self.shown.open(HTML / "index.html")
        self.shown.ask("Emulation.setEmulatedMedia", media="print")
        try:
            shown = "['side-nav', 'top'].map((one) => getComputedStyle(document.getElementById(one)).display)"
            self.assertEqual(self.shown.value(shown), ["none", "none"])
            area = "document.getElementById('doc-content')"
            self.assertTrue(self.shown.value(f"{area}.scrollHeight <= {area}.clientHeight + 1"))
        finally:
            self.shown.ask("Emulation.setEmulatedMedia", media="")

    def test_what_is_too_wide_or_too_pale_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(
                "<style>body { margin: 0 } .wide { width: 600px } .box { overflow-x: auto }"
                ".cut { overflow-x: hidden }</style>"
                "<p class=pale "
                'style="color: #888">pale</p><h1 style="color: #888">large enough</h1><div class=wide>wide</div>'
                "<div class=box><div class=wide>scrolls</div></div><div class=cut><div class=wide>cut off</div></div>"
                + "<p>word</p>"
                * 20,
                encoding="utf-8",
            )
            wide = [one.partition("wider than the page: ")[2] for one in self.look_at(page, [(390, False)])]
            self.assertEqual([one for one in wide if one], ["body > div.wide", "div.cut > div.wide"])
            self.assertEqual(
                self.look_at(page, [(1280, False)]), ["page.html at 1280, light: contrast 3.5: body > p.pale"]
            )

    def test_code_is_copied_as_one_would_type_it(self) -> None:
        self.shown.look(1280, 900)
        self.shown.open(HTML / "first-kernel.html")
        self.shown.value("document.querySelector('.highlight .copy').click()")
        copied = self.shown.value("window.copied")
        source = (site.ROOT / "docs/examples/vector_add/vector_add.cu").read_text(encoding="utf-8")
        self.assertEqual(copied, source)
        # From a console session, only the commands are copied; from a diff, only the new text.
        for shown, wanted in (("$ make a\nout\n$ make b\n", "make a\nmake b\n"), ("a\nb\n\n", "a\nb\n")):
            code = f"Object.assign(document.createElement('pre'), {{textContent: {json.dumps(shown)}}})"
            self.assertEqual(self.shown.value(f"textToCopy({code})"), wanted)
        marked = (
            '<span class="line same"><span class="mark"> </span>a;\n</span>'
            '<span class="line removed"><span class="mark">-</span>b;\n</span>'
            '<span class="line added"><span class="mark">+</span>  c;\n</span>'
        )
        code = f"Object.assign(document.createElement('pre'), {{innerHTML: {json.dumps(marked)}}})"
        self.assertEqual(self.shown.value(f"textToCopy({code})"), "a;\n  c;\n")


if __name__ == "__main__":
    if not (HTML / "index.html").exists():
        print(f"There is no site in {HTML}: the test that makes it was skipped.", file=sys.stderr)
        sys.exit(77)
    unittest.main()
