#!/usr/bin/env python3
"""Tests that book.markers finds each generated part, and reports each marker that lacks its counterpart."""

import unittest

from book import markers

PAGE = """before
<!-- output:chapter1 begin --count 4 -->
old
<!-- output:chapter1 end -->
between <!--=ladder.json us 2^4 sum-->4.8<!--/--> us
<!-- diff begin 3 -->
<!-- diff end -->
<!-- a remark -->
"""


class Markers(unittest.TestCase):
    def test_parts_have_kind_detail_arguments_and_body(self):
        self.assertEqual(
            markers.parts(PAGE),
            [
                markers.Part("output", "chapter1", "--count 4", "old\n"),
                markers.Part("diff", "", "3", ""),
                markers.Part("", "", "ladder.json us 2^4 sum", "4.8"),
            ],
        )

    def test_only_bodies_are_renewed(self):
        text = markers.renewed(PAGE, lambda part: "new\n" if part.kind == "output" else part.body)
        self.assertEqual(text, PAGE.replace("old", "new"))

    def test_a_marker_without_its_other_half_is_named(self):
        for page, words in (
            (PAGE.replace("chapter1 end", "chapter2 end"), "a begin marker without its end"),
            (PAGE.replace("<!-- diff end -->\n", ""), "a begin marker without its end"),
            (PAGE.replace("<!--/-->", ""), "a figure without its end"),
        ):
            with self.assertRaisesRegex(markers.BadMarkers, f"page.md: {words}"):
                markers.check(page, "page.md")
        markers.check(PAGE, "page.md")

    def test_what_a_person_wrote_is_what_stands_outside_of_the_blocks(self):
        written = "before\nbetween <!--=ladder.json us 2^4 sum-->4.8<!--/--> us\n<!-- a remark -->\n"
        self.assertEqual(markers.without_blocks(PAGE), written)
        self.assertEqual(markers.without_markers(written), "before\nbetween 4.8 us\n\n")


if __name__ == "__main__":
    unittest.main()
