#!/usr/bin/env python3
"""Tests that results and sheets are stored as before, and that those of earlier versions can be read. Needs no
build."""

import json
import unittest

from course.grade.result import PARTS, Finding, Result, State
from course.grade.sheet_contents import Contents

NONE = dict.fromkeys(PARTS, False)
# Results as they are in a journal.
JUDGED = {
    "state": "judged",
    "words": "a race",
    **dict.fromkeys(PARTS, True),
    "findings": ["racecheck: race"],
    "places": [{"line": 2, "check": "racecheck", "kind": "race", "cause": "no barrier", "cure": "add one"}],
    "figures": {
        "counts": [{"metric": "launches", "wanted": 1, "yours": 2.0}, {"metric": None, "wanted": None, "yours": None}],
        "missing": ["Too many."],
        "worst_share_of_bound": 0.5,
    },
    "failed_on": {"count": 7, "type": "float", "block_size": "64"},
    "profile": {"instructions": 9, "lines": [{"line": 1, "instructions": 4, "conflicts": 3, "sectors": 2}]},
    "seed": "77",
}
WITHOUT_PROFILE = {**JUDGED, "failed_on": {}, "profile": {}}
REFUSED = {"state": "refused", "words": "it is a link", **NONE, "findings": [], "places": [], "figures": {}}
COMPILED = {**REFUSED, "state": "does not compile", "seed": "77"}


class Stored(unittest.TestCase):
    def test_what_is_read_is_written_again_byte_for_byte(self):
        for data in (JUDGED, WITHOUT_PROFILE, REFUSED, COMPILED):
            self.assertEqual(json.dumps(Result.from_json(data).to_json()), json.dumps(data))

    def test_every_state_is_stored(self):
        for state in State:
            self.assertEqual(Result.from_json(Result(state).to_json()), Result(state))

    def test_a_result_of_an_earlier_version_is_read(self):
        result = Result.from_json({"state": "judged", "right": True, "places": [{"check": "memcheck", "kind": "leak"}]})
        self.assertEqual((result.right, result.clean, result.figures), (True, False, None))
        self.assertEqual(result.findings, (Finding(0, "memcheck", "leak"),))

    def test_what_is_no_result_is_an_error(self):
        self.assertRaises(KeyError, Result.from_json, {})
        self.assertRaises(ValueError, Result.from_json, {"state": "excellent"})

    def test_a_sheet_is_written_again_byte_for_byte(self):
        data = {
            "schema": 1,
            "graded_at": "2026-11-14T18:00:00+00:00",
            "seed": "77",
            "separation": "limits on time and memory",
            "weights": {"right": 4, "clean": 3, "goal": 2, "accuracy": 1},
            "chapters": [3],
            "most_points": 10,
            "time": {
                "exercises": 1,
                "at_a_time": 2,
                "seconds": 3.0,
                "compiling_seconds": 1.5,
                "judging_seconds": 1.0,
                "processor_seconds": None,
            },
            "submissions": [
                {"name": "ada", "points": 10, "chapters": {"3": {**JUDGED, "file": "00ff", "points": 10}}},
                {"name": "ben", "points": 0, "chapters": {"3": {**REFUSED, "file": None, "points": 0}}},
            ],
            "shared": [{"kind": "racecheck: race", "submissions": ["ada"]}],
            "equal_files": [{"chapter": 3, "submissions": ["ada", "cho"]}],
        }
        self.assertEqual(json.dumps(Contents.from_json(data).to_json()), json.dumps(data))


if __name__ == "__main__":
    unittest.main()
