"""Tables of records that `build/bin/scaling --json FILE` writes: an all-reduce by each method over the length of the
vectors, and sums on several GPUs.

    <!-- recorded:all_reduce begin scaling_h100x2.json -->   each further call, microseconds
    <!-- recorded:links begin scaling_h100x2.json -->        predicted over measured time, by method
    <!-- recorded:sums begin scaling_h100x2.json -->         sums on one GPU and on several
    <!-- recorded:to_one begin scaling_h100x2.json -->       sums that only GPU 0 gets, microseconds
    <!-- recorded:short_calls begin scaling_h100x2.json -->   short all-reduces by how they are called
    <!-- recorded:ranks begin ranks_h100x2.json -->          NCCL between processes, a record of ranks16

and figures in a sentence

    reduced BYTES WAY              microseconds of each further call reduced_over BYTES WAY OTHER   how many times as
    long as OTHER a method takes; names of methods have _ for spaces grows INPUT                    the rate of all GPUs
    over that of one, "for_each_GPU" or "shared_out" carried FROM TO WAY            GB/s of each port in one direction,
    between two lengths in bytes: for a method in which
                                   every GPU sends 2 (G - 1) / G vectors and receives the same number
    off WAY LEAST                  mean difference of predicted and measured times at LEAST bytes or more, per cent
                                   (WAY "all": of all methods)
    called BYTES TIME WAY CALLED   microseconds of a short call; TIME is further or alone, spaces are _
    called_over BYTES TIME WAY CALLED     how many times as long NCCL takes, called alike (dependent launches or not)
    called_best BYTES              the same of further calls, each called in its fastest way
"""

from __future__ import annotations

from book.outputs import Failure, Makers, source, table
from book.records import Record, size

WAYS = ("meet at GPU 0", "ring of copies", "tree of peers", "ring of kernels", "exchange", "NCCL")
OWN = WAYS[:-1]
TO_ONE = ("tree, to GPU 0 alone", "NCCL, to GPU 0 alone")


def lengths(record: Record) -> list[int]:
    return sorted({row["bytes"] for row in record["all_reduce"]})


def row_of(record: Record, length: int, way: str) -> Record:
    gpus = max(row["gpus"] for row in record["all_reduce"])
    for row in record["all_reduce"]:
        if (row["bytes"], row["way"], row["gpus"]) == (length, way, gpus) and row["further_us"]:
            return dict(row)
    raise Failure(f"there is no time of `{way}` at {length} bytes")


def off(record: Record, way: str, least: int) -> float:
    """Returns the mean of |predicted / measured - 1|, in per cent."""
    ways = OWN if way == "all" else (way,)
    rows = [row_of(record, n, one) for n in lengths(record) if n >= least for one in ways]
    if not rows:
        raise Failure(f"there is no time from {least} bytes on")
    return float(100 * sum(abs(row["predicted_us"] / row["further_us"] - 1) for row in rows) / len(rows))


def carried(record: Record, first: str, last: str, way: str) -> str:
    """Returns the rate of the bytes by which two lengths differ. The cost of a step cancels out in this rate."""
    rows = [row_of(record, int(length), way.replace("_", " ")) for length in (first, last)]
    bytes_more, us_more = (rows[1][key] - rows[0][key] for key in ("bytes", "further_us"))
    gpus = rows[0]["gpus"]
    return f"{2 * (gpus - 1) / gpus * bytes_more / us_more / 1e3:.0f}"  # 10^3 bytes per microsecond


def all_reduce(record: Record) -> str:
    rows = []
    for length in lengths(record):
        times = {way: row_of(record, length, way)["further_us"] for way in WAYS}
        rows.append([size(length), *(f"{times[way]:.1f}" for way in WAYS), f"{times['NCCL'] / times['exchange']:.2f}"])
    return table(["a vector", *WAYS, "NCCL / exchange"], rows)


def to_one(record: Record) -> str:
    rows = []
    for length in lengths(record):
        times = [row_of(record, length, way)["further_us"] for way in TO_ONE]
        rows.append([size(length), *(f"{time:.1f}" for time in times)])
    return table(["a vector", "tree of peers", "NCCL (ncclReduce)"], rows)


def short_rows(record: Record) -> list[Record]:
    """Returns the rows that have times, for the largest number of GPUs."""
    rows = record.get("short_calls", [])
    gpus = max((row["gpus"] for row in rows), default=0)
    return [row for row in rows if row["gpus"] == gpus and row["further_us"]]


def short_row(record: Record, length: int, way: str, called: str) -> Record:
    for row in short_rows(record):
        if (row["bytes"], row["way"], row["called"]) == (length, way, called):
            return row
    raise Failure(f"there is no time of `{way}` called `{called}` at {length} bytes")


