#!/usr/bin/env python3
"""Tests of check_program.py: each promise that isn't kept results in a line."""

import unittest

import check_program

PROGRAM = """// covers: classics | a sum
// A derivation.
// count: sum | global load sectors | 8
// says: first
// says: second
"""


def report(kernel="sum(int*)", sectors=8, findings=(), notes=()):
    counters = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": sectors}
    launch = {"kernel": kernel, "counters": counters, "findings": [], "notes": list(notes)}
    said = [{"message": m, "occurrences": [{"launch": 0, "message": m}]} for m in findings]
    return {"launches": [launch], "findings": said}


class Promises(unittest.TestCase):
    def found(self, text=PROGRAM, status=0, output="first second", **of_report):
        return list(check_program.breaches(check_program.promises_of(text), status, output, report(**of_report)))

    def test_a_program_that_keeps_all_is_right(self):
        self.assertEqual(self.found(), [])

    def test_another_status_is_seen(self):
        self.assertEqual(self.found(status=86), ["ended with 86, not 0"])

    def test_another_count_is_seen(self):
        self.assertEqual(self.found(sectors=9), ["sum: global load sectors: 9, not 8"])

    def test_a_kernel_that_was_not_launched_is_seen(self):
        self.assertEqual(self.found(kernel="other(int*)"), ["sum: global load sectors: None, not 8"])

    def test_templates_and_results_do_not_hide_a_kernel(self):
        self.assertEqual(self.found(kernel="void sum<int>(int*)"), [])

    def test_a_promise_in_the_middle_of_a_line_is_an_error(self):
        for text in (
            PROGRAM.replace("derivation.\n// count", "derivation. count"),
            PROGRAM.replace("derivation.\n// count: sum", "derivation. count:\n// sum"),
        ):
            with self.assertRaisesRegex(ValueError, "`count:` stands in the middle of a line"):
                check_program.promises_of(text)

    def test_output_in_another_order_is_seen(self):
        self.assertEqual(self.found(output="second first"), ["did not print, or not here: second"])

    def test_a_finding_that_nobody_wanted_is_seen(self):
        self.assertEqual(self.found(findings=["a race"]), ["finding: a race"])

    def test_a_finding_that_was_wanted_must_be_there(self):
        wanted = PROGRAM + "// finding: race\n"
        self.assertEqual(self.found(text=wanted, findings=["a race"]), [])
        self.assertEqual(self.found(text=wanted), ["no finding says: race"])

    def test_a_note_on_a_header_of_the_toolkit_is_seen(self):
        note = {"check": "index", "kind": "index of 32 bits", "file": "/x/include/cub/a.cuh", "line": 7}
        self.assertEqual(
            self.found(notes=[note]), ["note on a header of the toolkit: /x/include/cub/a.cuh:7: index of 32 bits"]
        )
        self.assertEqual(self.found(notes=[{**note, "file": "/x/sum.cu"}]), [])

    def test_a_counter_that_does_not_exist_is_seen(self):
        wanted = PROGRAM + "// count: sum | shared doubts | 1\n"
        self.assertEqual(self.found(text=wanted), ["there is no counter 'shared doubts'"])

    def test_a_report_must_be_there(self):
        promises = check_program.promises_of("// covers: classics | nothing\n")
        self.assertEqual(list(check_program.breaches(promises, 0, "", None)), ["wrote no report"])


if __name__ == "__main__":
    unittest.main()
