#!/usr/bin/env python3
"""Tests that the idea, and nothing else, gets the points for a goal: test_goals.py BUILD. Right solutions of many forms
(goals/right and tests/chapters/second_solutions) reach their chapter's goal. Dodges (goals/dodge, the exercises'
starting texts, and the references of two chapters earlier) are right and clean, but do not reach the goal. Takes about
a minute and a half on two cores, most of it for the compiler.

A file in goals/ has the text for the inside of the chapter's namespace, and its first line describes it. Files with the
prefix `any_` are dodges for every chapter of the ladder. Each chapter tries one of these, a different one from the
previous chapter's, and the first chapter tries two. If WORKBOOK_ALL_DODGES is set in the environment, each chapter
tries all of them."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import tries
from book import manifest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
CHAPTERS = manifest.load()
LADDER = [number for number, facts in CHAPTERS.items() if facts.kind == "ladder" and number > 0]
INCLUDES = {
    14: '#include <type_traits>\n#include "14_shuffle_trees/lanes.cuh"\n',
    16: '#include "16_many_gpus/members.cuh"\n',
}
ALL = bool(os.environ.get("WORKBOOK_ALL_DODGES"))


def exercise(number, path):
    """Returns the text of an exercise file that is made from a piece in goals/."""
    lines = path.read_text().split("\n")
    includes = [line for line in lines if line.startswith("#include")]
    body = "\n".join(line for line in lines if not line.startswith("#include"))
    return (
        f'#pragma once\n#include <cstddef>\n#include "reductions/launch.cuh"\n{INCLUDES.get(number, "")}'
        + "\n".join(includes)
        + f"\nnamespace chapter{number}::exercise {{\n{body}\n}}\n"
    )


def name_of(path):
    return path.name.split(".")[0]


def earlier(number, before):
    """Returns the reference of an earlier chapter, changed so that it can be an exercise of this chapter."""
    text = tries.reference(before).replace("::solution", "::exercise")
    return text.replace(f"chapter{before}::", f"chapter{number}::") + "// looked at\n"


def right_solutions():
    """Yields (name, chapter, text) of each right solution."""
    for path in sorted((HERE / "goals/right").glob("*.cuh.in")):
        number = int(path.name[:2])
        yield name_of(path), number, exercise(number, path)
    for path in sorted((ROOT / "tests/chapters/second_solutions").glob("*.cuh")):
        yield "second_" + path.stem, int(path.name[:2]), path.read_text()


def dodges():
    """Yields (name, chapter, text) of each dodge."""
    for path in sorted((HERE / "goals/dodge").glob("[0-9]*.cuh.in")):
        number = int(path.name[:2])
        yield name_of(path), number, exercise(number, path)
    everywhere = sorted((HERE / "goals/dodge").glob("any_*.cuh.in"))
    for place, number in enumerate(LADDER):
        # Chapter 1 tries two, because it has no other dodges: neither its starting text nor an earlier chapter's
        # reference would test anything.
        for path in everywhere if ALL else everywhere[-1:] * (place == 0) + [everywhere[place % len(everywhere)]]:
            yield f"{name_of(path)}_{number}", number, exercise(number, path)
        if number > 1:
            yield f"start_{number}", number, tries.start(number)
        if place > 1:
            yield f"two_before_{number}", number, earlier(number, LADDER[place - 2])
    for number, facts in CHAPTERS.items():
        if facts.kind != "ladder":
            yield f"start_{number}", number, tries.start(number)
    yield "two_faced_14", 14, tries.two_faced(14)


class Goals(unittest.TestCase):
    right: list[tuple[str, int, str]]
    dodges: list[tuple[str, int, str]]
    seed: str
    sheet: dict[str, dict[str, typing.Any]]

    @classmethod
    def setUpClass(cls):
        cls.right, cls.dodges = list(right_solutions()), list(dodges())
        place = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(place.cleanup)
        folder = pathlib.Path(place.name)
        for name, number, text in cls.right + cls.dodges:
            path = folder / "class" / name / CHAPTERS[number].exercise_path(ROOT).relative_to(ROOT)
            path.parent.mkdir(parents=True)
            path.write_text(text)
        seed = ["--seed", os.environ["WORKBOOK_SEED"]] if "WORKBOOK_SEED" in os.environ else []
        words: list[str | pathlib.Path] = [
            "--build",
            BUILD,
            "--submissions",
            folder / "class",
            "--out",
            folder / "sheet",
            *seed,
        ]
        done = subprocess.run(
            [sys.executable, "-m", "book", "grade", "--no-bubblewrap", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        data = json.loads((folder / "sheet/sheet.json").read_text())
        cls.seed = data["seed"]
        cls.sheet = {row["name"]: row["chapters"] for row in data["submissions"]}

    def result(self, name, number):
        return self.sheet[name][str(number)]

    def told(self, result):
        return (
            f"seed {self.seed}: {result['state']} {result['words']} {result['figures'].get('counts')}; "
            f"{result['figures'].get('missing')}"
        )

    def test_right_solutions_of_any_shape_reach_their_goal(self):
        for name, number, _ in self.right:
            result = self.result(name, number)
            with self.subTest(name=name, told=self.told(result)):
                self.assertEqual(result["points"], 10)

    def test_dodges_are_right_and_reach_no_goal(self):
        for name, number, _ in self.dodges:
            result = self.result(name, number)
            with self.subTest(name=name, told=self.told(result)):
                self.assertFalse(result["goal"])
                # A dodge that is wrong or does not compile would test nothing, so only these may be. For example, the
                # grader does not support the library's calls.
                if not name.startswith(("any_library", "two_before", "start_1", "start_9")):
                    self.assertTrue(result["right"] and result["clean"])

    def test_every_chapter_of_the_ladder_has_its_shapes_and_dodges(self):
        for number in LADDER:
            self.assertGreaterEqual(1 + sum(one[1] == number for one in self.right), 5 if number != 12 else 4, number)
            self.assertGreaterEqual(sum(one[1] == number for one in self.dodges), 2 if number == 1 else 3, number)


if __name__ == "__main__":
    unittest.main()
