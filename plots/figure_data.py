"""The data for each plot, from the records. Each function returns None if the records don't have its data.

Nothing here needs matplotlib, because the check that a figure is up to date only compares the data that would be drawn.
"""

from __future__ import annotations

import collections.abc
import itertools

from book import manifest, records, story
from plots import data_of_links, data_of_time
from plots.data_of_time import Data, short

NCU = records.COUNTERS / "ncu_h200.json"
COUNTS = records.COUNTERS / "model_counts.json"
HARRIS = records.DATA / "harris_2007.json"


# --- the ladder, alone and next to Harris' ------------------------------------------------------------------------


def ladder(collection: records.Collection) -> Data | None:
    """Returns one bar per kernel: its share of the peak at the largest size that the records have."""
    record = collection.ladder()
    if record is None:
        return None
    rate, peak = records.rates(record), record["provenance"].get("peak_gb_per_s")
    n = next((n for n in (1 << 29, 1 << 22) if any((kernel, n) in rate for _, kernel in records.rungs(record))), None)
    if not peak or n is None:
        return None
    written = {number: chapter.kernel for number, chapter in manifest.load().items()}
    steps = records.rungs(record, library_last=True)
    return {
        "steps": [
            {
                "chapter": chapter,
                "name": short(kernel).replace("thrust::reduce", "Thrust"),
                "yours": written.get(chapter) == kernel,
                "share": 100 * rate[kernel, n] / peak,
            }
            for chapter, kernel in steps
            if (kernel, n) in rate
        ],
        "gpu": record["provenance"]["gpu"],
        "count": records.power(n),
        "type": record["type"],
        "peak": peak,
        "note": f"{records.provenance(record)}; blocks of {record['block_size']}, medians, cold L2",
    }


def then_and_now(collection: records.Collection) -> Data | None:
    record = collection.ladder(block_size=story.BLOCK)
    if record is None:
        return None
    rate, peak = records.rates(record), record["provenance"].get("peak_gb_per_s")
    sizes = [n for n in (1 << 22, 1 << 29) if any((kernel, n) in rate for _, kernel in records.rungs(record))]
    if not peak or not sizes:
        return None
    theirs = records.read(HARRIS)
    groups = [
        {
            "label": f"{theirs['gpu']}, n = 2^22: {theirs['peak_gb_per_s']} GB/s peak",
            "share": [100 * row["gb_per_s"] / theirs["peak_gb_per_s"] for row in theirs["rows"]],
        }
    ]
    # Harris' seven kernels, and those of ours that do the same.
    steps = records.rungs(record)[: len(theirs["rows"])]
    for n in sizes:
        groups.append(
            {
                "label": f"{record['provenance']['gpu']}, n = {records.power(n)}: {peak:.0f} GB/s peak",
                "share": [100 * rate.get((kernel, n), 0) / peak for _, kernel in steps],
            }
        )
    return {
        "steps": [[chapter, short(kernel)] for chapter, kernel in steps],
        "groups": groups,
        "note": f"{theirs['source']} {records.provenance(record)}; medians, cold L2",
    }


# --- bandwidth over n --------------------------------------------------------------------------------------------


def bandwidth(collection: records.Collection) -> Data | None:
    record = collection.ladder(block_size=None)
    if record is None or not records.rates(record):
        return None
    rate, p = records.rates(record), record["provenance"]
    counts = sorted({n for _, n in rate if n & (n - 1) == 0})
    if len(counts) < 2:
        return None
    size = 8 if record["type"] in ("double", "longlong") else 4
    lines = [
        {"label": f"{c}: {short(k)}" if c else short(k), "points": [[n, rate[k, n]] for n in counts if (k, n) in rate]}
        for c, k in records.rungs(record)
    ]
    launch = p.get("launch_us")
    floor = (
        [[n, n * size / (launch * 1e3 + n * size / p["read_gb_per_s"])] for n in counts]
        if launch and p.get("read_gb_per_s")
        else []
    )
    return {
        "type": record["type"],
        "lines": lines,
        "peak": p.get("peak_gb_per_s"),
        "read": p.get("read_gb_per_s"),
        "l2_count": p["l2_bytes"] / size if p.get("l2_bytes") else None,
        "l2_mib": p.get("l2_bytes", 0) / 2**20,
        "floor": floor,
        "note": f"{records.provenance(record)}; blocks of {record['block_size']}, medians, cold L2",
    }


