#!/usr/bin/env python3
"""Tests of run_on_gpu.py and its record: each clean program was right on a GPU, or the record has a reason why not."""

import json
import pathlib
import unittest

import run_on_gpu

RECORD = run_on_gpu.ROOT / "tests" / "data" / "programs_h100.json"


class Record(unittest.TestCase):
    def test_it_has_every_clean_program_and_none_was_wrong(self):
        programs = {one.name: one for one in run_on_gpu.chosen_programs("")}
        record = {row["name"]: row for row in json.loads(RECORD.read_text(encoding="utf-8"))["programs"]}
        again = "; run tests/kernels/programs/run_on_gpu.py --eager again"
        self.assertEqual(sorted(programs), sorted(record), f"the record is of other programs{again}")
        for name, row in record.items():
            self.assertIn(row["result"], ("right", "skipped"), f"{name}: {row.get('detail')}{again}")
            if row["result"] == "skipped":
                self.assertEqual(row["detail"], programs[name].detail)


class Words(unittest.TestCase):
    def test_options_of_the_emulator_are_not_the_compilers(self):
        given = ["--api-errors", "off", "-rdc=true", "--gpus=3", "--interpreter", "parts/squares.cu", "-G"]
        found = run_on_gpu.compiler_words(given, pathlib.Path(run_on_gpu.HERE, "features"))
        self.assertEqual(found, ["-rdc=true", "tests/kernels/programs/features/parts/squares.cu", "-G"])

    def test_a_program_that_ends_or_prints_otherwise_is_wrong(self):
        program = run_on_gpu.Program("a.cu", says=["first", "second"])
        ending = run_on_gpu.Ending(0, "second first", "", 0.0)
        self.assertEqual(run_on_gpu.breaches(program, ending), ["printed elsewhere: second"])
        ending = run_on_gpu.Ending(-11, "first second", "", 0.0)
        self.assertEqual(run_on_gpu.breaches(program, ending), ["was ended by signal 11, not with 0"])


if __name__ == "__main__":
    unittest.main()
