"""The table of a record that `build/bin/large_sum --compare --json FILE` writes: methods to sum what a GPU cannot hold.

    <!-- recorded:large_sum begin large_sum_cached_h100.json -->

and the figure in a sentence

    streamed WAY                GB/s of a method, by the beginning of its name in the record
"""

from __future__ import annotations

from book.outputs import Failure, Makers, source, table
from book.records import Record

ALONE = ("reading alone", "copying alone")


def streamed(record: Record, *words: str) -> str:
    """Returns the GB/s of the method whose name begins with these words."""
    way = " ".join(words)
    found = [row["gb_per_s"] for row in record["results"] if row["way"].startswith(way)]
    if len(found) != 1:
        raise Failure(f"there are {len(found)} ways that begin with `{way}`")
    return f"{found[0]:.1f}"


def large_sum(record: Record) -> str:
    """Returns a table of the time and rate of each method. The last column is its rate divided by the lower one of two
    rates: reading alone and copying alone."""
    limits = [row["gb_per_s"] for row in record["results"] if row["way"].startswith(ALONE)]
    if not limits:
        raise Failure(f"{record['file']} was made without --compare")
    rows = []
    for row in record["results"]:
        share = "" if row["way"].startswith(ALONE) else f"{row['gb_per_s'] / min(limits):.2f}"
        rows.append([row["way"], f"{row['seconds']:.2f}", f"{row['gb_per_s']:.1f}", share])
    return table(["", "s", "GB/s", "of the slower one alone"], rows)


def source_of_large_sum(record: Record) -> str:
    how = f"medians of {record['provenance']['repetitions']}, one after the other in one run, slices of "
    return source(record, f"{how}{record['slice_bytes'] >> 20} MiB, {record['lanes']} lanes", with_host=True)


TABLES: Makers = {"large_sum": large_sum}
SOURCES: Makers = {"large_sum": source_of_large_sum}
FIGURES: Makers = {"streamed": streamed}
