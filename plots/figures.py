"""The plots: what each takes from the records, and how it draws it.

Each has `data(collection)`, which returns what is to be drawn or None where the records do not have it, and
`draw(data)`, which returns the figure. Only `draw` needs matplotlib.
"""

import math
import pathlib

import records

NCU = records.HERE.parent / "tests" / "data" / "ncu_h200.json"
HARRIS = records.DATA / "harris_2007.json"
LADDER = range(1, 8)  # Harris' steps


def short(kernel):
    """The kernel's name without what all have in common."""
    return kernel.replace("reduce_", "").replace("cub::DeviceReduce::Sum", "CUB").replace("_", " ")


# --- the ladder beside Harris' -----------------------------------------------------------------------------------


def powers(axes, values):
    """An axis of powers of two, with a tick at every second one."""
    axes.set_xscale("log", base=2)
    first, last = (math.log2(f(values)) for f in (min, max))
    ticks = range(math.ceil(first / 2) * 2, math.floor(last) + 1, 2)
    axes.set_xticks([2.0**k for k in ticks], [f"$2^{{{k}}}$" for k in ticks])


def ladder_data(collection):
    record = collection.ladder()
    if record is None:
        return None
    rate, peak = records.rates(record), record["provenance"].get("peak_gb_per_s")
    sizes = [n for n in (1 << 22, 1 << 29) if any((kernel, n) in rate for _, kernel in records.rungs(record))]
    if not peak or not sizes:
        return None
    theirs = records.read(HARRIS)
    groups = [{"label": f"{theirs['gpu']}, n = 2^22: {theirs['peak_gb_per_s']} GB/s peak",
               "share": [100 * row["gb_per_s"] / theirs["peak_gb_per_s"] for row in theirs["rows"]]}]
    steps = [(c, k) for c, k in records.rungs(record) if c > 0] + [(c, k) for c, k in records.rungs(record) if c == 0]
    for n in sizes:
        groups.append({"label": f"{record['provenance']['gpu']}, n = {records.power(n)}: {peak:.0f} GB/s peak",
                       "share": [100 * rate.get((kernel, n), 0) / peak for _, kernel in steps]})
    return {"steps": [[chapter, short(kernel)] for chapter, kernel in steps], "groups": groups,
            "note": f"{theirs['source']} {records.provenance(record)}; medians, cold L2"}


def ladder_draw(d):
    import style
    fig, axes = style.figure(9.0, 4.8)
    width = 0.8 / len(d["groups"])
    for g, group in enumerate(d["groups"]):
        xs = [x + (g - (len(d["groups"]) - 1) / 2) * width for x in range(len(group["share"]))]
        bars = axes.bar(xs, group["share"], width * 0.92, color=style.colour(style.SERIES[g]), label=group["label"])
        axes.bar_label(bars, [f"{v:.0f}" if v >= 1 else f"{v:.1f}" for v in group["share"]], fontsize=7, padding=1,
                       color=style.colour("ink"))
    axes.set_xticks(range(len(d["steps"])), [f"{c or ''}\n{name.replace(' ', chr(10), 1)}".strip() if c else name
                                             for c, name in d["steps"]], fontsize=8)
    axes.set_ylabel("share of the memory's peak (%)")
    axes.set_xlabel("chapter and kernel")
    axes.set_ylim(0, 112)
    axes.grid(axis="x", visible=False)
    axes.set_title("The ladder, then and now")
    axes.legend(loc="upper left")
    style.note(axes, d["note"])
    return fig


# --- bandwidth over n --------------------------------------------------------------------------------------------


