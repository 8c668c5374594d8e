#!/usr/bin/env python3
"""Inputs larger than a GPU's memory are summed right, and in little memory: test_large_sum.py LARGE_SUM

The sums are compared with Python's, whose integers are unbounded and whose fsum rounds once.
"""

import array
import json
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
CODES = {"int": "i", "unsigned": "I", "longlong": "q", "float": "f", "double": "d"}


def run(*words, status=0):
    """Runs the program on the emulator. Returns its output and its errors as one text."""
    command: list[str | pathlib.Path] = [PROGRAM, "--device", "emulator", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == status, f"status {done.returncode} for {words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def sum_in(text):
    found = re.search(r"^The sum is ([^\s]+)\.$", text, re.MULTILINE)
    assert found, text
    return found[1]


def gpu_bytes_in(text):
    found = re.search(r"slices, (\d+) (bytes|KiB|MiB) of memory", text)
    assert found, text
    number, unit = found.groups()
    return int(number) * {"bytes": 1, "KiB": 1024, "MiB": 1 << 20}[unit]


class LargeSum(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "a folder, with blanks"
        self.folder.mkdir()
        self.random = random.Random(16)

    def file_of(self, kind, numbers):
        path = self.folder / f"{kind} {len(numbers)}.bin"
        values = array.array(CODES[kind], numbers)
        path.write_bytes(values.tobytes())
        return path, values

    def numbers(self, kind, count):
        if kind in ("float", "double"):
            return [self.random.uniform(-1, 1) * 10.0 ** self.random.randrange(-6, 7) for _ in range(count)]
        low, high = {"int": (-(2**31), 2**31), "unsigned": (0, 2**32), "longlong": (-(2**40), 2**40)}[kind]
        return [self.random.randrange(low, high) for _ in range(count)]

    def test_integers_of_a_file_are_summed_exactly(self):
        for kind in ("int", "unsigned", "longlong"):
            for count in (0, 1, 3, 4, 5, 1000, 70001):
                path, values = self.file_of(kind, self.numbers(kind, count))
                for gpus, lanes in ((1, 1), (1, 3), (3, 2)):
                    text = run(path, "--type", kind, "--gpus", gpus, "--lanes", lanes, "--slice", 4096)
                    self.assertEqual(sum_in(text), str(sum(values)), (kind, count, gpus, lanes))

    def test_integers_wrap_as_64_bits_do(self):
        path, _ = self.file_of("longlong", [2**63 - 1, 2**63 - 1, 5])
        self.assertEqual(sum_in(run(path, "--type", "longlong", "--slice", 16)), "3")

    def test_floating_point_numbers_have_the_same_bits_however_they_are_cut(self):
        for kind, precision in (("float", 2.0**-24), ("double", 2.0**-53)):
            path, values = self.file_of(kind, self.numbers(kind, 50021))
            sums = {
                sum_in(run(path, "--type", kind, "--gpus", gpus, "--lanes", lanes, "--slice", size))
                for gpus, lanes, size in ((1, 1, "1Mi"), (1, 4, 4096), (2, 3, 10000), (7, 1, 16384), (8, 2, 48))
            }
            self.assertEqual(len(sums), 1, sums)
            exact, got = math.fsum(values), float(sums.pop())
            largest = max(map(abs, values))
            bound = abs(exact) * precision * 2 + len(values) * largest * 2.0 ** (-46 if kind == "float" else -104)
            self.assertLessEqual(abs(got - exact), bound)

    def test_memory_is_bounded_by_the_slices(self):
        path, values = self.file_of("int", self.numbers("int", 1 << 20))
        seen = {}
        for lanes in (1, 2, 4):
            text = run(path, "--slice", "64Ki", "--lanes", lanes)
            self.assertEqual(sum_in(text), str(sum(values)))
            seen[lanes] = gpu_bytes_in(text)
            self.assertLess(seen[lanes], lanes * (128 << 10), "of a file of 4 MiB")
        self.assertLess(seen[1], seen[2])
        self.assertLess(seen[2], seen[4])

    def test_made_up_numbers_are_summed_from_memory_and_where_they_are(self):
        for kind in CODES:
            for count in (0, 1, 5, 40000):
                run("--count", count, "--type", kind, "--slice", 4096)
                text = run("--resident", "--count", count, "--type", kind, "--gpus", 3)
                self.assertEqual(re.findall(r"^ +(\d)  (\w+)", text, re.MULTILINE), [(g, "yes") for g in "123"])

    def test_a_record_says_where_it_comes_from(self):
        path, values = self.file_of("int", self.numbers("int", 1000))
        record = self.folder / "record.json"
        run(path, "--slice", 1024, "--json", record)
        read = json.loads(record.read_text())
        self.assertEqual(read["sum"], str(sum(values)))
        self.assertEqual((read["slice_bytes"], read["gpus"], read["type"]), (1024, 1, "int"))
        self.assertIn("command", read["provenance"])

    def test_what_cannot_be_summed_is_refused_in_words(self):
        path, _ = self.file_of("int", [1, 2, 3])
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for words, expected in (
            ([self.folder / "nothing.bin"], "No such file"),
            ([self.folder], "is not a file with a beginning and an end"),
            ([pipe], "is not a file with a beginning and an end"),
            (["/dev/zero"], "is not a file with a beginning and an end"),
            ([path, "--type", "double"], "has 12 bytes, and its last element only 4 of 8"),
            ([path, "--type", "half"], "'half' is not a type"),
            ([path, "--count", 5], "a file says itself how much there is"),
            ([path, "--resident"], "a file says itself how much there is"),
            ([path, "--slice", 0], "is not the size of a slice"),
            ([path, "--slice", 24], "multiple of 16"),
            ([path, "--slice", "1.5M"], "is not the size of a slice"),
            ([path, "--lanes", 0], "--lanes"),
            ([path, "--gpus", 9], "--gpus"),
            ([path, "--slice", "60Gi", "--lanes", 64], "of the host's memory"),
            ([path, "--compare"], "the emulator has no times"),
            (["--count", "2^40"], "do not fit into the host's memory"),
            (["--uncached"], "--uncached is about a file"),
            (["--resident", "--slice", 4096], "has no slices"),
            ([path, "--json", "/no/such/folder/x.json"], "cannot be written"),
            ([path, "--json", "-"], "'-' is not the name of a file"),
            ([path, "--json", ""], "'' is not the name of a file"),
            ([""], "'' is not the name of a file"),
            (["--seed", -1], "--seed: '-1': give a whole number from 0"),
            (["--repetitions", 3], "give --compare or --resident"),
        ):
            text = run(*words, status=2)
            self.assertIn(expected, " ".join(text.split()), words)
            self.assertEqual(len(text.strip().splitlines()), 1, text)

    def changed_while_read(self, size):
        """Returns status, output and errors of a file whose size changes while it is read."""
        path = self.folder / "changes.bin"
        path.write_bytes(bytes(64 << 20))
        child = subprocess.Popen(
            [PROGRAM, "--device", "emulator", path, "--slice", "64Ki", "--lanes", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stdout
        child.stdout.readline()  # the heading: the program has read the size by now
        os.truncate(path, size)
        out, error = child.communicate(timeout=240)
        self.assertNotIn("The sum is", out)
        return child.returncode, " ".join(error.split())

    def test_a_file_that_ends_early_or_grows_is_an_error(self):
        status, error = self.changed_while_read((1 << 20) + 3)
        self.assertEqual(status, 1, error)
        self.assertIn("ended early: it had 67108864 bytes, and has 1048579 now. Is it still being written?", error)
        status, error = self.changed_while_read((64 << 20) + 4)
        self.assertEqual(status, 1, error)
        self.assertIn("had 67108864 bytes, and has 67108868 now, so there is no sum.", error)

    def test_many_lanes_are_no_burden(self):
        """256 lanes took 40 s of a processor when clocks of streams were trees."""
        path, values = self.file_of("int", range(4096))
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(sum_in(run(path, "--slice", 16, "--lanes", 64, "--gpus", 4)), str(sum(values)))
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(end.ru_utime - begin.ru_utime, 8)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
