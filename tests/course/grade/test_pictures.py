#!/usr/bin/env python3
"""Tests the picture of a student's kernel on the feedback page: test_pictures.py BUILD. Takes half a minute."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import malice
import test_formats
import tries
from test_moment import FILE, LARGEST, figure
from course.grade import chapters, compiler, moment, pictures, points, trial
from course.grade.formats import picture

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.scratch = pathlib.Path(place.name)
        cls.tools = compiler.Compiler(ROOT, BUILD, cls.scratch)
        cls.judge_runner = trial.JudgeRunner(BUILD, cls.scratch, cls.tools.view)
        cls.judge_runner.seed = "77"
        cls.chapter = next(one for one in chapters.load(ROOT, BUILD) if one.number == 3)

    def setUp(self):
        self.maker = self.fresh()

    def fresh(self, judges="x"):
        """Returns a maker of pictures whose cache is empty."""
        maker = pictures.Pictures(self.tools, self.judge_runner, BUILD, judges)
        maker.kept = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        return maker

    def judged(self, text):
        compiled = self.tools.compile(self.chapter, text)
        if not compiled.good:
            return points.empty_result(compiled.state, compiled.words)
        record, words = self.judge_runner.run(self.chapter, compiled)
        return points.result_from_record(record) if record else points.empty_result("failed", words)

    def shown(self, text, maker=None):
        text = text if isinstance(text, bytes) else text.encode()
        return (maker or self.maker).of(self.chapter, text, self.judged(text), True)

    def test_a_right_kernel_has_a_picture_of_its_idea(self):
        text = tries.reference(3)
        shown = self.shown(text)
        self.assertEqual((shown["rule"], shown["found"], len(shown["lanes"])), (moment.PARTIAL, "", 16))
        page = figure(shown, text.split("\n"))
        self.assertIn("tile[tid + stride]", page)
        self.assertIn("line " + str(1 + [" tile[tid + stride]" in line for line in text.split("\n")].index(True)), page)

    def test_a_race_has_its_picture_at_its_line_and_hostile_text_there_does_nothing(self):
        hostile = "seen = T{}; // </svg><script>alert(1)</script> \0 ".encode() + b"\xe9 " + b"x" * 5000
        text = tries.racy(3).encode().replace(b"seen = T{};", hostile, 1)
        shown = self.shown(text)
        line = 1 + [b"</svg>" in one for one in text.split(b"\n")].index(True)
        self.assertEqual((shown["line"], shown["own"], shown["rule"]), (line, True, moment.FINDING))
        self.assertIn("race", shown["found"])
        self.assertTrue(any(cell["met"] for row in shown["rows"] for cell in row["cells"]))
        page = figure(shown, text.decode("utf-8", "replace").split("\n"))
        self.assertIn("seen = T{}; // &lt;/svg&gt;&lt;script&gt;", page)
        self.assertNotIn("<script", page)
        self.assertLess(len(page), LARGEST)

    def test_a_finding_that_the_small_input_does_not_show_is_recorded_where_the_judge_found_it(self):
        text = tries.racy(3).replace("seen = T{};", "if (blockDim.x == 64) seen = T{};", 1)
        shown = self.shown(text)
        self.assertIn("race", shown["found"])
        self.assertEqual(shown["problem"][shown["problem"].index("--block-size") + 1], "64")
        self.assertNotIn("--seed", shown["problem"])
        self.assertNotIn("seed", self.judged(text.encode())["failed_on"])

    def test_a_loop_without_end_is_shown_where_it_was_stopped(self):
        text = malice.submission(tries.reference(3), tries.start(3), "loops_in_kernel", {})
        shown = self.shown(text)
        line = 1 + ["volatile int k" in one for one in text.split("\n")].index(True)
        self.assertEqual((shown["found"], shown["line"], shown["what"]), ("instruction limit", line, "fault"))

    def test_where_there_is_nothing_to_record_a_sentence_says_why(self):
        broken = tries.reference(3).replace("\nnamespace", "\nclearly no C++\nnamespace", 1)
        self.assertEqual(self.shown(broken), {"why_not": "the file does not compile"})
        gone = malice.submission(tries.reference(3), tries.start(3), "exits_early", {})
        self.assertEqual(self.shown(gone), {"why_not": "your host code launched no kernel, or did not return"})
        self.assertIn(
            "No picture of your kernel: your host code launched no kernel, or did not return.",
            picture.said_instead("your host code launched no kernel, or did not return"),
        )

    def test_the_same_file_has_the_same_bytes_each_time_whatever_the_seed(self):
        for text in (tries.racy(3), tries.reference(3)):
            first = json.dumps(self.shown(text))
            with mock.patch.object(self.judge_runner, "seed", "78"):
                self.assertEqual(json.dumps(self.shown(text, self.fresh())), first)

    def test_it_is_recorded_once_and_again_by_another_grader(self):
        text = tries.reference(3)
        first = self.shown(text)
        with mock.patch.object(self.judge_runner, "record", side_effect=AssertionError) as record:
            self.assertEqual(self.shown(text), first)
            self.assertEqual(record.call_count, 0)
            other = self.fresh("y")
            other.kept = self.maker.kept
            self.assertIn("AssertionError", self.shown(text, other)["why_not"])
            self.assertEqual(record.call_count, 1)

    def test_what_this_machine_kept_from_being_recorded_is_tried_again(self):
        with mock.patch.object(self.judge_runner, "record", return_value=(None, "no verdict after 20 seconds")):
            self.assertIn("no verdict after 20 seconds", self.shown(tries.reference(3))["why_not"])
        self.assertIn("rule", self.shown(tries.reference(3)))

    def test_nothing_is_compiled_while_the_seed_can_be_read(self):
        data = tries.reference(3).encode()
        result = self.judged(data)
        with (
            mock.patch.object(self.tools, "knows", return_value=False),
            mock.patch.object(self.tools, "compile") as tool,
        ):
            self.assertIn("not at its end", self.maker.of(self.chapter, data, result, False)["why_not"])
            self.assertEqual(tool.call_count, 0)

    def test_a_recording_has_bounds_and_none_of_the_run_s_seeds(self):
        text = malice.submission(tries.reference(3), tries.start(3), "deadlock", {})
        compiled = self.tools.compile(self.chapter, text.encode())
        begin = time.monotonic()
        found_by_judge, words = self.judge_runner.record(self.chapter, compiled, pictures.SMALL)
        self.assertIsNotNone(found_by_judge, words)
        self.assertLess(time.monotonic() - begin, trial.RECORDER.by_clock)
        for launch in found_by_judge["launches"]:
            self.assertLessEqual(len(launch["steps"]), 2001)  # 2000 steps and the fault
            self.assertLess(launch["steps_left_out"], 200_000)
        with mock.patch("course.grade.children.start", side_effect=KeyError) as started:
            self.assertRaises(KeyError, self.judge_runner.record, self.chapter, compiled, pictures.SMALL)
        self.assertNotIn("WORKBOOK_JUDGE_SEEDS", started.call_args.kwargs["env"])
        self.assertNotIn(str(self.judge_runner.numbers), started.call_args.kwargs["env"].values())


class Pages(unittest.TestCase):
    """Tests a graded class, as `make grade FORMAT=feedback` writes it."""

    def test_every_chapter_that_was_handed_in_has_a_picture_or_says_why_not(self):
        names = {
            "ada": tries.reference(3),
            "<img src=x>": tries.racy(3),
            "turned\u202egnp": tries.start(3) + "int no!;",
            "gus": tries.start(3).replace("// looked at\n", ""),
            "zoe": None,
        }
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name, text in names.items():
                path = folder / "class" / name / FILE
                path.parent.mkdir(parents=True)
                if text is not None:
                    path.write_text(text)
            command = [
                sys.executable,
                "-m",
                "book",
                "grade",
                "--build",
                BUILD,
                "--submissions",
                folder / "class",
                "--chapters",
                "3",
                "--out",
                folder / "out",
                "--format",
                "feedback",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            pages = {path.name: path.read_text() for path in (folder / "out/feedback").iterdir()}
        said = {}
        for name, text in pages.items():
            reader = test_formats.Reader()
            reader.feed(text)
            self.assertEqual(reader.open, [])
            self.assertFalse(reader.tags & {"script", "img", "link", "iframe", "a", "object"}, name)
            plain = re.sub(r"-?[0-9a-f]{8}\.html$|\.html$", "", name)
            said[plain] = (text.count("<figure"), "No picture of your kernel: " in text)
        self.assertEqual(
            said,
            {
                "ada": (1, False),
                "img-src-x": (1, False),
                "turned-u202egnp": (0, True),
                "gus": (0, True),
                "zoe": (0, False),
            },
        )


if __name__ == "__main__":
    unittest.main()
