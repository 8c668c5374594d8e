#!/usr/bin/env python3
"""Tests the parts of the lessons' drawings with hand-made traces, and tests that outdated drawings are found."""

import itertools
import pathlib
import re
import unittest

import made_up
from plots.drawings import fusion, gpu, motion, parts, shuffle_trees, traces
from plots.drawings.svg import Canvas


def access(what, lanes, words, warp=0):
    return {
        "block": 0,
        "warp": warp,
        "what": what,
        "space": "shared",
        "lanes": lanes,
        "at": [4 * w for w in words],
        "line": 1,
    }


BARRIER = {"block": 0, "warp": 0, "what": "barrier", "lanes": [], "line": 2}


def launch(events):
    return traces.Launch({"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "events": events})


def wide(what, addresses, size=8):
    return {
        "block": 0,
        "warp": 0,
        "what": what,
        "space": "global",
        "bytes": size,
        "lanes": list(range(len(addresses))),
        "at": addresses,
        "line": 1,
    }


# A tree for four lanes, as superopt prints it.
TREE = """sum4: 4 instructions, 54 cycles by the table turing.
  issue  ready
      0     23   SHFL.DOWN r4, r3, 2
     23     27   IADD r4, r3, r4
     27     50   SHFL.DOWN r5, r4, 1
     50     54   IADD r4, r4, r5
"""


class Drawings(unittest.TestCase):
    def test_a_step_of_a_tree_is_two_loads_and_a_store(self):
        made = launch(
            [
                access("store", [0, 1, 2, 3], [0, 1, 2, 3]),
                BARRIER,
                access("load", [0, 1], [2, 3]),
                access("load", [0, 1], [0, 1]),
                access("store", [0, 1], [0, 1]),
                BARRIER,
                access("load", [0], [0]),
                access("load", [0], [1]),
                access("store", [0], [0]),
                BARRIER,
            ]
        )
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

    def test_arrays_are_told_apart_where_they_touch(self):
        # Two contiguous arrays of 4 words are read with 2 words per lane. Then the second one is written, and one word
        # elsewhere.
        first = launch([wide("load", [0, 8, 16, 24])])
        second = launch([wide("store", [16, 24]), wide("store", [400], 4)])
        flow = fusion.moves([first, second], 4)
        self.assertEqual(flow, [([(0, 4), (1, 4)], []), ([], [(1, 4), (2, 1)])])
        self.assertEqual(fusion.words_of(flow), 13)

    def test_a_pipeline_is_named_by_its_view_and_its_end(self):
        self.assertEqual(
            fusion.stage("void write_range<4u, zip_transform_view<array_view<int>, f>, int>(…)"),
            "zip_transform | to_gpu",
        )
        self.assertEqual(
            fusion.stage("void reduce_one_launch<2u, pipeline_input<array_view<int>>>(…)"), "array | reduce"
        )

    def test_a_tree_of_shuffles_says_which_lanes_are_summed_and_what_is_waited_for(self):
        steps = shuffle_trees.program(TREE)
        rows = shuffle_trees.sums(steps)
        self.assertEqual(sorted(rows[-1][1][0]), [0, 1, 2, 3])
        self.assertEqual(shuffle_trees.needed_lanes(steps, rows), [{0, 1, 2, 3}, {0, 1}, {0}])
        self.assertEqual(
            [step.name for step in reversed(shuffle_trees.critical(steps))], ["SHFL.DOWN", "IADD", "SHFL.DOWN", "IADD"]
        )

    def test_a_value_that_is_added_twice_is_seen(self):
        twice = shuffle_trees.program(TREE.replace("SHFL.DOWN r5, r4, 1", "SHFL.DOWN r5, r4, 2"))
        self.assertEqual(sorted(shuffle_trees.sums(twice)[-1][1][0]), [0, 2, 2, 4])

    def test_shuffles_that_the_trace_does_not_have_are_no_drawing(self):
        made = launch([{"block": 0, "warp": 0, "what": "shuffle", "lanes": [0], "at": [16], "line": 1}])
        shuffle_trees_listing, shuffle_trees.listing = shuffle_trees.listing, lambda *_: shuffle_trees.program(TREE)
        try:
            with self.assertRaises(traces.Failure) as caught:
                shuffle_trees.panel(Canvas("", 880), 0, pathlib.Path(), made, "sum4", "")
        finally:
            shuffle_trees.listing = shuffle_trees_listing
        self.assertIn("shuffles over [16], and sum4 does not", str(caught.exception))

    def test_the_drawing_of_a_gpu_follows_its_record(self):
        machine = made_up.machine()
        copies = {"copies": {"bytes": 4000000, "to_us": 1000.0, "to_pinned_us": 100.0}}
        machine["device"].update(multiprocessors=7, clock_mhz=1000.0, warps_per_multiprocessor=48)
        machine["latencies"]["l2"] = {"ns": 77.0, "cycles": 150.0}
        text = gpu.drawing(machine, copies).text_of()
        squares = text.count('width="13" height="13"')
        self.assertEqual(squares, 7)
        self.assertEqual(text.count('fill="var(--green)"'), 48)
        self.assertIn("150 cycles, 77 ns", text)
        # 7 SMs at 1 GHz, each of which loads 128 bytes per cycle.
        self.assertIn("together: 896 GB/s", text)
        self.assertIn("4 GB/s; 40 if pinned", text)
        machine["latencies"]["dram"] = {"ns": 1.0, "cycles": 300.0}
        text = gpu.drawing(machine, copies).text_of()
        bars = [float(width) for width in re.findall(r'width="([\d.]+)" height="7"', text)]
        self.assertAlmostEqual(bars[2] / bars[3], 150 / 300, places=3)

    def test_words_are_escaped_and_colours_follow_the_theme(self):
        canvas = Canvas("a < b", 100)
        canvas.text(0, 0, "x & y")
        text = canvas.text_of()
        self.assertIn("a &lt; b", text)
        self.assertIn("x &amp; y", text)
        self.assertIn("prefers-color-scheme: dark", text)


class Motion(unittest.TestCase):
    """Two warps in a block of 128 threads: each writes its words, and then warp 0 adds the words that warp 1 wrote."""

    def setUp(self):
        def step(what, warp, words=(), mask=0xFFFFFFFF, instructions=1):
            access = {"space": "shared", "at": [4 * word for word in words]} if words else {}
            return {"block": 0, "warp": warp, "what": what, "mask": mask, "instructions": instructions, **access}

        own, other = range(32), range(32, 64)
        self.steps = [
            step("run", 0, instructions=5),
            step("store", 0, own),
            step("arrive", 0),
            step("store", 1, other),
            step("arrive", 1),
            step("barrier", 0, mask=0, instructions=0),
            step("load", 0, own[:4], mask=0xF),
            step("load", 0, other[:4], mask=0xF),
            step("store", 0, own[:4], mask=0xF),
            step("leave", 0),
        ]
        self.block = motion.Block({"steps": self.steps})

    def test_words_hold_the_number_of_elements_that_were_added(self):
        holds = self.block.contents[-1][1]
        self.assertEqual(holds[:5], [2, 2, 2, 2, 1])
        self.assertEqual(holds[32:36] + holds[64:66], [1, 1, 1, 1, 0, 0])
        self.assertEqual(self.block.additions, 1)

    def test_frames_follow_each_other_and_last_as_long_as_their_instructions(self):
        frames = self.block.frames
        self.assertEqual(frames[0].end - frames[0].begin, 5)
        for before, after in itertools.pairwise(frames):
            self.assertEqual(before.end, after.begin)
        self.assertEqual(frames[-1].instructions, sum(step["instructions"] for step in self.steps))

    def test_lanes_wait_until_the_barrier_opens(self):
        says = {frame.says: frame.waits for frame in self.block.frames}
        self.assertEqual(says["warp 1 waits at the barrier"], [0xFFFFFFFF, 0xFFFFFFFF, 0, 0])
        self.assertEqual(says["the barrier opens"], [0, 0, 0, 0])

    def test_neighbours_are_one_line_of_the_path(self):
        self.assertEqual(motion.runs([0, 1, 2, 8], 5, 0).count("M"), 2)


if __name__ == "__main__":
    unittest.main()
