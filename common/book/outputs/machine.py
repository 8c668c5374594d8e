"""Tables of what a GPU can do, from a record of `build/bin/machine`:

    <!-- recorded:machine begin machine_h200.json PART -->

PART is a name of PARTS below. In a sentence <!--=machine_h200.json WHAT …-->…<!--/-->, where WHAT is

    value PATH [DIGITS]         a value by its path: latencies.l1.ns
    reading                     the best rate in all records of the GPU at which memory was read, in GB/s
    starting BLOCKS THREADS     microseconds that BLOCKS blocks of THREADS threads take to start and end
"""

from __future__ import annotations

import collections.abc
import functools
import typing

from book import records
from book.outputs import Failure, Makers, source, table
from book.records import Record, size

Rows = tuple[list[str], list[list[str]]]


def device(record: Record) -> Rows:
    d = record["device"]
    rows = [
        ["multiprocessors", str(d["multiprocessors"])],
        ["warps per multiprocessor", str(d["warps_per_multiprocessor"])],
        ["blocks per multiprocessor", str(d["blocks_per_multiprocessor"])],
        ["registers per multiprocessor", f"{d['registers_per_multiprocessor']:,}"],
        ["shared memory per multiprocessor", size(d["shared_bytes_per_multiprocessor"])],
        ["shared memory per block, at most", size(d["shared_bytes_per_block"])],
        ["L2", size(d["l2_bytes"])],
        ["highest clock", f"{d['clock_mhz']:.0f} MHz"],
        ["peak of the memory: clock, times two, times the bus", f"{d['peak_gb_per_s']:.0f} GB/s"],
    ]
    return [d["name"], ""], rows


def empty_starts(record: Record) -> list[Record]:
    """Returns the rows of the kernel that does nothing, which is the one with the fewest registers."""
    fewest = min(row["registers"] for row in record["starts"])
    return [row for row in record["starts"] if row["registers"] == fewest]


def starts(record: Record) -> Rows:
    ns = {(r["threads"], r["barrier"]): r["ns_per_block"] for r in empty_starts(record) if not r["shared_bytes"]}
    rows = [
        [str(threads), f"{ns[threads, False]:.2f}", f"{ns[threads, True]:.2f}"]
        for threads, barrier in sorted(ns)
        if not barrier
    ]
    return ["threads per block", "ns per block", "with a barrier"], rows


def by_threads(
    rows: collections.abc.Iterable[Record], key: str, head: str, shown: collections.abc.Callable[[typing.Any], str]
) -> Rows:
    """Returns a table of the ns per block, with a row for each value of `key` and a column for each number of
    threads."""
    ns = {(row[key], row["threads"]): row["ns_per_block"] for row in rows}
    threads = sorted({t for _, t in ns})
    values = sorted({value for value, _ in ns if all((value, t) in ns for t in threads)})
    return (
        [head, *(f"ns per block of {t} threads" for t in threads)],
        [[shown(value), *(f"{ns[value, t]:.2f}" for t in threads)] for value in values],
    )


def starts_shared(record: Record) -> Rows:
    rows = [row for row in empty_starts(record) if not row["barrier"]]
    with_shared = {row["threads"] for row in rows if row["shared_bytes"]}
    return by_threads((r for r in rows if r["threads"] in with_shared), "shared_bytes", "shared memory per block", size)


def starts_registers(record: Record) -> Rows:
    rows = [row for row in record["starts"] if not row["barrier"] and not row["shared_bytes"]]
    fewest = min(row["registers"] for row in rows)
    kept = {row["threads"] for row in rows if row["registers"] > fewest}
    return by_threads((r for r in rows if r["threads"] in kept), "registers", "registers per thread", str)


def launches(record: Record) -> Rows:
    words = {
        "idle_us": "one launch, the GPU idle before it",
        "queued_us": "one launch, queued behind work",
        "stream_us_per_launch": "each further launch in a stream",
        "graph_us_per_launch": "each further launch in a graph",
        "dependent_us_per_launch": "each further launch, programmatic dependent launch",
    }
    rows = [[text, f"{record['launches'][key]:.2f}"] for key, text in words.items() if record["launches"].get(key)]
    return ["a kernel that does nothing", "us"], rows


