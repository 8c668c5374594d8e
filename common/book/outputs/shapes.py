"""Tables of the record that `build/bin/race_shapes` writes: rows, columns, segments and keys compared with the
libraries.

<!-- recorded:shapes begin shapes_h200.json -->          one line per kind of shape
<!-- recorded:shapes_behind begin shapes_h200.json -->   the races that a library won, cold or warm
<!-- recorded:shapes_worst begin shapes_drawn_h200.json -->   the ten races with the lowest ratio of its time to ours
"""

from __future__ import annotations

import statistics

from book.outputs import Makers, table
from book.records import Record, power

SHORT = 64
WORST = 10


def ratios(row: Record) -> dict[str, float]:
    """Returns the best library's time divided by ours. If the library waits for the GPU, it is compared with our call
    that also waits."""
    best: dict[str, float] = {}
    for key in ("cold_us", "warm_us"):
        raced = [min(one[key] for one in row["libraries"]) / row["ours"][key]]
        if row.get("libraries_waiting"):
            raced.append(min(one[key] for one in row["libraries_waiting"]) / row["ours_waiting"][key])
        best[key] = min(raced)
    return best


def shapes(record: Record) -> str:
    """Returns a table of how often we are faster, and by how much."""
    rows = []
    for kind in dict.fromkeys(row["kind"] for row in record["results"]):
        of_kind = [row for row in record["results"] if row["kind"] == kind]
        cold = [ratios(row)["cold_us"] for row in of_kind]
        ahead = sum(min(ratios(row).values()) >= 1 for row in of_kind)
        short = [ratios(row)["cold_us"] for row in of_kind if row["length"] < SHORT]
        least = min(min(ratios(row).values()) for row in of_kind)
        shown = [f"{one:.2f}" for one in (least, statistics.median(cold), statistics.median(short), max(cold))]
        rows.append([kind, str(len(of_kind)), str(ahead), *shown])
    head = ["shapes", "races", "ahead, cold and warm", "least", "median", f"median, shorter than {SHORT}", "most"]
    return table(head, rows)


def _beside(rows_shown: list[Record]) -> str:
    """Returns a table of our times and the best library's, one line per race."""
    rows = []
    for row in rows_shown:
        ratio = ratios(row)
        best = min(row["libraries"], key=lambda one: one["cold_us"])
        words = f"{row['kind']}: {power(row['count'])} of {row['length']} {row['element']}s{row.get('special', '')}"
        times = [f"{row['ours']['cold_us']:.1f}", f"{best['cold_us']:.1f}"]
        rows.append([words, *times, f"`{best['name']}`", *(f"{one:.2f}" for one in ratio.values())])
    return table(["shape", "ours (us)", "the best library (us)", "which", "cold", "warm"], rows)


def shapes_behind(record: Record) -> str:
    """Returns the races in which a library was faster."""
    return _beside([row for row in record["results"] if min(ratios(row).values()) < 1])


def shapes_worst(record: Record) -> str:
    """Returns the WORST races with the lowest ratios, the lowest first."""
    return _beside(sorted(record["results"], key=lambda row: min(ratios(row).values()))[:WORST])


TABLES: Makers = {"shapes": shapes, "shapes_behind": shapes_behind, "shapes_worst": shapes_worst}
