#!/usr/bin/env python3
"""Tests which moment of a recording a picture shows, the state at this moment, and how it is drawn. Needs no build."""

import html
import json
import unittest

import test_formats
from course.grade import moment, pictures
from course.grade.formats import picture

FILE = "chapters/03_sequential_addressing/reduce.cuh"
ALL = 0xFFFFFFFF
LARGEST = 60_000  # bytes of a figure
HOSTILE_LINE = "</svg><script>alert(1)</script> \0 \u202e ]]> &amp; " + "x" * 5000


def step(what, line=1, mask=ALL, **more):
    return {
        "block": 0,
        "warp": 0,
        "what": what,
        "line": line,
        "mask": mask,
        "op": "x",
        "source": 0,
        "instructions": 1,
        **more,
    }


def access(what, space, at, mask=ALL, values=None, size=4, **more):
    values = list(range(len(at))) if values is None else values
    return step(
        what,
        mask=mask,
        space=space,
        at=list(at),
        values=values,
        bytes=size,
        variable=0,
        passes=1,
        conflicts=0,
        sectors=4,
        **more,
    )


def recording(steps, findings=(), threads=64, variables=()):
    tile = {"name": "tile", "space": "shared", "begin": 0, "end": 4096, "element_bytes": 4}
    launch = {
        "kernel": "k",
        "grid": [2, 1, 1],
        "block": [threads, 1, 1],
        "steps": steps,
        "findings": list(findings),
        "variables": list(variables) or [tile],
        "steps_left_out": 0,
    }
    return {"launches": [launch], "sources": [{"file": FILE, "text": []}, {"file": "common/x.cuh", "text": []}]}


def found(at, line, kind="race", **more):
    return {
        "check": "racecheck",
        "kind": kind,
        "line": line,
        "step": at,
        "source": 0,
        "message": "",
        "cure": "",
        **more,
    }


def figure(given, source=(), number=3, **more):
    return picture.of({**given, "problem": pictures.SMALL, **more}, number, list(source))


class Moments(unittest.TestCase):
    def test_each_rule_gives_way_to_the_one_before_it(self):
        half = range(0, 64, 4)
        steps = [
            step("run"),
            access("load", "global", range(32)),
            access("store", "shared", range(0, 128, 4)),
            access("store", "shared", [0], mask=1),
            access("load", "shared", half, mask=0xFFFF),
            step("shuffle", values=[1] * 32, **{"from": [0] * 32}),
            access("load", "shared", range(0, 256, 8)),
        ]
        steps[6]["conflicts"] = 1
        rules = [
            (7, moment.CONFLICTS),
            (6, moment.SHUFFLE),
            (5, moment.PARTIAL),
            (3, moment.SHARED),
            (3, moment.SHARED),
            (2, moment.SECTORS),
            (1, moment.LAST),
        ]
        for left_out, wanted in enumerate(rules):
            shown = moment.of(recording(steps[: len(steps) - left_out]), FILE, [])
            self.assertEqual((shown["step"], shown["rule"]), wanted)
            self.assertIn(wanted[1], html.unescape(figure(shown)))

    def test_lines_of_the_students_own_come_before_those_of_a_header(self):
        steps = [step("shuffle", values=[1] * 32, source=1, **{"from": [0] * 32}) for _ in range(2)]
        steps[1]["source"] = 0
        self.assertEqual(moment.of(recording(steps), FILE, [])["step"], 2)
        self.assertIn("line 1 of common/x.cuh", figure(moment.of(recording(steps[:1]), FILE, [])))

    def test_a_header_s_line_is_named_with_the_line_of_the_student_that_the_same_warp_did_last(self):
        away = step("shuffle", line=29, source=1, values=[1] * 32, **{"from": [0] * 32})
        given = recording([step("run", line=2), step("run", line=3), step("run", line=4, warp=1), away])
        shown = moment.of(given, FILE, [])
        self.assertEqual((shown["line"], shown["own_line"]), (29, 3))
        page = figure(shown, ["one", "two", "three", "four"])
        self.assertIn("line 29 of common/x.cuh, after line 3 of your file", page)
        self.assertNotIn("<pre", page)
        self.assertEqual(moment.of(recording([away]), FILE, [])["own_line"], 0)

    def test_the_first_finding_of_the_sheet_comes_before_one_that_came_earlier(self):
        steps = [step("run", line=line) for line in (4, 5, 6)]
        given = recording(steps, [found(0, 4), found(2, 6, other_thread=33, other_step=1, thread=2, other_line=5)])
        shown = moment.of(given, FILE, [{"line": 6, "kind": "race", "check": "racecheck"}])
        self.assertEqual((shown["step"], shown["line"], shown["rule"]), (3, 6, moment.FINDING))
        self.assertIn("race of thread 2 with thread 33 in step 2, line 5.", figure(shown))
        shown = moment.of(given, FILE, [])
        self.assertEqual((shown["step"], shown["rule"]), (1, moment.OTHER_FINDING))

    def test_the_words_that_meet_in_a_race_are_marked(self):
        steps = [access("store", "shared", range(0, 128, 4))]
        shown = moment.of(recording(steps, [found(0, 1, address=8, bytes=4)]), FILE, [])
        self.assertEqual([cell["at"] for cell in shown["rows"][0]["cells"] if cell["met"]], [8])
        self.assertEqual(figure(shown).count("class='on met'"), 1)

    def test_memory_and_lanes_stand_as_after_the_step(self):
        steps = [
            access("load", "shared", [4], mask=2, values=[77]),
            access("store", "shared", [8, 8], mask=5),
            step("arrive", warp=1),
            step("arrive", mask=ALL),
            step("barrier", mask=0),
            step("leave", mask=1, warp=1),
            access("store", "shared", [4], mask=2, values=[5]),
        ]
        story = moment.Story(recording(steps)["launches"][0])
        warps, cells = story.after(3)
        self.assertEqual(cells, {4: (4, "?"), 8: (4, 1)})
        self.assertEqual([moment.sign_of(warp, 0, True) for warp in warps], ["W", "W"])
        warps, cells = story.after(6)
        self.assertEqual(cells[4], (4, 5))
        self.assertEqual([moment.sign_of(warps[0], lane, True) for lane in (0, 1)], ["·", "A"])
        self.assertEqual([moment.sign_of(warps[1], lane, False) for lane in (0, 1)], ["x", "·"])
        steps.append({**access("store", "shared", [0], mask=1), "block": 1})
        self.assertEqual(list(story.after(7)[1]), [0])

    def test_numbers_fit_their_cells_and_stay_near_what_they_are(self):
        for value in (0, -12345678, 2**63 - 1, -(2**63), 1e300, -1.2345e-300, 0.1, -17.40221405, 1e16, 3.0):
            text = moment.number(value)
            self.assertLessEqual(len(text), 8)
            # If a number has such a long exponent, there is room for only one digit.
            self.assertLessEqual(abs(float(text) - value), abs(value) * (0.2 if "e-300" in text else 0.01), text)
        self.assertEqual([moment.number(one) for one in (None, "?", [1])], ["inf/nan", "?", "?"])

    def test_nothing_recorded_is_said(self):
        self.assertRaisesRegex(
            moment.Nothing, "launched no kernel", moment.of, {"launches": [], "sources": []}, FILE, []
        )
        self.assertRaisesRegex(moment.Nothing, "no step", moment.of, recording([]), FILE, [])


