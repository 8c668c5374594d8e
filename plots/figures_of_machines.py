"""How the plots of what a machine can do are drawn. Needs matplotlib."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from plots import style
from plots.figure_data import Data


def machine(d: Data) -> Figure:
    fig, (starts, bandwidth) = style.figure(9.0, 4.4, ncols=2)
    for axes, lines in ((starts, d["starts"]), (bandwidth, d["bandwidth"])):
        style.lines(axes, lines)
        axes.set_ylim(bottom=0)
    style.powers(bandwidth, [x for line in d["bandwidth"] for x, _ in line["points"]])
    starts.set_xscale("log", base=2)
    sizes = [x for x, _ in d["starts"][0]["points"]]
    starts.set_xticks(sizes, [str(x) for x in sizes])
    starts.set_xlabel("threads per block")
    starts.set_ylabel("ns per block, in a full grid")
    starts.set_title("Starting a block")
    starts.legend(loc="upper left")
    bytes_in_flight, rate = d["knee"]
    bandwidth.axvline(bytes_in_flight, color=style.colour("faint"), linewidth=1)
    style.remark(bandwidth, bytes_in_flight * 1.1, rate * 0.04, f"95 %: {bytes_in_flight / 1024:.0f} KiB")
    bandwidth.set_xlabel("bytes in flight per SM")
    bandwidth.set_ylabel("GB/s")
    bandwidth.set_title("Bandwidth needs bytes in flight")
    bandwidth.legend(loc="upper left")
    return fig


def latencies(d: Data) -> Figure:
    fig, axes = style.figure(8.0, 4.2)
    axes.plot(*zip(*d["points"]), marker="o", color=style.colour("blue"))
    axes.set_xscale("log", base=2)
    sizes = [x for k, (x, _) in enumerate(d["points"]) if k % 3 == 0]
    units = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
    axes.set_xticks(sizes, [next(f"{x // size} {unit}" for size, unit in units if x >= size) for x in sizes])
    axes.set_ylim(bottom=0)
    axes.axvline(d["l2_bytes"], color=style.colour("faint"), linewidth=1)
    style.remark(axes, d["l2_bytes"] * 1.1, 0.03 * max(y for _, y in d["points"]), "L2")
    axes.set_xlabel("size of the array that is walked through")
    axes.set_ylabel("ns per load")
    axes.set_title("A load that waits for the one before it")
    return fig


def roofline(d: Data) -> Figure:
    """As wide as a phone, because it is on a page for newcomers."""
    fig, axes = style.figure(4.4, 4.6)
    xs = [x for _, x, _, _ in d["points"]]
    left, right = min(xs) / 1.6, max(xs) * 1.6
    knee = d["issue"] / d["peak"]
    axes.plot([left, knee, right], [d["peak"], d["peak"], d["issue"] / right], color=style.colour("ink"))
    axes.text(left * 1.1, d["peak"] * 1.05, f"the memory's peak: {d['peak']:.0f}", fontsize=9, va="bottom")
    axes.text(right / 1.05, d["peak"] / 1.15, "all schedulers\nissue in every\ncycle", fontsize=9, ha="right", va="top")
    limits = list(dict.fromkeys(limit for _, _, _, limit in d["points"]))
    for k, limit in enumerate(limits):
        mine = [(chapter, x, y) for chapter, x, y, named in d["points"] if named == limit]
        shade = style.colour(style.SERIES[k % len(style.SERIES)])
        axes.plot([x for _, x, _ in mine], [y for _, _, y in mine], style.MARKERS[k], color=shade, label=limit)
        # Neighbours at the same place share one label.
        near: list[list[tuple[int, float, float]]] = []
        for point in sorted(mine, key=lambda point: point[1]):
            if near and point[1] < 1.4 * near[-1][-1][1]:
                near[-1].append(point)
            else:
                near.append([point])
        for group in near:
            words = ", ".join(str(chapter) for chapter, _, _ in group)  # from left to right
            place = (math.prod(x for _, x, _ in group) ** (1 / len(group)), min(y for _, _, y in group))
            axes.annotate(words, place, (0, -13), textcoords="offset points", ha="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(min(y for _, _, y, _ in d["points"]) / 2, d["peak"] * 1.6)
    ticks = {axes.set_xticks: (0.05, 0.1, 0.2, 0.5, 1, 2, 5), axes.set_yticks: (200, 500, 1000, 2000, 5000)}
    for place, values in ticks.items():
        inside = axes.get_xlim() if place == axes.set_xticks else axes.get_ylim()
        shown = [v for v in values if inside[0] <= v <= inside[1]]
        place(shown, [f"{v:g}" for v in shown])
    axes.minorticks_off()
    axes.set_xlabel("warp instructions per element")
    axes.set_ylabel("GB/s")
    axes.set_title(f"The roofline, and what is below it:\n{d['count']}, chapters 1 to 12", fontsize=10.5)
    axes.legend(loc="lower left", title="experiments say: limited by", title_fontsize=9)
    axes.get_legend().set_alignment("left")
    return fig


def scaling(d: Data) -> Figure:
    fig, axes = style.figure(8.0, 4.8)
    for k, line in enumerate(d["lines"]):
        library = line["label"] == "NCCL"
        shade = style.colour("ink" if library else style.SERIES[k])
        axes.plot(*zip(*line["points"]), style.MARKERS[k], color=shade, markersize=4, label=line["label"])
        if line["model"]:
            axes.plot(*zip(*line["model"]), color=shade, linewidth=1)
        else:
            axes.plot(*zip(*line["points"]), color=shade, linewidth=1, linestyle=":")
    axes.set_xscale("log", base=2)
    sizes = sorted({x for line in d["lines"] for x, _ in line["points"]})
    chosen = [x for x in sizes if x in (8, 512, 1 << 15, 1 << 20, 1 << 24, 1 << 30)]
    units = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
    axes.set_xticks(chosen, [next(f"{x // size} {unit}" for size, unit in units if x >= size) for x in chosen])
    axes.minorticks_off()
    axes.set_yscale("log", base=10)
    axes.set_xlabel("bytes of each vector")
    axes.set_ylabel("us per call, queued after another call")
    axes.set_title(f"All-reduce on {d['gpus']} GPUs: points measured, lines predicted from steps and bytes")
    axes.legend(loc="upper left")
    return fig


def sums_on_gpus(d: Data) -> Figure:
    fig, axes = style.figure(6.0, 4.2)
    axes.plot(*zip(*d["ideal"]), color=style.colour("faint"), linewidth=1, label="one GPU's rate, times their number")
    style.lines(axes, d["lines"], linestyle=":")
    axes.set_xticks(sorted({x for line in d["lines"] for x, _ in line["points"]}))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("TB/s")
    axes.set_title("Sum of data in the memories of several GPUs")
    axes.legend(loc="lower right")
    return fig
