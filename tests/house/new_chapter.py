#!/usr/bin/env python3
"""Adds a made-up chapter to a copy of the source tree, which must need only two folders and an entry in the manifest.

new_chapter.py ROOT BUILD        BUILD is a folder in which `make` has built; the copy uses what is installed there
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from book import exercises, manifest

ROOT, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
# The copy's common/ is identical, so its objects can be taken from BUILD, unless they were built with sanitizers.
PLAIN = "\nWORKBOOK_SANITIZE:STRING=\n" in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
NUMBER = max(manifest.load()) + 1
FOLDER, TITLE = f"{NUMBER}_made_up", "Made up: a sum of two, by a test"
ENTRY = {
    "number": NUMBER,
    "folder": FOLDER,
    "title": TITLE,
    "kind": "ladder",
    "exercise": "reduce.cuh",
    "kernel": "reduce_first_add",
    "parent": 3,
    "block_sizes": "powers of two",
    "task": "let every thread load two elements.",
    "task_above": "// Load:",
    "predict": ["blocks", "launches"],
}
PROGRAM = f"""#include "chapters/chapter{NUMBER}.hpp"

int main(int argc, char** argv) {{
  using namespace workbook;
  chapter c = make_chapter{NUMBER}();
  c.aim = {{"half the words stored to shared memory",
           {{{{"shared stores of the whole first pass",
             [](const outcome& o) {{ return total(o, "smsp__sass_inst_executed_op_shared_st.sum"); }}}}}}}};
  return run_chapter(argc, argv, c);
}}
"""
HINTS = "# Hints\n\n## Hint 1\n\nTwo.\n\n## Hint 2\n\nTwo loads.\n\n## Hint 3\n\nTwo loads, one addition.\n"


def add_chapter(tree):
    """Does exactly what CONTRIBUTING.md tells an author to do."""
    lesson, solution = tree / "chapters" / FOLDER, tree / "solutions" / FOLDER
    lesson.mkdir()
    solution.mkdir()
    (lesson / "README.md").write_text(f"# Chapter {NUMBER}: {TITLE}\n", encoding="utf-8")
    (lesson / "chapter.cpp").write_text(PROGRAM, encoding="utf-8")
    (lesson / "hints.md").write_text(HINTS, encoding="utf-8")
    kernel = (tree / "solutions/04_first_add_during_load/reduce.cuh").read_text(encoding="utf-8")
    kernel = kernel.replace("chapter4", f"chapter{NUMBER}").replace("Chapter 4", f"Chapter {NUMBER}")
    (solution / "reduce.cuh").write_text(kernel, encoding="utf-8")
    path = tree / "chapters/chapters.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["chapters"].append(ENTRY)
    path.write_text(json.dumps(facts), encoding="utf-8")
    exercises.write(manifest.load(tree)[NUMBER], tree)


class NewChapter(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a made-up chapter ")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        leave = shutil.ignore_patterns("build", "build-*", ".git", ".workbook", "__pycache__")
        shutil.copytree(ROOT, self.tree, ignore=leave, symlinks=True)
        for name in ("cuda", "sass", "python"):
            if (BUILD / name).is_dir():
                (self.tree / "build").mkdir(exist_ok=True)
                (self.tree / "build" / name).symlink_to(BUILD / name)
        add_chapter(self.tree)

    def make(self, target, status=0, arguments=""):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        environment["WORKBOOK_NO_INSTALL"] = "1"
        if PLAIN:
            environment["BEFORE"] = str(BUILD)
            for language in ("CXX", "CUDA"):
                environment[f"CMAKE_{language}_COMPILER_LAUNCHER"] = str(HERE / "made_before.sh")
        command = ["make", "-s", target, *([f"ARGS={arguments}"] if arguments else [])]
        done = subprocess.run(
            command,
            cwd=self.tree,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        said = done.stdout + done.stderr
        # make exits with 2 if one of its commands has failed.
        self.assertEqual(done.returncode != 0, status != 0, f"make {target} said:\n{said[-3000:]}")
        return said

    def test_every_command_knows_it(self):
        self.assertIn(TITLE, self.make("chapters"))
        self.assertIn("Your kernel is as the chapter gave it", self.make(f"chapter{NUMBER}"))
        self.make(f"test{NUMBER}", status=1)
        self.assertIn("Two.", self.make(f"hint{NUMBER}"))
        chapter = manifest.load(self.tree)[NUMBER]
        chapter.exercise_path(self.tree).write_text(exercises.reference_text(chapter, self.tree), encoding="utf-8")
        self.assertIn(f"Chapter {NUMBER}: {TITLE}", self.make(f"chapter{NUMBER}"))
        self.make(f"test{NUMBER}")
        if (BUILD / "bin" / "exercise_host").exists():
            self.assertIn("10/10", self.make(f"grade{NUMBER}"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
