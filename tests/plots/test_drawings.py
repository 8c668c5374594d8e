#!/usr/bin/env python3
"""The parts of the lessons' drawings, on traces made by hand, and that a drawing which is not of today is seen."""

import unittest

import made_up  # noqa: F401  (the way to plots/)
import parts
import traces
from svg import Canvas


def access(what, lanes, words, warp=0):
    return {"block": 0, "warp": warp, "what": what, "space": "shared",
        "lanes": lanes, "at": [4 * w for w in words], "line": 1}


BARRIER = {"block": 0, "warp": 0, "what": "barrier", "lanes": [], "line": 2}


def launch(events):
    return traces.Launch({"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "events": events})


class Drawings(unittest.TestCase):
    def test_a_step_of_a_tree_is_two_loads_and_a_store(self):
        made = launch([access("store", [0, 1, 2, 3], [0, 1, 2, 3]), BARRIER,
                       access(
    "load", [
        0, 1], [
            2, 3]), access(
                "load", [
                    0, 1], [
                        0, 1]), access(
                            "store", [
                                0, 1], [
                                    0, 1]), BARRIER,
                       access("load", [0], [0]), access("load", [0], [1]), access("store", [0], [0]), BARRIER])
        self.assertEqual(parts.tree_steps(made), [[(0, 0, 2), (1, 1, 3)], [(0, 0, 1)]])

    def test_lanes_on_one_bank_stand_on_each_other(self):
        canvas = Canvas("", 880)
        parts.banks(canvas, 0, [("stride", [(0, 0), (1, 32), (2, 64)])], "")
        self.assertIn("3-way", canvas.text_of())
        canvas = Canvas("", 880)
        parts.banks(canvas, 0, [("stride", [(0, 0), (1, 1), (2, 2)])], "")
        self.assertIn("no conflict", canvas.text_of())

    def test_the_same_word_is_no_conflict(self):
        canvas = Canvas("", 880)
        parts.banks(canvas, 0, [("stride", [(0, 5), (1, 5)])], "")
        self.assertIn("no conflict", canvas.text_of())

    def test_warps_and_lanes_at_work_are_counted(self):
        canvas = Canvas("", 880)
        parts.lanes(canvas, 0, [[0, 2, 33]], 2, ["stride 1"], "")
        self.assertIn("2 of 2 warps, 3 lanes", canvas.text_of())

    def test_a_kernel_that_is_not_in_the_trace_is_named(self):
        with self.assertRaises(traces.Failure) as caught:
            traces.first([launch([])], "other")
        self.assertIn("no launch of a kernel 'other'", str(caught.exception))

    def test_words_are_escaped_and_colours_follow_the_theme(self):
        canvas = Canvas("a < b", 100)
        canvas.text(0, 0, "x & y")
        text = canvas.text_of()
        self.assertIn("a &lt; b", text)
        self.assertIn("x &amp; y", text)
        self.assertIn("prefers-color-scheme: dark", text)


if __name__ == "__main__":
    unittest.main()
