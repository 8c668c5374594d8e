"""Tables and figures of the record that `build/bin/reproducible` writes: the sum with the same bits everywhere.

    <!-- recorded:reproducible begin reproducible_h200.json COUNT… -->        compared with the plain sum, at each size
    <!-- recorded:reproducible_costs begin reproducible_h200.json COUNT -->   other inputs, and other numbers of bins
    <!-- recorded:promises begin reproducible_h200.json COUNT… -->            what each promise costs, ours and CUB's

and the figure in a sentence

    same_bits TYPE              launches whose bits were compared with the host's; an error if some differed
"""

from __future__ import annotations

from book.outputs import Failure, Makers, table
from book.records import Record, count_of

EVEN = "even"


def rows_of(record: Record, count: str) -> list[Record]:
    """Returns all rows with this size."""
    rows = [row for row in record["results"] if row["count"] == count_of(count)]
    if not rows:
        raise Failure(f"{record['file']} has no {count}")
    return rows


def reproducible(record: Record, *counts: str) -> str:
    """Returns a table of the times, and of the speed as a fraction of the plain sum's."""
    by_type: dict[str, list[list[str]]] = {}
    for count in counts:
        for row in rows_of(record, count):
            if row["input"] != EVEN:
                continue
            plain, ours = row["plain"], row["reproducible"]
            times = [f"{one['cold_us']:.1f}" for one in (plain, ours)]
            shares = [f"{plain[key] / ours[key]:.2f}" for key in ("cold_us", "warm_us")]
            by_type.setdefault(row["type"], []).append([f"{count} {row['type']}s", *times, *shares])
    head = ["", "`reduce` (us)", "`reproducible_sum` (us)", "of the speed of `reduce`", "the same, warm L2"]
    return table(head, [row for rows in by_type.values() for row in rows])


def reproducible_costs(record: Record, count: str) -> str:
    """Returns a table of the costs of other inputs and numbers of bins."""
    rows = []
    for row in rows_of(record, count):
        plain = row["plain"]["cold_us"]
        timed = [("3 bins", row["reproducible"]["cold_us"])]
        timed += [(one["name"], one["cold_us"]) for one in row.get("others", []) if one["name"].endswith(" bins")]
        for label, us in sorted(timed):
            rows.append([f"{row['type']}s, {row['input']}, {label}", f"{us:.1f}", f"{plain / us:.2f}"])
    return table([f"{count} numbers", "time (us)", "of the speed of `reduce`"], rows)


def promises(record: Record, *counts: str) -> str:
    """Returns a table of the times of the sums with each promise about the bits: ours and CUB's."""
    by_type: dict[str, list[list[str]]] = {}
    for count in counts:
        for row in rows_of(record, count):
            if row["input"] != EVEN:
                continue
            if "cub" not in row:
                raise Failure(f"{record['file']} was made without CUB's promises")
            cub = row["cub"]
            sums = (cub["any_order"], row["plain"], cub["same_order"], row["reproducible"], cub["same_bits"])
            times = [f"{one['cold_us']:.1f}" for one in sums]
            by_type.setdefault(row["type"], []).append([f"{count} {row['type']}s", *times])
    head = ["us", "any order: CUB", "same order: `reduce`", "CUB", "same bits: `reproducible_sum`", "CUB"]
    return table(head, [row for rows in by_type.values() for row in rows])


def same_bits(record: Record, kind: str) -> str:
    """Returns the number of launches with the host's bits. Raises Failure if some had other bits."""
    check = next(one for one in record["checks"] if one["type"] == kind)
    if check["other_bits"] != 0:
        raise Failure(f"{check['other_bits']} of {check['launches']} sums of {kind}s had other bits")
    return f"{check['launches']:,}"


TABLES: Makers = {"reproducible": reproducible, "reproducible_costs": reproducible_costs, "promises": promises}
FIGURES: Makers = {"same_bits": same_bits}
