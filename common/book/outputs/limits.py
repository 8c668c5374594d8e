"""What limits the kernels, from a record of `build/bin/limits`: experiments on the kernels themselves.

    <!-- recorded:limits begin ablations_h200.json COUNT KERNEL -->      a kernel over its block sizes
    <!-- recorded:all_limits begin ablations_h200.json COUNT BLOCK -->   all kernels at one block size
    <!-- recorded:block_starts begin ablations_h200.json COUNT KERNEL EACH -->   the number of blocks, the time of their
                        starts, and the kernel's time, if each thread has EACH elements

and in a sentence <!--=ablations_h200.json WHAT COUNT BLOCK KERNEL-->…<!--/-->, where WHAT is

    limit               the text for it: "block starts", "loads and barriers"
    kept EXPERIMENT     per cent of the kernel's time that an experiment takes: `empty`, `loads`, `no_loads`, …
    took EXPERIMENT     the time of an experiment in microseconds; `whole` is the kernel itself
    alone               per cent of the kernel's time that the experiment takes which keeps only the limit
    times EXPERIMENT    an experiment's time divided by the kernel's: for `half_resident` it is above 1

and over all block sizes <!--=ablations_h200.json WHAT COUNT KERNEL …-->…<!--/-->, where WHAT is

    best                threads per block with which the kernel is fastest
    best_over OTHER     how many times as fast as OTHER, each with its best block size
"""

from __future__ import annotations

from book.outputs import Failure, Makers, source, table
from book.records import Record, count_of

# The columns for some experiments, in the order of the tables.
SHOWN = {"empty": "blocks start and end", "loads": "up to the first exchange", "no_loads": "without loads"}


# With blocks of 32 threads, these kernels were recorded in grids of 64 blocks per SM, but an SM of an H200 holds only
# 32 blocks. So a full grid ran in two waves. The numbers are the elements that a block processes at once.
RESIDENT_BLOCKS = 132 * 32
TAKEN_BY_SMALL_BLOCK = {
    "reduce_many_per_thread": 64,
    "reduce_vector_loads": 256,
    "reduce_shuffles": 256,
    "reduce_last_block": 256,
}


def block_label(row: Record) -> str:
    """Returns the threads per block, with a remark if the recorded grid was larger than what the GPU holds at once."""
    taken = TAKEN_BY_SMALL_BLOCK.get(row["kernel"]) if row["block_size"] == 32 else None
    two_waves = taken is not None and row["count"] > RESIDENT_BLOCKS * taken
    return f"{row['block_size']}{' (two waves)' if two_waves else ''}"


def words_for(causes: list[str]) -> str:
    return " and ".join(causes) if causes else "not known"


def row_of(record: Record, count: str, block: str, kernel: str) -> Record:
    for row in record["rows"]:
        if (row["count"], row["block_size"], row["kernel"]) == (count_of(count), int(block), kernel):
            return dict(row)
    raise Failure(f"{record['file']} has no {kernel} at {count} in blocks of {block}")


def percent(row: Record, experiment: str) -> str:
    us = row["us"].get(experiment)
    return f"{100 * us / row['us']['whole']:.0f} %" if us is not None else ""


def cells(row: Record) -> list[str]:
    rate = row["bytes"] / row["us"]["whole"] / 1e3
    limit = words_for(row["limit"]["causes"])
    alone = f"{100 * row['limit']['share']:.0f} %" if row["limit"]["causes"] else ""
    return [f"{row['us']['whole']:.1f}", f"{rate:.0f}", *(percent(row, one) for one in SHOWN), f"**{limit}**", alone]


HEAD = ["us", "GB/s", *SHOWN.values(), "what limits it", "which alone takes"]


def rows_of(record: Record, count: str, kernel: str) -> list[Record]:
    """Returns the rows of a kernel over its block sizes."""
    rows = [row for row in record["rows"] if row["count"] == count_of(count) and row["kernel"] == kernel]
    if not rows:
        raise Failure(f"{record['file']} has no {kernel} at {count}")
    return rows


def limits(record: Record, count: str, kernel: str) -> str:
    rows = rows_of(record, count, kernel)
    head = [f"`{kernel}`, {count} {record['type']}s: threads per block", *HEAD]
    return table(head, [[block_label(row), *cells(row)] for row in rows])


def all_limits(record: Record, count: str, block: str) -> str:
    rows = [row for row in record["rows"] if (row["count"], row["block_size"]) == (count_of(count), int(block))]
    if not rows:
        raise Failure(f"{record['file']} has nothing at {count} in blocks of {block}")
    head = [f"{count} {record['type']}s, {block} threads per block", *HEAD]
    return table(head, [[f"{row['chapter']}: `{row['kernel']}`", *cells(row)] for row in rows])


def block_starts(record: Record, count: str, kernel: str, each: str) -> str:
    rows = []
    for row in rows_of(record, count, kernel):
        blocks, us = -(-row["count"] // (int(each) * row["block_size"])), row["us"]
        limit = words_for(row["limit"]["causes"])
        rows.append([str(row["block_size"]), str(blocks), f"{us['empty']:.0f}", f"{us['whole']:.0f}", limit])
    head = [f"`{kernel}`, {count} {record['type']}s: threads per block", "blocks of the first launch"]
    return table([*head, "us of empty blocks", "us of the kernel", "what limits it"], rows)


def best(record: Record, count: str, kernel: str) -> Record:
    return min(rows_of(record, count, kernel), key=lambda row: float(row["us"]["whole"]))


def best_over(record: Record, other: str, count: str, kernel: str) -> str:
    us, others = (best(record, count, one)["us"]["whole"] for one in (kernel, other))
    return f"{others / us:.2f}"


def times(record: Record, experiment: str, *row: str) -> float:
    """Returns an experiment's time divided by that of the kernel itself."""
    us: dict[str, float] = row_of(record, *row)["us"]
    return us[experiment] / us["whole"]


TABLES: Makers = {"limits": limits, "all_limits": all_limits, "block_starts": block_starts}
SOURCES: Makers = dict.fromkeys(TABLES, lambda record: source(record, f"medians, {record['provenance']['times']}"))
FIGURES: Makers = {
    "limit": lambda record, *row: words_for(row_of(record, *row)["limit"]["causes"]),
    "kept": lambda record, experiment, *row: f"{100 * times(record, experiment, *row):.0f}",
    "took": lambda record, experiment, *row: f"{row_of(record, *row)['us'][experiment]:.1f}",
    "times": lambda record, experiment, *row: f"{times(record, experiment, *row):.2f}",
    "alone": lambda record, *row: f"{100 * row_of(record, *row)['limit']['share']:.0f}",
    "best": lambda record, *kernel: str(best(record, *kernel)["block_size"]),
    "best_over": best_over,
}