def loads(record: Record) -> Rows:
    latency = record["latencies"]
    rows = [
        [
            f"{words}: an array of {size(latency[level]['bytes'])}",
            *(f"{latency[level][u]:.0f}" for u in ("ns", "cycles")),
        ]
        for level, words in (("l1", "L1"), ("l2", "L2"), ("dram", "memory"))
        if level in latency
    ]
    cycles = latency["shared_cycles"]
    rows.insert(0, ["shared memory", f"{cycles / latency['clock_ghz']:.0f}", f"{cycles:.0f}"])
    return ["dependent loads from", "ns", "cycles"], rows


def waits(record: Record) -> Rows:
    latency = record["latencies"]
    rows = [[f"`{name}`", f"{cycles:.1f}"] for name, cycles in latency["chains"].items() if name != "LDS"]
    rows += [
        [f"`__syncthreads()`, {row['warps']} warp{'s' if row['warps'] > 1 else ''} per block", f"{row['cycles']:.1f}"]
        for row in latency["barriers"]
    ]
    return ["dependent instructions", "cycles"], rows


ATOMICS = {
    "one_word": "all threads, one word",
    "one_lane_one_word": "one lane per warp, one word",
    "word_per_warp": "all threads, one word per warp, 128 bytes apart",
    "word_per_thread": "all threads, one word each",
}


def atomics(record: Record) -> Rows:
    ns = {(row["pattern"], row["type"]): row["ns_per_atomic"] for row in record["latencies"]["atomics"]}
    types = list(dict.fromkeys(kind for _, kind in ns))
    rows = [
        [ATOMICS[pattern], *(f"{ns[pattern, kind]:.4f}" for kind in types)]
        for pattern in dict.fromkeys(pattern for pattern, _ in ns)
    ]
    return ["additions in global memory by a full grid", *(f"ns per {kind}" for kind in types)], rows


def on_their_way(record: Record, count: float, gb_per_s: float) -> str:
    """Returns, by Little's law, how many nanoseconds the bytes are in flight if `count` bytes per SM are."""
    return f"{count * record['device']['multiprocessors'] / gb_per_s:.0f}"


def neighbours(record: Record) -> Rows:
    """Returns the latency of dependent loads in memory order, by the distance between two of them."""
    rows = [
        [str(row["stride_bytes"]), f"{row['ns']:.0f}", f"{row['cycles']:.0f}"]
        for row in record["latencies"]["neighbours"]
    ]
    return ["bytes from one load to the next, in order through memory", "ns", "cycles"], rows


def in_flight(record: Record) -> Rows:
    """Returns a table of the best rate for each number of bytes in flight, by the width of a load. The last column
    is the time for which the bytes are in flight at the best rate."""
    widths = sorted({row["vector_bytes"] for row in record["bandwidth"]["in_flight"]})
    best: dict[tuple[float, int], float] = {}
    for row in record["bandwidth"]["in_flight"]:
        key = (row["bytes_in_flight"], row["vector_bytes"])
        best[key] = max(row["gb_per_s"], best.get(key, 0))
    rows = []
    for count in sorted({count for count, _ in best}):
        if not count.is_integer() or int(count) & (int(count) - 1):
            continue
        rates = {width: best[count, width] for width in widths if (count, width) in best}
        shown = [f"{rates[width]:.0f}" if width in rates else "" for width in widths]
        rows.append([size(count), *shown, on_their_way(record, count, max(rates.values()))])
    head = ["in flight per multiprocessor", *(f"GB/s, loads of {width} bytes" for width in widths)]
    return [*head, "ns in flight, at the best rate"], rows