# --- speed-ups ---------------------------------------------------------------------------------------------------


def speedup(collection: records.Collection) -> Data | None:
    record = collection.ladder()
    if record is None:
        return None
    rate = records.rates(record)
    kernels = [(c, k) for c, k in records.rungs(record) if c]
    for n in (1 << 29, 1 << 26, 1 << 22, *sorted({n for _, n in rate}, reverse=True)):
        if kernels and all((k, n) in rate for _, k in kernels):
            break
    else:
        return None
    values = [rate[k, n] for _, k in kernels]
    theirs = [row["time_ms"] for row in records.read(HARRIS)["rows"]]
    return {
        "labels": [f"{c}\n{short(k).replace(' ', chr(10))}" for c, k in kernels],
        "count": records.power(n),
        "gpu": record["provenance"].get("gpu", "here").replace("NVIDIA ", ""),
        "step": [b / a for a, b in itertools.pairwise(values)],
        "total": [v / values[0] for v in values],
        "their_step": [a / b for a, b in itertools.pairwise(theirs)],
        "their_total": [theirs[0] / t for t in theirs],
        "note": f"Harris 2007: G80, 2^22 ints. {records.provenance(record)}",
    }


# --- predicted and measured -----------------------------------------------------------------------------------------


def predicted(collection: records.Collection) -> Data | None:
    given = (counted := records.read(NCU))["provenance"]["input"]
    record = collection.ladder(block_size=given["block_size"])
    if record is None or record["provenance"].get("gpu") != counted["provenance"]["gpu"]:
        return None
    p, n = record["provenance"], given["count"]
    if "further_launch_us" not in p:
        return None
    reading = 4 * n / p["read_gb_per_s"] / 1e3
    rows = []
    for chapter, kernel in records.rungs(record):
        launches = sum(1 for launched in counted["launches"] if launched["kernel"] == kernel)
        measured = [
            r["cold_ms"]["median"]
            for r in record["results"]
            if r["kernel"] == kernel and r["count"] == n and r.get("cold_ms")
        ]
        if launches and measured:
            launching = p["launch_us"] + (launches - 1) * p["further_launch_us"]
            rows.append([chapter, short(kernel), launches, launching, reading, 1e3 * measured[0]])
    if not rows:
        return None
    return {
        "rows": rows,
        "count": records.power(n),
        "note": records.provenance(record) + f"; launches as Nsight Compute listed them ({NCU.name})",
    }


# --- the chapters that set kernels side by side --------------------------------------------------------------------


def arrays(collection: records.Collection) -> Data | None:
    found = collection.chapters(10)
    if not found:
        return None
    rows = [
        [k["name"], 1e3 * k["time_ms"]["median"], k["compiled"]["local_bytes"]] for k in records.timed_kernels(found[0])
    ]
    return {"rows": rows, "count": found[0]["input"]["count"], "note": records.provenance(found[0])}


def segments(collection: records.Collection) -> Data | None:
    found = [r for r in collection.chapters(15) if r["input"]["block_size"] in (128, "128")]
    if not found:
        return None
    # The reference is one of the methods, and its row has the name of its kernel.
    shown = {"largest_of_segments": "by length"}
    groups: dict[str, dict[str, float]] = {}
    for k in records.timed_kernels(found[0]):
        of_group = groups.setdefault(k["group"], {})
        of_group[shown.get(k["name"]) or k["name"]] = 1e3 * k["time_ms"]["median"]
    return {
        "groups": [[name, list(ways.items())] for name, ways in groups.items()],
        "count": found[0]["input"]["count"],
        "note": records.provenance(found[0]),
    }


