"""How each plot is drawn, from what figure_data.py takes from the records. Needs matplotlib."""

from __future__ import annotations

import collections.abc
import inspect
import math
import sys
import typing

from matplotlib.figure import Figure

from plots import figures_of_machines, figures_of_time, style
from plots.figure_data import Data

# --- the ladder, alone and next to Harris' ------------------------------------------------------------------------


def ladder(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 3.9)
    steps = d["steps"]
    # Those that the reader writes are one block; what libraries bring is set apart.
    places = [x + (0 if step["yours"] else 0.6) for x, step in enumerate(steps)]
    looks = [style.colour("blue" if step["yours"] else "faint") for step in steps]
    axes.bar(places, [step["share"] for step in steps], 0.76, color=looks)
    for x, step in zip(places, steps):
        # If the bar is tall, inside of it, because no line crosses it there.
        inside = step["share"] > 25
        axes.text(
            x,
            step["share"] + (-3 if inside else 2),
            f"{step['share']:.0f} %",
            ha="center",
            va="top" if inside else "bottom",
            fontsize=10,
            fontweight="bold",
            color=style.colour("paper" if inside else "ink"),
        )
    axes.axhline(100, color=style.colour("faint"), linewidth=1)
    style.remark(axes, -0.38, 102, f"the memory's peak, {d['peak']:.0f} GB/s", va="bottom")
    axes.text(-0.38, 58, "your kernel", fontsize=10, color=style.colour("blue"), fontweight="bold")
    libraries = [x for x, step in zip(places, steps) if not step["yours"]]
    if libraries:
        style.remark(axes, sum(libraries) / len(libraries), 102, "libraries", ha="center", va="bottom")
    names = [f"{step['chapter'] if step['yours'] else ''}\n{step['name'].replace(' ', chr(10), 1)}" for step in steps]
    axes.set_xticks(places, names, fontsize=8.5)
    axes.set_xlabel("chapter")
    axes.tick_params(axis="both", length=0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False)
    axes.set_ylim(0, 116)
    axes.set_title(f"Share of the memory's peak: a sum of {d['count']} {d['type']}s on an {d['gpu']}")
    return fig


def then_and_now(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 4.8)
    width = 0.8 / len(d["groups"])
    for g, group in enumerate(d["groups"]):
        xs = [x + (g - (len(d["groups"]) - 1) / 2) * width for x in range(len(group["share"]))]
        bars = axes.bar(xs, group["share"], width * 0.92, color=style.colour(style.SERIES[g]), label=group["label"])
        axes.bar_label(bars, [f"{v:.0f}" if v >= 1 else f"{v:.1f}" for v in group["share"]], fontsize=7, padding=1)
    axes.set_xticks(
        range(len(d["steps"])),
        [f"{c or ''}\n{name.replace(' ', chr(10), 1)}".strip() if c else name for c, name in d["steps"]],
        fontsize=8,
    )
    axes.set_ylabel("share of the memory's peak (%)")
    axes.set_xlabel("chapter and kernel")
    axes.set_ylim(0, 112)
    axes.grid(axis="x", visible=False)
    axes.set_title("The ladder, then and now")
    axes.legend(loc="upper left")
    return fig


# --- bandwidth over n --------------------------------------------------------------------------------------------