def short_calls(record: Record) -> str:
    """Returns a table for the shortest and the longest vectors, with a row for each method and each way of calling
    it."""
    timed_rows = short_rows(record)
    ends = sorted({row["bytes"] for row in timed_rows})
    ends = [ends[0], ends[-1]]
    rows = []
    for way, called in dict.fromkeys((row["way"], row["called"]) for row in timed_rows):
        found = [short_row(record, length, way, called) for length in ends]
        rows.append(
            [
                f"{way}, {called}",
                *(f"{row[time]:.2f}" for time in ("further_us", "alone_us") for row in found),
                *(f"{row['further_over_nccl']:.2f}" if row["further_over_nccl"] else "" for row in found),
            ]
        )
    heads = [f"{words}, {size(length)}" for words in ("further call", "alone", "NCCL / further") for length in ends]
    return table(["us", *heads], rows)


def called(record: Record, length: str, time: str, way: str, how: str) -> str:
    return f"{short_row(record, int(length), way.replace('_', ' '), how.replace('_', ' '))[time + '_us']:.1f}"


def called_over(record: Record, length: str, time: str, way: str, how: str) -> str:
    row = short_row(record, int(length), way.replace("_", " "), how.replace("_", " "))
    ratio = row[f"{time}_over_nccl"]
    if not ratio:
        raise Failure(f"NCCL is not called like `{row['called']}`")
    return f"{ratio:.2f}"


def called_best(record: Record, length: str) -> str:
    """Returns the time of NCCL's further call divided by that of mailboxes. Each is called in its fastest way, except
    that calls inside a kernel don't count."""
    least = {"mailboxes": float("inf"), "NCCL": float("inf")}
    for row in short_rows(record):
        if row["bytes"] == int(length) and row["way"] in least and row["called"] != "inside one kernel":
            least[row["way"]] = min(least[row["way"]], row["further_us"])
    return f"{least['NCCL'] / least['mailboxes']:.2f}"


def links(record: Record) -> str:
    chosen = [n for n in lengths(record) if n in (8, 4096, 1 << 18, 1 << 20, 1 << 24, 1 << 28, 1 << 30)]
    rows = []
    for way in OWN:
        found = [row_of(record, n, way) for n in chosen]
        rows.append([way, *(f"{row['predicted_us'] / row['further_us']:.2f}" for row in found)])
    return table(["predicted / measured", *map(size, chosen)], rows)


def sums(record: Record) -> str:
    first = {row["input"]: row for row in record["sums"] if row["gpus"] == 1}
    rows = []
    for row in record["sums"]:
        rate, alone = (r["count_per_gpu"] * r["gpus"] / r["microseconds"] for r in (row, first[row["input"]]))
        words = "2^31 ints for each GPU" if row["input"] == "for each GPU" else "2^31 ints, shared out"
        rows.append(
            [words, str(row["gpus"]), f"{row['microseconds']:.0f}", f"{4 * rate / 1e6:.2f}", f"{rate / alone:.2f}"]
        )
    return table(["input", "GPUs", "us", "TB/s", "times one GPU"], rows)


def grows(record: Record, words: str) -> str:
    rows = [row for row in record["sums"] if row["input"] == words.replace("_", " ")]
    rates = [row["count_per_gpu"] * row["gpus"] / row["microseconds"] for row in sorted(rows, key=lambda r: r["gpus"])]
    if len(rates) < 2:
        raise Failure(f"there are no sums of `{words}` on several GPUs")
    return f"{rates[-1] / rates[0]:.2f}"


def over(record: Record, length: str, way: str, other: str) -> str:
    times = [row_of(record, int(length), one.replace("_", " "))["further_us"] for one in (way, other)]
    return f"{times[0] / times[1]:.2f}"


def ranks(record: Record) -> str:
    rows = [[size(row["bytes"]), f"{row['host_us']:.1f}"] for row in record["nccl"]]
    return table([f"{record['ranks']} ranks, a vector of", "us, by NCCL"], rows)


def source_of_ranks(record: Record) -> str:
    how = f"NCCL {record['provenance']['nccl']}, medians of 11"
    return f"{record['ranks']} x {source(record, how, with_host=True)}"


def source_of_turns(record: Record) -> str:
    how = f"medians of {record['provenance']['repetitions']} rounds in which the ways take turns"
    return f"{record['gpus']} x {source(record, how, with_host=True)}"


TABLES: Makers = {
    "all_reduce": all_reduce,
    "links": links,
    "sums": sums,
    "to_one": to_one,
    "short_calls": short_calls,
    "ranks": ranks,
}
SOURCES: Makers = {**dict.fromkeys(TABLES, source_of_turns), "ranks": source_of_ranks}
FIGURES: Makers = {
    "reduced": lambda record, length, *way: f"{row_of(record, int(length), ' '.join(way))['further_us']:.1f}",
    "reduced_over": over,
    "grows": grows,
    "carried": carried,
    "called": called,
    "called_over": called_over,
    "called_best": called_best,
    "off": lambda record, way, least: f"{off(record, way.replace('_', ' '), int(least)):.0f}",
}
