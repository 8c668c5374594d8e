"""Tests that the still picture of a step shows what the player shows at that step: test_still.py PROGRAMS."""

from __future__ import annotations

import json
import pathlib
import sys
import typing
import unittest

import shown
from course.grade import moment

PROGRAMS = pathlib.Path(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent

SEEN = """(() => {
  const cells = (row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent);
  const lanes = [...document.querySelectorAll('#lanes tr')];
  return JSON.stringify({
    now: document.getElementById('now').textContent,
    lanes: lanes.map(cells), turn: lanes.findIndex((row) => row.className === 'turn'),
    shared: [...document.querySelectorAll('#shared tr')].slice(1).map(cells),
    touched: [...document.querySelectorAll('#shared tr')].slice(1).flatMap((row, r) =>
      [...row.querySelectorAll('td')].flatMap((cell, k) => (cell.className === 'touched' ? [r * 32 + k] : []))),
  });
})()"""


class Still(shown.Shown):
    def seen(self, number: int) -> dict[str, typing.Any]:
        self.shown.value(f"player.jump({number})")
        return typing.cast(dict[str, typing.Any], json.loads(self.shown.value(SEEN)))

    def compare(self, program: str, *words: str) -> set[str]:
        """Compares every step of the first launch. Returns the kinds of steps that occurred."""
        page, recording = shown.make(PROGRAMS, self.folder(), program, *words)
        launch = recording["launches"][0]
        story, steps = moment.Story(launch), launch["steps"]
        self.shown.open(page)
        for number, step in enumerate(steps):
            seen = self.seen(number)
            where = f"{program}, step {number + 1}"
            told = f"Step {number + 1} of {len(steps)}, line {step['line']}. {story.in_words(step)}."
            self.assertTrue(seen["now"].startswith(told), (where, seen["now"], told))
            warps, cells = story.after(number)
            turn = -1 if step["what"] == "barrier" else step["warp"]
            self.assertEqual(seen["turn"], turn, where)
            signs = [[moment.sign_of(warp, lane, w == turn) for lane in range(32)] for w, warp in enumerate(warps)]
            self.assertEqual(seen["lanes"], signs, where)
            there = {
                (r * 32 + k) * 4: text for r, row in enumerate(seen["shared"]) for k, text in enumerate(row) if text
            }
            self.assertEqual(there.keys(), cells.keys(), where)
            for at, (_, value) in cells.items():
                if isinstance(value, str):
                    self.assertEqual(there[at], value, where)
                else:
                    self.assertEqual(float(there[at]), value, where)
            self.assertEqual(seen["touched"], sorted({at // 4 for at, _, _ in moment.touched(step)}), where)
        return {step["what"] for step in steps}

    def test_every_step_stands_as_the_player_shows_it(self) -> None:
        words = ("--profile", "reference", "--type", "float", "--block-size", "64", "--count")
        kinds = self.compare("chapter2", *words, "150")
        kinds |= self.compare("chapter9", "--profile", "reference", "--type", "float", "--count", "256")
        kinds |= self.compare("emulate", "--quiet", str(HERE / "race.cu"))
        self.assertLessEqual({"load", "store", "shuffle", "arrive", "barrier", "leave", "branch", "run"}, kinds)


if __name__ == "__main__":
    unittest.main()
