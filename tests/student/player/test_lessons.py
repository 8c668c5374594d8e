"""Tests every lesson's player, and two kernels side by side, in a browser: to the end and back, step by step."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import typing
import unittest

import shown
from book import manifest, players

PROGRAMS = pathlib.Path(sys.argv.pop(1))

# Compares what a reader sees at each step, forward and back, with the sums over the recording's steps. Returns [launch,
# step, what, shown, wanted] for each difference. It runs in the page, because a message for each step would take ten
# times as long.
WALK = """
(() => {
  const by = (id) => document.getElementById(id);
  const recording = JSON.parse(by("recording").textContent), wrong = [];
  let looked = 0;
  by("asks").checked = false;
  recording.launches.forEach((launch, which) => {
    by("launch").value = which;
    by("launch").dispatchEvent(new Event("change"));
    by("first").click();  // it opens where it is interesting
    const sum = NAMES.map(() => 0);
    const wanted = launch.steps.map((step) => NAMES.map((name, k) => (sum[k] += step[name] || 0)));
    const look = (at) => {
      ++looked;
      NAMES.forEach((name, k) => {
        const seen = Number(by(`sum-${name}`).textContent);
        if (seen !== wanted[at][k]) wrong.push([which, at, name, seen, wanted[at][k]]);
      });
      const words = `Step ${at + 1} of ${wanted.length}, line ${launch.steps[at].line}.`;
      if (!by("now").textContent.startsWith(words)) wrong.push([which, at, "now", by("now").textContent, words]);
    };
    for (let at = 0; at < wanted.length; ++at, by("forward").click()) look(at);
    for (let at = wanted.length; at-- > 0; by("back").click()) look(at);
  });
  return {wrong: wrong.slice(0, 3), looked};
})()
"""

# If a reader holds a key down, the player advances one step per frame. When the key is released, the line of the step
# has to be visible. Returns the steps at which it isn't.
HOLD = """
(async () => {
  const by = (id) => document.getElementById(id), frame = () => new Promise(requestAnimationFrame), wrong = [];
  by("asks").checked = false;
  by("first").click();
  for (let burst = 0; burst < 30 && !by("forward").disabled; ++burst) {
    for (let k = 0; k < 2 + burst % 5; ++k) {
      by("forward").click();
      await frame();
    }
    await frame();
    await frame();
    const here = document.querySelector("#source .here").getBoundingClientRect();
    const box = by("source").getBoundingClientRect();
    if (here.top < box.top - 1 || here.bottom > box.bottom + 1) wrong.push(by("now").textContent);
  }
  return wrong;
})()
"""


class Lessons(shown.Shown):
    def test_every_step_of_every_lesson_there_and_back(self) -> None:
        pages, without = players.make(PROGRAMS, self.folder())
        self.assertEqual((without, sorted(pages)), ([], sorted(manifest.load())))
        for number, page in pages.items():
            with self.subTest(chapter=number):
                text = page.read_text(encoding="utf-8")
                self.assertLessEqual(len(text.encode()), 500_000)
                recording = json.loads(text.partition('id="recording">')[2].partition("</script>")[0])
                steps = sum(len(launch["steps"]) for launch in recording["launches"])
                self.assertGreater(steps, 30)
                self.shown.open(page)
                found = self.shown.value(WALK.replace("NAMES", json.dumps(shown.SUMS)))
                self.assertEqual(found, {"wrong": [], "looked": 2 * steps})
                if number in (13, 14):  # their steps alternate between files
                    self.assertEqual(self.shown.value(HOLD), [])


class Pair(shown.Shown):
    """Shows chapter 2's kernel next to the previous one. It has fewer instructions, but it has bank conflicts."""

    page: pathlib.Path
    recordings: dict[str, typing.Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = cls.folder()
        words = ["--count", "1000", "--profile"]
        _, before = shown.make(PROGRAMS, folder, "chapter2", *words, "previous")
        beside = folder / "before.json"
        beside.write_text(json.dumps(before), encoding="utf-8")
        cls.page, mine = shown.make(PROGRAMS, folder, "chapter2", *words, "reference", "--beside", str(beside))
        cls.recordings = {"A": mine, "B": before}

    def open(self) -> None:
        self.shown.open(self.page)
        self.shown.value("new Promise((done) => { const look = () => document.getElementById('h-A').textContent"
                         " ? done(1) : setTimeout(look, 20); look(); })")  # fmt: skip

    def steps(self, name: str) -> list[dict[str, typing.Any]]:
        found: list[dict[str, typing.Any]] = self.recordings[name]["launches"][0]["steps"]
        return found

    def place(self, name: str) -> int:
        """Returns the step that a frame shows, from 0."""
        now = self.shown.value(f"document.getElementById('{name}').contentDocument.getElementById('now').textContent")
        return int(now.split()[1]) - 1

    def agrees(self) -> None:
        """Checks that the sums in the table are those of the steps up to each frame's current step."""
        for name in "AB":
            done = self.steps(name)[: self.place(name) + 1]
            for key in shown.SUMS:
                wanted = sum(step.get(key, 0) for step in done)
                self.assertEqual(int(self.text(f"{key}-{name}")), wanted, (name, key))

    def test_both_move_by_steps_and_barriers_and_their_sums_stand_side_by_side(self) -> None:
        self.open()
        self.shown.value("document.getElementById('asks').checked = false")
        self.assertIn("reduce_strided", self.text("h-A"))
        self.assertIn("reduce_interleaved", self.text("h-B"))
        self.shown.press("ArrowRight")
        self.assertEqual([self.place("A"), self.place("B")], [1, 1])
        barriers = {name: [k for k, s in enumerate(self.steps(name)) if s["what"] == "barrier"] for name in "AB"}
        for count in range(3):
            self.shown.press("b")
            self.assertEqual({name: self.place(name) for name in "AB"}, {name: barriers[name][count] for name in "AB"})
            self.agrees()
        self.shown.press("End")
        self.assertEqual([self.place("A"), self.place("B")], [len(self.steps("A")) - 1, len(self.steps("B")) - 1])
        self.agrees()
        self.assertEqual(self.text("conflicts-A"), "105")
        self.shown.press("Home")
        self.assertEqual([self.place("A"), self.place("B")], [0, 0])
        # One of the players can also be moved alone, with its own button.
        self.shown.value("document.getElementById('B').contentDocument.getElementById('forward').click()")
        self.assertEqual([self.place("A"), self.place("B")], [0, 1])
        self.agrees()

    def test_it_asks_which_kernel_does_less_before_it_shows(self) -> None:
        self.open()
        hidden = "document.getElementById('question').hidden"
        while self.shown.value(hidden):
            self.shown.value("document.getElementById('barrier').click()")
        before = {name: self.place(name) for name in "AB"}
        self.assertIn("fewer warp instructions", self.text("question-text"))
        ends = {
            name: next(k for k, s in enumerate(self.steps(name)) if k > before[name] and s["what"] == "barrier")
            for name in "AB"
        }
        runs = {
            name: sum(s.get("instructions", 0) for s in self.steps(name)[before[name] + 1 : ends[name] + 1])
            for name in "AB"
        }
        wrong = max(runs, key=lambda name: runs[name])
        self.shown.value(f"document.querySelector('[data-answer={wrong}]').click()")
        self.assertEqual(self.text("verdict"), f"That's not it. A has {runs['A']}, B has {runs['B']}.")
        self.assertEqual({name: self.place(name) for name in "AB"}, ends)

    def test_it_fits_every_width_and_names_its_parts(self) -> None:
        for width in (390, 1280, 2560):
            for dark in (False, True):
                self.shown.look(width, 900, dark)
                self.open()
                self.assertLessEqual(self.shown.value("document.documentElement.scrollWidth"), width)

    def test_beside_a_run_that_launched_nothing_the_page_says_so(self) -> None:
        folder = self.folder()
        beside = folder / "beside.json"
        beside.write_text(json.dumps(self.recordings["B"]), encoding="utf-8")
        program = folder / "nothing.cu"
        program.write_text("int main() {}\n", encoding="utf-8")
        page, recording = shown.make(PROGRAMS, folder, "emulate", "--quiet", "--beside", str(beside), str(program))
        self.assertEqual(len(recording["launches"]), 0)
        self.shown.open(page)
        self.assertIn("nothing to play", self.text("now"))

    def test_what_is_no_recording_is_refused_before_anything_runs(self) -> None:
        folder = self.folder()
        whole = json.loads(json.dumps(self.recordings["B"]))
        cases = {
            "nothing.json": (None, "cannot be read"),
            "empty.json": ("", "is no recording"),
            "list.json": ("[1]", "is no recording"),
            "number.json": ('{"format": 7}', "is no recording"),
            "later.json": (json.dumps({**whole, "version": 2}), "version is 2"),
            "cut.json": (json.dumps(whole)[:-40], "is no recording"),
            "no_launch.json": (json.dumps({**whole, "launches": []}), "has no launch"),
            "bare.json": (json.dumps({**whole, "launches": [{"kernel": "k"}]}), "is missing"),
            "odd.json": (json.dumps({**whole, "launches": [5]}), "is missing"),
            **self.damaged(whole),
        }
        for name, (text, why) in cases.items():
            with self.subTest(name):
                if text is not None:
                    (folder / name).write_text(text, encoding="utf-8")
                page = folder / "page.html"
                command = [PROGRAMS / "chapter2", "--play", page, "--beside", folder / name]
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(why, " ".join(done.stderr.split()))
                self.assertFalse(page.exists())
        command = [PROGRAMS / "chapter2", "--play", folder / "page.html", "--beside", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, "this is a folder" in done.stderr), (2, True), done.stderr)
        alone = [PROGRAMS / "chapter2", "--beside", folder / "bare.json"]
        done = subprocess.run(alone, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--play", done.stderr)

    @staticmethod
    def damaged(whole: dict[str, typing.Any]) -> dict[str, tuple[str, str]]:
        """Returns recordings, each of which has one impossible number."""
        steps = whole["launches"][0]["steps"]
        access = next(k for k, step in enumerate(steps) if step.get("space") == "shared")

        def with_step(number: int, **changes: object) -> dict[str, typing.Any]:
            changed = [{**step, **changes} if k == number else step for k, step in enumerate(steps)]
            return {"steps": changed}

        changes: dict[str, dict[str, typing.Any]] = {
            "block": {"block": [10**9, 1, 1]},
            "flat block": {"block": [128]},
            "grid": {"grid": [1, 0, 1]},
            "tall block": {"block": [1024, 1024, 2]},
            "large grid": {"grid": [2**31 - 1, 2**31 - 1, 2**31]},
            "line": with_step(0, line=1e300),
            "block of a step": with_step(0, block=-5),
            "mask": with_step(0, mask=2**40),
            "no mask": with_step(0, mask=None),
            "source": with_step(0, source=99),
            "warp": with_step(0, warp=32),
            "what": with_step(0, what="dance"),
            "offset": with_step(access, at=[10**9] * len(steps[access]["at"])),
            "too few places": with_step(access, at=[0]),
            "places": with_step(access, at="all"),
            "negative count": with_step(access, conflicts=-1),
            "variable": {"variables": [7]},
            "finding": {"findings": [{"check": "racecheck"}]},
        }
        made = {}
        for name, change in changes.items():
            launches = [{**whole["launches"][0], **change}, *whole["launches"][1:]]
            made[f"{name}.json"] = (json.dumps({**whole, "launches": launches}), "is damaged: in launch 1")
        return made


if __name__ == "__main__":
    unittest.main()
