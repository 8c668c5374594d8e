"""Questions on the counts of a chapter, for `make predictN`. The answers are computed from a report of the chapter's
program (JSON, schema 1), never stored; where an answer is wrong, the terms of the right one are told."""

import math
import re

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
SHARED_LOADS = "smsp__sass_inst_executed_op_shared_ld.sum"
SHARED_STORES = "smsp__sass_inst_executed_op_shared_st.sum"
LOCAL_LOADS = "smsp__sass_inst_executed_op_local_ld.sum"
LOCAL_STORES = "smsp__sass_inst_executed_op_local_st.sum"


class Question:
    """A question with a number for an answer."""

    def __init__(self, words, value, why, tolerance=0.005):
        self.words, self.value, self.why, self.tolerance = words, value, why, tolerance

    def check(self, answer):
        """Returns whether `answer` is right, and what to say to it."""
        shown = f"{self.value:g}" if self.value < 1e6 else f"{self.value:.0f}"
        text = answer.replace(",", "").replace("_", "").strip()
        power = re.fullmatch(r"2\^(\d+)", text)
        try:
            given = float(2 ** int(power[1])) if power else float(text)
        except ValueError:
            return False, f"That is no number. The program counts {shown}: {self.why}."
        if math.isclose(given, self.value, rel_tol=self.tolerance, abs_tol=1e-9):
            return True, f"Right: {shown}."
        return False, f"The program counts {shown}: {self.why}."


def plural(n, what):
    return f"{n:g} {what}" + ("" if n == 1 else "s")


class Kernel:
    """The reference kernel's row of the report; counts are those of its first launch."""

    def __init__(self, report, role="reference"):
        self.row = next(row for row in report["kernels"] if row["role"] == role and row["launches"])
        self.launches = self.row["launches"]
        self.first = self.launches[0]
        self.counters = self.first["counters"]
        self.blocks = self.counters["workbook__blocks.sum"]
        self.warps = self.counters["workbook__warps.sum"]

    def per_block(self, name):
        return self.counters[name] / self.blocks

    def per_warp(self, name):
        return self.counters[name] / self.warps


def launches(report, k):
    sizes = " -> ".join(str(launch["grid"][0] * launch["grid"][1] * launch["grid"][2]) for launch in k.launches)
    return Question(f"How many launches does {k.row['name']} need?", len(k.launches),
                    f"each leaves one partial sum a block; blocks of its launches: {sizes}")


def blocks(report, k):
    count, size = report["input"]["count"], report["input"]["block_size"]
    return Question("How many blocks has its first launch?", k.blocks,
                    f"{count} elements over {k.blocks} blocks of {size} threads are {count / k.blocks:g} a block")


def barriers(report, k):
    return Question("How many barriers does a block pass?", k.per_block("workbook__barriers.sum"),
                    f"{plural(k.counters['workbook__barriers.sum'], 'barrier')} in {plural(k.blocks, 'block')}")


def additions(report, k):
    return Question("How many warp-level additions does the tree of a block take? (Every warp in which a lane adds.)",
                    k.per_block("workbook__combines.sum"),
                    f"{k.counters['workbook__combines.sum']} in {plural(k.blocks, 'block')}")


def conflicts(report, k):
    accesses = k.per_block(SHARED_LOADS) + k.per_block(SHARED_STORES)
    return Question("How many bank conflicts has a block? (Passes of shared memory beyond one an access.)",
                    k.per_block(CONFLICTS), f"beyond its {accesses:g} accesses")


def requests(report, k):
    count = report["input"]["count"]
    return Question("How many load requests go to global memory in the first launch?", k.counters[LOAD_REQUESTS],
                    f"a request serves a warp; elements a request: {count / k.counters[LOAD_REQUESTS]:.4g}")


def sectors_a_request(report, k):
    ratio = k.counters[LOAD_SECTORS] / k.counters[LOAD_REQUESTS]
    return Question("How many sectors of 32 bytes does a request of its global loads touch, on average?", ratio,
                    f"{k.counters[LOAD_SECTORS]} sectors in {plural(k.counters[LOAD_REQUESTS], 'request')}", 0.02)


def shared_stores(report, k):
    return Question("How many store instructions to shared memory does a block execute? (A warp's is one.)",
                    k.per_block(SHARED_STORES), f"{k.per_warp(SHARED_STORES):g} a warp")


def local_accesses(report, k):
    total = k.counters[LOCAL_LOADS] + k.counters[LOCAL_STORES]
    return Question("How many loads from and stores to local memory does a warp execute in the reference?",
                    total / k.warps, f"{plural(total, 'access')} of {plural(k.warps, 'warp')}")


def spilled(report, k):
    return Question("How many bytes of local memory does a thread of the reference have?",
                    k.row["compiled"]["local_bytes"], "the compiler's own report")


def registers(report, k):
    compiled = k.row["compiled"]
    return Question("How many registers has a thread of the reference, give or take 8?", compiled["registers"],
                    "the compiler's own report; what keeps one more block from a multiprocessor is "
                    f"{compiled['limiter']}",
                    8 / max(compiled["registers"], 1))


def instructions(report, k):
    return Question("And how many instructions does it execute an element, within 20 %?",
                    k.counters["workbook__inst_executed.sum"] / report["input"]["count"],
                    "the loop's load, addition, comparison and branch, unrolled by the compiler", 0.2)


def atomics(report, k):
    total = sum(k.counters[f"l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum"] for kind in ("atom", "red"))
    return Question("How many atomic instructions does a block execute?", total / k.blocks,
                    f"{plural(total, 'request')} of {plural(k.blocks, 'block')}")


def shuffles(report, k):
    return Question("How many shuffles does a block of the reference execute?",
                    k.per_block("workbook__shuffles.sum"), "all by its first warp")


ASKED = {
    0: [launches, requests, instructions],
    1: [blocks, launches, additions, barriers],
    2: [additions, conflicts, barriers],
    3: [conflicts, additions, sectors_a_request],
    4: [blocks, shared_stores, requests],
    5: [barriers, shared_stores],
    6: [barriers, conflicts, shared_stores],
    7: [blocks, launches, requests],
    8: [requests, sectors_a_request, launches],
    9: [barriers, shared_stores, launches],
    10: [local_accesses, conflicts],
    11: [requests, spilled, registers],
    12: [launches, atomics, requests],
    13: [launches, requests, sectors_a_request],
    14: [shuffles, barriers, blocks],
}


def of(number, report):
    """Returns the questions of chapter `number` with the answers that `report` gives."""
    asked = ASKED.get(number, [launches, barriers, requests])
    kernel = Kernel(report)
    return [make(report, kernel) for make in asked]


def setting(report):
    """The sentence that says what is asked about."""
    given = report["input"]
    shape = given.get("block_shape") or [given["block_size"]]
    return (f"The reference kernel of chapter {report['chapter']}, {given['count']} elements of type {given['type']}, "
            f"blocks of {' x '.join(map(str, shape))} threads.")
