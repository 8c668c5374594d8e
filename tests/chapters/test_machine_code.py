#!/usr/bin/env python3
"""machine_code.py sees a fact that does not hold, a kernel that is missing, and a program that is missing."""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import machine_code

SCRIPT = pathlib.Path(__file__).with_name("machine_code.py")
GOOD = """
\t\tFunction : _Z19reduce_vector_loadsPKiPim
\t.headerflags @"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;            /* 0x00000a00ff017b82 */
                                                                     /* 0x000fe20000000800 */
        /*0010*/                   LDG.E.128 R4, desc[UR6][R20.64] ; /* 0x0000000614047981 */
        /*0020*/                   LDG.E.128 R8, desc[UR6][R20.64+0x800] ;  /* 0x00 */
        /*0030*/                   IADD3 R2, R4, R9, R2 ;  /* 0x00 */
        /*0040*/                   EXIT ;  /* 0x00 */
"""
NARROW = GOOD.replace("LDG.E.128", "LDG.E")
ONE_BY_ONE = GOOD.replace("LDG.E.128 R8,", "IADD3 R2, R7, R2, RZ ; /* 0x00 */\n /*0028*/ LDG.E.128 R8,")
LOCAL = GOOD.replace("EXIT", "STL [R1], R2")


def complaints(text):
    return machine_code.complaints(8, machine_code.functions_of(text))


class Facts(unittest.TestCase):
    def test_what_holds_is_no_complaint(self):
        self.assertEqual(complaints(GOOD), [])

    def test_a_narrow_load_is_told(self):
        self.assertIn("LDG.E.128", "\n".join(complaints(NARROW)))

    def test_a_use_between_two_loads_is_told(self):
        self.assertIn("1 loads before the first use", "\n".join(complaints(ONE_BY_ONE)))

    def test_local_memory_is_told(self):
        self.assertIn("local memory", "\n".join(complaints(LOCAL)))

    def test_a_kernel_that_is_not_there_is_told(self):
        self.assertIn("no machine code", "\n".join(complaints("")))


class Program(unittest.TestCase):
    def run_with(self, tool):
        return subprocess.run([sys.executable, str(SCRIPT), "--cuobjdump", tool, "--nvdisasm", tool, "8", "x.o"],
                              capture_output=True, text=True, check=False)

    def test_a_missing_program_is_a_failure_that_says_what_to_do(self):
        done = self.run_with("/no/such/cuobjdump")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bootstrap.sh sass", done.stderr)

    def test_a_program_that_fails_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "cuobjdump"
            tool.write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
            tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
            done = self.run_with(str(tool))
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken", done.stderr)


if __name__ == "__main__":
    unittest.main()
