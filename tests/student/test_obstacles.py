#!/usr/bin/env python3
"""Tests what can be in a student's way: a file that isn't text, another user's tree, a full disk, a machine without a
compiler. Each is reported in a sentence and ends with a status that is not 0, and no file is lost."""

import errno
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from student import failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Takes the place of chapterN: it tests the content of the file, and saves the file again in the meantime if a file
# `saving` asks for that.
PROGRAM = """#!/usr/bin/env python3
import hashlib, json, pathlib
path = pathlib.Path("chapters/03_sequential_addressing/reduce.cuh")
built = pathlib.Path("built").read_bytes()
saving = pathlib.Path("saving")
if saving.exists():
    left = int(saving.read_text())
    if left:
        saving.write_text(str(left - 1))
        path.write_bytes(path.read_bytes() + b"// again\\n")
print(json.dumps({"chapter": 3, "verdict": "done", "exercise_sha256": hashlib.sha256(built).hexdigest()}))
"""
BUILD = """echo "$2 ${WORKBOOK_NO_INSTALL-}" >>builds
[ ! -e no_tools ] || exit 3
python3 -m book exercises --snapshot 3 exercise build/snapshot.cuh || exit 1
cp chapters/03_sequential_addressing/reduce.cuh built
"""


class Obstacles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o755)
        self.tree = pathlib.Path(folder.name) / "tree"
        for part in ("solutions", "common/book", "common/course", "common/student"):
            shutil.copytree(ROOT / part, self.tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        (self.tree / "chapters").mkdir()
        shutil.copy(ROOT / "chapters/chapters.json", self.tree / "chapters")
        for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
            (self.tree / "chapters" / chapter.name).mkdir()
            shutil.copy(chapter / "hints.md", self.tree / "chapters" / chapter.name)
        self.environment = {**os.environ, "PYTHONPATH": str(self.tree / "common"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment.pop("WORKBOOK_NO_INSTALL", None)
        self.student("exercises", "--write", "all")
        self.put("common/bootstrap/bootstrap.sh", BUILD)
        program = self.put("build/bin/chapter3", PROGRAM)
        program.chmod(0o755)
        self.exercise = self.tree / "chapters/03_sequential_addressing/reduce.cuh"
        self.given = self.exercise.read_bytes()

    def put(self, path, text):
        (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / path).write_text(text)
        return self.tree / path

    def student(self, *words, before=(), **more):
        return subprocess.run(
            [*before, sys.executable, "-m", "book", *words],
            cwd=self.tree,
            text=True,
            check=False,
            timeout=60,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )

    def expect_refusal(self, done, *wanted):
        said = " ".join(done.stderr.split())
        self.assertNotIn("Traceback", said)
        self.assertNotIn("Exception ignored", said)
        self.assertNotIn(done.returncode, (0, 120), said)
        for words in wanted:
            self.assertIn(words, said)
        for line in done.stderr.split("\n"):
            self.assertLessEqual(len(line), 80)

    def work(self):
        self.exercise.write_bytes(self.given + b"// my work\n")

    def test_an_exercise_that_is_no_text(self):
        self.exercise.write_bytes(b"// one\n// Stra\xdfe\n")
        for words in (("diff", "3", "--yes"), ("progress",), ("page", "3"), ("predict", "3")):
            with self.subTest(words):
                self.expect_refusal(
                    self.student(*words),
                    "chapters/03_sequential_addressing/reduce.cuh, line 2: the byte 0xdf isn't UTF-8",
                    "Save the file as UTF-8",
                )
        shown = self.student("progress").stdout
        self.assertIn("cannot be read", shown)
        self.assertIn("Searching for machine code", shown)  # the other chapters are listed
        reset = self.student("reset", "3")
        self.assertEqual(reset.returncode, 0, reset.stderr)
        self.assertEqual(self.exercise.read_bytes(), self.given)
        (kept,) = self.exercise.parent.glob("*.bak")
        self.assertIn(b"\xdf", kept.read_bytes())

    def test_an_exercise_that_is_gone_or_a_folder(self):
        self.exercise.unlink()
        self.expect_refusal(self.student("diff", "3", "--yes"), "reduce.cuh is missing: `make reset3` creates it again")
        self.assertEqual(self.student("reset", "3").returncode, 0)
        self.assertEqual(self.exercise.read_bytes(), self.given)
        self.exercise.unlink()
        self.exercise.mkdir()
        (self.exercise / "mine").write_text("kept")
        for words in (("diff", "3"), ("progress",), ("reset", "3"), ("predict", "3")):
            self.expect_refusal(self.student(*words), "reduce.cuh is a folder: rename it")
        self.assertEqual((self.exercise / "mine").read_text(), "kept")

    def test_the_build_says_the_same_of_it(self):
        header = self.tree / "build/header.hpp"
        for content, words in ((b"// \xdf\n", "line 1: the byte 0xdf isn't UTF-8"), (None, "is missing")):
            self.exercise.unlink(missing_ok=True)
            if content is not None:
                self.exercise.write_bytes(content)
            done = self.student("exercises", "--snapshot", "3", str(self.exercise), str(header))
            self.assertIn(words, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(list(header.parent.glob("header*")), [])  # no temporary file is left either

    def test_a_disk_that_is_full_costs_nothing(self):
        self.work()
        mine = self.exercise.read_bytes()
        self.student("hint", "3")
        remembered = (self.tree / ".workbook/progress.json").read_bytes()

        def files_there():
            return sorted([*self.exercise.parent.iterdir(), *(self.tree / ".workbook").iterdir()])

        files = files_there()

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        for words in (("hint", "3"), ("reset", "3")):
            with self.subTest(words):
                self.expect_refusal(self.student(*words, preexec_fn=no_room), "File too large")
                self.assertEqual(self.exercise.read_bytes(), mine)
                self.assertEqual((self.tree / ".workbook/progress.json").read_bytes(), remembered)
                self.assertEqual(files_there(), files)

    def test_standard_output_that_takes_no_more(self):
        with pathlib.Path("/dev/full").open("w", encoding="utf-8") as full:
            self.expect_refusal(self.student("hint", "3", stdout=full), "No space left on device")
        ours, theirs = os.pipe()
        os.close(ours)
        with os.fdopen(theirs, "w") as closed:
            done = self.student("progress", stdout=closed)
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def allow_everything(self):
        for path in [self.tree, *self.tree.rglob("*")]:
            path.chmod(0o755)

    def test_a_tree_that_is_read_only(self):
        self.work()
        before = self.exercise.read_bytes()
        for path in [*self.tree.rglob("*"), self.tree]:
            path.chmod(0o555 if path.is_dir() or path.suffix == "" else 0o444)
        self.addCleanup(self.allow_everything)
        # root may write everywhere unless it gives up that right.
        powerless = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        if powerless and subprocess.run([*powerless, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("root cannot give up its rights here")
        for words, wanted in ((("hint", "3"), "make the folder .workbook yours"), (("reset", "3"), "Make it yours")):
            with self.subTest(words):
                self.expect_refusal(self.student(*words, before=powerless), "ermission denied", wanted)
                self.assertEqual(self.exercise.read_bytes(), before)

    def test_what_to_do_is_said_of_whatever_the_system_refuses(self):
        for number, words in (
            (errno.ENOSPC, "The disk is full. Make room"),
            (errno.EROFS, "Copy it to a folder of yours"),
            (errno.EIO, "Fix that"),
        ):
            error = OSError(number, os.strerror(number), "/a/tree/chapters/x")
            said = failure.words_of(error, pathlib.Path("/a/tree"))
            self.assertTrue(said.startswith(f"chapters/x: {os.strerror(number)}. "), said)
            self.assertIn(words, said)

    def test_progress_and_next_install_nothing(self):
        self.work()
        self.put("no_tools", "")
        done = self.student("progress")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\n +3 .* not tested\n")
        self.assertIn("`make test3` installs them", " ".join(done.stdout.split()))
        self.assertEqual((self.tree / "builds").read_text(), "chapter3 1\n")
        for words in (("hint", "3"), ("reset", "3"), ("next",)):
            self.assertEqual(self.student(*words).returncode, 0)
        self.assertEqual((self.tree / "builds").read_text(), "chapter3 1\n")
        # None of this is remembered as a verdict.
        self.work()
        (self.tree / "no_tools").unlink()
        self.assertRegex(self.student("progress").stdout, r"\n +3 .* done\n")

    def test_a_verdict_is_on_the_file_as_it_is(self):
        """If the file is saved once while it is tested, it is tested again. If it is saved each time, there is no
        verdict."""
        self.work()
        saving = self.put("saving", "1")
        self.assertRegex(self.student("progress").stdout, r"\n +3 .* done\n")
        page = json.loads((self.tree / ".workbook/progress.json").read_text())["chapters"]["3"]
        self.assertEqual((self.tree / "builds").read_text().count("chapter3"), 2)
        self.exercise.write_bytes(self.given + b"// other work\n")
        saving.write_text("100")
        self.expect_refusal(self.student("progress"), "reduce.cuh was saved each time while it was built and run")
        after = json.loads((self.tree / ".workbook/progress.json").read_text())["chapters"]["3"]
        self.assertEqual(page, after)

    def test_a_program_of_another_version_gives_no_verdict(self):
        self.work()
        self.put("common/bootstrap/bootstrap.sh", "exit 0\n")  # a build that does not change the program
        self.put("built", "another version")
        self.expect_refusal(self.student("progress"), "reduce.cuh was saved each time while it was built and run")


if __name__ == "__main__":
    unittest.main()