def bandwidth(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 5.2)
    style.lines(axes, d["lines"], markersize=4)
    if d["floor"]:
        axes.plot(*zip(*d["floor"]), color=style.colour("faint"), linestyle=":", label="one launch, then reading")
    style.powers(axes, [x for line in d["lines"] for x, _ in line["points"]])
    axes.set_yscale("log", base=10)
    axes.set_xlabel(f"n ({d['type']}s)")
    axes.set_ylabel("GB/s (n times the element's size / time)")
    axes.set_title("Bandwidth over the number of elements")
    left = min(x for line in d["lines"] for x, _ in line["points"])
    if d["peak"]:
        axes.axhline(d["peak"], color=style.colour("faint"), linewidth=1)
        style.remark(axes, left, d["peak"] * 1.06, f"peak {d['peak']:.0f}")
    if d["read"]:
        axes.axhline(d["read"], color=style.colour("faint"), linewidth=1, linestyle="--")
        style.remark(axes, left, d["read"] / 1.08, f"reading, measured {d['read']:.0f}", va="top")
    if d["l2_count"]:
        axes.axvline(d["l2_count"], color=style.colour("faint"), linewidth=1)
        lowest = min(y for line in d["lines"] for _, y in line["points"])
        style.remark(axes, d["l2_count"] * 1.1, lowest, f"L2: {d['l2_mib']:.0f} MiB")
    if d["peak"]:
        axes.set_ylim(top=d["peak"] * 1.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


# --- speed-ups ---------------------------------------------------------------------------------------------------


def speedups(d: Data) -> Figure:
    fig, both = style.figure(9.0, 7.0, nrows=2)
    for axes, mine, theirs, title in (
        (both[0], "step", "their_step", "Over the chapter before"),
        (both[1], "total", "their_total", "Over chapter 1"),
    ):
        for key, shift, name, label in (
            (theirs, -0.2, "blue", "G80, n = 2^22"),
            (mine, 0.2, "orange", f"{d['gpu']}, n = {d['count']}"),
        ):
            first = len(d["labels"]) - len(d[mine])  # a step leads to every kernel but the first
            bars = axes.bar(
                [first + k + shift for k in range(len(d[key]))], d[key], 0.38, color=style.colour(name), label=label
            )
            axes.bar_label(bars, [f"{v:.2g}" if v > 9.95 else f"{v:.2f}" for v in d[key]], fontsize=7.5, padding=1)
        axes.axhline(1, color=style.colour("faint"), linewidth=1)
        axes.set_xticks(list(range(first, len(d["labels"]))), d["labels"][first:], fontsize=8)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("times as fast")
        axes.set_title(title)
        axes.legend(loc="upper right")
        axes.set_ylim(0, 1.15 * max(d[mine] + d[theirs]))
        axes.set_xlabel("chapter and kernel")
    return fig


# --- predicted and measured -----------------------------------------------------------------------------------------


def predicted(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 4.6)
    xs = range(len(d["rows"]))
    launching, reading = [row[3] for row in d["rows"]], [row[4] for row in d["rows"]]
    axes.bar([x - 0.2 for x in xs], launching, 0.38, color=style.colour("faint"), label="predicted: empty launches")
    axes.bar(
        [x - 0.2 for x in xs],
        reading,
        0.38,
        bottom=launching,
        color=style.colour("blue"),
        label="predicted: reading once at the measured ceiling",
    )
    bars = axes.bar(
        [x + 0.2 for x in xs],
        [row[5] for row in d["rows"]],
        0.38,
        color=style.colour("orange"),
        label="measured, cold L2",
    )
    axes.bar_label(bars, [f"{row[5]:.0f}" for row in d["rows"]], fontsize=8, padding=1)
    axes.set_xticks(
        list(xs),
        [
            f"{c}\n{name.replace(' ', chr(10), 1)}\n{launches} launch{'es' if launches > 1 else ''}"
            for c, name, launches, *_ in d["rows"]
        ],
        fontsize=8,
    )
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("chapter and kernel")
    axes.set_ylabel("time (us)")
    axes.set_title(f"Predicted from launches and bytes, and measured: {d['count']} ints")
    axes.legend(loc="upper right")
    return fig


# --- the chapters that set kernels side by side --------------------------------------------------------------------


def private_arrays(d: Data) -> Figure:
    fig, axes = style.figure(8.0, 4.2)
    colours = ["orange" if local else "blue" for _, _, local in d["rows"]]
    bars = axes.barh(
        [name for name, _, _ in d["rows"]], [us for _, us, _ in d["rows"]], color=[style.colour(c) for c in colours]
    )
    axes.bar_label(bars, [f"{us:.0f}" for _, us, _ in d["rows"]], padding=3, fontsize=8.5)
    axes.invert_yaxis()
    axes.set_xlim(right=max(us for _, us, _ in d["rows"]) * 1.1)
    axes.set_xlabel(f"time (us), {d['count']} arrays of 32 elements")
    axes.set_title("Private arrays: where an index is not known")
    for name, label in (("orange", "in local memory"), ("blue", "in registers or shared memory")):
        axes.barh([0], [0], color=style.colour(name), label=label)
    axes.legend(loc="lower right")
    axes.grid(axis="y", visible=False)
    return fig


def segments(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 4.6)
    ways = list(dict(pair for _, times in d["groups"] for pair in times))
    width = 0.8 / len(ways)
    for k, way in enumerate(ways):
        found = [(g, dict(times)[way]) for g, (_, times) in enumerate(d["groups"]) if way in dict(times)]
        xs = [g + (k - (len(ways) - 1) / 2) * width for g, _ in found]
        colour = style.colour(style.SERIES[k % len(style.SERIES)])
        bars = axes.bar(xs, [us for _, us in found], width * 0.92, color=colour, label=way)
        axes.bar_label(bars, [f"{us:.0f}" for _, us in found], fontsize=7, padding=1)
    axes.set_xticks(range(len(d["groups"])), [name for name, _ in d["groups"]])
    axes.set_yscale("log")
    axes.set_ylabel("time (us)")
    axes.set_xlabel(f"segments of {d['count']} elements")
    axes.grid(axis="x", visible=False)
    axes.set_title("How the segments are divided among threads")
    axes.legend(loc="upper left", ncols=2)
    return fig


def launch_bounds(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 4.6, ncols=len(d["panels"]), sharey=True, squeeze=False)
    for one, panel in zip(axes[0], d["panels"]):
        names = [row[0] for row in panel["rows"]]
        bars = one.barh(names, [row[1] for row in panel["rows"]], color=style.colour("blue"))
        words = [f"{us:.1f} us · {registers} reg · {percent} %" for _, us, registers, percent in panel["rows"]]
        one.bar_label(bars, words, padding=3, fontsize=7.5)
        one.set_xlim(right=max(row[1] for row in panel["rows"]) * 1.75)
        one.set_xlabel("time (us)")
        one.set_title(f"{panel['type']}s, blocks of 512", fontsize=10)
        one.grid(axis="y", visible=False)
    axes[0][0].invert_yaxis()
    fig.suptitle(
        "Launch bounds: time, registers per thread, occupancy", x=0.01, ha="left", fontsize=12, fontweight="bold"
    )
    return fig


# --- sweeps ------------------------------------------------------------------------------------------------------


def block_size(d: Data) -> Figure:
    fig, axes = style.figure(8.5, 4.6)
    style.lines(axes, d["lines"])
    axes.set_xscale("log", base=2)
    axes.set_xticks([x for x, _ in d["lines"][0]["points"]], [str(x) for x, _ in d["lines"][0]["points"]])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("threads per block")
    axes.set_ylabel("GB/s")
    axes.set_title(f"Block size, n = {d['count']} ints")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def grid_size(d: Data) -> Figure:
    fig, axes = style.figure(8.0, 4.6)
    over_best = []
    for line in d["lines"]:
        best = min(us for _, us in line["points"])
        over_best.append({"label": line["label"], "points": [[g, us / best] for g, us in line["points"]]})
    style.lines(axes, over_best)
    style.powers(axes, [g for line in d["lines"] for g, _ in line["points"]])
    axes.set_ylim(bottom=0.95)
    axes.set_xlabel("blocks in the grid")
    axes.set_ylabel("time over that of the best grid")
    axes.set_title("Grid size of the reduction in one launch, the best shape of each")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


# --- error over n ------------------------------------------------------------------------------------------------


def error(d: Data) -> Figure:
    fig, axes = style.figure(9.0, 5.0)
    for k, (name, rows) in enumerate(d["lines"]):
        shade = style.colour(style.SERIES[k % len(style.SERIES)])
        axes.plot(
            [n for n, _, _ in rows],
            [e or math.nan for _, e, _ in rows],
            color=shade,
            label=name,
            marker=style.MARKERS[k],
        )
        axes.plot(
            [n for n, _, _ in rows], [b or math.nan for _, _, b in rows], color=shade, linestyle=":", linewidth=1.2
        )
    axes.plot([], [], color=style.colour("faint"), linestyle=":", label="the bound of each")
    style.powers(axes, [n for _, rows in d["lines"] for n, _, _ in rows])
    axes.set_yscale("log", base=10)
    axes.set_xlabel(f"n ({d['type']}s of both signs, 1/16 to 16)")
    axes.set_ylabel("|sum - exact sum|")
    axes.set_title("The order of a sum decides its error")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


# Every function of these modules that draws a figure, by its name.
DRAWN: dict[str, collections.abc.Callable[[Data], Figure]] = {
    name: draw
    for module in (sys.modules[__name__], figures_of_machines, figures_of_time)
    for name, draw in inspect.getmembers(module, inspect.isfunction)
    if typing.get_type_hints(draw).get("return") is Figure
}


def drawn(name: str, data: Data) -> Figure:
    """The figure of that name, with the line below that says where its data come from."""
    fig = DRAWN[name](data)
    style.note(fig, data["note"])
    return fig
