#!/usr/bin/env python3
"""Saves an exercise while two commands build and run it, fifty times: two_builds.py ROOT [ROUNDS].

The source tree is a small one. Its chapter is host code that prints its own version, but the workbook's own scripts do
the building, locking, naming and refusing. A verdict is stale if the file contains a different version by the time the
program has judged, or if the program's fingerprint is not that of the text that was compiled. Takes about 40 seconds.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 50
FOLDER = "01_first"
SEED = 20261122

CMAKE = """cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/common/cmake")
include(Manifest)
workbook_read_manifest()
include(AddChapter)
add_subdirectory(chapters)
"""
CHAPTERS = """set(exercise "${CMAKE_CURRENT_SOURCE_DIR}/01_first/reduce.cuh")
set(snapshot "${CMAKE_CURRENT_BINARY_DIR}/chapter1_exercise.cuh")
workbook_snapshot(1 "${exercise}" "${snapshot}")
workbook_depends_on_kernel(kernel.cpp "${snapshot}")
add_library(chapter1_exercise OBJECT kernel.cpp)
target_include_directories(chapter1_exercise PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
add_dependencies(chapter1_exercise chapter1_snapshot)
add_library(workbook_version OBJECT "${PROJECT_SOURCE_DIR}/common/workbook/exercise_version.cpp"
  "${PROJECT_SOURCE_DIR}/common/host/sha256.cpp" "${PROJECT_SOURCE_DIR}/common/host/source_text.cpp")
target_include_directories(workbook_version PUBLIC "${PROJECT_SOURCE_DIR}/common")
add_executable(chapter1 main.cpp)
target_compile_definitions(chapter1 PRIVATE "EXERCISE=\\"${exercise}\\"")
target_link_libraries(chapter1 PRIVATE chapter1_exercise workbook_version)
"""
KERNEL = """#include "chapter1_exercise.cuh"
int version() { return the_version; }
"""
MAIN = """#include <time.h>
#include <unistd.h>
#include <cstdio>
#include "workbook/exercise_version.hpp"
int version();
namespace chapter1 { const char* exercise_sha256(); }
int main() {
  const auto other = [] { return workbook::other_exercise(EXERCISE, chapter1::exercise_sha256(), 1); };
  if (other()) return std::puts(other()->c_str()), 2;
  usleep(100000);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::printf("version %d of %s at %.6f\\n", version(), chapter1::exercise_sha256(), now.tv_sec + now.tv_nsec / 1e9);
  return other() ? 2 : 0;
}
"""


def text_of(version):
    return f"inline constexpr int the_version = {version};\n"


class TwoBuilds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="two builds ")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        for part in ("common/bootstrap", "common/book", "common/course", "common/student", "common/cmake"):
            shutil.copytree(ROOT / part, self.tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("common/workbook/exercise_version", "common/host/sha256", "common/host/source_text"):
            for suffix in (".cpp", ".hpp"):
                (self.tree / name).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / (name + suffix), self.tree / (name + suffix))
        shutil.copy(ROOT / "Makefile", self.tree)
        self.put("common/bootstrap/install.py", "def install(groups):\n    return True\n")
        chapter = {
            "number": 1,
            "folder": FOLDER,
            "title": "The first",
            "kind": "ladder",
            "exercise": "reduce.cuh",
            "task": "say another version.",
            "predict": [],
        }
        self.put("chapters/chapters.json", json.dumps({"schema": 1, "chapters": [chapter]}))
        self.put(f"solutions/{FOLDER}/reduce.cuh", text_of(0))
        self.put("CMakeLists.txt", CMAKE)
        self.put("chapters/CMakeLists.txt", CHAPTERS)
        self.put("chapters/kernel.cpp", KERNEL)
        self.put("chapters/main.cpp", MAIN)
        self.exercise = self.tree / "chapters" / FOLDER / "reduce.cuh"
        self.exercise.parent.mkdir()
        self.had = []  # (time, version): the file has had this version since that time
        self.save(1)
        above = ("MAKE", "MFLAGS", "WORKBOOK_LOCKED")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(above)}
        self.environment["WORKBOOK_BUILD_DIR"] = "build"
        self.dice = random.Random(SEED)

    def put(self, path, text):
        (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / path).write_text(text, encoding="utf-8")

    def save(self, version, whole=True):
        """Saves the file as editors do: writes a new file and renames it, or overwrites the old file."""
        self.had.append((time.monotonic(), version))
        if whole:
            beside = self.exercise.with_name("reduce.cuh~")
            beside.write_text(text_of(version), encoding="utf-8")
            beside.replace(self.exercise)
        else:
            self.exercise.write_text(text_of(version), encoding="utf-8")
        self.had.append((time.monotonic(), version))

    def run_command(self, words, results):
        done = subprocess.run(
            words,
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
        results.append((" ".join(words), time.monotonic(), done))

    def versions_between(self, began, ended):
        """Returns the versions that the file may have had between these times. The program uses the same clock as
        Python."""
        before = [version for when, version in self.had if when <= began]
        return set(before[-2:]) | {version for when, version in self.had if began <= when <= ended}

    def check(self, results):
        """Checks that no verdict is stale. Returns the number of verdicts."""
        verdicts = 0
        for command, ended, done in results:
            said = f"{command} said:\n{done.stdout}{done.stderr}"
            self.assertNotIn("warning", said)
            found = re.search(r"version (\d+) of ([0-9a-f]{64}) at ([\d.]+)", done.stdout)
            if done.returncode != 0 or not found:
                continue
            verdicts += 1
            version = int(found[1])
            self.assertEqual(hashlib.sha256(text_of(version).encode()).hexdigest(), found[2], said)
            self.assertIn(version, self.versions_between(float(found[3]), ended), f"a stale verdict: {said}")
        return verdicts

    def test_no_verdict_is_stale_whenever_the_file_is_saved(self):
        results: list[tuple[str, float, subprocess.CompletedProcess[str]]] = []
        began = time.monotonic()
        self.run_command(["make", "test1"], results)
        self.assertEqual(self.check(results), 1, results[0][2].stderr)
        self.save(2)
        first = time.monotonic()
        self.run_command(["make", "test1"], results)
        span = results[1][1] - first
        verdicts, refused, version = 0, 0, 2
        for turn in range(ROUNDS):
            commands = [["make", "chapter1"], ["make", "test1"]]
            if turn % 2:
                commands.reverse()
            if turn % 5 == 0:  # as `make watch` does
                commands.insert(1, ["sh", "common/bootstrap/bootstrap.sh", "build", "chapter1"])
            results = []
            version += 1
            self.save(version, whole=turn % 3 != 0)
            running = [threading.Thread(target=self.run_command, args=(words, results)) for words in commands]
            for one in running:
                one.start()
                time.sleep(self.dice.random() * 0.05)
            time.sleep(self.dice.random() * span)
            before, version = version, version + 1
            self.save(version, whole=turn % 3 != 1)
            if turn % 4 == 0:  # sometimes the previous version is saved again
                time.sleep(self.dice.random() * span / 4)
                version = before
                self.save(version)
            for one in running:
                one.join()
            verdicts += self.check(results)
            refused += sum(done.returncode != 0 for _, _, done in results)
            # Whatever the results were: after the last change to the file, the next verdict must be about its content.
            results = []
            if turn % 5 == 0 or turn == ROUNDS - 1:
                self.run_command(["make", "test1"], results)
                self.assertEqual(self.check(results), 1, results[0][2].stdout + results[0][2].stderr)
                self.assertIn(f"version {version} of", results[0][2].stdout)
        print(
            f"{verdicts} verdicts, none stale; {refused} commands refused or failed; {time.monotonic() - began:.0f} s"
        )
        self.assertGreater(verdicts, ROUNDS / 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
