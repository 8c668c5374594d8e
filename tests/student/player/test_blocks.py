"""Tests the page about the machine of blocks in a browser: its model agrees with common/timing/model, and its sliders
work."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys
import unittest

import shown
from book import blocks, manifest, records

PROGRAMS = pathlib.Path(sys.argv.pop(1))


class Blocks(shown.Shown):
    page: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = cls.folder() / "blocks.html"
        cls.page.write_text(blocks.page(), encoding="utf-8")

    def set(self, name: str, value: int) -> None:
        self.shown.value(f"(() => {{ const one = part('{name}'); one.value = {value}; one.oninput(); }})()")

    def set_all(self, number: int, size: int, count: int) -> None:
        for name, value in (("chapter", number), ("block", size.bit_length() - 6), ("count", count.bit_length() - 1)):
            self.set(name, value)

    def test_every_time_is_the_one_that_the_model_predicts(self) -> None:
        rows = [
            row
            for row in records.read(records.DATA / "predictions_h200.json")["predictions"]
            if row["set"] == "ladder" and row["chapter"] in blocks.CHAPTERS
        ]
        self.assertGreaterEqual(len(rows), 400)
        self.shown.open(self.page)
        asked = json.dumps([[row["chapter"], row["block_size"], row["count"]] for row in rows])
        found = self.shown.value(
            f"{asked}.map(([chapter, block, count]) =>"
            " predict(launchesAt(facts.chapters.find((one) => one.number === chapter).counts[block], count)).us)"
        )
        for row, us in zip(rows, found, strict=True):
            # Compared with the number of digits that the record has.
            self.assertEqual(float(f"{us:.4g}"), row["us"], row)

    def test_the_rate_over_bytes_in_flight_is_off_by_what_the_page_says(self) -> None:
        self.shown.open(self.page)
        machine = records.read(records.DATA / "machine_h200.json")
        off = []
        for row in machine["bandwidth"]["in_flight"]:
            little = machine["device"]["multiprocessors"] * row["bytes_in_flight"] / machine["latencies"]["dram"]["ns"]
            best = machine["ceilings"]["read"]["best"]["gb_per_s"]
            rate = (little**-2 + best**-2) ** -0.5
            off.append(abs(rate / row["gb_per_s"] - 1))
        self.assertLess(statistics.median(off), 0.05)
        self.assertLess(max(off), 0.35)
        self.assertIn(f"{len(off)} measured", self.text("rate-errors"))
        self.assertIn(f"by {round(100 * max(off))} % at worst", self.text("rate-errors"))

    def test_times_are_off_by_what_the_page_says(self) -> None:
        self.shown.open(self.page)
        rows = records.read(records.DATA / "predictions_h200.json")["predictions"]
        off = sorted(
            abs(row["us"] / row["measured_us"] - 1)
            for row in rows
            if row["set"] == "ladder" and row["chapter"] in blocks.CHAPTERS
        )
        self.assertLess(statistics.median(off), 0.05)
        self.assertLess(off[9 * len(off) // 10], 0.12)
        self.assertIn(f"by {round(100 * off[-1])} % at worst", self.text("time-errors"))

    def test_limits_are_named_as_the_programs_name_them(self) -> None:
        self.shown.open(self.page)
        for number in blocks.CHAPTERS:
            for size, count in ((32, 1 << 20), (256, 1 << 20), (1024, 1 << 16)):
                words = ["--profile", "reference", "--json", "-", "--count", str(count), "--block-size", str(size)]
                command: list[str | pathlib.Path] = [PROGRAMS / f"chapter{number}", *words]
                said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
                predicted = json.loads(said)["kernels"][0]["predicted"]
                self.set_all(number, size, count)
                limits = " and ".join(predicted["limits"])
                self.assertIn(f"Limited by {limits}.", self.text("now"), (number, size, count))

    def test_sliders_and_keys_move_numbers_and_pictures(self) -> None:
        self.shown.look(1280, 900)
        self.shown.open(self.page, "#chapter=7")
        self.assertTrue(self.text("now").startswith("Chapter 7, blocks of 256: predicted "))
        self.assertIn("measured", self.text("now"))
        before = self.text("now")
        self.shown.value("part('block').focus()")
        self.shown.press("ArrowRight")
        self.assertIn("blocks of 512", self.text("now"))
        self.assertNotEqual(self.text("now"), before)
        # If a size was not measured, the page shows no measured time.
        self.set("count", 16)
        self.set("block", 0)
        self.assertIn("2^16", self.text("count-text"))
        rings = "document.querySelectorAll('#curve .measured').length"
        self.assertEqual(self.shown.value(rings), 6)
        full = self.text("flight-text")
        self.set("loads", 3)
        self.assertNotEqual(self.text("flight-text"), full)
        self.assertEqual(self.text("loads-text"), "8")

    def test_slots_fill_and_empty_with_time(self) -> None:
        self.shown.look(1280, 900)
        self.shown.open(self.page, "#chapter=4")
        self.set("count", 20)
        busy = []
        for time in (0, 300, 1000):
            self.set("time", time)
            slots = self.text("time-text").split(": ")[1].split(" of ")[0]
            busy.append(int("".join(slots.split())))
        self.assertLess(busy[0], busy[1])
        # The last block ends with the launch.
        self.assertEqual(busy[2], 0)
        for number, size in ((7, 256), (8, 1024), (4, 32), (6, 1024)):
            self.set_all(number, size, 1 << 20)
            for time, least, most in ((1000, 0, 0), (985, 1, 1 << 20)):
                self.set("time", time)
                slots = int("".join(self.text("time-text").split(": ")[1].split(" of ")[0].split()))
                self.assertTrue(least <= slots <= most, (number, size, time, slots))
        self.shown.open(self.page, "#chapter=4")
        self.set("count", 20)
        # The number of filled boxes equals the number in the text.
        self.set("time", 300)
        first = "predict(launchesAt(facts.chapters[0].counts[256], 2 ** 20)).first"
        self.assertEqual(self.shown.value(f"busySlots({first}, 0.3 * {first}.body)"), busy[1])
        self.shown.value("part('play').click()")
        self.assertEqual(self.text("play"), "Stop")
        self.shown.value("part('play').click()")
        self.assertEqual(self.text("play"), "Play")

    def test_there_is_a_question_for_each_chapter_with_its_answer_folded(self) -> None:
        self.shown.open(self.page)
        all_asked = "[...document.querySelectorAll('#try details')]"
        asked = self.shown.value(f"{all_asked}.map((one) => [one.open, one.innerText])")
        self.assertEqual(len(asked), len(blocks.CHAPTERS))
        for number, (is_open, text) in zip(blocks.CHAPTERS, asked, strict=True):
            self.assertFalse(is_open)
            self.assertIn(f"Chapter {number}.", text)
        answers = self.shown.value("[...document.querySelectorAll('#try details p')].map((one) => one.textContent)")
        for answer in answers:
            self.assertRegex(answer, r"\d")
            self.assertNotIn("NaN", answer)
            self.assertNotIn("undefined", answer)

    def test_the_page_keeps_its_shape_while_it_plays_and_no_word_of_a_curve_is_cut(self) -> None:
        for width in (390, 1280):
            self.shown.look(width, 900)
            self.shown.open(self.page, "#chapter=4")
            heights = set()
            for time in (0, 301, 1000):
                self.set("time", time)
                heights.add(self.shown.value("document.documentElement.scrollHeight"))
            self.assertEqual(len(heights), 1, (width, heights))
            cut = self.shown.value("""[...document.querySelectorAll('svg.curve text')].filter((text) => {
              const [is, all] = [text, text.closest('svg')].map((one) => one.getBoundingClientRect());
              return is.left < all.left || is.right > all.right;
            }).map((text) => text.textContent)""")
            self.assertEqual(cut, [], width)

    def test_it_fits_every_width_and_names_its_parts(self) -> None:
        for width in (390, 1280, 2560):
            for dark in (False, True):
                self.shown.look(width, 900, dark)
                self.shown.open(self.page)
                self.assertLessEqual(self.shown.value("document.documentElement.scrollWidth"), width)
        nameless = self.shown.value(
            "[...document.querySelectorAll('button, input, select')].filter(e => !(e.textContent.trim()"
            " || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim())).length"
        )
        self.assertEqual(nameless, 0)
        unnamed = "[...document.querySelectorAll('table')].filter((t) => !t.ariaLabel && !t.caption).length"
        self.assertEqual(self.shown.value(unnamed), 0)

    def test_lessons_and_page_link_to_each_other(self) -> None:
        for number in blocks.CHAPTERS:
            lesson = manifest.load()[number].lesson_path().read_text(encoding="utf-8")
            self.assertIn("docs/pages/blocks.md", lesson)


if __name__ == "__main__":
    unittest.main()
