#!/usr/bin/env python3
"""Tests `make predictN`, `make review`, and what `make progress` reports about both."""

import contextlib
import datetime
import io
import json
import os
import pty
import re
import subprocess
import sys
import typing
import unittest

from student import memory, predict
from student.reckoning import Question, one, total
from tree import SEED, TODAY, TOOL, Tree


class Predictions(Tree):
    def test_predictions_are_checked_against_the_programs_own_count(self):
        self.own_seed()
        adds, passes = self.right()
        good = self.student("predict", "3", answers=f"{adds}\n{passes}\n")
        self.assertEqual(good.returncode, 0)
        self.assertIn(f"Right: {adds}.", good.stdout)
        self.assertIn("2 of 2 right.", good.stdout)
        self.assertIn(" | 2 of 2 predictions right", self.line_of(3))

    def test_a_wrong_answer_gets_a_second_try_with_a_word_on_what_was_overlooked(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes - 1}\n{passes}\n").stdout
        self.assertIn(f"You counted {passes - 1}: one is missing", said)
        self.assertIn("Try once more.", said)
        self.assertNotIn(f"{passes}", said[: said.index("Try once more.")])
        self.assertNotIn("The program counts", said)
        self.assertIn("2 of 2 right, 1 at the first try.", said)
        self.assertEqual(self.notebook()["3"]["asked"]["passes"]["result"], "second")

    def test_after_the_second_wrong_answer_the_derivation_stands_there_term_by_term(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes + 777}\n{3 * adds}\n").stdout
        self.assertIn(f"{passes + 777} is not it.", said)
        self.assertIn(f"You counted {3 * adds}: those are the passes of the tree", said.replace("\n", " "))
        self.assertIn(f"The program counts {passes}:", said)
        self.assertRegex(said, rf"\+ +{3 * adds}  \({adds} additions of warps x 3 accesses")
        self.assertRegex(said, rf"= +{passes}\n")
        self.assertIn("1 of 2 right.", said)
        self.assertIn("`make review` asks the wrong ones again: 2026-11-23, tomorrow.", " ".join(said.split()))
        self.assertEqual(self.notebook()["3"]["predictions"], [1, 2])

    def test_what_is_no_number_costs_no_try_and_a_question_mark_shows_the_answer(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"many\n\nnan\n{adds}\n?\n").stdout
        self.assertEqual(said.count("Write a number"), 3)
        self.assertIn(f"Right: {adds}.", said)
        self.assertIn(f"The program counts {passes}:", said)
        self.assertIn("1 of 2 right.", said)

    def test_answers_that_end_early_are_no_wrong_answers(self):
        self.own_seed()
        said = self.student("predict", "3", answers="")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertIn("the rest is not asked", said.stdout)
        self.assertIn("0 of 0 right", said.stdout)
        self.assertNotIn("predictions", self.notebook()["3"])
        adds, _ = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n1\n").stdout  # the input ends before the second try
        self.assertIn("1 of 1 right.", said)
        self.assertEqual(list(self.notebook()["3"]["asked"]), ["additions"])

    def test_the_last_question_is_what_limits_the_time_and_the_model_answers_it(self):
        self.own_seed()
        adds, passes = self.right()
        asked = self.student("predict", "3", answers=f"{adds}\n{passes}\n").stdout
        self.assertIn("What takes most of its time on an NVIDIA H200?", " ".join(asked.split()))
        for k, name in enumerate(
            ("block starts", "latency", "memory", "instructions", "L1 cache", "shared memory", "launches"), 1
        ):
            self.assertRegex(asked, rf"\n   {k}  {name}: ")
        self.assertNotIn("% of the time", asked)  # no answer is revealed before the question
        self.assertNotIn(" us", asked)
        for right in ("4", "instructions", "Instr"):
            adds, passes = self.right()
            said = self.student("predict", "3", answers=f"{adds}\n{passes}\n{right}\n").stdout
            self.assertIn("Right: instructions, 80 % of the time.", said)
            self.assertIn("3 of 3 right.", said)
        self.assertEqual(self.notebook()["3"]["asked"]["limit"]["idea"], "what limits the time")

    def test_what_takes_about_as_long_is_right_too(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes}\nlatency\n").stdout
        self.assertIn("Right: latency, 70 % of the time; instructions would take about as long.", said)

    def test_a_wrong_limit_gets_a_second_try_and_then_the_times_of_all(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes}\nmemory\nblock\n").stdout
        said_once = " ".join(said.split()).split("Try once more")[0]
        self.assertIn("Alone, memory would take 40.0 us of 100.0 us; something else takes longer.", said_once)
        self.assertNotIn("80", said_once[said_once.index("What takes most") :])
        self.assertIn("The model says instructions, 80 % of the time.", said)
        rows = re.findall(r"\n   (\S.*?) +(\d+\.\d\d) us *(#*)", said)
        self.assertEqual(
            [row[0] for row in rows],
            ["instructions", "latency", "memory", "launches", "block starts", "L1 cache", "shared memory"],
        )
        self.assertEqual(rows[0][1:], ("80.00", "#" * 30))
        self.assertEqual(self.notebook()["3"]["asked"]["limit"]["result"], "wrong")
        self.assertIn("What takes most", " ".join(self.student("review", day=1).stdout.split()))

    def test_a_limit_that_is_none_costs_no_try_and_a_question_mark_shows_the_times(self):
        self.own_seed()
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes}\n8\n0\nl\nbananas\n\n?\n").stdout
        self.assertEqual(said.count("Write a number from 1 to 7"), 5)
        self.assertIn("The model says instructions", said)

    def test_without_a_predicted_time_the_limit_is_not_asked(self):
        self.own_seed()
        for program in (self.tree / "build/bin").glob("chapter*"):
            program.write_text(program.read_text().replace('"--profile" in said', "False"))
        adds, passes = self.right()
        said = self.student("predict", "3", answers=f"{adds}\n{passes}\n").stdout
        self.assertNotIn("What takes most", said)
        self.assertIn("2 of 2 right.", said)
        self.assertNotIn("No answer", said)

    def test_each_time_is_asked_at_other_values(self):
        self.own_seed()
        seen = set()
        for _ in range(4):
            said = " ".join(self.student("predict", "3", answers="?\n?\n").stdout.split())
            found = re.search(r"The reference kernel of .* threads\.", said)
            assert found, said
            seen.add(found[0])
        self.assertEqual(len(seen), 4)
        self.assertNotIn("blocks of 256 threads", " ".join(seen))

    def test_review_brings_back_what_was_wrong_after_1_3_7_and_21_days(self):
        self.own_seed()
        self.assertIn("Nothing is due: no prediction is waiting", self.student("review").stdout)
        adds, _ = self.right()
        self.student("predict", "3", answers=f"{adds}\n?\n")
        self.assertIn(
            "Nothing is due. The next question comes back on 2026-11-23, tomorrow.", self.student("review").stdout
        )
        day = 0
        for days, then in ((1, 3), (3, 7), (7, 21), (21, None)):
            self.assertIn("Nothing is due", self.student("review", day=day + days - 1).stdout)
            day += days
            before = self.notebook()["3"]["asked"]["passes"]["setting"]
            _, passes = self.right()
            said = self.student("review", answers=f"{passes}\n", day=day).stdout
            self.assertIn("1 question comes back.", said)
            self.assertNotIn("How many additions", said)  # that question was answered right
            self.assertIn(f"Right: {passes}.", said)
            self.assertNotEqual(self.notebook()["3"]["asked"]["passes"]["setting"], before)
            if then:
                next_day = (TODAY + datetime.timedelta(days=day + then)).isoformat()
                self.assertIn(f"comes back on {next_day}, in {then} days.", " ".join(said.split()))
            else:
                self.assertIn("Nothing is left to come back.", said)
        self.assertIn("Nothing is due: no prediction is waiting", self.student("review", day=day + 400).stdout)

    def test_a_wrong_answer_in_a_review_begins_anew_and_one_before_its_time_counts_little(self):
        self.own_seed()
        self.student("predict", "3", answers="?\n?\n")
        adds, passes = self.right()
        self.student("review", answers=f"{adds}\n{passes}\n", day=1)  # both are due in three days
        adds, passes = self.right()
        self.student("predict", "3", answers=f"{adds}\n?\n", day=2)
        told = self.student("review", day=2).stdout
        self.assertIn("comes back on 2026-11-25, tomorrow", told)  # the wrong answer is due a day later
        asked = self.notebook()["3"]["asked"]
        self.assertEqual((asked["additions"]["step"], asked["additions"]["on"]), (1, "2026-11-23"))
        self.assertEqual((asked["passes"]["step"], asked["passes"]["on"]), (0, "2026-11-24"))

    def test_a_review_that_is_broken_off_goes_on_with_what_is_left(self):
        self.own_seed()
        self.student("predict", "3", answers="?\n?\n")
        adds, _ = self.right()
        said = self.student("review", answers=f"{adds}\n", day=1).stdout
        self.assertIn("1 still due: run `make review` again.", said)
        self.assertIn("1 question comes back.", self.student("review", day=1).stdout)

    def test_progress_shows_predictions_by_idea(self):
        self.own_seed()
        self.assertNotIn("by idea", self.student("progress").stdout)
        adds, passes = self.right()
        self.student("predict", "3", answers=f"{adds}\n{passes - 1}\n{passes}\n")
        said = self.student("progress").stdout
        self.assertRegex(said, r"Your predictions, by idea +first try +second try +wrong\n")
        self.assertRegex(said, r"\n  bank conflicts +0 +1 +0\n")
        self.assertRegex(said, r"\n  instruction counts +1 +0 +0\n")
        self.assertNotIn("coalescing", said)
        self.assertIn("`make review` has 1 to ask again, the next on 2026-11-23, tomorrow.", said)
        self.assertIn("`make review` has 1 to ask again now.", self.student("progress", day=1).stdout)

    def test_what_the_player_was_answered_counts_by_its_idea_and_does_not_come_back(self):
        self.own_seed()
        page: dict[str, typing.Any] = {}
        for kind, result in (("bank", "first"), ("passes", "wrong"), ("lanes", "second"), ("bank", "second")):
            self.assertTrue(memory.remember_played(page, kind, result, TODAY))
        for kind, result in (("banana", "first"), ("bank", "third"), ("", "")):
            self.assertFalse(memory.remember_played(page, kind, result, TODAY))
        path = self.tree / ".workbook/progress.json"
        path.write_text(json.dumps({"schema": 1, "chapters": {"3": page, "student": {"seed": SEED}}}))
        said = self.student("progress").stdout
        self.assertRegex(said, r"\n  bank conflicts +0 +1 +1\n")
        self.assertRegex(said, r"\n  instruction counts +0 +1 +0\n")
        self.assertIn("Nothing is due", self.student("review", day=30).stdout)
        # The student can still make new predictions.
        adds, passes = self.right()
        self.assertIn("2 of 2 right", self.student("predict", "3", answers=f"{adds}\n{passes}\n").stdout)

    def test_an_old_or_edited_notebook_is_read(self):
        self.own_seed()
        path = self.tree / ".workbook/progress.json"
        for page in (
            {"predictions": [1, 3]},
            {"predictions": [1, 3], "asked": []},
            {
                "predictions": [1, 3],
                "asked": {
                    "passes": 7,
                    "bananas": {"result": "wrong", "on": "soon"},
                    "additions": {
                        "result": "wrong",
                        "on": "2026-11-01",
                        "step": 9,
                        "idea": "x",
                        "setting": [1, 2, "int"],
                    },
                },
            },
        ):
            path.write_text(json.dumps({"schema": 1, "chapters": {"3": page, "student": {"seed": "?"}}}))
            self.assertIn(" | 1 of 3 predictions right", self.line_of(3))
            self.assertIn("Nothing is due", self.student("review").stdout)
            done = self.student("predict", "3", answers="?\n?\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(" | 0 of 2 predictions right", self.line_of(3))

    def test_a_clock_that_shows_no_date_is_named(self):
        self.environment["WORKBOOK_TODAY"] = "soon"
        refused = self.quietly([sys.executable, *TOOL, "review"])
        self.assertEqual(refused.returncode, 2)
        self.assertIn("WORKBOOK_TODAY is 'soon'", refused.stderr)

    def test_a_count_that_the_terms_do_not_come_to_is_told_apart(self):
        for value, words in (
            (9, "The program counts 9:\n"),
            (10, "The program counts 10; as the lesson has it, it would be 9:"),
        ):
            question = Question("barriers", "?", value, total(one(1, "load"), one(8, "steps")), (), "", "")
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                predict.derive(question)
            self.assertIn(words, shown.getvalue())

    def test_predictions_are_asked_on_a_terminal_until_it_ends(self):
        self.own_seed()
        adds, _ = self.right()
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with subprocess.Popen(
            [sys.executable, *TOOL, "predict", "3"],
            cwd=self.tree,
            env=self.environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as asking:
            os.close(theirs)
            os.write(ours, f"{adds}\n\x04".encode())
            shown = ""
            while True:
                try:
                    read = os.read(ours, 65536).decode()
                except OSError:
                    break
                if not read:
                    break
                shown += read
            self.assertEqual(asking.wait(timeout=20), 0)
        self.assertIn("   > ", shown)
        self.assertIn(f"Right: {adds}.", shown)
        self.assertIn("the rest is not asked", shown)


if __name__ == "__main__":
    unittest.main()
