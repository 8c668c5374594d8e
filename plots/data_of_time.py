"""The data for the plots about predicted times. Each function returns None if the records don't have its data. Needs no
matplotlib."""

from __future__ import annotations

import typing

from book import records

Data = dict[str, typing.Any]


def short(kernel: str) -> str:
    """Returns a kernel's name without the part that all names have in common."""
    return kernel.replace("reduce_", "").replace("cub::DeviceReduce::Sum", "CUB").replace("_", " ")


def accuracy(collection: records.Collection) -> Data | None:
    """Returns measured and predicted times of the ladder's kernels and of other kernels."""
    if not collection.records["predictions"]:
        return None
    record = collection.records["predictions"][0]
    groups = {"studies": "other chapters", "other kernels": "other kernels"}
    points: dict[str, list[list[float]]] = {"the ladder": [], "other chapters": [], "other kernels": []}
    for row in record["predictions"]:
        # Kernels with other element types belong to the ladder, too.
        points[groups.get(row["set"], "the ladder")].append([row["measured_us"], row["us"]])
    return {"points": points, "note": records.provenance(record)}


def terms(collection: records.Collection) -> Data | None:
    """Returns, for each kernel of the ladder and each n, the time that each term would take alone."""
    if not collection.records["predictions"]:
        return None
    record = collection.records["predictions"][0]
    panels: dict[str, Data] = {}
    for row in record["predictions"]:
        if "alone_us" not in row:
            continue
        title = f"{row['chapter']}: {short(row['kernel'])}"
        panel = panels.setdefault(title, {"title": title, "predicted": [], "measured": [], "alone": {}})
        panel["predicted"].append([row["count"], row["us"]])
        panel["measured"].append([row["count"], row["measured_us"]])
        for name, us in row["alone_us"].items():
            panel["alone"].setdefault(name, []).append([row["count"], us])
    return {"panels": list(panels.values()), "note": records.provenance(record)} if panels else None


def what_if_of(record: records.Record) -> Data:
    """Returns the time of each term by the block size, for the most elements, and the rate by the elements per thread.
    The rate excludes the launches, because their share depends on the size of the input."""
    rows, size = record["what_if"], 8 if record.get("type") in ("double", "longlong") else 4
    most = max(row["count"] for row in rows)
    largest = [row for row in rows if row["count"] == most]
    alone: dict[str, list[list[float]]] = {}
    for row in largest:
        for name, us in row["alone_us"].items():
            alone.setdefault(name, []).append([row["block_size"], us])
    rates: dict[int, list[list[float]]] = {}
    # If several inputs give a thread the same number of elements, the largest one is used: it fills the GPU best.
    one_each = {(row["block_size"], row["per_thread"]): row for row in sorted(rows, key=lambda row: row["count"])}
    for row in sorted(one_each.values(), key=lambda row: row["per_thread"]):
        working = row["us"] - row["alone_us"]["launches"]
        rates.setdefault(row["block_size"], []).append([row["per_thread"], row["count"] * size / working / 1e3])
    return {
        "kernel": record["kernel"],
        "count": records.power(most),
        "type": record.get("type", "int"),
        "predicted": [[row["block_size"], row["us"]] for row in largest],
        "alone": alone,
        "rates": [
            {"label": f"blocks of {b}", "points": points} for b, points in sorted(rates.items()) if len(points) > 1
        ],
        "note": records.provenance(record),
    }


def what_if(collection: records.Collection) -> Data | None:
    return what_if_of(collection.records["what_if"][0]) if collection.records["what_if"] else None
