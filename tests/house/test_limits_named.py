#!/usr/bin/env python3
"""Tests that limits_named.py finds limits without a record, and that book.outputs finds limits that differ from it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import limits_named
from book import records

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = "<!--=ablations_h200.json limit 2^29 128 reduce_unrolled-->"


class LimitsNamed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = pathlib.Path(folder.name) / "page.md"

    @staticmethod
    def found(text):
        return list(limits_named.unproved(text))

    def test_a_limit_without_a_record_is_told_with_file_line_and_sentence(self):
        self.page.write_text(
            "# A kernel\n\nIt is right.\nSlow it is, too: it waits\nfor memory. So what.\n", encoding="utf-8"
        )
        done = subprocess.run(
            [sys.executable, HERE / "limits_named.py", records.ROOT, self.page],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "page.md:4: names a limit, and no record says so: Slow it is, too: it waits for memory.", done.stdout
        )

    def test_sentences_that_a_stranger_tried_to_smuggle_in_are_found(self):
        sentences = (HERE / "unproved_sentences.txt").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(sentences), 40)
        for one in sentences:
            with self.subTest(one):
                self.assertEqual([words for _, words in self.found(f"# A kernel\n\n{one}\n")], [one])

    def test_all_ways_to_name_a_limit_are_known(self):
        for words in (
            "It is limited by loads.",
            "The bottleneck lies in the tree.",
            "It is bound by the launches.",
            "It is latency-bound.",
            "They wait for block starts.",
            "Here the limit is memory.",
            "- That is what limits it",
        ):
            self.assertEqual(len(self.found(words)), 1, words)

    def test_a_figure_of_a_record_in_the_sentence_is_enough(self):
        self.assertEqual(self.found(f"The limit is {LIMIT}block starts<!--/-->."), [])
        self.assertEqual(
            self.found("It waits for loads of <!--=machine_h200.json value latencies.l2.ns-->142<!--/--> ns."), []
        )
        self.assertEqual(len(self.found(f"One limit is {LIMIT}block starts<!--/-->. Another limit is memory.")), 1)
        self.assertEqual(len(self.found("It waits for memory <!--=tune_h200.json empty-->2.8<!--/--> us.")), 1)

    def test_an_exemption_gives_a_reason_and_is_for_its_sentence_alone(self):
        reason = "<!-- not measured here: a G80 -->"
        self.assertEqual(self.found(f"The limit is memory. {reason} All is well."), [])
        self.assertEqual(self.found(f"The limit is memory.\n{reason}\n"), [])
        self.assertEqual(
            [line for line, _ in self.found(f"The limit is memory. {reason}\nHere the limit is latency.")], [2]
        )
        self.assertEqual(len(self.found("The limit is memory. <!-- not measured here: -->")), 1)

    def test_an_exemption_behind_a_heading_is_for_its_section(self):
        text = "## Then\n\n<!-- not measured here: a G80 -->\n\nIt waits for memory.\n\n{}\n\nIt waits for memory.\n"
        self.assertEqual(self.found(text.format("### More")), [])
        self.assertEqual([line for line, _ in self.found(text.format("## Now"))], [9])

    def test_what_asserts_nothing_is_exempt(self):
        for text in (
            "## What limits it now",
            "What limits it?",
            "[What limits a kernel](limits.md) has more.",
            "| what limits it |\n| --- |\n| it is limited by loads |",
            "```text\nlimited by loads\n```",
            "<!-- output:chapter1 begin -->\nlimited by loads\n<!-- output:chapter1 end -->",
        ):
            self.assertEqual(self.found(text), [], text)

    def test_a_limit_other_than_the_records_is_stale(self):
        data = self.page.parent / "data"
        shutil.copytree(records.ROOT / "plots" / "data", data)
        for words, status in (("memory bandwidth", 1), ("block starts", 0)):
            self.page.write_text(f"The limit is {LIMIT}{words}<!--/-->.\n", encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-m", "book.outputs", "--check", "--kind", "recorded", "--data", data, self.page],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
