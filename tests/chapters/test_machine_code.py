#!/usr/bin/env python3
"""machine_code.py reports a fact that does not hold, a kernel that is missing, and a program that is missing."""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import machine_code

SCRIPT = pathlib.Path(__file__).with_name("machine_code.py")
KERNEL = "_ZN8chapter88solution19reduce_vector_loadsILj256EiEEvPKT0_PS2_m"
GOOD = [
    "LDC R1, c[0x0][0x28]",
    "LDG.E.128 R4, desc[UR6][R20.64]",
    "LDG.E.128 R8, desc[UR6][R20.64+0x800]",
    "IADD3 R2, R4, R9, R2",
    "@P0 BRA 0x0010",
    "EXIT",
]


def kernel(code, loop=range(1, 5)):
    """Returns a report on one kernel whose loop contains the instructions with these numbers."""
    instructions = []
    for k, line in enumerate(code):
        guard, rest = line.split(" ", 1) if line.startswith("@") else ("", line)
        opcode, _, operands = rest.partition(" ")
        instructions.append({"guard": guard, "opcode": opcode, "operands": operands, "loop": int(k in loop)})
    return {
        "toolkit": "13.0.88",
        "kernels": [
            {
                "linker_name": KERNEL,
                "architecture": "sm_86",
                "registers": 32,
                "loops": [{}],
                "instructions": instructions,
            }
        ],
    }


def complaints(*code, loop=range(1, 5)):
    return "\n".join(machine_code.complaints(8, machine_code.kernels_of(kernel(code, loop)) if code else []))


class Facts(unittest.TestCase):
    def test_what_holds_is_no_complaint(self):
        self.assertEqual(complaints(*GOOD), "")

    def test_a_narrow_load_is_told_with_the_compiler(self):
        told = complaints(*(line.replace("LDG.E.128", "LDG.E") for line in GOOD))
        self.assertIn("LDG.E.128", told)
        self.assertIn("CUDA 13.0.88 for sm_86", told)

    def test_a_use_between_two_loads_is_told(self):
        code = [*GOOD[:2], "IADD3 R2, R7, R2, RZ", *GOOD[2:]]
        self.assertIn("1 loads before the first use", complaints(*code))

    def test_local_memory_is_told(self):
        self.assertIn("local memory", complaints(*GOOD, "STL [R1], R2"))

    def test_a_load_that_left_the_loop_is_told(self):
        self.assertIn("no loop with 2 loads of 16 bytes", complaints(*GOOD, loop=range(2, 5)))

    def test_a_kernel_that_is_not_there_is_told(self):
        self.assertIn("no machine code", complaints())

    def test_a_fact_of_other_architectures_is_not_asked(self):
        one = machine_code.kernels_of(kernel(GOOD))[0]
        for where in ({"on": [75]}, {"on_from": 100}):
            fact = {"has": "HMMA", "words": "matrix", **where}
            one.architecture = 86
            self.assertIsNone(machine_code.wrong(fact, one))
            one.architecture = 75 if "on" in where else 103
            self.assertEqual(machine_code.wrong(fact, one), "no matrix")

    def test_every_fact_of_the_manifest_is_one_and_another_is_named(self):
        one = machine_code.kernels_of(kernel(GOOD))[0]
        for code in machine_code.CHAPTERS.values():
            for entry in code.get("kernels", []):
                for fact in entry["facts"]:
                    machine_code.wrong(fact, one)
            for entry in [*code.get("more", []), *code.get("figures", [])]:
                self.assertIn(entry["what"], machine_code.MEASURES)
        self.assertRaisesRegex(ValueError, "is no fact", machine_code.wrong, {"bananas": 3}, one)

    def test_a_step_that_brings_nothing_is_told(self):
        report = kernel(GOOD)
        pair = [machine_code.kernels_of(report)[0] for _ in range(2)]
        pair[0].name, pair[1].name = "18reduce_interleavedIi", "14reduce_stridedIi"
        pair[0].architecture = pair[1].architecture = 90
        told = machine_code.compared(2, pair)
        self.assertIn("has 4 instructions in its loop", "\n".join(told))
        pair[1].loops = [["@P0 BRA 0x0010"]]
        self.assertEqual(machine_code.compared(2, pair), [])

    def test_a_figure_of_the_lesson_that_has_changed_is_told_for_its_own_compiler_only(self):
        one = machine_code.kernels_of(kernel(GOOD))[0]
        one.name, one.architecture = "14reduce_stridedIi", 75
        self.assertIn("4 instructions in its loop; the lesson says 12", "\n".join(machine_code.figures(2, [one])))
        one.toolkit = "12.6.20"
        self.assertEqual(machine_code.figures(2, [one]), [])


class Program(unittest.TestCase):
    def run_with(self, tool):
        return subprocess.run(
            [sys.executable, str(SCRIPT), "--sass", tool, "8", "x.o"], capture_output=True, text=True, check=False
        )

    def test_a_missing_program_is_a_failure(self):
        done = self.run_with("/no/such/sass")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/sass", done.stderr)

    def test_a_program_that_fails_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "sass"
            tool.write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
            tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
            done = self.run_with(str(tool))
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken", done.stderr)


if __name__ == "__main__":
    unittest.main()
