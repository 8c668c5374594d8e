#!/usr/bin/env python3
"""A program's report is the same with the interpreter and with machine code for AVX-512 or AVX2, even if blocks take
turns and wait for each other: test_machine_code.py EMULATE. Compiles each program once."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EMULATE = sys.argv.pop(1)
FEATURES = pathlib.Path(__file__).with_name("features")
# The order of the blocks decides how often these programs poll, and which of several equal conflicts is first.
PROGRAMS = ("cluster_histogram.cu", "barrier_object_deadlocks.cu", "bulk_copies_in_cluster_races.cu")


class MachineCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, program, native_after, native_bytes="64", compare="0"):
        """Returns the exit status, the output, and the report, in which all addresses in memory look the same."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            [EMULATE, "--json", report, program],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
            env={
                **os.environ,
                "EMULATOR_NATIVE_AFTER": native_after,
                "EMULATOR_NATIVE_BYTES": native_bytes,
                "EMULATOR_NATIVE_COMPARE": compare,
            },
        )
        text = re.sub(r"0x[0-9a-f]+", "0x", report.read_text(encoding="utf-8"))
        return done.returncode, done.stdout, json.loads(text)

    def test_counts_findings_and_examples_are_those_of_the_interpreter(self):
        for name in PROGRAMS:
            with self.subTest(name):
                program = self.folder / name.removesuffix(".cu")
                subprocess.run(
                    [EMULATE, "--quiet", "--keep", program, FEATURES / name],
                    capture_output=True,
                    check=False,
                    timeout=200,
                )
                by_interpreter = self.run_it(program, "never")
                for native_bytes, compare in (("64", "0"), ("64", "1"), ("32", "0"), ("32", "1")):
                    status, output, report = self.run_it(program, "0", native_bytes, compare)
                    self.assertTrue(report["launches"])
                    self.assertEqual((status, output), by_interpreter[:2])
                    for one, other in zip(report["launches"], by_interpreter[2]["launches"], strict=True):
                        self.assertEqual(one, other)
                    self.assertEqual(report["findings"], by_interpreter[2]["findings"])

    def test_another_number_of_bytes_is_refused(self):
        for wrong in ("48", "0", "128", "all"):
            done = subprocess.run(
                [EMULATE, FEATURES / PROGRAMS[0]],
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
                env={**os.environ, "EMULATOR_NATIVE_BYTES": wrong},
            )
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn("EMULATOR_NATIVE_BYTES", done.stderr)


if __name__ == "__main__":
    unittest.main()
