"""Questions on the counts of a chapter, for `make predictN`. The answers are computed from a report of the chapter's
program (JSON, schema 1), never stored; where an answer is wrong, the terms of the right one are told. Which questions a
chapter asks stands in the manifest, by the names of QUESTIONS."""

from __future__ import annotations

import math
import re
import typing

from book.manifest import Chapter
from book.student.failure import Failure

Report = dict[str, typing.Any]

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
SHARED_LOADS = "smsp__sass_inst_executed_op_shared_ld.sum"
SHARED_STORES = "smsp__sass_inst_executed_op_shared_st.sum"
LOCAL_LOADS = "smsp__sass_inst_executed_op_local_ld.sum"
LOCAL_STORES = "smsp__sass_inst_executed_op_local_st.sum"


class Question:
    """A question with a number for an answer."""

    def __init__(self, words: str, value: float, why: str, tolerance: float = 0.005) -> None:
        self.words, self.value, self.why, self.tolerance = words, value, why, tolerance

    def check(self, answer: str) -> tuple[bool, str]:
        """Returns whether `answer` is right, and what to reply."""
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


def plural(n: float, what: str) -> str:
    return f"{n:g} {what}" + ("" if n == 1 else "s")


class Kernel:
    """The reference kernel's row of the report; counts are those of its first launch."""

    def __init__(self, report: Report, role: str = "reference") -> None:
        self.row = next(row for row in report["kernels"] if row["role"] == role and row["launches"])
        self.input = report["input"]
        self.launches = self.row["launches"]
        self.first: Report = self.launches[0]
        self.counters: dict[str, float] = self.first["counters"]
        self.blocks: float = self.counters["workbook__blocks.sum"]
        self.warps: float = self.counters["workbook__warps.sum"]

    def per_block(self, name: str) -> float:
        return self.counters[name] / self.blocks

    def per_warp(self, name: str) -> float:
        return self.counters[name] / self.warps


def launches(k: Kernel) -> Question:
    sizes = " -> ".join(str(launch["grid"][0] * launch["grid"][1] * launch["grid"][2]) for launch in k.launches)
    return Question(
        f"How many launches does {k.row['name']} need?",
        len(k.launches),
        f"each leaves one partial sum per block; blocks of its launches: {sizes}",
    )


def blocks(k: Kernel) -> Question:
    count, size = k.input["count"], k.input["block_size"]
    return Question(
        "How many blocks does its first launch have?",
        k.blocks,
        f"{count} elements over {k.blocks} blocks of {size} threads are {count / k.blocks:g} per block",
    )


def blocks_of_256(k: Kernel) -> Question:
    """Only for kernels whose blocks cover the input once."""
    per_thread = k.input["count"] / (k.blocks * k.input["block_size"])
    return Question(
        "How many blocks would its first launch have with 256 threads per block?",
        math.ceil(k.input["count"] / (per_thread * 256)),
        f"each thread still loads {plural(per_thread, 'element')}, so a block covers {256 * per_thread:g}",
    )


def block_starts(k: Kernel) -> Question:
    """Only for kernels whose blocks cover the input once."""
    large, apart_ns = 2**29, 0.6
    count = k.blocks * large / k.input["count"]
    return Question(
        f"An H200 starts a block every {apart_ns} ns. With 2^29 elements and "
        f"{k.input['block_size']} threads per block, how many microseconds do the starts take, within 2 %?",
        count * apart_ns / 1e3,
        f"{count:.0f} blocks, one every {apart_ns} ns; no kernel with this many blocks can be faster",
        0.02,
    )


def barriers(k: Kernel) -> Question:
    return Question(
        "How many barriers does each block pass?",
        k.per_block("workbook__barriers.sum"),
        f"{plural(k.counters['workbook__barriers.sum'], 'barrier')} in {plural(k.blocks, 'block')}",
    )


def additions(k: Kernel) -> Question:
    return Question(
        "How many warp-level additions does the tree take per block? (A warp in which any lane adds counts once.)",
        k.per_block("workbook__combines.sum"),
        f"{k.counters['workbook__combines.sum']} in {plural(k.blocks, 'block')}",
    )


