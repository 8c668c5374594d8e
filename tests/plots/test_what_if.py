#!/usr/bin/env python3
"""Tests `make whatifN`: what it reads from a chapter's program, what it draws, and its messages if it cannot."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from plots import data_of_time, figures, style

style.apply()

# Takes the place of a chapter's program. Its blocks have one thread for each `each` elements, and its times depend on
# the arguments.
PROGRAM = """
import json, sys
said = dict(zip(sys.argv[1:], sys.argv[2:]))
count, size, each = int(said["--count"]), int(said["--block-size"]), EACH
if each == 0:
    each = max(1, count // 65536)
blocks = count // (size * each)
kernel = {"name": "reduce", "role": "reference", "verified": VERIFIED, "failure": None, "findings": [],
          "launches": [{"grid": [blocks, 1, 1], "block": [size, 1, 1]}],
          "predicted": {"gpu": "NVIDIA H200", "us": 5.0 + blocks / 1000, "launch_us": 4.0, "limits": ["launches"],
                        "terms": {"block starts": blocks / 1000, "memory": 0.5}}}
if not PREDICTED:
    kernel["predicted"] = {"gpu": "NVIDIA H200", "unknown": "a reason"}
print(json.dumps({"chapter": 7, "input": {"count": count, "block_size": size, "type": "int"}, "kernels": [kernel]}))
"""
# A program that succeeds without printing JSON.
MUTE = "import sys\nprint('no json')\nsys.stderr.write('a reason')\n"


class WhatIf(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, each=0, verified=True, predicted=True, name="chapter7", text=PROGRAM):
        path = self.folder / name
        # Each test runs it some dozen times, so it starts faster: this Python, without the site packages.
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$0.py" "$@"\n')
        path.with_name(name + ".py").write_text(
            text.replace("EACH", str(each)).replace("VERIFIED", str(verified)).replace("PREDICTED", str(predicted))
        )
        path.chmod(0o755)
        return path

    def what_if(self, program, *words):
        command = [sys.executable, "-m", "plots.what_if", "--program", program, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def record(self, **program):
        path = self.folder / "record.json"
        done = self.what_if(self.program(**program), "--record", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(path.read_text())

    def test_each_block_size_is_run_with_several_counts(self):
        rows = self.record()["what_if"]
        self.assertEqual({row["block_size"] for row in rows}, {32, 64, 128, 256, 512, 1024})
        self.assertEqual({row["count"] for row in rows}, {2**24, 2**22, 2**20, 2**18})
        row = next(row for row in rows if row["block_size"] == 128 and row["count"] == 2**20)
        self.assertEqual(row["per_thread"], 16)
        self.assertAlmostEqual(row["us"], 5.512)
        self.assertEqual(row["alone_us"], {"block starts": 0.512, "memory": 0.5, "launches": 4.0})

    def test_the_rate_is_that_of_the_time_without_the_launches(self):
        data = data_of_time.what_if_of(dict(self.record(), file="made up"))
        self.assertEqual(data["count"], "2^24")
        line = next(line for line in data["rates"] if line["label"] == "blocks of 1024")
        # With 256 elements per thread, 2^24 elements of 4 bytes are 64 blocks, which take 1.064 us without launches.
        self.assertEqual(line["points"][-1][0], 256)
        self.assertAlmostEqual(line["points"][-1][1], 2**26 / 1.064 / 1e3)

    def test_where_a_thread_always_takes_as_many_elements_their_number_is_no_axis(self):
        data = data_of_time.what_if_of(dict(self.record(each=2), file="made up"))
        self.assertEqual(data["rates"], [])
        self.assertEqual(len(figures.drawn("what_if", data).axes), 1)

    def test_a_picture_is_left_in_the_folder(self):
        done = self.what_if(self.program(), "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for suffix in (".svg", ".png"):
            self.assertTrue((self.folder / "out" / "what_if7").with_suffix(suffix).exists())

    def test_a_record_that_is_not_todays_is_stale(self):
        self.record()
        path = self.folder / "record.json"
        self.assertEqual(self.what_if(self.program(), "--check", path).returncode, 0)
        stale = self.what_if(self.program(each=2), "--check", path)
        self.assertEqual(stale.returncode, 1)
        self.assertIn("make figures", stale.stderr)

    def test_what_cannot_be_drawn_is_told_why(self):
        for program, words, said in (
            (self.program(verified=False, name="wrong7"), [], "wrong or unsafe"),
            (self.program(predicted=False, name="silent7"), [], "predicts no time"),
            (self.program(name="mute7", text=MUTE), [], "a reason"),
            (self.program(name="chapter10"), [], "kernels side by side"),
            (self.folder / "nowhere", [], "nowhere"),
            (self.program(), ["--count", "many"], "--count many: give a number"),
            (self.program(), ["--count", "1000"], "--count 1000: give a number"),
        ):
            done = self.what_if(program, *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