def bounds(collection: records.Collection) -> Data | None:
    found = [r for r in collection.chapters(11) if r["input"]["block_size"] in (512, "512")]
    if not found:
        return None
    found.sort(key=lambda r: -len(r["input"]["type"]))
    panels = []
    for record in found:
        rows = [
            [
                k["name"],
                1e3 * k["time_ms"]["median"],
                k["compiled"]["registers"],
                round(100 * k["compiled"]["occupancy"]),
            ]
            for k in records.timed_kernels(record)
        ]
        panels.append({"type": record["input"]["type"], "rows": rows})
    return {"panels": panels, "note": records.provenance(*found)}


# --- sweeps ------------------------------------------------------------------------------------------------------


def block(collection: records.Collection) -> Data | None:
    found = {r["block_size"]: r for r in collection.records["ladder"] if r["type"] == "int" and records.rates(r)}
    if len(found) < 2:
        return None
    common = set.intersection(*({n for _, n in records.rates(r)} for r in found.values()))
    if not common:
        return None
    n = max(common)
    kernels = records.rungs(found[min(found)])
    lines = [
        {
            "label": f"{c}: {short(k)}" if c else short(k),
            "points": [[b, records.rates(found[b])[k, n]] for b in sorted(found) if (k, n) in records.rates(found[b])],
        }
        for c, k in kernels
    ]
    return {"count": records.power(n), "lines": lines, "note": records.provenance(*(found[b] for b in sorted(found)))}


GRID_COUNTS = [1 << power for power in (14, 16, 18, 20, 22, 24, 26, 28)]


def grid(collection: records.Collection) -> Data | None:
    if not collection.records["tune"]:
        return None
    record = collection.records["tune"][0]
    lines = [
        {"label": f"n = {records.power(row['count'])}", "points": row["grids"]}
        for row in record["results"]
        if row["type"] == "int" and row["count"] in GRID_COUNTS and len(row.get("grids", [])) > 2
    ]
    return {"lines": lines, "note": records.provenance(record)} if lines else None


# --- error over n ------------------------------------------------------------------------------------------------


def error(collection: records.Collection) -> Data | None:
    if not collection.records["errors"]:
        return None
    record = collection.records["errors"][0]
    lines: dict[str, list[list[float]]] = {}
    for row in record["orders"]:
        lines.setdefault(row["order"], []).append([row["count"], row["error"], row["bound"]])
    return {
        "type": record["type"],
        "lines": [[name, rows] for name, rows in lines.items()],
        "note": records.provenance(record),
    }


# --- what a machine can do ---------------------------------------------------------------------------------------


def machine(collection: records.Collection) -> Data | None:
    """Returns the time per block by its number of threads, and the bandwidth by the bytes in flight."""
    record = collection.machine()
    if record is None or "starts" not in record or not record.get("bandwidth", {}).get("knee"):
        return None
    # The kernel that does nothing is the one with the fewest registers.
    fewest = min(row["registers"] for row in record["starts"])
    plain = [row for row in record["starts"] if not row["shared_bytes"] and row["registers"] == fewest]
    starts = [
        {"label": label, "points": [[r["threads"], r["ns_per_block"]] for r in plain if r["barrier"] is barrier]}
        for label, barrier in (("that does nothing", False), ("with one barrier", True))
    ]
    lines = []
    for size in sorted({row["vector_bytes"] for row in record["bandwidth"]["in_flight"]}):
        best: dict[float, float] = {}
        for row in record["bandwidth"]["in_flight"]:
            if row["vector_bytes"] == size:
                best[row["bytes_in_flight"]] = max(row["gb_per_s"], best.get(row["bytes_in_flight"], 0))
        lines.append({"label": f"loads of {size} bytes", "points": [[x, best[x]] for x in sorted(best)]})
    knee = record["bandwidth"]["knee"]
    return {
        "starts": starts,
        "bandwidth": lines,
        "knee": [knee["bytes_in_flight"], knee["gb_per_s"]],
        "note": records.provenance(record),
    }


def latencies(collection: records.Collection) -> Data | None:
    """Returns the latency of dependent loads by the size of the array."""
    record = collection.machine()
    walks = (record or {}).get("latencies", {}).get("walks", [])
    if record is None or not walks or walks[0]["ns"] is None:
        return None
    return {
        "points": [[row["bytes"], row["ns"]] for row in walks],
        "l2_bytes": record["device"]["l2_bytes"],
        "note": records.provenance(record),
    }


