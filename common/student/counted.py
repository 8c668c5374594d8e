"""A kernel's row in a report of a chapter's program (JSON, schema 1). The questions are about such rows."""

from __future__ import annotations

import math
import typing

from book import records

Report = dict[str, typing.Any]

ATOMICS = ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOADS = "smsp__sass_inst_executed_op_shared_ld.sum"
SHARED_STORES = "smsp__sass_inst_executed_op_shared_st.sum"
LOCAL_LOADS = "smsp__sass_inst_executed_op_local_ld.sum"
LOCAL_STORES = "smsp__sass_inst_executed_op_local_st.sum"
BARRIERS = "workbook__barriers.sum"
BRANCHES = "workbook__branches.sum"
COMBINES = "workbook__combines.sum"
INSTRUCTIONS = "workbook__inst_executed.sum"
SHUFFLES = "workbook__shuffles.sum"

WARP = 32
VECTOR_BYTES = 16
SECTOR_BYTES = 32
LESSON_BLOCK = records.LESSON_BLOCK
ARRAY = 32  # elements of chapter 10's private arrays

# Mistakes that many questions detect.
LESSON = f"that is right for the lesson's blocks of {LESSON_BLOCK} threads, but these blocks have another size"
ALL_BLOCKS = "that is the count of all blocks together; the question is about one"
PER_THREAD = "that counts threads; a warp executes an instruction once for all its 32"

BYTES = {"int": 4, "unsigned": 4, "float": 4, "longlong": 8, "double": 8}


class Kernel:
    """The row of one kernel. Counts are those of the kernel's first launch."""

    def __init__(
        self, report: Report, role: str = "reference", name: str | None = None, group: str | None = None
    ) -> None:
        rows = [row for row in report["kernels"] if row["role"] == role and row["launches"]]
        self.row = next(row for row in rows if name in (None, row["name"]) and group in (None, row.get("group")))
        self.report = report
        self.name: str = self.row["name"]
        self.launches: list[Report] = self.row["launches"]
        self.counters: dict[str, float] = self.launches[0]["counters"]
        self.blocks: float = self.counters["workbook__blocks.sum"]
        self.warps: float = self.counters["workbook__warps.sum"]
        self.n: int = report["input"]["count"]
        self.threads: int = math.prod(self.launches[0]["block"])  # per block
        self.warps_per_block = math.ceil(self.threads / WARP)
        self.per_thread = self.n / (self.blocks * self.threads)  # elements, if the blocks cover the input exactly once
        self.type: str = report["input"]["type"]
        self.element_bytes = BYTES[self.type]
        self.other_bytes = 12 - self.element_bytes  # the other possible size of an element: 8 or 4
        self.size_in_words = f"an element of type {self.type} has {self.element_bytes} bytes"
        self.per_vector = VECTOR_BYTES // self.element_bytes  # elements that a lane gets with a load of 16 bytes

    def other(self, role: str, name: str | None = None, group: str | None = None) -> Kernel:
        """Returns another kernel of the same table."""
        return Kernel(self.report, role, name, group)

    def count(self, *names: str) -> float:
        return sum(float(self.counters[name]) for name in names)

    def per_block(self, *names: str) -> float:
        return self.count(*names) / self.blocks

    def per_warp(self, *names: str) -> float:
        return self.count(*names) / self.warps


def steps_of(threads: float) -> int:
    """Returns the number of steps of a tree over the block."""
    return round(math.log2(threads))


def strides_of(threads: int) -> list[int]:
    """Returns the distances between partners in a tree over the block, from 1 to half the block."""
    return [2**k for k in range(steps_of(threads))]


def warps_at_work(threads: int, stride: int, interleaved: bool = False) -> int:
    """Returns the number of warps that add in the step with this stride. If `interleaved`, the adding threads are
    spread over the block, as in chapter 1."""
    workers = threads // (2 * stride)
    return min(workers, threads // WARP) if interleaved else math.ceil(workers / WARP)


def warp_additions(threads: int, interleaved: bool = False) -> int:
    return sum(warps_at_work(threads, stride, interleaved) for stride in strides_of(threads))


def ways(threads: int, stride: int) -> int:
    """Returns the largest number of words in one bank that a warp accesses at once, if adding thread t accesses word
    2 * stride * t. Words have 4 bytes."""
    lanes = min(WARP, threads // (2 * stride))
    return math.ceil(lanes / max(1, WARP // (2 * stride)))


def strided_conflicts(threads: int) -> int:
    """Returns the bank conflicts of one access per step, added up over the steps of chapter 2's tree."""
    return sum(warps_at_work(threads, s) * (ways(threads, s) - 1) for s in strides_of(threads))
