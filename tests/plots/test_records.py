#!/usr/bin/env python3
"""Tests what `make plots DATA=…` and `make story` report for data that they cannot use, and that stale figures are
found."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

import made_up
from book import records, story
from book.outputs import machine
from plots import figure_data


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def complaint(self, place):
        with self.assertRaises(records.BadData) as caught:
            records.own(place)
        return str(caught.exception)

    def test_a_place_that_is_not_there_is_named(self):
        self.assertIn("there is no such file or folder", self.complaint(self.folder / "nowhere"))

    def test_a_folder_without_records_is_named(self):
        self.assertIn("no JSON file", self.complaint(self.folder))

    def test_a_file_that_is_no_json_is_named(self):
        path = self.folder / "a.json"
        path.write_text("{")
        self.assertIn("a.json is not JSON", self.complaint(path))

    def test_a_json_file_of_something_else_is_told_what_would_be_right(self):
        wrong: list[typing.Any] = [{"hello": 1}, [], {"results": []}, {"results": [1]}]
        for strange in wrong:
            path = made_up.write(self.folder, "a.json", strange)
            self.assertIn("`build/bin/ladder --json FILE`", self.complaint(path))

    def test_a_missing_field_is_named_with_its_row(self):
        record = made_up.ladder()
        del record["results"][1]["chapter"]
        self.assertIn(
            "row 1 of 'results' has no 'chapter'", self.complaint(made_up.write(self.folder, "a.json", record))
        )
        record = made_up.ladder()
        del record["provenance"]
        self.assertIn("'provenance' is missing", self.complaint(made_up.write(self.folder, "a.json", record)))

    def test_of_several_records_each_is_found(self):
        made_up.write(self.folder, "a.json", made_up.ladder())
        made_up.write(self.folder, "b.json", made_up.tune())
        found = records.own(self.folder)
        self.assertEqual(len(found.records["tune"]), 1)
        ladder = found.ladder()
        assert ladder
        self.assertEqual(ladder["file"], "a.json")

    def test_a_machine_without_some_parts_is_a_record_all_the_same(self):
        record = made_up.machine()
        del record["starts"], record["latencies"]
        made_up.write(self.folder, "a.json", record)
        found = records.own(self.folder).machine()
        assert found
        self.assertEqual(found["file"], "a.json")

    def test_no_recorded_kernel_takes_less_than_an_empty_launch(self):
        collection = records.recorded()
        for record in collection.records["ladder"]:
            least = record["provenance"]["launch_us"] / 1e3
            for row in record["results"]:
                if row.get("cold_ms"):
                    self.assertGreater(row["cold_ms"]["median"], least, (record["file"], row["kernel"], row["count"]))

    def test_no_recorded_sum_is_above_the_ceiling_of_the_lessons(self):
        collection = records.recorded()
        recorded = collection.machine()
        assert recorded
        ceiling = float(machine.reading(recorded))
        compared = 0
        for record in collection.records["ladder"]:
            for row in record["results"]:
                if row.get("cold_ms") and row["count"] * 4 > 8 * record["provenance"]["l2_bytes"]:
                    self.assertLessEqual(row["cold_gb_per_s"], ceiling + 0.5, (record["file"], row["kernel"]))
                    compared += 1
        self.assertGreater(compared, 100)

    def test_the_story_stands_beside_harris(self):
        record = dict(made_up.ladder(block_size=128), file="a.json")
        text = "\n".join(story.lines(record))
        self.assertRegex(text, r"1: reduce_1 +8\.054 +2\.1 +0\.0400 +419")
        self.assertRegex(text, r"3: reduce_3 +1\.722 +9\.7 +2\.01x +4\.68x +0\.0133 +1258 +1\.50x +3\.00x")
        self.assertIn("GPU of a test, 1000 GB/s", text)

    def test_each_kernel_stands_in_its_best_block_size(self):
        def ladder(block, *ms):
            rows = [
                {
                    "kernel": name,
                    "chapter": k + 1,
                    "count": story.COUNT,
                    "cold_ms": {"median": one},
                    "cold_gb_per_s": 1 / one,
                }
                for k, (name, one) in enumerate(zip("ab", ms))
            ]
            return {"block_size": block, "results": rows}

        chosen = story.best([ladder(128, 2.0, 3.0), ladder(256, 2.5, 1.0), ladder(64, 2.0, 9.0)])["results"]
        self.assertEqual(
            [(r["kernel"], r["block_size"], r["cold_ms"]["median"]) for r in chosen], [("a", 128, 2.0), ("b", 256, 1.0)]
        )

    def test_a_story_without_harris_size_is_refused(self):
        record = dict(made_up.ladder(counts=(1 << 10, 1 << 11)), file="a.json")
        with self.assertRaises(records.BadData):
            story.lines(record)

    def test_the_roofline_counts_instructions_at_a_size_that_nobody_has_emulated(self):
        # reduce_sequential does the same in every block, so the number per element is the same at 2^20, which was
        # counted, and at 2^29.
        counted = figure_data.instructions_per_element("reduce_sequential", "int", 128, 1 << 20)
        assert counted
        self.assertAlmostEqual(counted, 2.40171, places=4)
        far = figure_data.instructions_per_element("reduce_sequential", "int", 128, 1 << 29)
        assert far
        self.assertAlmostEqual(far, counted, places=3)
        self.assertIsNone(figure_data.instructions_per_element("reduce_nothing", "int", 128, 1 << 20))

    def test_a_roofline_takes_the_largest_size_that_was_timed_and_explained(self):
        found = figure_data.roofline(records.recorded())
        assert found
        self.assertEqual([chapter for chapter, *_ in found["points"]], [1, 2, 3, 4, 5, 6, 7, 8, 9, 12])
        self.assertEqual({limit for chapter, _, _, limit in found["points"] if 5 <= chapter <= 6}, {"latency"})
        # No point is above its roof.
        for _, each, rate, _ in found["points"]:
            self.assertLess(rate, min(found["peak"], found["issue"] / each))
        without = records.Collection([])
        self.assertIsNone(figure_data.roofline(without))

    def test_a_stale_figure_is_seen(self):
        figures = self.folder / "figures"
        shutil.copytree(made_up.PLOTS / "figures", figures)

        def check():
            return subprocess.run(
                [sys.executable, "-m", "plots.plots", "--check", figures], capture_output=True, text=True, check=False
            )

        self.assertEqual(check().returncode, 0)
        path = figures / "ladder.svg"
        path.write_text(path.read_text().replace("<desc>key ", "<desc>key 0"))
        self.assertIn("ladder.svg is stale", check().stdout)
        path.unlink()
        self.assertIn("ladder.svg is missing", check().stdout)
        self.assertEqual(check().returncode, 1)


if __name__ == "__main__":
    unittest.main()