# --- the roofline ------------------------------------------------------------------------------------------------


def instructions_per_element(kernel: str, kind: str, block_size: int, count: int) -> float | None:
    """Returns the warp instructions of all launches per element, as the emulator counts them. Larger sizes are
    extrapolated linearly from the two largest sizes that were counted. None if there are fewer than two."""
    counted = records.read(COUNTS)
    place = counted["launch"].index("instructions")
    known = sorted(
        (row["count"], sum(launch[place] for launch in row["launches"]))
        for row in counted["rows"]
        if "chapter" not in row and (row.get("kernel"), row.get("type")) == (kernel, kind)
        if row["block_size"] == block_size
    )
    if len(known) < 2:
        return None
    (small, few), (large, many) = known[-2:]
    total = many + (many - few) / (large - small) * (count - large)
    return float(total / count)


def roofline(collection: records.Collection) -> Data | None:
    """Returns the rates of kernels whose limit is known, by their instructions per element."""
    ladder, facts = collection.ladder(), collection.machine()
    if ladder is None or facts is None or not records.rates(ladder) or not collection.records["limits"]:
        return None
    device, rate = facts["device"], records.rates(ladder)
    size = 8 if ladder["type"] in ("double", "longlong") else 4
    timed = [
        row
        for row in collection.records["limits"][0]["rows"]
        if row["block_size"] == ladder["block_size"] and (row["kernel"], row["count"]) in rate
    ]
    count = max((row["count"] for row in timed), default=0)
    points = []
    for row in timed:
        each = instructions_per_element(row["kernel"], ladder["type"], ladder["block_size"], count)
        if row["count"] == count and each:
            limit = " and ".join(row["limit"]["causes"]) or "not known"
            points.append([row["chapter"], each, rate[row["kernel"], count], limit])
    if not points:
        return None
    return {
        "points": points,
        "count": f"{records.power(count)} {ladder['type']}s",
        "peak": device["peak_gb_per_s"],
        # Four schedulers issue one instruction each per cycle. MHz times bytes is 10^-3 GB/s.
        "issue": 4 * device["multiprocessors"] * device["clock_mhz"] * size / 1e3,
        # In two lines, because the figure is as narrow as a phone.
        "note": records.provenance(ladder).replace(", CUDA", ",\nCUDA"),
    }


# The name of each figure, with its title and the function that returns its data.
FIGURES: dict[str, tuple[str, collections.abc.Callable[[records.Collection], Data | None]]] = {
    "ladder": ("Each chapter's share of the memory's peak", ladder),
    "then_and_now": ("The ladder next to Harris' on the G80", then_and_now),
    "bandwidth": ("Bandwidth over the number of elements", bandwidth),
    "speedups": ("Step and cumulative speed-ups", speedup),
    "predicted": ("Time predicted from launches and bytes, and measured", predicted),
    "accuracy": ("Time predicted from counts, and measured", data_of_time.accuracy),
    "terms": ("Predicted time by term over the number of elements", data_of_time.terms),
    "what_if": ("Predicted time over the block size and the elements per thread", data_of_time.what_if),
    "private_arrays": ("Private arrays, time by place and index", arrays),
    "launch_bounds": ("Launch bounds with registers and occupancy", bounds),
    "segments": ("Segments of even and uneven lengths, by threads per segment", segments),
    "block_size": ("Bandwidth over the block size", block),
    "grid_size": ("Time over the grid size", grid),
    "machine": ("Time per block, and bandwidth over the bytes in flight", machine),
    "latencies": ("Latency of a load over the size of the array", latencies),
    "scaling": ("All-reduce over the length of the vectors, measured and predicted", data_of_links.scaling),
    "sums_on_gpus": ("Sums on several GPUs, weak and strong scaling", data_of_links.sums_on_gpus),
    "roofline": ("A roofline with the kernels of the ladder", roofline),
    "error": ("Error of a sum over n, by the order of additions", error),
}
