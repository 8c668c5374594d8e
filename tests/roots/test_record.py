#!/usr/bin/env python3
"""Tests that the results of try.sh become a record, and the records a table."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import record
from book.outputs import Failure, systems

FACTS = [
    "system\tDebian GNU/Linux 12 (bookworm)",
    "architecture\tx86_64",
    "chapter1.seconds\t50",
    "chapter1.processor_seconds\t88",
    "chapter1.status\t0",
    "chapter1.counts\t123 456",
    "test.seconds\t99",
    "test.processor_seconds\t182",
    "test.status\t0",
    "test.passed\t117",
    "test.failed\t0",
    "toolkit\t13.0",
    "compiler\t12.2.0",
    "libc\t2.36",
]


def facts_with(**changed: str) -> list[str]:
    """Returns the facts, some of them with changed values. The names of the arguments have _ instead of a dot."""
    values = dict(line.split("\t") for line in FACTS) | {n.replace("_", ".", 1): v for n, v in changed.items()}
    return [f"{name}\t{value}" for name, value in values.items()]


class Records(unittest.TestCase):
    def table_of(self, *all_facts: list[str], **more: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            for number, facts in enumerate(all_facts):
                path = pathlib.Path(folder) / f"{number}.json"
                path.write_text(json.dumps(record.record_of(facts, more)))
            with mock.patch.object(systems, "RECORDS", pathlib.Path(folder)):
                return systems.made(mock.Mock(), mock.Mock())

    def test_a_record_has_numbers_where_there_were_numbers(self) -> None:
        made = record.record_of(FACTS, {"user": "yes", "with": " "})
        self.assertEqual(made["chapter1"], {"seconds": 50, "processor_seconds": 88, "status": 0, "counts": "123 456"})
        self.assertEqual((made["toolkit"], made["user"]), ("13.0", "yes"))
        self.assertNotIn("with", made)

    def test_all_that_was_made_has_to_have_worked(self) -> None:
        self.assertTrue(record.worked(record.record_of(FACTS, {})))
        self.assertFalse(record.worked(record.record_of(facts_with(test_status="8"), {})))
        self.assertFalse(record.worked(record.record_of([], {})))

    def test_a_row_says_system_compiler_and_outcome(self) -> None:
        text = self.table_of(FACTS, user="yes")
        self.assertIn(
            "| Debian 12 | user without root | g++ 12.2.0, glibc 2.36, 13.0 | works, 1:28 | 117 of 117, 3:02 |", text
        )

    def test_an_emulated_processor_has_the_emulators_tests(self) -> None:
        facts = [fact.replace("test.", "test-emulator.") for fact in facts_with(architecture="aarch64")]
        text = self.table_of([*facts, "bootstrap.processor_seconds\t30", "native_compilers\tas cc1plus"])
        self.assertIn("| Debian 12, aarch64 under qemu | root |", text)
        self.assertIn("| works, 1:58 | 117 of 117 of `make test-emulator`, 3:02 |", text)
        self.assertIn("because qemu is slow: as, cc1plus. Everything else", text.replace("\n", " "))

    def test_what_failed_is_shown(self) -> None:
        self.assertIn("**fails**, 1:28", self.table_of(facts_with(chapter1_status="2")))
        self.assertIn("115 of 117", self.table_of(facts_with(test_failed="2")))

    def test_counts_that_differ_are_no_table(self) -> None:
        with self.assertRaisesRegex(Failure, "counts differ between systems"):
            self.table_of(FACTS, facts_with(chapter1_counts="124 456"))

    def test_the_processor_time_of_a_target_is_that_of_its_make(self) -> None:
        script = pathlib.Path(__file__).with_name("try.sh").read_text(encoding="utf-8")
        functions = script.split("<<'INSIDE'\n")[1].split(". /etc/os-release")[0]
        with tempfile.TemporaryDirectory() as folder:
            make = pathlib.Path(folder) / "make"
            make.write_text("#!/bin/sh\n[ $1 = test ] || sh -c 'ulimit -t 2; while :; do :; done'\n")
            make.chmod(0o755)
            environment = {"PATH": f"{folder}:/usr/bin:/bin", "PLACE": folder, "FACTS": f"{folder}/facts"}
            program = functions.replace("/tmp/", f"{folder}/") + "timed chapter1\ntimed test\n"
            subprocess.run(["sh", "-c", program], env=environment, capture_output=True, check=False)
            facts = record.record_of((pathlib.Path(folder) / "facts").read_text().splitlines(), {})
        # The first make is killed after two seconds of processor time. The second one does nothing.
        for target, seconds in (("chapter1", (1, 2)), ("test", (0, 1))):
            done = facts[target]
            assert isinstance(done, dict)
            self.assertIn(done["processor_seconds"], seconds)

    def test_a_system_that_is_not_known_is_refused_with_the_usage(self) -> None:
        script = pathlib.Path(__file__).with_name("try.sh")
        for arguments in ([], ["windows-11"], ["debian-12", "--banana"]):
            done = subprocess.run(["sh", script, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("try.sh SYSTEM [OPTION…]", done.stderr)


if __name__ == "__main__":
    unittest.main()
