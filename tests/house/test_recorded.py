#!/usr/bin/env python3
"""Tests that book.outputs formats the records, finds stale tables, and reports missing rows."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from book import records

sys.path.append(str(records.ROOT / "tests" / "plots"))
import made_up

TOOL = [sys.executable, "-m", "book.outputs"]
PROVENANCE = {"gpu": "GPU", "driver": "1.2", "toolkit": 13000, "date": "2026-01-02T03:04:05Z", "commit": "abc"}


def row(chapter, kernel, count, rate):
    return {"chapter": chapter, "kernel": kernel, "count": count, "cold_gb_per_s": rate}


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.md"
        self.record(150.0)

    def record(self, rate):
        results = [row(1, "slow", 4, 50.0), row(0, "library", 4, rate)]
        (self.folder / "ladder.json").write_text(
            json.dumps({"type": "int", "provenance": PROVENANCE, "results": results})
        )

    def run_tool(self, arguments, *options, kind="ladder"):
        if arguments is not None:
            self.page.write_text(f"<!-- recorded:{kind} begin {arguments} -->\n<!-- recorded:{kind} end -->\n")
        return subprocess.run(
            [*TOOL, *options, "--data", self.folder, self.page], capture_output=True, text=True, check=False
        )

    def test_writes_rates_ratios_and_provenance(self):
        self.assertEqual(self.run_tool("ladder.json 2^2").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| 1: `slow` | 50 | 1.00 |", text)
        self.assertIn("| `library` | 150 | 3.00 |", text)
        self.assertIn("GPU, driver 1.2, CUDA 13.0, 2026-01-02, commit abc", text)

    def test_a_new_record_makes_the_table_stale(self):
        self.run_tool("ladder.json 2^2")
        self.assertEqual(self.run_tool(None, "--check").returncode, 0)
        self.record(151.0)
        done = self.run_tool(None, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("+| `library` | 151 | 3.02 |", done.stdout)

    def test_figures_of_cost_tables_and_of_an_empty_launch_stand_in_sentences(self):
        raced = [
            [{"name": "an empty launch", "cold_us": us}, {"name": "sum", "cold_us": 9.0}] for us in (2.0, 3.0, 2.5)
        ]
        (self.folder / "tune.json").write_text(json.dumps({"results": [{"raced": r} for r in raced]}))
        (self.folder / "table.json").write_text(
            json.dumps(
                {
                    "instructions": {"SHFL": {"latency": 24}},
                    "sequences": [{"name": "sum16", "measured_cycles": 116.2, "modelled_cycles": 112.0}],
                }
            )
        )
        for arguments, shown in (
            ("tune.json empty", "2.5"),
            ("table.json latency SHFL", "24"),
            ("table.json measured sum16", "116"),
            ("table.json modelled sum16", "112"),
        ):
            self.page.write_text(f"It is <!--={arguments}-->0<!--/-->.")
            self.assertEqual(self.run_tool(None).returncode, 0)
            self.assertIn(f"-->{shown}<!--/-->", self.page.read_text())
        self.page.write_text("It is <!--=table.json measured sum17-->0<!--/-->.")
        self.assertIn("there is no figure", self.run_tool(None).stderr)

    def test_a_time_of_a_study_is_found_by_chapter_type_and_size(self):
        def timed(kind, count, us):
            return {"chapter": 11, "type": kind, "count": count, "kernel": "base (512, 2)", "us": us}

        rows = [timed("double", 16, 15.64), timed("double", 32, 34.0), timed("float", 16, 14.9)]
        (self.folder / "studies.json").write_text(json.dumps({"results": rows}))
        self.page.write_text('It is <!--=studies.json studied 11 double 2^4 "base (512, 2)"-->0<!--/-->.')
        self.assertEqual(self.run_tool(None).returncode, 0)
        self.assertIn("-->15.6<!--/-->", self.page.read_text())
        self.page.write_text('It is <!--=studies.json studied 10 double 2^4 "base (512, 2)"-->0<!--/-->.')
        self.assertIn("has 0 times of `base (512, 2)` in chapter 10", self.run_tool(None).stderr)

    def test_a_comparison_states_its_spread_and_what_was_compared(self):
        rows = [
            {
                "name": name,
                "checks": "nothing",
                "million_warp_instructions_per_cpu_s": rate,
                "lowest": rate - 1,
                "highest": rate + 1,
            }
            for name, rate in (("ours", 4.0), ("other", 10.0))
        ]
        given = {
            "work": "a sum",
            "processor": "CPU",
            "date": "2026-01-02",
            "commit": "abc",
            "versions": {"pocl": "3.1"},
        }
        (self.folder / "compared.json").write_text(json.dumps({"provenance": given, "results": rows}))
        self.assertEqual(self.run_tool("compared.json", kind="compared").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| other | nothing | 10 | 9 | 11 | 2.5 |", text)
        self.assertIn("CPU, 2026-01-02, commit abc (`plots/data/compared.json`). pocl 3.1.", text)

    def test_a_group_is_told_by_its_heading(self):
        def kernel(name, heading, ms, rate=None, role="compared"):
            return {"name": name, "group": heading, "role": role, "time_ms": {"median": ms}, "bandwidth_gb_per_s": rate}

        (self.folder / "rows.json").write_text(
            json.dumps(
                {
                    "input": {"count": 8, "type": "int"},
                    "provenance": PROVENANCE,
                    "kernels": [
                        kernel("other", "b", 9.0),
                        kernel("three", "a c", 0.3, 100.0),
                        kernel("one | two", "a c", 0.1, 300.0),
                        kernel("mine", "a c", 0.2, role="yours"),
                    ],
                }
            )
        )
        self.assertEqual(self.run_tool('rows.json "a c"', kind="group").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| three | 300.0 | 1.00 | 100 |\n| one \\| two | 100.0 | 0.33 | 300 |\n", text)
        self.assertNotIn("mine", text)
        self.assertNotIn("| other", text)
        self.assertEqual(self.run_tool('rows.json "a c" b', kind="groups").returncode, 0)
        rows = "| us, 8 of int | a c | b |\n| --- | ---: | ---: |\n| other |  | 9000.0 |\n| three | 300.0 |  |\n"
        self.assertIn(rows, self.page.read_text())
        self.assertIn("no times under the heading `d`", self.run_tool("rows.json b d", kind="groups").stderr)
        done = self.run_tool("rows.json d", kind="group")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no times under the heading `d`", done.stderr)

    def test_the_tables_of_a_machine_stand_on_its_page(self):
        (self.folder / "machine_h200.json").write_text(json.dumps(made_up.machine()))
        for record in ("ablations_h200.json", "register_banks_h200.json"):
            shutil.copy(records.DATA / record, self.folder)
        self.page.write_text((records.ROOT / "docs" / "pages" / "machine.md").read_text())
        done = self.run_tool(None)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.page.read_text()
        for row in (
            "| 128 | 0.50 | 1.50 |",
            "| 8 KiB | 0.50 | 0.50 |",
            "| each further launch in a stream | 1.50 |",
            "| L1: an array of 16 KiB | 20 | 36 |",
            "| 64 | 128 | 224 |",
            "| all threads, one word | 0.5000 |",
            "| read | 4300 | 87 % | 512 | 4 | 4 | 4 GiB |",
            "| `IADD3` | 2.00 | 0.50 |",
            "| 4 KiB | 427 | 427 | 427 | 1267 |",
            "-->1.750<!--/--> GHz",
        ):
            self.assertIn(row, text)
        self.assertNotIn("dependent launch", text)
        done = self.run_tool("machine_h200.json pie", kind="machine")
        self.assertIn("a machine has no part `pie`; it has device, starts", done.stderr)

    def test_figures_of_limits_and_of_a_machines_rows_stand_in_sentences(self):
        def limit(kernel, block, whole, **us):
            return {
                "chapter": 6, "kernel": kernel, "count": 1024, "block_size": block, "bytes": 4096.0,
                "us": {"whole": whole, "empty": 5.0, "loads": 6.0, "no_loads": 7.0, **us},
                "limit": {"causes": ["loads", "barriers"], "share": 0.95},
            }  # fmt: skip

        rows = [limit("a", 64, 10.0, half_resident=18.0), limit("a", 128, 8.0), limit("b", 64, 20.0)]
        (self.folder / "limits.json").write_text(
            json.dumps({"type": "int", "provenance": {**PROVENANCE, "times": "cold"}, "rows": rows})
        )
        (self.folder / "machine.json").write_text(json.dumps(made_up.machine()))
        (self.folder / "study.json").write_text(
            json.dumps(
                {
                    "input": {"count": 1000},
                    "kernels": [{"name": "sum", "role": "reference", "time_ms": {"median": 0.003}}],
                }
            )
        )
        for arguments, shown in (
            ("limits.json limit 2^10 64 a", "loads and barriers"),
            ("limits.json kept empty 2^10 64 a", "50"),
            ("limits.json took no_loads 2^10 64 a", "7.0"),
            ("limits.json times half_resident 2^10 64 a", "1.80"),
            ("limits.json best 2^10 a", "128"),
            ("limits.json best_over b 2^10 a", "2.50"),
            ("machine.json value starts.threads=1024,barrier=True.ns_per_block 2", "3.00"),
            ("machine.json value bandwidth.in_flight.vector_bytes=4,loads=2,warps=8.gb_per_s", "213"),
            ("study.json each sum 4", "12.00"),
        ):
            self.page.write_text(f"It is <!--={arguments}-->0<!--/-->.")
            done = self.run_tool(None)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"-->{shown}<!--/-->", self.page.read_text())
        for nothing in (
            "limits.json times half_resident 2^10 128 a",
            "machine.json value starts.threads=7.ns_per_block",
        ):
            self.page.write_text(f"It is <!--={nothing}-->0<!--/-->.")
            self.assertIn("there is no figure", self.run_tool(None).stderr)
        self.assertEqual(self.run_tool("limits.json 2^10 a 2", kind="block_starts").returncode, 0)
        self.assertIn("| 64 | 8 | 5 | 10 | loads and barriers |\n| 128 | 4 | 5 | 8 |", self.page.read_text())

    def test_what_threads_have_on_their_way_and_single_figures_of_a_machine(self):
        (self.folder / "machine.json").write_text(json.dumps(made_up.machine()))
        self.assertEqual(self.run_tool("machine.json per_thread", kind="machine").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| 1 int | 8 KiB | 853 | 1267 |\n| 2 ints | 16 KiB | 1707 | 1267 |\n", text)
        self.assertIn("| 2 vectors of 16 bytes | 64 KiB | 4000 | 2163 |", text)
        self.assertNotIn("8 vectors", text)
        for arguments, shown in (
            ("value instructions.name=IADD3.per_cycle 2", "2.00"),
            ("value latencies.barriers.warps=4.cycles", "14"),
            ("starting 1000000 128", "500.0"),
            ("value latencies.dram.ns 1", "320.0"),
        ):
            self.page.write_text(f"It is <!--=machine.json {arguments}-->0<!--/-->.")
            self.assertEqual(self.run_tool(None).returncode, 0)
            self.assertIn(f"-->{shown}<!--/-->", self.page.read_text())

    def test_the_ways_in_which_blocks_agree_and_times_at_several_sizes(self):
        raced = [{"name": "library", "cold_us": 9.0}]
        raced += [{"name": "a", "cold_us": us, "shape": {"agreement": by}} for us, by in ((5.0, 0), (4.0, 0), (3.0, 3))]
        (self.folder / "tune.json").write_text(
            json.dumps({"provenance": PROVENANCE, "results": [{"type": "int", "count": 4, "raced": raced}]})
        )
        self.assertEqual(self.run_tool("tune.json int 2^2", kind="agreements").returncode, 0)
        self.assertIn("| 2^2 | 9.0 | 4.0 |  |  | 3.0 |", self.page.read_text())
        done = self.run_tool("tune.json int 2^3", kind="agreements")
        self.assertIn("no race of 2^3 of int", done.stderr)
        results = [
            {"kernel": "slow", "count": n, "chapter": 1, "cold_ms": {"median": n / 1e3}, "cold_gb_per_s": 1.0}
            for n in (4, 8)
        ]
        (self.folder / "times.json").write_text(
            json.dumps({"type": "int", "provenance": PROVENANCE, "results": results})
        )
        self.assertEqual(self.run_tool('times.json "2^2 2^3" slow', kind="times").returncode, 0)
        self.assertIn("| us, ints | 2^2 | 2^3 |\n| --- | ---: | ---: |\n| `slow` | 4.0 | 8.0 |", self.page.read_text())
        self.assertEqual(self.run_tool("times.json 2^2 slow", kind="times").returncode, 0)
        self.assertIn("| 2^2 ints | us |", self.page.read_text())

    def test_the_reproducible_sum_stands_beside_the_plain_one(self):
        def times(cold, warm):
            return {"cold_us": cold, "warm_us": warm}

        def of(kind, numbers, cold, **more):
            timed = {"plain": times(9.0, 6.0), "reproducible": times(cold, 8.0)}
            return {"type": kind, "count": 4, "input": numbers, **timed, **more}

        others = [
            {"name": "2 bins", **times(9.0, 9.0)},
            {"name": "4 blocks of 128 a multiprocessor", **times(1.0, 1.0)},
        ]
        results = [of("float", "even", 10.0, others=others), of("float", "wide", 12.0), of("double", "even", 18.0)]

        def record(other_bits):
            checks = [{"type": "float", "launches": 1152, "other_bits": other_bits}]
            text = json.dumps({"provenance": PROVENANCE, "checks": checks, "results": results})
            (self.folder / "bits.json").write_text(text)

        record(0)
        self.assertEqual(self.run_tool("bits.json 2^2", kind="reproducible").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| 2^2 floats | 9.0 | 10.0 | 0.90 | 0.75 |\n| 2^2 doubles | 9.0 | 18.0 | 0.50 | 0.75 |", text)
        self.assertEqual(self.run_tool("bits.json 2^2", kind="reproducible_costs").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| floats, even, 2 bins | 9.0 | 1.00 |\n| floats, even, 3 bins | 10.0 | 0.90 |", text)
        self.assertIn("| floats, wide, 3 bins | 12.0 | 0.75 |", text)
        self.assertNotIn("blocks", text)
        self.assertIn("has no 2^3", self.run_tool("bits.json 2^3", kind="reproducible").stderr)
        self.assertIn("without CUB's promises", self.run_tool("bits.json 2^2", kind="promises").stderr)
        for row in results:
            row["cub"] = {"any_order": times(7.0, 1.0), "same_order": times(8.0, 1.0), "same_bits": times(20.0, 1.0)}
        record(0)
        self.assertEqual(self.run_tool("bits.json 2^2", kind="promises").returncode, 0)
        self.assertIn("| 2^2 floats | 7.0 | 9.0 | 8.0 | 10.0 | 20.0 |", self.page.read_text())
        self.page.write_text("All <!--=bits.json same_bits float-->?<!--/--> launches.\n")
        self.assertEqual(self.run_tool(None).returncode, 0)
        self.assertIn("-->1,152<!--", self.page.read_text())
        record(3)
        self.assertIn("3 of 1152 sums of floats had other bits", self.run_tool(None).stderr)

    def test_shapes_stand_beside_the_best_library(self):
        def timed(name, cold, warm):
            return {"name": name, "cold_us": cold, "warm_us": warm}

        def of(kind, length, ours, *libraries, **more):
            row = {"kind": kind, "count": 4, "length": length, "element": "int", "ours": timed("ours", *ours)}
            return {**row, "libraries": [timed(*one) for one in libraries], **more}

        waiting = {"ours_waiting": timed("ours", 10, 10), "libraries_waiting": [timed("C", 9, 20)]}
        results = [
            of("rows", 5, (2, 2), ("A", 8, 3), ("B", 4, 8)),
            of("rows", 64, (4, 4), ("A", 4, 3)),
            of("keys", 5, (1, 1), ("A", 3, 3), **waiting),
        ]
        text = json.dumps({"provenance": PROVENANCE, "results": results})
        (self.folder / "shapes.json").write_text(text)
        self.assertEqual(self.run_tool("shapes.json", kind="shapes").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| rows | 2 | 1 | 0.75 | 1.50 | 2.00 | 2.00 |", text)
        self.assertIn("| keys | 1 | 0 | 0.90 | 0.90 | 0.90 | 0.90 |", text)
        self.assertEqual(self.run_tool("shapes.json", kind="shapes_behind").returncode, 0)
        text = self.page.read_text()
        self.assertIn("| rows: 2^2 of 64 ints | 4.0 | 4.0 | `A` | 1.00 | 0.75 |", text)
        self.assertNotIn("2^2 of 5 ints | 2.0", text)

    def test_what_is_not_recorded_is_named(self):
        for arguments, kind, words in (
            ("ladder.json 2^3", "ladder", "no slow at 2^3"),
            ("none.json 2^2", "ladder", "none.json"),
            ("ladder.json", "pie", "no table `pie`"),
        ):
            done = self.run_tool(arguments, kind=kind)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_a_figure_in_a_sentence_is_kept_true(self):
        self.page.write_text(
            "The library runs at <!--=ladder.json gb 2^2 library-->1<!--/--> GB/s, "
            "<!--=ladder.json over 2^2 library slow-->x<!--/--> times as fast.\n"
        )
        self.assertEqual(self.run_tool(None, "--check").returncode, 1)
        self.assertEqual(self.run_tool(None).returncode, 0)
        self.assertIn(
            "-->150<!--/--> GB/s, <!--=ladder.json over 2^2 library slow-->3.00<!--/--> times", self.page.read_text()
        )
        self.assertEqual(self.run_tool(None, "--check").returncode, 0)
        self.record(151.0)
        done = self.run_tool(None, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("`ladder.json gb 2^2 library` is 151 (recorded), and the page says 150", done.stdout)

    def test_a_figure_of_nothing_is_an_error(self):
        for figure in (
            "ladder.json gb 2^2 nobody",
            "ladder.json gb",
            "ladder.json fact speed",
            "none.json gb 2^2 slow",
        ):
            self.page.write_text(f"It is <!--={figure}-->1<!--/-->.\n")
            self.assertEqual(self.run_tool(None).returncode, 1, figure)
        self.page.write_text("It is <!--=ladder.json gb 2^2 slow-->1.\n")
        self.assertIn("without its end", self.run_tool(None).stderr)

    def test_a_begin_without_an_end_is_an_error(self):
        self.page.write_text("<!-- recorded:ladder begin ladder.json 2^2 -->\n")
        self.assertIn("without its end", self.run_tool(None).stderr)


if __name__ == "__main__":
    unittest.main()
