#!/usr/bin/env python3
"""Tests what judges store from one submission to the next, and how the grader waits for a child: test_trial.py
BUILD."""

import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import tries
from course.grade import chapters, children, compiler, result, trial

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
CHAPTER = 3


class NumbersBeside(unittest.TestCase):
    judge_runner: trial.JudgeRunner
    chapter: chapters.Chapter
    right: compiler.Compiled
    begun: compiler.Compiled

    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        scratch = pathlib.Path(place.name)
        tools = compiler.Compiler(ROOT, BUILD, scratch)
        cls.judge_runner = trial.JudgeRunner(BUILD, scratch, tools.view)
        cls.judge_runner.seed = "77"
        cls.chapter = next(one for one in chapters.load(ROOT, BUILD) if one.number == CHAPTER)
        cls.right = tools.compile(cls.chapter, tries.reference(CHAPTER).encode())
        cls.begun = tools.compile(cls.chapter, tries.start(CHAPTER).encode())

    def setUp(self):
        for kept in self.judge_runner.numbers.iterdir():
            kept.unlink()

    def verdict(self, compiled):
        found = self.judge_runner.run(self.chapter, compiled)
        self.assertEqual(found.state, result.State.JUDGED, found.words)
        self.assertTrue(found.right and found.clean and found.accuracy, found.words)
        return "done" if found.goal else "goal missed", found.figures

    def kept(self, role):
        return sorted(path for path in self.judge_runner.numbers.iterdir() if f"-{role}-" in path.name)

    def test_the_next_submission_has_the_same_goal_as_one_for_which_everything_is_counted(self):
        alone = self.verdict(self.right), self.verdict(self.begun)
        self.assertEqual((alone[0][0], alone[1][0]), ("done", "goal missed"))
        before = {path.name: path.read_bytes() for path in self.judge_runner.numbers.iterdir()}
        self.assertEqual((len(self.kept("reference")), len(self.kept("previous"))), (4, 4), sorted(before))
        self.assertEqual((self.verdict(self.right), self.verdict(self.begun)), alone)
        self.assertEqual({path.name: path.read_bytes() for path in self.judge_runner.numbers.iterdir()}, before)

    def test_what_is_kept_is_what_the_goal_asks_for(self):
        self.verdict(self.right)
        for path in self.kept("reference"):  # makes the file look as if nothing were known about the reference
            words = path.read_text(encoding="utf-8").split()
            words[:2] = [struct.pack(">d", float("nan")).hex()] * 2
            path.write_text(" ".join(words) + " \n", encoding="utf-8")
        self.assertEqual(self.verdict(self.right)[0], "goal missed")

    def test_a_file_that_is_cut_off_or_rubbish_is_counted_again(self):
        self.verdict(self.right)
        files = sorted(self.judge_runner.numbers.iterdir())
        whole = [path.read_bytes() for path in files]
        rubbish = (b"", whole[1][:9], b"\0\xff zz", whole[3][:-1] + b"1\n", b"9" * 4000, whole[5][:-9], b" ", b"\n" * 9)
        for path, bytes_instead in zip(files, rubbish, strict=True):
            path.write_bytes(bytes_instead)
        self.assertEqual(self.verdict(self.right)[0], "done")
        self.assertEqual([path.read_bytes() for path in files], whole)

    def test_no_room_for_them_costs_nobody_anything(self):
        with mock.patch.object(self.judge_runner, "numbers", self.judge_runner.numbers / "not there"):
            self.assertEqual(self.verdict(self.right)[0], "done")

    def test_their_names_tell_nothing_of_the_seed(self):
        self.verdict(self.right)
        seeds = self.judge_runner.seeds_for(self.chapter).split()
        numbers = {str(int(seed, 16)) for seed in seeds} | set(seeds)
        for path in self.judge_runner.numbers.iterdir():
            self.assertFalse(numbers & set(path.name.split("-")), path.name)


class Waiting(unittest.TestCase):
    LIMITS = children.Limits(5)

    def child(self, words):
        child = children.start(["sh", "-c", words], self.LIMITS, stdout=subprocess.DEVNULL)
        self.addCleanup(children.end, child)
        return child

    def test_a_child_s_status_is_known_when_it_ends_and_not_before(self):
        begin = time.monotonic()
        self.assertEqual(children.wait(self.child("sleep 0.3; exit 7"), 60), 7)
        self.assertGreater(time.monotonic() - begin, 0.25)
        self.assertIsNone(children.wait(self.child("sleep 60"), 0.05))
        self.assertEqual(children.wait(self.child("kill -9 $$"), 60), -9)

    def test_a_kernel_without_descriptors_for_processes_serves_as_well(self):
        with mock.patch("os.pidfd_open", side_effect=OSError("not implemented")):
            self.assertEqual(children.wait(self.child("exit 7"), 60), 7)
            self.assertIsNone(children.wait(self.child("sleep 60"), 0.05))


if __name__ == "__main__":
    unittest.main()
