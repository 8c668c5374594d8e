#!/usr/bin/env python3
"""%globaltimer reads the same in every run, independent of the number of host threads that run the blocks, and
increases from launch to launch: test_times.py EMULATE"""

import itertools
import pathlib
import subprocess
import sys
import unittest

EMULATE = sys.argv.pop(1)
PROGRAM = pathlib.Path(__file__).with_name("times.cu")


def times(host_threads):
    """Returns for each launch the times that its threads have read, each at its beginning and at its end."""
    command = [EMULATE, "--quiet", "--host-threads", str(host_threads), str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


class Times(unittest.TestCase):
    def test_one_and_four_threads_of_the_host_give_the_same_times(self):
        one, four = times(1), times(4)
        self.assertEqual(len(one), 4)
        for launch, (alone, together) in enumerate(zip(one, four)):
            self.assertEqual(len(alone), len(together))
            other = [k for k, pair in enumerate(zip(alone, together)) if pair[0] != pair[1]]
            self.assertEqual(other[:5], [], f"launch {launch}: {len(other)} of {len(alone)} times differ")
        for before, behind in itertools.pairwise(one):
            self.assertGreater(min(behind), max(before))


if __name__ == "__main__":
    unittest.main()