def per_thread(record: Record) -> Rows:
    """Returns a table of what the threads of a full SM have in flight, for single ints and for vectors of 16 bytes."""
    most = record["device"]["warps_per_multiprocessor"]
    words = {4: ("1 int", "{} ints"), 16: ("1 vector of 16 bytes", "{} vectors of 16 bytes")}
    rows = [
        [
            (words[row["vector_bytes"]][row["loads"] > 1]).format(row["loads"]),
            size(row["bytes_in_flight"]),
            f"{row['gb_per_s']:.0f}",
            on_their_way(record, row["bytes_in_flight"], row["gb_per_s"]),
        ]
        for row in sorted(record["bandwidth"]["in_flight"], key=lambda one: (one["vector_bytes"], one["loads"]))
        if row["warps"] == most and row["vector_bytes"] in words and row["bytes_in_flight"] <= 1 << 17
    ]
    return ["each thread loads at once", "in flight per multiprocessor", "GB/s", "ns in flight"], rows


def short_lives(record: Record) -> Rows:
    rate = {(r["ints_per_thread"], r["threads"]): r["gb_per_s"] for r in record["bandwidth"]["short_lives"]}
    threads = sorted({t for _, t in rate})
    rows = [[str(k), *(f"{rate[k, t]:.0f}" for t in threads)] for k in sorted({k for k, _ in rate})]
    return ["ints per thread", *(f"GB/s, {t} threads per block" for t in threads)], rows


def ceilings(record: Record) -> Rows:
    rows = []
    for kind, measured in sorted(record["ceilings"].items(), key=lambda item: -item[1]["best"]["gb_per_s"]):
        best = measured["best"]
        shape = [str(best[key]) for key in ("block_size", "loads", "blocks_per_multiprocessor")]
        share = 100 * best["gb_per_s"] / record["device"]["peak_gb_per_s"]
        rows.append([kind, f"{best['gb_per_s']:.0f}", f"{share:.0f} %", *shape, size(best["array_bytes"])])
    head = ["the best", "GB/s", "of the peak", "threads per block", "loads of 16 bytes", "blocks per multiprocessor"]
    return [*head, "array"], rows


def shared(record: Record) -> Rows:
    keys = (("load_cycles", 0), ("store_cycles", 1), ("loads_per_cycle", 3), ("stores_per_cycle", 3))
    rows = [[str(row["degree"]), *(f"{row[key]:.{digits}f}" for key, digits in keys)] for row in record["shared"]]
    many = f"{record['shared'][0]['warps']} warps"
    head = ["lanes per bank", "cycles, a load after a load", "cycles per store, one warp"]
    return [*head, f"loads per cycle, {many}", f"stores per cycle, {many}"], rows


def instructions(record: Record) -> Rows:
    names = {"remainder": "`%` by a value that changes", "loop": "an iteration of a loop around one `LOP3`"}
    rows = [
        [names.get(row["name"], f"`{row['name']}`"), f"{row['per_cycle']:.2f}", f"{row['cycles']:.2f}"]
        for row in record["instructions"]
    ]
    return ["32 warps of a multiprocessor", "warp instructions per cycle", "cycles each"], rows


def links(record: Record) -> Rows:
    pair, host = record["links"]["pair"], record["links"]["host"]
    names = {
        "copy_one_way_gb_per_s": "copies, one way",
        "copy_both_ways_gb_per_s": "copies, both ways at once",
        "load_both_ways_gb_per_s": "loads of 16 bytes, both ways at once",
        "load_words_gb_per_s": "loads of 4 bytes, both ways at once",
        "load_words_each_gb_per_s": "the same, a thread for each word",
        "store_words_gb_per_s": "stores of 4 bytes, both ways at once",
        "share_both_ways_gb_per_s": "loads and stores of 16 bytes, both ways at once",
        "copy_relay_us": "a relay: one copies a word from the other, which waits",
        "copy_step_us": "a copy step: each copies a word from the other",
        "copy_kernel_step_us": "a copy and kernel step: each copies a word and launches a kernel",
        "kernel_step_us": "a kernel step: each launches a kernel",
        "kernel_answer_us": "a kernel and its answer: one launches a kernel, the other waits for it and answers",
        "launch_us": "a launch on each, without waiting",
        "dependent_launch_us": "a dependent launch on each, without waiting",
        "word_us": "a word sent from one kernel to the other",
    }
    rows = []
    for key, words in names.items():
        unit, digits = ("GB/s", 0) if key.endswith("gb_per_s") else ("us", 2)
        rows.append([words, f"{pair[key]:.{digits}f} {unit}"])
    rows.append(["page-locked memory of the host to a GPU", f"{host['locked_to_gpu_gb_per_s']:.0f} GB/s"])
    return ["between two GPUs, rates of one direction", ""], rows


