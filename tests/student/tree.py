"""A small source tree for tests that play a student: real exercises and hints, and a program in chapterN's place.

The verdict of this program depends on words in the exercise's file, and its counts on its arguments."""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from student import settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ("-m", "book")
TODAY = datetime.date(2026, 11, 22)
SEED = 7  # the seed in the student's notebook, which determines the settings for which questions are asked
LONG = " and words that go on" * 6  # a compiler does not wrap at 80 columns

# Takes the place of chapterN. Its verdict is the word after `// verdict:` in the exercise, or else "goal missed".
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, re, sys
number = int(re.search(r"chapter(\\d+)$", sys.argv[0])[1])
calls = pathlib.Path("calls.txt")
calls.write_text((calls.read_text() if calls.exists() else "") + f"{number} {' '.join(sys.argv[1:])}\\n")
text = next(pathlib.Path("chapters").glob(f"{number:02d}_*/reduce.cuh")).read_text()
found = re.search(r"// verdict: (.*)", text)
verdict = found[1] if found else "goal missed"
if verdict == "crash":
    sys.exit(139)
said = dict(zip(sys.argv[1:], sys.argv[2:]))
count, size = int(said.get("--count", 1024)), int(said.get("--block-size", 256))
blocks, warps = count // size, size // 32
adds = sum(-(-stride // 32) for stride in (1 << k for k in range(size.bit_length() - 1)))
counters = {"workbook__blocks.sum": blocks, "workbook__warps.sum": blocks * warps,
            "workbook__combines.sum": blocks * adds,
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 0,
            "smsp__sass_inst_executed_op_shared_ld.sum": blocks * (2 * adds + 1),
            "smsp__sass_inst_executed_op_shared_st.sum": blocks * (adds + warps)}
launch = {"grid": [blocks, 1, 1], "block": [size, 1, 1], "counters": counters}
goal = {"counts": [{"metric": "bank conflicts", "yours": 45, "target": 0}]}
rows = [{"name": "reduce", "role": "reference", "launches": [launch]}]
if "--profile" in said:
    rows[0]["predicted"] = {"gpu": "NVIDIA H200", "us": 100.0, "launch_us": 5.0, "limits": ["instructions"],
                            "terms": {"block starts": 2.5, "latency": 70.0, "memory": 40.0, "instructions": 80.0,
                                      "L1 cache": 1.5, "shared memory": 1.0}}
print(json.dumps({"chapter": number, "verdict": verdict, "goal": goal, "kernels": rows,
                  "input": {"type": "int", "count": count, "block_size": size}}))
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "a tree with blanks"
        shutil.copytree(ROOT / "solutions", self.tree / "solutions")
        for part in ("book", "course", "student"):
            shutil.copytree(ROOT / "common" / part, self.tree / "common" / part)
        self.environment = {**os.environ, "PYTHONPATH": str(self.tree / "common")}
        (self.tree / "chapters").mkdir()
        shutil.copy(ROOT / "chapters/chapters.json", self.tree / "chapters")
        for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
            copy = self.tree / "chapters" / chapter.name
            copy.mkdir(parents=True)
            for name in ("README.md", "hints.md"):
                shutil.copy(chapter / name, copy)
        # Contains the exercises' starting texts, even if the exercises have been edited in this source tree.
        self.quietly([sys.executable, *TOOL, "exercises", "--write", "all"])
        (self.tree / "common/bootstrap").mkdir(parents=True)
        (self.tree / "common/bootstrap/bootstrap.sh").write_text(
            'grep -q "does not compile" chapters/*/reduce.cuh && '
            f'echo "reduce.cuh(3): error: expected a ;{LONG}" && exit 1\n'
            "exit 0\n"
        )
        bin_folder = self.tree / "build/bin"
        bin_folder.mkdir(parents=True)
        for number in range(20):
            program = bin_folder / f"chapter{number}"
            program.write_text(PROGRAM)
            program.chmod(0o755)
        self.exercise = self.tree / "chapters/03_sequential_addressing/reduce.cuh"
        self.given = self.exercise.read_text()

    def quietly(self, command, **more):
        return subprocess.run(
            command,
            cwd=self.tree,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=self.environment,
            **more,
        )

    def quietly_but(self, errors, command, **more):
        subprocess.run(
            command,
            cwd=self.tree,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            stderr=errors,
            check=True,
            timeout=60,
            **more,
        )

    def student(self, *words, answers="", day=0):
        self.environment["WORKBOOK_TODAY"] = (TODAY + datetime.timedelta(days=day)).isoformat()
        return self.quietly([sys.executable, *TOOL, *words], input=answers)

    def right(self, number=3):
        """Returns the right answers for chapter 3 at the setting of the next call: the additions and the passes."""
        page = self.notebook().get(str(number), {})
        last = [one["setting"] for one in page.get("asked", {}).values()]
        rounds = page.get("rounds", 0)
        size = settings.choose(number, SEED, rounds, last).block_size
        adds = sum(-(-(1 << k) // 32) for k in range(size.bit_length() - 1))
        return adds, size // 32 + 3 * adds + 1

    def notebook(self):
        path = self.tree / ".workbook/progress.json"
        return json.loads(path.read_text())["chapters"] if path.exists() else {}

    def own_seed(self):
        (self.tree / ".workbook").mkdir(exist_ok=True)
        (self.tree / ".workbook/progress.json").write_text(
            json.dumps({"schema": 1, "chapters": {"student": {"seed": SEED}}})
        )

    def write(self, words):
        self.exercise.write_text(self.given + f"// {words}\n")

    def line_of(self, number):
        """Returns the line that `progress` prints about a chapter, joined with its remarks."""
        lines = re.sub(r"\n {7}", " | ", self.student("progress").stdout).split("\n")
        return next(line for line in lines if line.startswith(f"{number:>3}  "))