def conflicts(k: Kernel) -> Question:
    accesses = k.per_block(SHARED_LOADS) + k.per_block(SHARED_STORES)
    return Question(
        "How many bank conflicts are there per block? (Passes of shared memory beyond one per access.)",
        k.per_block(CONFLICTS),
        f"beyond its {accesses:g} accesses",
    )


def requests(k: Kernel) -> Question:
    count = k.input["count"]
    return Question(
        "How many load requests go to global memory in the first launch?",
        k.counters[LOAD_REQUESTS],
        f"a request serves a warp; elements per request: {count / k.counters[LOAD_REQUESTS]:.4g}",
    )


def sectors_per_request(k: Kernel) -> Question:
    ratio = k.counters[LOAD_SECTORS] / k.counters[LOAD_REQUESTS]
    return Question(
        "How many sectors of 32 bytes does a request of its global loads touch, on average?",
        ratio,
        f"{k.counters[LOAD_SECTORS]} sectors in {plural(k.counters[LOAD_REQUESTS], 'request')}",
        0.02,
    )


def shared_stores(k: Kernel) -> Question:
    return Question(
        "How many store instructions to shared memory does each block execute? (One per warp, not per thread.)",
        k.per_block(SHARED_STORES),
        f"{k.per_warp(SHARED_STORES):g} per warp",
    )


def local_accesses(k: Kernel) -> Question:
    total = k.counters[LOCAL_LOADS] + k.counters[LOCAL_STORES]
    return Question(
        "How many loads from and stores to local memory does each warp of the reference execute?",
        total / k.warps,
        f"{plural(total, 'access')} of {plural(k.warps, 'warp')}",
    )


def spilled(k: Kernel) -> Question:
    return Question(
        "How many bytes of local memory does each thread of the reference have?",
        k.row["compiled"]["local_bytes"],
        "the compiler's own report",
    )


def registers(k: Kernel) -> Question:
    compiled = k.row["compiled"]
    return Question(
        "How many registers does each thread of the reference use, give or take 8?",
        compiled["registers"],
        f"the compiler's own report; what keeps another block off the multiprocessor is {compiled['limiter']}",
        8 / max(compiled["registers"], 1),
    )


def instructions(k: Kernel) -> Question:
    return Question(
        "And how many instructions does it execute per element, within 20 %?",
        k.counters["workbook__inst_executed.sum"] / k.input["count"],
        "the loop's load, addition, comparison and branch, unrolled by the compiler",
        0.2,
    )


def atomics(k: Kernel) -> Question:
    total = sum(k.counters[f"l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum"] for kind in ("atom", "red"))
    return Question(
        "How many atomic instructions does each block execute?",
        total / k.blocks,
        f"{plural(total, 'request')} of {plural(k.blocks, 'block')}",
    )


def shuffles(k: Kernel) -> Question:
    return Question(
        "How many shuffles does each block of the reference execute?",
        k.per_block("workbook__shuffles.sum"),
        "all by its first warp",
    )


QUESTIONS: dict[str, typing.Callable[[Kernel], Question]] = {
    ask.__name__: ask
    for ask in (
        launches,
        blocks,
        blocks_of_256,
        block_starts,
        barriers,
        additions,
        conflicts,
        requests,
        sectors_per_request,
        shared_stores,
        local_accesses,
        spilled,
        registers,
        instructions,
        atomics,
        shuffles,
    )
}


def of(chapter: Chapter, report: Report) -> list[Question]:
    """Returns the questions of a chapter with the answers that `report` gives. Raises Failure."""
    unknown = sorted(set(chapter.predict) - set(QUESTIONS))
    if unknown:
        raise Failure(
            f'chapters.json, chapter {chapter.number}: "predict" names {", ".join(unknown)}, but there is no such '
            f"question. There are: {', '.join(sorted(QUESTIONS))}"
        )
    kernel = Kernel(report)
    return [QUESTIONS[name](kernel) for name in chapter.predict]


def setting(report: Report) -> str:
    """The sentence that says what is asked about."""
    given = report["input"]
    shape = given.get("block_shape") or [given["block_size"]]
    return (
        f"The reference kernel of chapter {report['chapter']}, {given['count']} elements of type {given['type']}, "
        f"blocks of {' x '.join(map(str, shape))} threads."
    )