PARTS: dict[str, collections.abc.Callable[[Record], Rows]] = {
    one.__name__: one
    for one in [
        *(device, starts, starts_shared, starts_registers, launches, loads, neighbours, waits, atomics),
        *(in_flight, per_thread, short_lives, ceilings, shared, instructions, links),
    ]
}


def machine(record: Record, part: str) -> str:
    if part not in PARTS:
        raise Failure(f"a machine has no part `{part}`; it has {', '.join(PARTS)}")
    head, rows = PARTS[part](record)
    return table(head, rows)


def row_where(rows: list[Record], conditions: str) -> Record:
    """Returns the first row for which all conditions hold, such as threads=128,barrier=False."""
    wanted = [condition.split("=") for condition in conditions.split(",")]
    return next(row for row in rows if all(str(row[key]) == value for key, value in wanted))


def value(record: Record, path: str, digits: str = "0") -> str:
    """Returns a value by its path, such as latencies.l1.ns or, for a row of a list, starts.threads=128.ns_per_block."""
    found: typing.Any = record
    for key in path.split("."):
        found = row_where(found, key) if isinstance(found, list) else found[key]
    return f"{found:.{int(digits)}f}"


@functools.cache
def best_sum(gpu: str, least_bytes: int) -> float:
    """Returns the best rate in GB/s of a sum of more than `least_bytes` bytes, from this project's records."""
    rates = [0.0]
    for path in sorted(records.DATA.glob("*.json")):
        other = records.read(path)
        kind = records.kind_of(other)
        if kind not in ("ladder", "tune") or other["provenance"].get("gpu") != gpu:
            continue
        for row in other["results"]:
            bytes_read = row["count"] * (8 if (row.get("type") or other["type"]) in ("double", "longlong") else 4)
            times = [1e3 * row["cold_ms"]["median"]] if row.get("cold_ms") else []
            times += [one["cold_us"] for one in row.get("raced", []) if one["name"] != records.EMPTY_LAUNCH]
            rates += [bytes_read / us / 1e3 for us in times if bytes_read > least_bytes]
    return max(rates)


def reading(record: Record) -> str:
    """Returns the best rate in GB/s at which memory was read in all records of this GPU, by the sweeps or by a sum."""
    # If L2 holds part of the data, the rate isn't that of memory, so only larger sums count.
    sums = best_sum(record["provenance"]["gpu"], 8 * record["device"]["l2_bytes"])
    return f"{max(sums, record['ceilings']['read']['best']['gb_per_s']):.0f}"


def starting(record: Record, blocks: str, threads: str) -> str:
    rows = (row for row in empty_starts(record) if not row["shared_bytes"] and not row["barrier"])
    ns = next(row["ns_per_block"] for row in rows if row["threads"] == int(threads))
    return f"{int(blocks) * ns / 1e3:.1f}"


def waiting(record: Record, chain: str, per: str, digits: str = "0") -> str:
    """Returns the nanoseconds, divided by `per`, that a chain such as "dram:1,l2:1,add:16" of loads and additions
    takes."""
    of = record["latencies"]
    ns = {place: of[place]["ns"] for place in ("dram", "l2", "l1")}
    ns["add"] = of["chains"]["IADD3"] / of["clock_ghz"]
    links = [link.split(":") for link in chain.split(",")]
    return f"{sum(int(count) * ns[name] for name, count in links) / int(per):.{int(digits)}f}"


def divisions(record: Record) -> str:
    """Returns the cycles that an SM needs for a remainder in one warp. The measured stream also has an addition and an
    OR, so the cycles of two additions are subtracted."""
    cycles = {row["name"]: row["cycles"] for row in record["instructions"]}
    return f"{cycles['remainder'] - 2 * cycles['IADD3']:.1f}"


TABLES: Makers = {"machine": machine}
SOURCES: Makers = {"machine": lambda record: source(record, "medians")}
FIGURES: Makers = {one.__name__: one for one in (value, reading, starting, waiting, divisions)}
