"""Tests the page of `--play` in a browser: every step shows what the recording contains, and no requests are sent."""

from __future__ import annotations

import json
import pathlib
import re
import sys
import tempfile
import typing
import unittest

import shown
from shown import SUMS
from student import specimen

PROGRAMS = pathlib.Path(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def make(folder: pathlib.Path, program: str, *words: str) -> tuple[pathlib.Path, typing.Any]:
    return shown.make(PROGRAMS, folder, program, *words)


class Player(shown.Shown):
    """Makes one recording for all tests, too."""

    page: pathlib.Path
    race: pathlib.Path
    recording: dict[str, typing.Any]
    raced: dict[str, typing.Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page, cls.recording = make(cls.folder(), "chapter2", "--profile", "reference", "--count", "1000")
        cls.race, cls.raced = make(cls.folder(), "emulate", "--quiet", str(HERE / "race.cu"))

    def sums(self) -> dict[str, int]:
        words = ", ".join(f"{name}: Number(document.getElementById('sum-{name}').textContent)" for name in SUMS)
        found: dict[str, int] = self.shown.value(f"({{{words}}})")
        return found

    def step(self) -> int:
        return int(self.text("now").split()[1])

    def test_every_step_forward_and_back_shows_the_recordings_numbers(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        self.shown.open(self.page, "#launch=0&step=1")
        self.shown.value("document.getElementById('asks').checked = false")
        want = dict.fromkeys(SUMS, 0)
        wanted = []
        for step in steps:
            want = {name: want[name] + step.get(name, 0) for name in SUMS}
            wanted.append(want)
        for number in range(len(steps)):
            self.assertEqual((self.step(), self.sums()), (number + 1, wanted[number]))
            self.shown.press("ArrowRight")
        # The number of conflicts in a block, as in chapter 2's lesson.
        self.assertEqual(self.sums()["conflicts"], 105)
        for number in reversed(range(len(steps))):
            self.assertEqual((self.step(), self.sums()), (number + 1, wanted[number]))
            self.shown.press("ArrowLeft")
        self.assertEqual(self.step(), 1)

    def test_the_last_step_of_a_whole_launch_shows_the_emulators_counters(self) -> None:
        launch = self.recording["launches"][1]
        self.assertEqual(launch["blocks_left_out"], 0)
        self.shown.open(self.page, f"#launch=1&step={len(launch['steps'])}")
        counters = launch["counters"]
        sums = self.sums()
        self.assertEqual(sums["instructions"], counters["workbook__inst_executed.sum"])
        self.assertEqual(sums["conflicts"], counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"])
        self.assertEqual(
            sums["sectors"],
            counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
            + counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
        )

    def test_an_access_shows_its_lanes_passes_and_values(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        at = next(k for k, s in enumerate(steps) if s["what"] == "store" and s.get("conflicts", 0) > 0)
        step = steps[at]
        self.shown.open(self.page, f"#launch=0&step={at + 1}")
        active = self.shown.value("document.querySelectorAll('#lanes td.active').length")
        self.assertEqual(active, bin(step["mask"]).count("1"))
        highest = "Math.max(...[...document.querySelectorAll('.bank')].map(b => b.querySelectorAll('span').length))"
        self.assertEqual(self.shown.value(highest), step["passes"])
        cells = "[...document.querySelectorAll('#shared td.touched')]"
        words = self.shown.value(f"{cells}.map(cell => Number(cell.textContent))")
        self.assertEqual(words, [value for _, value in sorted(zip(step["at"], step["values"]))])
        here = self.shown.value("document.querySelector('#source .here b').textContent")
        self.assertEqual(int(here), step["line"])

    def test_a_question_is_answered_wrong_and_then_right(self) -> None:
        self.shown.open(self.page, "#launch=0&step=1")
        hidden = "document.getElementById('question').hidden"
        steps = self.recording["launches"][0]["steps"]
        for _ in steps:
            if not self.shown.value(hidden):
                break
            self.shown.press("ArrowRight")
        before = self.step()
        asked = steps[before]
        self.assertIn("Which bank", self.text("question-text"))
        lanes = [lane for lane in range(32) if asked["mask"] >> lane & 1]
        right = asked["at"][lanes.index(16)] // 4 % 32
        for digit in str((right + 1) % 32):
            self.shown.press(digit)
        self.shown.press("Enter")
        self.assertIn("That's not it", self.text("verdict"))
        self.assertEqual(self.step(), before)
        self.shown.value("document.getElementById('answer').select()")
        for digit in str(right):
            self.shown.press(digit)
        self.shown.press("Enter")
        self.assertIn("Right", self.text("verdict"))
        self.assertEqual(self.step(), before + 1)
        # The second try was right, which `make predictN` also counts as right.
        self.assertEqual(self.text("score"), "1 of 1 answered right")

    def test_words_on_banks_give_the_passes_that_the_emulator_counted(self) -> None:
        # With 8 bytes per lane, the two half-warps are served one after the other.
        for kind in ("int", "double"):
            place = tempfile.TemporaryDirectory()
            self.addCleanup(place.cleanup)
            options = ["--profile", "reference", "--count", "1000", "--type", kind]
            page, recording = make(pathlib.Path(place.name), "chapter2", *options)
            self.shown.open(page)
            shared = [s for s in recording["launches"][0]["steps"] if s.get("space") == "shared"]
            self.assertTrue(any(s["conflicts"] > 0 for s in shared))
            for step in shared:
                drawn = self.shown.value(f"passesOf(banksOf({json.dumps(step)}))")
                self.assertEqual(sum(drawn), step["passes"], step)

    def test_lanes_are_told_as_they_are(self) -> None:
        self.shown.open(self.page)
        for lanes, words in (([], "none"), ([5], "lane 5"), ([0, 2, 4], "lanes 0, 2, 4"),
                             ([0, 1, 2, 8, 30, 31], "lanes 0 to 2, 8, 30 to 31")):  # fmt: skip
            self.assertEqual(self.shown.value(f"rangesOf({lanes})"), words)

    def test_a_launch_without_steps_shows_nothing_of_another_and_stops_no_button(self) -> None:
        text = self.page.read_text(encoding="utf-8")
        recording = json.loads(json.dumps(self.recording))
        recording["launches"][1].update(steps=[], findings=[], steps_left_out=7, blocks_recorded=0)
        # A program with thousands of launches makes such a recording.
        head, mark, rest = text.partition('id="recording">')
        self.assertTrue(mark)
        page = self.page.with_name("empty.html")
        page.write_text(head + mark + json.dumps(recording) + rest[rest.index("</script>") :], encoding="utf-8")
        self.shown.open(page, "#launch=1&step=1")
        self.assertEqual(self.text("now"), "This launch has no recorded steps.")
        shown = "[...document.querySelectorAll('main section')].filter((s) => !s.hidden).length"
        self.assertEqual(self.shown.value(shown), 0)
        for name in ("first", "back", "forward", "line", "barrier", "last"):
            self.shown.value(f"document.getElementById('{name}').click()")
        for key in ("ArrowRight", "End", "n"):
            self.shown.press(key)
        self.shown.look(700, 700)
        recording["launches"] = []
        page.write_text(head + mark + json.dumps(recording) + rest[rest.index("</script>") :], encoding="utf-8")
        self.shown.open(page)
        self.assertIn("nothing to play", self.text("now"))
        self.shown.press("ArrowRight")
        self.shown.look(800, 700)
        # With a complete recording, only sections with content are shown. At first, these are the source, the lanes,
        # the sums, and a note that shared memory is still unwritten. At a store to shared memory, its values are shown,
        # too.
        self.shown.open(self.page, "#launch=0&step=1")
        self.assertEqual(self.shown.value(shown), 4)
        self.assertIn("Nothing is written there yet", self.text("shared"))
        steps = self.recording["launches"][0]["steps"]
        stored = next(k for k, step in enumerate(steps) if step["what"] == "store")
        self.shown.value(f"player.jump({stored})")
        self.assertEqual(self.shown.value(shown), 5)

    def test_letters_move_where_the_slider_has_the_focus_and_are_text_in_a_field(self) -> None:
        self.shown.open(self.page, "#launch=1&step=1")
        here = self.text("now")
        typed = "new KeyboardEvent('keydown', {key: 'n', bubbles: true})"
        self.shown.value(f"document.getElementById('answer').dispatchEvent({typed})")
        self.assertEqual(self.text("now"), here)
        self.shown.value("document.getElementById('slider').focus()")
        self.shown.press("n")
        self.assertNotEqual(self.text("now"), here)
        unnamed = "[...document.querySelectorAll('main table')].filter((t) => !t.ariaLabel && !t.caption).length"
        self.assertEqual(self.shown.value(unnamed), 0)

    def test_keys_go_by_line_barrier_and_end(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        self.shown.open(self.page, "#launch=0&step=1")
        self.shown.value("document.getElementById('asks').checked = false")
        self.shown.press("b")
        opens = next(k for k, s in enumerate(steps) if s["what"] == "barrier")
        # The player stops before the step at which a barrier opens, because at that step no lane waits any more.
        self.assertEqual(self.step() - 1, opens - 1)
        cells = "[...document.querySelectorAll('#lanes td')]"
        self.assertEqual(set(self.shown.value(f"{cells}.map((cell) => cell.textContent)")), {"W"})
        self.assertIn("the barrier opens next", self.text("now"))
        self.shown.press("ArrowRight")
        self.assertNotIn("opens next", self.text("now"))
        self.shown.press("n")
        self.assertNotEqual(steps[self.step() - 1]["what"], "barrier")
        self.shown.press("End")
        self.assertEqual(self.step(), len(steps))
        self.shown.press("Home")
        self.assertEqual(self.step(), 1)

    def test_a_race_is_shown_as_its_two_accesses(self) -> None:
        self.shown.open(self.race, "#launch=0&step=1")
        findings = self.raced["launches"][0]["findings"]
        (race,) = [f for f in findings if f["check"] == "racecheck"]
        for place in sorted({f[name] for f in findings for name in ("step", "other_step") if name in f}):
            self.shown.press("f")
            self.assertEqual(self.step() - 1, place)
            if place in (race["step"], race["other_step"]):
                self.assertIn(race["kind"], self.text("now"))
        self.assertIn("no barrier orders", self.text("findings"))
        lines = "[...document.querySelectorAll('#source .fault b')]"
        marked = self.shown.value(f"{lines}.map(line => Number(line.textContent))")
        self.assertEqual(sorted(marked), sorted({race["line"], race["other_line"]}))

    def test_values_are_shown_on_their_way(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        page, recording = make(pathlib.Path(place.name), "emulate", "--quiet", str(HERE / "moves.cu"))

        def go(launch: int, what: str) -> typing.Any:
            steps = recording["launches"][launch]["steps"]
            at = next(k for k, step in enumerate(steps) if step["what"] == what)
            self.shown.open(page, f"#launch={launch}&step={at + 1}")
            return steps[at]

        def row(name: str) -> list[str]:
            rows = "[...document.querySelectorAll('#access .moved tr')]"
            cells = f"[...{rows}.find((r) => r.firstChild.textContent === '{name}').querySelectorAll('td')]"
            found: list[str] = self.shown.value(f"{cells}.map((cell) => cell.textContent)")
            return found

        for launch in (0, 1):
            step = go(launch, "shuffle")
            self.assertEqual([float(word) for word in row("gets")], step["values"])
            self.assertEqual([int(word) for word in row("from lane")], step["from"])
            ends = "[...document.querySelectorAll('#access line')].map((l) => Number(l.getAttribute('x1')) - 0.5)"
            self.assertEqual(self.shown.value(ends), step["from"])
            self.assertIn("8 lanes get their own value back", self.text("access"))
        go(2, "shuffle")
        self.assertIn("one half of a longer value", self.text("access"))
        step = go(3, "atomic")
        self.assertEqual(row("found")[::2], [str(value) for value in step["found"]])
        self.assertEqual(set(row("found")[1::2]), {""})
        go(4, "arrive")
        self.assertIn("wait at barrier 1", self.text("now"))
        waiting = "[...document.querySelectorAll('#lanes tr')].map((r) => r.querySelectorAll('.waits').length)"
        self.assertEqual(self.shown.value(waiting), [0, 32])
        go(4, "announce")
        self.assertEqual(self.shown.value(waiting), [0, 0])  # threads that only arrive do not wait
        go(4, "barrier")
        self.assertEqual(self.shown.value(waiting), [0, 0])

    def test_a_race_between_blocks_names_them_and_a_word_never_written_is_no_number(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        page, recording = make(pathlib.Path(place.name), "emulate", "--quiet", str(HERE / "moves.cu"))
        (race,) = recording["launches"][6]["findings"]
        self.shown.open(page, "#launch=6&step=1")
        for name, block in (("thread", "block"), ("other_thread", "other_block")):
            self.assertIn(f"hread {race[name]} of block {race[block]}", self.text("findings"))
        buttons = self.shown.value("[...document.querySelectorAll('#findings button')].map((b) => b.textContent)")
        self.assertEqual(sorted(int(re.sub("[^0-9]", "", text)) - 1 for text in buttons),
                         sorted([race["step"], race["other_step"]]))  # fmt: skip
        first = next(k for k, step in enumerate(self.raced["launches"][0]["steps"])
                     if step["what"] == "load" and step["space"] == "shared")  # fmt: skip
        self.shown.open(self.race, f"#launch=0&step={first + 1}")
        touched = "[...document.querySelectorAll('#shared td.touched')].map((cell) => cell.textContent)"
        self.assertEqual(set(self.shown.value(touched)), {"?"})

    def test_every_race_and_barrier_fault_of_the_zoo_is_seen_at_its_line(self) -> None:
        seen = 0
        for one in specimen.all_specimens(ROOT):
            # The other mistakes don't belong to a launch: the sum is wrong, or no kernel was launched.
            if one.check not in ("racecheck", "synccheck", "memcheck", "initcheck"):
                continue
            with self.subTest(one.name), tempfile.TemporaryDirectory() as folder:
                words = one.shown_for.command(pathlib.Path("specimen"), one.name)
                page, recording = make(pathlib.Path(folder), *words)
                launches = recording["launches"]
                which = next((k for k, launch in enumerate(launches) if launch["findings"]), None)
                if which is None:
                    # The finding is for a call by the host, which isn't a step.
                    self.assertEqual((one.name, one.check), ("double_free", "memcheck"))
                    continue
                found = launches[which]["findings"]
                self.shown.open(page, f"#launch={which}&step=1")
                self.shown.press("f" if any("step" in f for f in found) else "End")
                here = int(self.shown.value("document.querySelector('#source .here.fault b').textContent"))
                self.assertIn(here, {f[line] for f in found for line in ("line", "other_line") if line in f})
                if any("step" in f for f in found):
                    self.assertIn("Finding:", self.text("now"))
                    seen += 1
        self.assertGreaterEqual(seen, 25)

    def test_it_fits_every_width_and_names_its_parts(self) -> None:
        for width in (390, 1280, 2560):
            for dark in (False, True):
                self.shown.look(width, 900, dark)
                self.shown.open(self.page, "#launch=0&step=100")
                wide = self.shown.value("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width)
        nameless = self.shown.value(
            "[...document.querySelectorAll('button, input, select')].filter(e => !(e.textContent.trim()"
            " || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim())).length"
        )
        self.assertEqual(nameless, 0)


if __name__ == "__main__":
    unittest.main()
