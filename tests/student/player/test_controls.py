"""Tests the player's controls in a browser: where it opens, its title, its keys, playing, marks and arrows."""

from __future__ import annotations

import pathlib
import sys
import typing
import unittest

import shown

PROGRAMS = pathlib.Path(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent


class Controls(shown.Shown):
    """Makes two recordings for all tests: one with bank conflicts and one with a race."""

    page: pathlib.Path
    race: pathlib.Path
    recording: dict[str, typing.Any]
    raced: dict[str, typing.Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        words = ("--profile", "reference", "--count", "1000", "--block-size", "128")
        cls.page, cls.recording = shown.make(PROGRAMS, cls.folder(), "chapter2", *words)
        cls.race, cls.raced = shown.make(PROGRAMS, cls.folder(), "emulate", "--quiet", str(HERE / "race.cu"))

    def step(self) -> int:
        return int(self.text("now").split()[1])

    def hidden(self, name: str) -> bool:
        return bool(self.shown.value(f"document.getElementById('{name}').hidden"))

    def arrows(self, place: str) -> int:
        return int(self.shown.value(f"document.querySelectorAll('{place} .arrow').length"))

    def test_it_opens_at_the_first_place_worth_a_look_and_says_so(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        self.shown.open(self.page)
        self.assertEqual(self.step() - 1, next(k for k, s in enumerate(steps) if s.get("conflicts")))
        self.assertIn("opens at the first bank conflict", self.text("begins"))
        self.assertFalse(self.hidden("begins"))
        self.shown.value("document.getElementById('from-start').click()")
        self.assertEqual((self.step(), self.hidden("begins")), (1, True))
        # A finding takes precedence over conflicts.
        self.shown.open(self.race)
        findings = self.raced["launches"][0]["findings"]
        places = [f[name] for f in findings for name in ("step", "other_step") if name in f]
        self.assertEqual(self.step() - 1, min(places))
        self.assertIn("opens at the first finding", self.text("begins"))

    def test_the_title_says_what_runs_and_the_signature_is_folded(self) -> None:
        self.shown.open(self.page)
        self.assertEqual(self.text("title"), "Chapter 2, the reference, 8 blocks of 128 threads")
        self.assertFalse(self.shown.value("document.getElementById('about').open"))
        self.assertIn("reduce_strided<int>(", self.text("kernel"))
        self.shown.open(self.race)
        self.assertEqual(self.text("title"), "races, 1 block of 64 threads")

    def test_conflicts_and_divergences_are_one_key_away_and_only_offered_where_there_are_some(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        self.shown.open(self.page, "#launch=0&step=1")
        for key, holds in (("c", lambda s: s.get("conflicts", 0) > 0), ("d", lambda s: s["what"] == "branch")):
            for place in [k for k, step in enumerate(steps) if holds(step)][:3]:
                self.shown.press("Home" if place == 0 else key)
                self.assertEqual(self.step() - 1, place)
            self.shown.press("Home")
        self.assertEqual([self.hidden(name) for name in ("conflict", "divergence", "finding")], [False, False, True])
        self.shown.open(self.race)
        self.assertEqual([self.hidden(name) for name in ("conflict", "barrier", "finding")], [True, True, False])

    def test_who_meets_in_a_bank_is_said_in_words_and_stacked_over_the_bank(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        at = next(k for k, s in enumerate(steps) if s.get("conflicts"))
        self.shown.open(self.page, f"#launch=0&step={at + 1}")
        lanes = [lane for lane in range(32) if steps[at]["mask"] >> lane & 1]
        meet = [lane for lane, place in zip(lanes, steps[at]["at"]) if place // 4 % 32 == 0]
        self.assertGreater(len(meet), 1)
        says = self.shown.value("document.querySelector('#shared .says').textContent")
        for lane in meet:
            self.assertIn(f"lane {lane} (", says)
        self.assertIn("In bank 0", says)
        stack = "[...document.querySelector('#shared .bank').querySelectorAll('span')]"
        self.assertEqual(sorted(self.shown.value(f"{stack}.map((one) => Number(one.textContent))")), meet)

    def test_a_word_says_its_place_and_its_value(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        at = next(k for k, s in enumerate(steps) if s["what"] == "store")
        self.shown.open(self.page, f"#launch=0&step={at + 1}")
        cell = "document.querySelectorAll('#shared td')[5]"
        self.assertEqual(self.shown.value(f"{cell}.title"), "word 5: tile[5]")
        self.assertEqual(int(self.shown.value(f"{cell}.textContent")), steps[at]["values"][5])
        self.shown.value(f"{cell}.click()")
        self.assertIn(f"word 5: tile[5] is {steps[at]['values'][5]}.", self.text("shared"))

    def test_it_plays_pauses_stops_at_the_end_and_at_a_question(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        self.shown.open(self.page, f"#launch=0&step={len(steps) - 3}")
        self.shown.value("(document.getElementById('asks').checked = false,"
                         " document.getElementById('speed').value = 30, document.activeElement.blur())")  # fmt: skip
        self.shown.press(" ")
        self.shown.wait_for(f"document.getElementById('now').textContent.startsWith('Step {len(steps)} ')")
        self.shown.wait_for("document.getElementById('play-text').textContent === 'Play'")
        # At the end, the key starts it again. A second press pauses it.
        self.shown.press(" ")
        self.shown.wait_for("Number(document.getElementById('now').textContent.split(' ')[1]) > 2")
        self.shown.press(" ")
        here = self.step()
        self.shown.value("new Promise((done) => setTimeout(done, 200))")
        self.assertEqual((self.step(), self.text("play-text")), (here, "Play"))
        self.shown.open(self.page, "#launch=0&step=1")
        self.shown.value("document.getElementById('speed').value = 30")
        self.shown.value("document.getElementById('play').click()")
        self.shown.wait_for("!document.getElementById('question').hidden")
        self.assertEqual(self.text("play-text"), "Play")

    def test_a_question_mark_shows_the_keys_and_letters_move_nothing_there(self) -> None:
        self.shown.open(self.page, "#launch=0&step=1")
        self.shown.press("?")
        self.assertTrue(self.shown.value("document.getElementById('keys').open"))
        self.shown.press("n")
        self.assertEqual(self.step(), 1)
        self.shown.value("document.querySelector('#keys button').click()")
        self.shown.press("n")
        self.assertNotEqual(self.step(), 1)

    def test_the_line_of_a_step_is_in_the_middle_and_source_and_lanes_are_both_in_sight(self) -> None:
        self.shown.look(1280, 800)
        self.shown.open(self.page)
        self.shown.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        off = self.shown.value("""(() => {
          const middle = (e) => (e.getBoundingClientRect().top + e.getBoundingClientRect().bottom) / 2;
          return Math.abs(middle(document.querySelector('#source .here')) - middle(document.getElementById('source')));
        })()""")
        self.assertLess(off, 20)
        for name in ("source", "lanes"):
            box = f"document.getElementById('{name}').getBoundingClientRect()"
            self.assertLessEqual(self.shown.value(f"{box}.bottom"), 800)
            self.assertGreaterEqual(self.shown.value(f"{box}.top"), 0)
        tops = "['source', 'lanes'].map((name) => document.getElementById(name).getBoundingClientRect().top)"
        source, lanes = self.shown.value(tops)
        self.assertLess(abs(source - lanes), 40)

    def test_the_line_with_the_conflict_is_readable_to_its_end(self) -> None:
        self.shown.look(1280, 900)
        self.shown.open(self.page)
        ends = (
            "['.here span', ''].map((part) => document.querySelector(`#source ${part}`).getBoundingClientRect().right)"
        )
        line, box = self.shown.value(ends)
        self.assertLess(line, box)

    def test_a_warp_that_waits_is_pale_on_the_timeline_until_its_barrier_opens(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        opens = next(k for k, s in enumerate(steps) if s["what"] == "barrier")
        arrives = next(k for k, s in enumerate(steps) if s["what"] == "arrive")
        self.assertGreater(opens - arrives, 10)
        self.shown.look(1280, 900)
        self.shown.open(self.page)

        def colour(step: int) -> str:
            """Returns the colour in the row of the warp that arrives first."""
            return str(
                self.shown.value(f"""(() => {{
              const canvas = document.querySelector('#timeline canvas');
              const x = ({step} + 0.5) * canvas.width / {len(steps)};
              const y = ({steps[arrives]["warp"]} + 0.5) * canvas.height / 4;
              const [r, g, b, a] = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
              return a ? '#' + [r, g, b].map((one) => one.toString(16).padStart(2, '0')).join('') : 'none';
            }})()""")
            )

        pale = self.shown.value("getComputedStyle(document.documentElement).getPropertyValue('--on-wait').trim()")
        self.assertEqual({colour(k) for k in range(arrives + 1, opens)}, {pale})
        self.assertNotIn(pale, {colour(k) for k in range(arrives)})

    def test_a_long_number_is_broken_before_three_digits(self) -> None:
        steps = self.recording["launches"][0]["steps"]
        at = next(k for k, s in enumerate(steps) if s["what"] == "store")
        self.shown.open(self.page, f"#launch=0&step={at + 1}")
        cells = "[...document.querySelectorAll('#shared td')].slice(0, 32)"
        found = self.shown.value(f"{cells}.map((cell) => cell.innerHTML)")
        wanted = [f"{value:,}".replace(",", "<wbr>") if abs(value) > 99999 else str(value)
                  for value in steps[at]["values"]]  # fmt: skip
        self.assertEqual(found, wanted)
        self.assertTrue(any("<wbr>" in text for text in found))

    def test_a_race_has_marks_on_the_timeline_and_an_arrow_at_both_of_its_accesses(self) -> None:
        self.shown.open(self.race)
        (race,) = [f for f in self.raced["launches"][0]["findings"] if f["check"] == "racecheck"]
        marks = "[...document.querySelectorAll('#timeline .mark')].map((mark) => mark.getAttribute('aria-label'))"
        self.assertIn(f"Finding at step {race['step'] + 1}: {race['kind']}", self.shown.value(marks))
        for name in ("step", "other_step"):
            self.shown.value(f"player.jump({race[name]})")
            for place in ("#lanes", "#source", "#timeline"):
                self.assertGreater(self.arrows(place), 0, place)
        elsewhere = next(k for k in range(len(self.raced["launches"][0]["steps"]))
                         if k not in (race["step"], race["other_step"]))  # fmt: skip
        self.shown.value(f"player.jump({elsewhere})")
        self.assertEqual((self.arrows("#lanes"), self.arrows("#source")), (0, 0))
        self.shown.value("document.querySelector('#timeline .mark').click()")
        self.assertIn("Finding:", self.text("now"))


if __name__ == "__main__":
    unittest.main()
