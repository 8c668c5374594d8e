"""How the plots of predicted times are drawn. Needs matplotlib."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import style
from plots.figure_data import Data

# The look of each term, the same in all figures.
TERMS = {
    "block starts": ("orange", "s"),
    "latency": ("blue", "o"),
    "memory": ("green", "D"),
    "instructions": ("red", "^"),
    "L1 cache": ("cyan", "P"),
    "shared memory": ("purple", "v"),
    "launches": ("faint", ""),
}


def accuracy(d: Data) -> Figure:
    fig, axes = style.figure(6.0, 6.0)
    everything = [value for points in d["points"].values() for pair in points for value in pair]
    ends = [min(everything) * 0.8, max(everything) * 1.25]
    axes.fill_between(
        ends,
        [0.8 * x for x in ends],
        [1.2 * x for x in ends],
        color=style.colour("grid"),
        linewidth=0,
        label="within 20 %",
    )
    axes.plot(ends, ends, color=style.colour("ink"), linewidth=1)
    for (name, points), shade, marker, size in zip(
        d["points"].items(), ("blue", "green", "orange"), "oDs", (12, 14, 22)
    ):
        axes.scatter(
            *zip(*points),
            s=size,
            marker=marker,
            facecolors="none",
            edgecolors=style.colour(shade),
            linewidths=0.9,
            label=f"{name}, {len(points)} times",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    axes.set_xlabel("measured (us)")
    axes.set_ylabel("predicted (us)")
    axes.set_title("Predicted, and measured")
    axes.legend(loc="upper left")
    return fig


def draw_terms(axes: Axes, alone: dict[str, list[list[float]]]) -> None:
    """A line for what each term would take alone."""
    for name, (shade, marker) in TERMS.items():
        if name in alone:
            axes.plot(
                *zip(*alone[name]),
                color=style.colour(shade),
                linewidth=1.3,
                linestyle="--" if name == "launches" else "-",
                marker=marker,
                markevery=1 if len(alone[name]) < 9 else 4,
                markersize=4,
                label=name,
            )


def terms(d: Data) -> Figure:
    rows = math.ceil(len(d["panels"]) / 2)
    fig, grid = style.figure(6.6, 2.0 * rows + 1.2, nrows=rows, ncols=2, sharex=True, sharey=True, squeeze=False)
    for axes, panel in zip(grid.flat, d["panels"]):
        draw_terms(axes, panel["alone"])
        axes.plot(*zip(*panel["predicted"]), color=style.colour("ink"), label="all together")
        axes.plot(
            *zip(*panel["measured"]),
            color=style.colour("ink"),
            linestyle="",
            marker="x",
            markersize=5,
            label="measured",
        )
        style.powers(axes, [n for n, _ in panel["predicted"]])
        axes.set_yscale("log")
        axes.minorticks_off()
        axes.set_title(panel["title"], fontsize=10)
        axes.set_xlabel("n (ints)", fontsize=9)
        axes.tick_params(labelsize=8.5)
    for axes in grid.flat[len(d["panels"]) :]:
        axes.remove()
    least = min(us for panel in d["panels"] for _, us in panel["predicted"])
    grid[0][0].set_ylim(bottom=least / 20)
    for axes in grid[:, 0]:
        axes.set_ylabel("us")
    handles, labels = grid[0][0].get_legend_handles_labels()
    half = (len(handles) + 1) // 2
    for axes, part in ((grid[0][0], slice(half)), (grid[0][1], slice(half, None))):
        axes.legend(
            handles[part],
            labels[part],
            loc="lower left",
            bbox_to_anchor=(-0.06, 1.14),
            ncol=2,
            columnspacing=1.0,
            handlelength=1.6,
        )
    return fig


def what_if(d: Data) -> Figure:
    # If a thread always takes the same number of elements, there is nothing to draw over that number.
    fig, both = style.figure(6.6, 8.4 if d["rates"] else 4.4, nrows=2 if d["rates"] else 1, squeeze=False)
    time = both[0][0]
    draw_terms(time, d["alone"])
    time.plot(*zip(*d["predicted"]), color=style.colour("ink"), marker="x", label="all together")
    time.set_xscale("log", base=2)
    time.set_xticks([x for x, _ in d["predicted"]], [str(x) for x, _ in d["predicted"]])
    time.set_ylim(0, 1.25 * max(us for _, us in d["predicted"]))
    time.set_xlabel("threads per block")
    time.set_ylabel("time, predicted (us)")
    time.set_title(f"{d['kernel']}: {d['count']} {d['type']}s in other blocks")
    time.legend(loc="upper right", ncol=2)
    if not d["rates"]:
        return fig
    rate = both[1][0]
    style.lines(rate, d["rates"])
    most = max(x for line in d["rates"] for x, _ in line["points"])
    rate.set_xscale("log", base=2)
    ticks = [2**k for k in range(max(1, math.ceil(math.log2(most))) + 1)]
    rate.set_xticks(ticks, [str(x) for x in ticks])
    rate.set_xlim(right=1.2 * ticks[-1])
    rate.set_ylim(bottom=0)
    rate.set_xlabel("elements per thread, by the size of the input")
    rate.set_ylabel("GB/s, predicted, without the launches")
    rate.set_title("More elements per thread")
    rate.legend(loc="upper left")
    return fig
