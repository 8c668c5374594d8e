"""Reads the data for the plots about several GPUs from the records. Needs no matplotlib."""

from __future__ import annotations

import typing

from book import records

Data = dict[str, typing.Any]


def scaling(collection: records.Collection) -> Data | None:
    """Returns the times of all-reduces by method and length of the vectors, measured and predicted, on the largest
    number of GPUs in a record."""
    found = [r for r in collection.records["scaling"] if any(row["further_us"] for row in r["all_reduce"])]
    if not found:
        return None
    record = found[0]
    gpus = max(row["gpus"] for row in record["all_reduce"])
    lines: dict[str, list[list[float]]] = {}
    predicted: dict[str, list[list[float]]] = {}
    for row in record["all_reduce"]:
        if row["gpus"] != gpus or not row["further_us"] or row["way"].startswith("the same") or "alone" in row["way"]:
            continue
        lines.setdefault(row["way"], []).append([row["bytes"], row["further_us"]])
        if row["predicted_us"]:
            predicted.setdefault(row["way"], []).append([row["bytes"], row["predicted_us"]])
    return {
        "lines": [{"label": way, "points": points, "model": predicted.get(way, [])} for way, points in lines.items()],
        "gpus": gpus,
        "note": records.provenance(record),
    }


def sums_on_gpus(collection: records.Collection) -> Data | None:
    """Returns the rates of sums by the number of GPUs: if each GPU has the same amount, and if all share that
    amount."""
    found = [r for r in collection.records["scaling"] if any(row["microseconds"] for row in r["sums"])]
    if not found:
        return None
    lines: dict[str, list[list[float]]] = {}
    for row in found[0]["sums"]:
        words = "weak: the same amount per GPU" if row["input"] == "for each GPU" else "strong: the same sum, divided"
        rate = 4e-6 * row["count_per_gpu"] * row["gpus"] / row["microseconds"]
        lines.setdefault(words, []).append([row["gpus"], rate])
    most = max(points[-1][0] for points in lines.values())
    one = max(points[0][1] for points in lines.values())
    return {
        "lines": [{"label": label, "points": points} for label, points in lines.items()],
        "ideal": [[1, one], [most, most * one]],
        "note": records.provenance(found[0]),
    }
