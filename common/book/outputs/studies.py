"""Tables and figures of the chapters that compare kernels, from the records of their programs.
book.outputs.recorded lists them."""

from __future__ import annotations

from book import records
from book.outputs import Failure, Makers, table
from book.records import Record, count_of


def without_empty_column(head: list[str], rows: list[list[str]], column: int) -> tuple[list[str], list[list[str]]]:
    """Returns the table without `column` if this column is empty in all rows."""
    if any(row[column] for row in rows):
        return head, rows
    shorter = [[*row[:column], *row[column + 1 :]] for row in [head, *rows]]
    return shorter[0], shorter[1:]


def time_ms(record: Record, kernel: str, which: str = "time_ms") -> float:
    for row in records.timed_kernels(record):
        if row["name"] == kernel:
            return float(row[which]["median"])
    raise Failure(f"{record['file']} has no time of `{kernel}`")


def study(record: Record, baseline: str) -> str:
    base = time_ms(record, baseline)
    rows = []
    for k in records.timed_kernels(record):
        ms, rate, compiled = k["time_ms"]["median"], k.get("bandwidth_gb_per_s"), k["compiled"]
        figures = [str(compiled[key]) for key in ("registers", "local_bytes", "blocks_per_multiprocessor")]
        occupancy = [f"{100 * compiled['occupancy']:.0f} %", compiled["limiter"]]
        rows.append(
            [k["name"], f"{1000 * ms:.1f}", f"{ms / base:.2f}", f"{rate:.0f}" if rate else "", *figures, *occupancy]
        )
    given = record["input"]
    head = [f"{given['count']} of {given['type']}, blocks of {given['block_size']}", "time (us)", f"over {baseline}"]
    head += ["GB/s", "registers", "local bytes", "blocks per SM", "occupancy", "blocks limited by"]
    return table(*without_empty_column(head, rows, 3))


def group(record: Record, heading: str) -> str:
    kernels = records.timed_kernels(record, heading)
    if not kernels:
        raise Failure(f"{record['file']} has no times under the heading `{heading}`")
    base = kernels[0]["time_ms"]["median"]
    rows = []
    for k in kernels:
        ms, rate = k["time_ms"]["median"], k.get("bandwidth_gb_per_s")
        label = k["name"].replace("|", "\\|") + ("" if k["time_ms"].get("queued", True) else records.IDLE)
        rows.append([label, f"{1000 * ms:.1f}", f"{ms / base:.2f}", f"{rate:.0f}" if rate else ""])
    head = [f"{heading}: {record['input']['count']} of {record['input']['type']}"]
    return table(*without_empty_column([*head, "time (us)", "over the first", "GB/s"], rows, 3))


def groups(record: Record, *headings: str) -> str:
    """Returns a row for each kernel, in the order of the record. A cell is empty if the kernel has no time under that
    heading."""
    us = [
        {k["name"]: f"{1000 * k['time_ms']['median']:.1f}" for k in records.timed_kernels(record, heading)}
        for heading in headings
    ]
    if missing := [heading for heading, found in zip(headings, us, strict=True) if not found]:
        raise Failure(f"{record['file']} has no times under the heading `{missing[0]}`")
    names = dict.fromkeys(k["name"] for k in records.timed_kernels(record) if any(k["name"] in one for one in us))
    rows = [[name.replace("|", "\\|"), *(one.get(name, "") for one in us)] for name in names]
    return table([f"us, {record['input']['count']} of {record['input']['type']}", *headings], rows)


def each(record: Record, kernel: str, elements: str, which: str = "time_ms") -> str:
    return f"{1e6 * time_ms(record, kernel, which) / record['input']['count'] * int(elements):.2f}"


def moving(record: Record, bytes_each: str, kernel: str) -> str:
    return f"{float(bytes_each) * record['input']['count'] / time_ms(record, kernel) / 1e6:.0f}"


def studied(record: Record, chapter: str, kind: str, count: str, kernel: str) -> str:
    wanted = {"chapter": int(chapter), "type": kind, "count": count_of(count), "kernel": kernel}
    found = [row for row in record["results"] if all(row[key] == value for key, value in wanted.items())]
    if len(found) != 1:
        where = f"chapter {chapter} for {count} of {kind}"
        raise Failure(f"{record['file']} has {len(found)} times of `{kernel}` in {where}")
    return f"{found[0]['us']:.1f}"


TABLES: Makers = {"study": study, "group": group, "groups": groups}
FIGURES: Makers = {
    "time": lambda record, kernel: f"{1e3 * time_ms(record, kernel):.1f}",
    "ratio": lambda record, kernel, other: f"{time_ms(record, kernel) / time_ms(record, other):.2f}",
    "each": each,
    "each_warm": lambda record, kernel, elements: each(record, kernel, elements, "time_warm_ms"),
    "moving": moving,
    "studied": studied,
}