class Figures(unittest.TestCase):
    def read(self, page):
        reader = test_formats.Reader()
        reader.feed(page)
        self.assertEqual(reader.open, [])
        self.assertLessEqual(
            reader.tags, {"figure", "pre", "span", "div", "svg", "rect", "text", "figcaption", "strong", "code", "p"}
        )
        self.assertFalse([one for one in reader.attributes if one[0].startswith("on") or one[0] in ("src", "href")])
        self.assertTrue(page.isprintable(), page)
        return reader

    def test_a_strangers_names_and_lines_do_nothing_and_are_cut(self):
        tile = {"name": HOSTILE_LINE, "space": "shared", "begin": 0, "end": 4096, "element_bytes": 4}
        given = recording(
            [access("store", "shared", range(0, 128, 4))], [found(0, 1, kind=HOSTILE_LINE)], variables=[tile]
        )
        given["sources"][0]["file"] = HOSTILE_LINE
        page = figure(moment.of(given, FILE, []), [HOSTILE_LINE])
        self.read(page)
        self.assertNotIn("<script", page)
        self.assertLess(len(page), LARGEST)
        page = figure(moment.of(given, HOSTILE_LINE, []), [HOSTILE_LINE])
        self.read(page)
        self.assertIn("&lt;/svg&gt;&lt;script&gt;", page)
        self.assertNotIn("x" * picture.LONGEST_LINE, page)

    def test_the_largest_block_has_a_figure_of_bounded_size(self):
        fills = [
            access(
                "store",
                "shared",
                range(512 * k, 512 * k + 512, 16),
                size=16,
                warp=k % 32,
                values=[[-1.5e-300, 12345678] for _ in range(32)],
            )
            for k in range(400)
        ]
        far = access("load", "shared", range(0, 32 * 4096, 4096), values=[-1.5e-300] * 32)
        far["conflicts"] = 31
        for steps in (fills, [*fills, far]):
            shown = moment.of(recording(steps, threads=1024), FILE, [])
            self.read(figure(shown, ["x"] * 5))
            self.assertLess(len(figure(shown)), LARGEST)
            self.assertLess(len(json.dumps(shown)), pictures.MAX_BYTES)

    def test_values_that_share_a_word_stand_in_one_cell(self):
        bytes_ = access("store", "shared", range(32), size=1, values=[k % 2 for k in range(32)])
        page = figure(moment.of(recording([bytes_]), FILE, []))
        self.assertEqual((page.count("<rect"), page.count(">0 1 0 1<")), (32 + 8, 8))
        self.assertIn(">L4+<", page)

    def test_it_has_words_for_who_cannot_see_it(self):
        shown = moment.of(recording([access("store", "shared", range(0, 32, 4), mask=0xFF)]), FILE, [])
        reader = self.read(figure(shown))
        said = dict(reader.attributes)["aria-label"]
        self.assertIn("8 lanes store to shared memory", said)
        self.assertIn("lane 7 tile[7] value 7.", said)
        self.assertEqual(reader.attributes.count(("role", "img")), 1)


if __name__ == "__main__":
    unittest.main()
