#!/usr/bin/env python3
"""A GPU whose driver is older than the program's CUDA runtime: test_old_driver.py CXX RUNTIME_FOLDER CHAPTER

A library replaces the driver and reports which CUDA version it supports to NVIDIA's own runtime. Exit status 77: this
machine has no such runtime.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CXX, RUNTIME, CHAPTER = (sys.argv.pop(1) for _ in range(3))

DRIVER = 'extern "C" int cuDriverGetVersion(int* version) { *version = VERSION; return 0; }\n'


class OldDriver(unittest.TestCase):
    def run_with(self, version: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the chapter with a driver that supports this version of CUDA, in CUDA's numbering."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "driver.cpp"
            source.write_text(DRIVER.replace("VERSION", str(version)))
            library = pathlib.Path(folder) / "libcuda.so.1"
            subprocess.run([CXX, "-shared", "-fPIC", "-o", library, source], check=True)
            return subprocess.run(
                [CHAPTER, *arguments],
                env=os.environ | {"LD_LIBRARY_PATH": folder},
                capture_output=True,
                text=True,
                check=False,
            )

    def test_a_chapter_says_what_the_driver_supports_and_goes_on_with_the_emulator(self) -> None:
        run = self.run_with(11080, "--count", "1000")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("This runs on the emulator, not on the GPU: the GPU's driver", run.stderr)
        self.assertIn("supports CUDA up to 11.8, and this program was built with CUDA 1", run.stderr)
        self.assertIn("Update the driver to", run.stderr)
        self.assertIn("on the emulator as", run.stdout)

    def test_nothing_is_said_if_the_emulator_was_asked_for(self) -> None:
        run = self.run_with(11080, "--count", "1000", "--device", "emulator")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_json_on_standard_output_stays_json(self) -> None:
        run = self.run_with(11080, "--count", "1000", "--json", "-")
        self.assertTrue(run.stdout.startswith("{"), run.stdout[:100])

    def test_the_gpu_alone_and_times_are_refused_with_the_same_reason(self) -> None:
        for arguments in (["--device", "gpu"], ["--limit"]):
            run = self.run_with(11080, *arguments)
            self.assertEqual(run.returncode, 3, arguments)
            self.assertIn("supports CUDA up to 11.8", run.stderr)

    def test_without_a_driver_nothing_is_said(self) -> None:
        run = self.run_with(0, "--count", "1000")
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    if not list(pathlib.Path(RUNTIME).glob("libcudart.so.*")):
        print(f"There is no CUDA runtime library in {RUNTIME}.")
        sys.exit(77)
    unittest.main()
