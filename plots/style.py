"""One look for all plots: colours, figures, and how they are saved.

SVG files follow the reader's theme: ink, paper, lines and series are CSS variables that are swapped if the system is
dark, so that text never loses its background. PNG files are light. Both are the same, byte for byte, for the same data
and the same matplotlib.
"""

from __future__ import annotations

import collections.abc
import io
import math
import pathlib
import re
import typing

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.colours import COLOURS, SERIES, sheet

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MARKERS = "osD^vPX*<>h"


def colour(name: str) -> str:
    """The colour as matplotlib takes it."""
    return COLOURS[name][0]


def apply() -> None:
    """Sets matplotlib up. To be called once, before the first figure."""
    ink, faint, paper = colour("ink"), colour("faint"), colour("paper")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "reduction workbook",
            "svg.fonttype": "none",
            "font.family": "DejaVu Sans",
            "font.size": 10.0,
            "axes.titlesize": 12.0,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.labelsize": 10.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.edgecolor": faint,
            "axes.labelcolor": ink,
            "axes.titlecolor": ink,
            "axes.facecolor": paper,
            "grid.color": colour("grid"),
            "grid.linewidth": 0.8,
            "text.color": ink,
            "xtick.color": ink,
            "ytick.color": ink,
            "legend.frameon": False,
            "legend.fontsize": 9.0,
            "figure.facecolor": paper,
            "savefig.facecolor": paper,
            "figure.dpi": 100,
            "lines.linewidth": 1.8,
            "lines.markersize": 5.0,
            "figure.constrained_layout.use": True,
        }
    )


def figure(width: float = 8.0, height: float = 4.5, **subplots: typing.Any) -> tuple[Figure, typing.Any]:
    """A figure and its axes, in inches."""
    return plt.subplots(figsize=(width, height), **subplots)


def powers(axes: Axes, values: collections.abc.Sequence[float]) -> None:
    """An axis of powers of two, with a tick at every second one."""
    axes.set_xscale("log", base=2)
    first, last = (math.log2(f(values)) for f in (min, max))
    ticks = range(math.ceil(first / 2) * 2, math.floor(last) + 1, 2)
    axes.set_xticks([2.0**k for k in ticks], [f"$2^{{{k}}}$" for k in ticks])


def lines(axes: Axes, found: list[dict[str, typing.Any]], **look: typing.Any) -> None:
    """A line for each {"label", "points"}, with the next marker and colour; the library's is dashed, in ink."""
    for k, line in enumerate(found):
        library = line["label"] == "CUB"
        own = {
            "marker": MARKERS[k % len(MARKERS)],
            "color": colour("ink" if library else SERIES[k % len(SERIES)]),
            "linestyle": "--" if library or k >= len(SERIES) else "-",
        }
        axes.plot(*zip(*line["points"]), label=line["label"], **{**own, **look})


def remark(axes: Axes, x: float, y: float, words: str, **look: typing.Any) -> None:
    """Small text next to a drawing, in a less prominent colour."""
    axes.text(x, y, words, fontsize=8, color=colour("faint"), **look)


def note(fig: Figure, text: str) -> None:
    """The provenance, below the axes."""
    fig.supxlabel(text, x=0.005, ha="left", fontsize=7.5, color=colour("faint"))


def theme(svg: str) -> str:
    """Puts CSS variables in the place of the colours."""
    names = {pair[0]: name for name, pair in COLOURS.items()}

    def variable(match: re.Match[str]) -> str:
        name = names.get(match[0].lower())
        return f"var(--{name})" if name else match[0]

    end = svg.index(">", svg.index("<svg")) + 1
    head, body = svg[:end], svg[end:]
    body = re.sub(r"(?<=[:\"] )#[0-9a-fA-F]{6}\b|(?<=[:\"])#[0-9a-fA-F]{6}\b", variable, body)
    return f"{head}\n {sheet()}{body}"


def save(fig: Figure, path: pathlib.Path | str, key: str, title: str, png: bool = True) -> None:
    """Writes PATH.svg, and PATH.png where `png`. `key` names what was drawn, for the check that nothing is stale."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = theme(buffer.getvalue())
    svg = re.sub(r"<metadata>.*?</metadata>", f"<title>{title}</title><desc>key {key}</desc>", svg, flags=re.DOTALL)
    if f"key {key}" not in svg:
        svg = svg.replace("<style>", f"<title>{title}</title><desc>key {key}</desc><style>", 1)
    svg = "\n".join(line.rstrip() for line in svg.split("\n"))
    path.with_suffix(".svg").write_text(svg.rstrip("\n") + "\n", encoding="utf-8")
    if png:
        fig.savefig(path.with_suffix(".png"), dpi=144, metadata={"Software": None})
    plt.close(fig)
