#!/usr/bin/env python3
"""Tests the zoo as a student uses it, with the program that runs its kernels: test_zoo.py BUILD. About two seconds."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from book import manifest
from student import repair, zoo
from student.failure import Failure
from student.specimen import all_specimens

ROOT = pathlib.Path(__file__).resolve().parents[2]

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"


class Zoo(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name)
        (self.tree / "tests/kernels").mkdir(parents=True)
        (self.tree / "tests/kernels/wrong_kernels").symlink_to(ROOT / "tests/kernels/wrong_kernels")
        self.specimens = all_specimens(self.tree)

    def play(self, *words, answers=""):
        done = subprocess.run(
            [sys.executable, "-m", "book", "zoo", "--root", self.tree, "--build", BUILD, *words],
            input=answers,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 80, done.stdout)
        return done

    def named(self, name):
        return next(one for one in self.specimens if one.name == name)

    def right_answer(self, own):
        choices = zoo.choices_for(own, self.specimens)
        return next(k for k, one in enumerate(choices, start=1) if one is own)

    def test_neither_the_list_nor_a_kernels_source_says_what_is_wrong(self):
        listed = self.play().stdout
        self.assertIn(f"0 of {len(self.specimens)} named", listed)
        for one in self.specimens:
            self.assertNotIn(one.name, listed)
            for text in (one.name, one.fault, "<-", "// wrong", "killed by", "// chapter"):
                for given in (one.shown(), repair.as_given(one)):
                    self.assertNotIn(text, given)
            # The only comments are the instructions at the top. The kernel has none.
            kernel = repair.as_given(one).split("#pragma once")[1]
            self.assertNotIn("//", kernel)
            for line in repair.as_given(one).split("#pragma once")[0].split("\n"):
                self.assertLessEqual(len(line), 80)

    def test_every_kernel_has_its_fault_among_different_choices(self):
        places = set()
        for one in self.specimens:
            faults = [choice.fault for choice in zoo.choices_for(one, self.specimens)]
            self.assertEqual(len(set(faults)), zoo.CHOICES)
            self.assertIn(one.fault, faults)
            places.add(faults.index(one.fault))
        self.assertEqual(len(places), zoo.CHOICES)  # the right choice can be at any position

    def test_a_fault_is_found_named_and_remembered(self):
        own = self.named("missing_barrier_after_load")
        right, number = self.right_answer(own), own.number
        wrong = self.play(str(number), "--answer", str(right % zoo.CHOICES + 1))
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("racecheck", wrong.stdout)
        self.assertIn("No: the tree starts before the tile is full.", wrong.stdout)
        self.assertIn("not named", self.play().stdout)
        named = self.play(str(number), answers=f"{right}\n")
        self.assertEqual(named.returncode, 0)
        self.assertIn("Right: the tree starts before the tile is full.", named.stdout)
        self.assertIn("1 of", self.play().stdout)
        remembered = json.loads((self.tree / ".workbook/progress.json").read_text())
        self.assertTrue(remembered["chapters"]["zoo"]["missing_barrier_after_load"])

    def test_without_an_answer_it_says_how_to_give_one(self):
        asked = self.play("3")
        self.assertEqual(asked.returncode, 1)
        self.assertIn('make zoo ARGS="3 --answer K"', asked.stdout)
        self.assertNotIn("Right", asked.stdout)

    def test_the_volatile_classic_is_right_by_luck_and_then_fails(self):
        shown = self.play("volatile").stdout
        before, after = shown.split("the even lanes first")
        self.assertIn("The sum is right.", before)
        self.assertIn("racecheck", before)
        self.assertIn("The sum is wrong", after)

    def test_each_kernel_has_a_chapter_and_a_number_of_its_own(self):
        files = list((ROOT / "tests/kernels/wrong_kernels").glob("*.cuh"))
        self.assertEqual(len(self.specimens), len(files))
        self.assertEqual(sorted(one.number for one in self.specimens), list(range(1, len(files) + 1)))
        chapters = manifest.load()
        for one in self.specimens:
            self.assertIn(one.chapter, chapters)
            self.assertGreaterEqual(len(one.types), 1)
            self.assertIn(one.shown_for.type, one.types)
            self.assertIn(one.shown_for, repair.problems_of(one)[:1])
        self.assertGreaterEqual(len({one.chapter for one in self.specimens}), 8)

    def test_the_list_goes_by_chapter_and_a_new_kernel_changes_no_number(self):
        listed = self.play().stdout
        headed = [int(n) for n in re.findall(r"^Chapter (\d+): ", listed, re.M)]
        self.assertEqual(headed, sorted({one.chapter for one in self.specimens}))
        for one in self.specimens:
            part = re.search(rf"^Chapter {one.chapter}: .*?(?=^Chapter|\Z)", listed, re.M | re.S)
            assert part, one
            self.assertRegex(part[0], rf"\b{one.number}  {one.shown_for.type}\b")
        (self.tree / "tests/kernels/wrong_kernels").unlink()
        copy = shutil.copytree(ROOT / "tests/kernels/wrong_kernels", self.tree / "tests/kernels/wrong_kernels")
        new = (copy / "off_by_one.cuh").read_text().replace("off_by_one", "a_new_one")
        (copy / "a_new_one.cuh").write_text(re.sub(r"// chapter: .*", "// chapter: 1, kernel 900", new))
        table = copy / "kernels.cu"
        table.write_text(table.read_text() + "WORKBOOK_WRONG(a_new_one, .for_int = a_new_one::reduce)\n")
        before = {one.name: one.number for one in self.specimens}
        after = {one.name: one.number for one in all_specimens(self.tree)}
        self.assertEqual(after, {**before, "a_new_one": 900})

    def test_a_kernel_without_its_chapter_is_named(self):
        (self.tree / "tests/kernels/wrong_kernels").unlink()
        copy = shutil.copytree(ROOT / "tests/kernels/wrong_kernels", self.tree / "tests/kernels/wrong_kernels")
        path = copy / "off_by_one.cuh"
        path.write_text(re.sub(r"// chapter: .*\n", "", path.read_text()))
        self.assertRaisesRegex(Failure, "off_by_one.*// chapter: ", all_specimens, self.tree)

    def test_what_was_named_and_repaired_is_listed_with_an_old_notebook_too(self):
        own = self.named("off_by_one")
        (self.tree / ".workbook").mkdir()
        pages = {"zoo": {own.name: True}, repair.PAGE: {own.name: True}}
        for chapters, words in (
            ({"zoo": pages["zoo"]}, "1 of 48 named, 0 repaired"),
            (pages, "1 of 48 named, 1 repaired"),
        ):
            (self.tree / ".workbook/progress.json").write_text(json.dumps({"schema": 1, "chapters": chapters}))
            listed = self.play().stdout
            self.assertIn(words.replace("48", str(len(self.specimens))), listed)
            self.assertEqual("named, repaired" in listed, len(chapters) == 2)

    def test_how_the_zoo_is_linked_is_known_with_makefiles_too(self):
        folder = self.tree / "build/tests/kernels/wrong_kernels/CMakeFiles/specimen.dir"
        folder.mkdir(parents=True)
        workshop = repair.Workshop(self.tree, self.tree / "build")
        self.assertRaisesRegex(Failure, "link.txt does not say", workshop._link_command)
        written = folder / "link.txt"
        written.write_text(
            "c++ CMakeFiles/specimen.dir/specimen.cpp.o CMakeFiles/wrong_kernels.dir/kernels.cu.o "
            "-o ../../bin/specimen ../../lib/libworkbook.a\n"
        )
        command, where = workshop._link_command()
        self.assertEqual(where, self.tree / "build/tests/kernels/wrong_kernels")
        self.assertEqual(re.findall(repair.OBJECT, command), ["CMakeFiles/wrong_kernels.dir/kernels.cu.o"])
        self.assertEqual(re.findall(repair.PROGRAM, command), ["-o ../../bin/specimen"])

    def test_repair_wants_a_number(self):
        refused = self.play("--repair")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("Which kernel?", refused.stderr)

    def test_a_number_that_does_not_exist_is_named(self):
        for word in ("0", "999", "barrier"):
            refused = self.play(word)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("There is no kernel", refused.stderr)


if __name__ == "__main__":
    unittest.main()
