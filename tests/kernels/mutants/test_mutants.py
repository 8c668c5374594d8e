#!/usr/bin/env python3
"""Tests which mutants are made of a text, and tries a sample of them on the emulator: test_mutants.py BUILD"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutations
import try_mutants

BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path()

# At least these percentages of the mutants that aren't equivalent must be found.
FLOOR_USUAL, FLOOR_ORDERS = 97, 99

TEXT = b""".version 9.0
.target sm_90
.visible .entry k(
.param .u64 k_param_0
)
{
.reg .pred %p<5>;
.loc 1 3 1
mov.u32 %r1, %tid.x;
ld.param.u32 %r2, [k_param_0];
setp.ge.s32 %p1, %r1, %r2;
@%p1 bra $L__BB0_2;
.loc 1 4 1
st.global.u32 [%rd1], %r1;
$L__BB0_2:
bar.sync 0;
membar.gl;
$L__BB0_3:
ld.acquire.gpu.global.u32 %r3, [%rd2];
setp.eq.s32 %p2, %r3, 0;
@%p2 bra $L__BB0_3;
shfl.sync.down.b32 %r4|%p3, %r3, 16, 31, -1;
cp.async.wait_group 1;
barrier.cluster.arrive;
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd5, [%r7], %r8;
mbarrier.try_wait.shared.b64 %p2, [%r7], %rd5;
barrier.cluster.wait;
atom.global.add.u32 %r5, [%rd3], 1;
setp.gt.s32 %p4, %r1, 63;
@%p4 bra $L__BB0_4;
st.shared.u32 [%r6], %r3;
$L__BB0_4:
ret;
}
"""


class Made(unittest.TestCase):
    def test_each_kind_of_change_is_made_once(self) -> None:
        made = [(m.kind, m.new.strip()) for m in mutations.mutants_of(mutations.read(TEXT))]
        self.assertEqual(
            made,
            [
                ("guard", "setp.gt.s32 %p1, %r1, %r2;"),
                ("guard", ""),
                ("barrier", ""),
                ("fence", ""),
                ("fence", "membar.cta ;"),
                ("order", "ld.relaxed.gpu.global.u32 %r3, [%rd2];"),
                ("scope", "ld.acquire.cta.global.u32 %r3, [%rd2];"),
                ("wait", ""),
                ("mask", "shfl.sync.down.b32 %r4|%p3, %r3, 16, 31, 4294967294;"),
                ("mask", "shfl.sync.down.b32 %r4|%p3, %r3, 16, 31, 2147483647;"),
                ("wait", ""),
                ("wait", "cp.async.wait_group 2;"),
                ("barrier", ""),
                ("order", "barrier.cluster.arrive.relaxed ;"),
                ("order", "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 %rd5, [%r7], %r8;"),
                ("wait", "mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [%r7];"),
                ("order", "mbarrier.try_wait.relaxed.cta.shared.b64 %p2, [%r7], %rd5;"),
                ("scope", "atom.relaxed.cta.global.add.u32 %r5, [%rd3], 1;"),
                ("guard", "setp.gt.s32 %p4, %r1, 64;"),
                ("guard", ""),
            ],
        )

    def test_a_mutant_has_as_many_bytes_and_nothing_else_changes(self) -> None:
        image = b"code\0" + TEXT + b"\0more code"
        ((at, text),) = mutations.split_out(image)
        self.assertEqual((at, text), (5, TEXT))
        lines = mutations.read(text)
        for m in mutations.mutants_of(lines):
            changed = [one.text for one in lines]
            changed[m.line] = m.new
            new = mutations.with_text(image, at, text, changed)
            self.assertEqual((len(new), new[:5], new[-10:]), (len(image), image[:5], image[-10:]))
        with self.assertRaises(ValueError):
            mutations.with_text(image, at, text, [*(one.text for one in lines), "x" * 999])


class Record(unittest.TestCase):
    def test_the_shares_are_not_below_the_floors(self) -> None:
        record = json.loads(try_mutants.RECORD.read_text(encoding="utf-8"))
        all_kinds = try_mutants.shares(record)
        self.assertGreaterEqual(all_kinds["made"], 500)
        self.assertGreaterEqual(100 * all_kinds["usual"], FLOOR_USUAL * all_kinds["real"])
        self.assertGreaterEqual(100 * all_kinds["orders"], FLOOR_ORDERS * all_kinds["real"])
        self.assertEqual(record["blamed"], [])

    def test_what_was_looked_at_is_still_there_and_not_found(self) -> None:
        record = json.loads(try_mutants.RECORD.read_text(encoding="utf-8"))
        self.assertEqual(set(try_mutants.reviewed()), {row["mutant"] for row in try_mutants.silent(record)})


class CommandLine(unittest.TestCase):
    def test_a_part_of_the_mutants_never_becomes_the_record(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "record.json")
            for words in (("--only", "scan"), ("--every", "2"), ("--mutants-only",)):
                done = subprocess.run(
                    [sys.executable, try_mutants.__file__, "run", folder, "--out", out, *words],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual((done.returncode, out.exists()), (2, False), words)
                self.assertIn(f"--out keeps a record of all mutants: leave out {words[0]}", done.stderr)


class Sample(unittest.TestCase):
    def only_in_orders(self, subject: try_mutants.Subject, mutant: str, orders: int) -> None:
        ((text, m),) = [one for one in subject.mutants if subject.key(one[1]) == mutant]
        row = try_mutants.judge(subject, text, m, orders)
        self.assertEqual(row["found"], "")
        self.assertNotEqual(row["found_in_orders"], "", mutant)

    def subject(self, name: str, folder: str) -> try_mutants.Subject:
        (program,) = [one for one in try_mutants.programs() if one.path.name == name]
        return try_mutants.Subject(program, str(BUILD.resolve() / "bin/emulate"), pathlib.Path(folder))

    def test_lanes_of_a_warp_part_in_other_orders_behind_a_barrier_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subject = self.subject("warps.cu", folder)
            for number in (2, 3):
                self.only_in_orders(subject, f"warps.cu | rotate_through_memory | bar.warp.sync deleted | {number}", 64)

    def test_barriers_and_bytes_of_clusters_are_missed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subject = self.subject("bulk_copies_in_cluster.cu", folder)
            self.assertEqual(try_mutants.clean(subject, 0), [])
            found = {subject.key(m): try_mutants.judge(subject, text, m, 0)["found"] for text, m in subject.mutants}
            silent = [one for one, verdict in found.items() if not verdict]
            self.assertEqual(silent, [one for one in try_mutants.reviewed() if one in found])
            self.assertIn("barrier.cluster deleted", str(found))

    def test_a_sample_is_found_as_it_was(self) -> None:
        recorded = {row["mutant"]: row for row in json.loads(try_mutants.RECORD.read_text(encoding="utf-8"))["mutants"]}
        with tempfile.TemporaryDirectory() as folder:
            subject = self.subject("handshakes.cu", folder)
            self.assertEqual(try_mutants.clean(subject, 0), [])
            real = 0
            for text, m in subject.mutants[::5]:
                row = try_mutants.judge(subject, text, m, 0)
                if row["equivalent"]:
                    continue
                real += 1
                self.assertEqual(row["found"] != "", recorded[row["mutant"]]["found"] != "", row)
            self.assertGreater(real, 20)
            self.only_in_orders(subject, "handshakes.cu | wait_for_flag | loop that waits left at once | 1", 16)


if __name__ == "__main__":
    unittest.main()