def bandwidth_data(collection):
    record = collection.ladder()
    if record is None or not records.rates(record):
        return None
    rate, p = records.rates(record), record["provenance"]
    counts = sorted({n for _, n in rate if n & (n - 1) == 0})
    if len(counts) < 2:
        return None
    size = 8 if record["type"] in ("double", "longlong") else 4
    lines = [{"label": f"{c}: {short(k)}" if c else short(k),
              "points": [[n, rate[k, n]] for n in counts if (k, n) in rate]}
             for c, k in records.rungs(record)]
    launch = collection.launch_us(record)
    floor = [[n, n * size / (launch * 1e3 + n * size / p["read_gb_per_s"])] for n in counts
             ] if launch and p.get("read_gb_per_s") else []
    return {"type": record["type"], "lines": lines, "peak": p.get("peak_gb_per_s"), "read": p.get("read_gb_per_s"),
            "l2_count": p["l2_bytes"] / size if p.get("l2_bytes") else None, "l2_mib": p.get("l2_bytes", 0) / 2**20,
            "floor": floor, "note": records.provenance(record) + "; medians, cold L2"}


def bandwidth_draw(d):
    import style
    fig, axes = style.figure(9.0, 5.2)
    for k, line in enumerate(d["lines"]):
        library = line["label"] == "CUB"
        axes.plot(*zip(*line["points"]), label=line["label"], marker=style.MARKERS[k % len(style.MARKERS)],
                  color=style.colour("ink" if library else style.SERIES[k % len(style.SERIES)]),
                  linestyle="--" if library or k >= len(style.SERIES) else "-", markersize=4)
    if d["floor"]:
        axes.plot(*zip(*d["floor"]), color=style.colour("faint"), linestyle=":", label="one launch, then reading")
    powers(axes, [x for line in d["lines"] for x, _ in line["points"]])
    axes.set_yscale("log", base=10)
    axes.set_xlabel(f"n ({d['type']}s)")
    axes.set_ylabel("GB/s (n times the element's size / time)")
    axes.set_title("Bandwidth over the number of elements")
    left = min(x for line in d["lines"] for x, _ in line["points"])
    if d["peak"]:
        axes.axhline(d["peak"], color=style.colour("faint"), linewidth=1)
        axes.text(left, d["peak"] * 1.06, f"peak {d['peak']:.0f}", fontsize=8, color=style.colour("faint"))
    if d["read"]:
        axes.axhline(d["read"], color=style.colour("faint"), linewidth=1, linestyle="--")
        axes.text(left, d["read"] / 1.08, f"reading, measured {d['read']:.0f}", fontsize=8, color=style.colour("faint"),
                  va="top")
    if d["l2_count"]:
        axes.axvline(d["l2_count"], color=style.colour("faint"), linewidth=1)
        axes.text(d["l2_count"] * 1.1, min(y for line in d["lines"] for _, y in line["points"]),
                  f"L2: {d['l2_mib']:.0f} MiB", fontsize=8, color=style.colour("faint"))
    if d["peak"]:
        axes.set_ylim(top=d["peak"] * 1.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.note(axes, d["note"])
    return fig


# --- speed-ups ---------------------------------------------------------------------------------------------------


def speedup_data(collection):
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
    return {"labels": [f"{c}\n{short(k).replace(' ', chr(10))}" for c, k in kernels], "count": records.power(n),
            "gpu": record["provenance"].get("gpu", "here").replace("NVIDIA ", ""),
            "step": [b / a for a, b in zip(values, values[1:])], "total": [v / values[0] for v in values],
            "their_step": [a / b for a, b in zip(theirs, theirs[1:])], "their_total": [theirs[0] / t for t in theirs],
            "note": f"Harris 2007: G80, 2^22 ints. {records.provenance(record)}"}


def speedup_draw(d):
    import style
    fig, both = style.figure(9.0, 7.0, nrows=2)
    for axes, mine, theirs, title in ((both[0], "step", "their_step", "Over the chapter before"),
                                      (both[1], "total", "their_total", "Over chapter 1")):
        for key, shift, name, label in ((theirs, -0.2, "blue", "G80, n = 2^22"),
                                        (mine, 0.2, "orange", f"{d['gpu']}, n = {d['count']}")):
            first = len(d["labels"]) - len(d[mine])  # a step leads to every kernel but the first
            bars = axes.bar([first + k + shift for k in range(len(d[key]))], d[key], 0.38, color=style.colour(name),
                            label=label)
            axes.bar_label(bars, [f"{v:.2g}" if v > 9.95 else f"{v:.2f}" for v in d[key]], fontsize=7.5, padding=1,
                           color=style.colour("ink"))
        axes.axhline(1, color=style.colour("faint"), linewidth=1)
        axes.set_xticks(list(range(first, len(d["labels"]))), d["labels"][first:], fontsize=8)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("times as fast")
        axes.set_title(title)
        axes.legend(loc="upper right")
        axes.set_ylim(0, 1.15 * max(d[mine] + d[theirs]))
        axes.set_xlabel("chapter and kernel")
    style.note(both[0], d["note"])
    return fig


# --- predicted and measured -----------------------------------------------------------------------------------------


def predicted_data(collection):
    record, counted = collection.ladder(), records.read(NCU)
    given = counted["provenance"]["input"]
    if record is None or record["provenance"].get("gpu") != counted["provenance"]["gpu"]:
        return None
    p, n, launch = record["provenance"], given["count"], collection.launch_us(record)
    reading = 4 * n / p["read_gb_per_s"] / 1e3
    rows = []
    for chapter, kernel in records.rungs(record):
        launches = sum(1 for launched in counted["launches"] if launched["kernel"] == kernel)
        measured = [r["cold_ms"]["median"] for r in record["results"]
                    if r["kernel"] == kernel and r["count"] == n and r.get("cold_ms")]
        if launches and measured:
            rows.append([chapter, short(kernel), launches, launches * launch, reading, 1e3 * measured[0]])
    return {"rows": rows, "count": records.power(n), "note": records.provenance(record)
            + f"; launches as Nsight Compute listed them ({NCU.name})"} if rows else None


def predicted_draw(d):
    import style
    fig, axes = style.figure(9.0, 4.6)
    xs = range(len(d["rows"]))
    launching, reading = [row[3] for row in d["rows"]], [row[4] for row in d["rows"]]
    axes.bar([x - 0.2 for x in xs], launching, 0.38, color=style.colour("faint"), label="predicted: empty launches")
    axes.bar([x - 0.2 for x in xs], reading, 0.38, bottom=launching, color=style.colour("blue"),
             label="predicted: reading once at the measured ceiling")
    bars = axes.bar([x + 0.2 for x in xs], [row[5] for row in d["rows"]], 0.38, color=style.colour("orange"),
                    label="measured, cold L2")
    axes.bar_label(bars, [f"{row[5]:.0f}" for row in d["rows"]], fontsize=8, padding=1, color=style.colour("ink"))
    axes.set_xticks(list(xs), [f"{c}\n{name.replace(' ', chr(10), 1)}\n{launches} launch{'es' if launches > 1 else ''}"
                               for c, name, launches, *_ in d["rows"]], fontsize=8)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("chapter and kernel")
    axes.set_ylabel("time (us)")
    axes.set_title(f"Predicted from launches and bytes, and measured: {d['count']} ints")
    axes.legend(loc="upper right")
    style.note(axes, d["note"])
    return fig


# --- the chapters that set kernels side by side --------------------------------------------------------------------


def study_rows(record):
    return [k for k in record["kernels"] if k["role"] != "yours" and (k.get("time_ms") or {}).get("median")]


def arrays_data(collection):
    found = collection.chapters(10)
    if not found:
        return None
    rows = [[k["name"], 1e3 * k["time_ms"]["median"], k["compiled"]["local_bytes"]] for k in study_rows(found[0])]
    return {"rows": rows, "count": found[0]["input"]["count"], "note": records.provenance(found[0])}


def arrays_draw(d):
    import style
    fig, axes = style.figure(8.0, 4.2)
    colours = ["orange" if local else "blue" for _, _, local in d["rows"]]
    bars = axes.barh([name for name, _, _ in d["rows"]], [us for _, us, _ in d["rows"]],
                     color=[style.colour(c) for c in colours])
    axes.bar_label(bars, [f"{us:.0f}" for _, us, _ in d["rows"]], padding=3, fontsize=8.5, color=style.colour("ink"))
    axes.invert_yaxis()
    axes.set_xlim(right=max(us for _, us, _ in d["rows"]) * 1.1)
    axes.set_xlabel(f"time (us), {d['count']} arrays of 32 elements")
    axes.set_title("Private arrays: where an index is not known")
    for name, label in (("orange", "in local memory"), ("blue", "in registers or shared memory")):
        axes.barh([0], [0], color=style.colour(name), label=label)
    axes.legend(loc="lower right")
    axes.grid(axis="y", visible=False)
    style.note(axes, d["note"])
    return fig


def bounds_data(collection):
    found = [r for r in collection.chapters(11) if r["input"]["block_size"] in (512, "512")]
    if not found:
        return None
    panels = []
    for record in sorted(found, key=lambda r: -len(r["input"]["type"])):
        rows = [[k["name"], 1e3 * k["time_ms"]["median"], k["compiled"]["registers"],
                 round(100 * k["compiled"]["occupancy"])] for k in study_rows(record)]
        panels.append({"type": record["input"]["type"], "rows": rows})
    return {"panels": panels, "note": records.provenance(*sorted(found, key=lambda r: -len(r["input"]["type"])))}


def bounds_draw(d):
    import style
    fig, axes = style.figure(9.0, 4.6, ncols=len(d["panels"]), sharey=True, squeeze=False)
    for one, panel in zip(axes[0], d["panels"]):
        names = [row[0] for row in panel["rows"]]
        bars = one.barh(names, [row[1] for row in panel["rows"]], color=style.colour("blue"))
        words = [f"{us:.1f} us · {registers} reg · {percent} %" for _, us, registers, percent in panel["rows"]]
        one.bar_label(bars, words, padding=3, fontsize=7.5, color=style.colour("ink"))
        one.set_xlim(right=max(row[1] for row in panel["rows"]) * 1.75)
        one.set_xlabel("time (us)")
        one.set_title(f"{panel['type']}s, blocks of 512", fontsize=10)
        one.grid(axis="y", visible=False)
    axes[0][0].invert_yaxis()
    fig.suptitle("Launch bounds: time, registers a thread, occupancy",
                 x=0.01, ha="left", fontsize=12, fontweight="bold")
    style.note(axes[0][0], d["note"])
    return fig


# --- sweeps ------------------------------------------------------------------------------------------------------


def block_data(collection):
    found = {r["block_size"]: r for r in collection.records["ladder"] if r["type"] == "int" and records.rates(r)}
    if len(found) < 2:
        return None
    common = set.intersection(*({n for _, n in records.rates(r)} for r in found.values()))
    if not common:
        return None
    n = max(common)
    kernels = records.rungs(found[min(found)])
    lines = [{"label": f"{c}: {short(k)}" if c else short(k), "points": [[b, records.rates(found[b])[k, n]]
              for b in sorted(found) if (k, n) in records.rates(found[b])]} for c, k in kernels]
    return {"count": records.power(n), "lines": lines, "note": records.provenance(*(found[b] for b in sorted(found)))}


def block_draw(d):
    import style
    fig, axes = style.figure(8.5, 4.6)
    for k, line in enumerate(d["lines"]):
        axes.plot(*zip(*line["points"]), label=line["label"], marker=style.MARKERS[k % len(style.MARKERS)],
                  linestyle="-" if k < 8 else "--",
                  color=style.colour("ink" if line["label"] == "CUB" else style.SERIES[k % len(style.SERIES)]))
    axes.set_xscale("log", base=2)
    axes.set_xticks([x for x, _ in d["lines"][0]["points"]], [str(x) for x, _ in d["lines"][0]["points"]])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("threads a block")
    axes.set_ylabel("GB/s")
    axes.set_title(f"Block size, n = {d['count']} ints")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.note(axes, d["note"])
    return fig


GRID_COUNTS = [1 << power for power in (14, 16, 18, 20, 22, 24, 26, 28)]


def grid_data(collection):
    if not collection.records["tune"]:
        return None
    record = collection.records["tune"][0]
    lines = []
    for row in record["results"]:
        if row["type"] != "int" or row["count"] not in GRID_COUNTS:
            continue
        if len(row.get("grids", [])) > 2:
            lines.append({"label": f"n = {records.power(row['count'])}", "points": row["grids"]})
    return {"lines": lines, "note": records.provenance(record)} if lines else None


def grid_draw(d):
    import style
    fig, axes = style.figure(8.0, 4.6)
    for k, line in enumerate(d["lines"]):
        best = min(us for _, us in line["points"])
        axes.plot([g for g, _ in line["points"]], [us / best for _, us in line["points"]], label=line["label"],
                  marker=style.MARKERS[k % len(style.MARKERS)], color=style.colour(style.SERIES[k % len(style.SERIES)]))
    powers(axes, [g for line in d["lines"] for g, _ in line["points"]])
    axes.set_ylim(bottom=0.95)
    axes.set_xlabel("blocks in the grid")
    axes.set_ylabel("time over that of the best grid")
    axes.set_title("Grid size of the reduction in one launch, the best shape of each")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.note(axes, d["note"])
    return fig


# --- error over n ------------------------------------------------------------------------------------------------


def error_data(collection):
    if not collection.records["errors"]:
        return None
    record = collection.records["errors"][0]
    lines = {}
    for row in record["orders"]:
        lines.setdefault(row["order"], []).append([row["count"], row["error"], row["bound"]])
    return {"type": record["type"], "lines": [[name, rows] for name, rows in lines.items()],
            "note": records.provenance(record)}


def error_draw(d):
    import style
    fig, axes = style.figure(9.0, 5.0)
    for k, (name, rows) in enumerate(d["lines"]):
        shade = style.colour(style.SERIES[k % len(style.SERIES)])
        axes.plot([n for n, _, _ in rows], [e or math.nan for _, e, _ in rows], color=shade, label=name,
                  marker=style.MARKERS[k])
        axes.plot([n for n, _, _ in rows], [b or math.nan for _, _, b in rows],
                  color=shade, linestyle=":", linewidth=1.2)
    axes.plot([], [], color=style.colour("faint"), linestyle=":", label="the bound of each")
    powers(axes, [n for _, rows in d["lines"] for n, _, _ in rows])
    axes.set_yscale("log", base=10)
    axes.set_xlabel(f"n ({d['type']}s of both signs, 1/16 to 16)")
    axes.set_ylabel("|sum - exact sum|")
    axes.set_title("The order of a sum decides its error")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.note(axes, d["note"])
    return fig


# Name: (title, data, draw)
FIGURES = {
    "ladder": ("The ladder beside Harris' on the G80", ladder_data, ladder_draw),
    "bandwidth": ("Bandwidth over the number of elements", bandwidth_data, bandwidth_draw),
    "speedups": ("Step and cumulative speed-ups", speedup_data, speedup_draw),
    "predicted": ("Time predicted from launches and bytes, and measured", predicted_data, predicted_draw),
    "private_arrays": ("Private arrays, time by place and index", arrays_data, arrays_draw),
    "launch_bounds": ("Launch bounds with registers and occupancy", bounds_data, bounds_draw),
    "block_size": ("Bandwidth over the block size", block_data, block_draw),
    "grid_size": ("Time over the grid size", grid_data, grid_draw),
    "error": ("Error of a sum over n, by the order of additions", error_data, error_draw),
}

SOURCES = [pathlib.Path(__file__).with_name(name) for name in ("figures.py", "style.py", "colours.py")]
