"""Draws the plots: `make plots`, or

    python3 -m plots.plots --out FOLDER [--data FILE|FOLDER] [--svg] [NAME …]    SVG and PNG of each, or only SVG
    python3 -m plots.plots --check FOLDER              checks that the SVG files there match the recorded data

Without --data it draws the workbook's own records (plots/data). If a reader's own records have no data for a plot, it
is left out, and its name is printed. Exit status: 0; 1 on bad data, or with --check on a stale file; 2 on bad usage.
"""

from __future__ import annotations

import argparse
import collections.abc
import hashlib
import json
import pathlib
import sys

from book import records
from plots.figure_data import FIGURES, Data

# The programs that draw. If one changes, even in a comment, all figures count as stale, because they may differ.
SOURCES = [
    pathlib.Path(__file__).with_name(name)
    for name in ("figures.py", "figures_of_machines.py", "figures_of_time.py", "style.py", "colours.py")
]


def key(data: Data) -> str:
    """Returns the key that an SVG file contains. It changes if the drawn data or the programs that draw change."""
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode())
    for source in SOURCES:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def draw(
    collection: records.Collection, names: collections.abc.Iterable[str], out: pathlib.Path, png: bool
) -> list[str]:
    """Draws the plots that the collection has data for. Returns their names."""
    from plots import figures, style  # imported here, because the check needs no matplotlib

    style.apply()
    drawn = []
    for name in names:
        title, data_of = FIGURES[name]
        data = data_of(collection)
        if data is None:
            print(f"{name}: left out, because no record has data for it")
            continue
        style.save(figures.drawn(name, data), out / name, key(data), title, png)
        drawn.append(name)
        print(f"{name}: {out / name}.svg")
    return drawn


def check(folder: pathlib.Path) -> list[str]:
    """Returns a description of each stale file in the folder."""
    collection, stale = records.recorded(), []
    for name, (_, data_of) in FIGURES.items():
        data, path = data_of(collection), folder / f"{name}.svg"
        if data is None:
            if path.exists():
                stale.append(f"{path}: there is no data for it any more")
        elif not path.exists():
            stale.append(f"{path} is missing")
        elif f"key {key(data)}" not in path.read_text(encoding="utf-8"):
            stale.append(f"{path} is stale: the data or the program has changed")
    return stale


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plots.plots", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--data", help="a record of your own, or a folder of them")
    parser.add_argument("--svg", action="store_true", help="no PNG")
    parser.add_argument("--check", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in FIGURES]
    if unknown:
        parser.error(f"there is no plot {unknown[0]}; there are {', '.join(FIGURES)}")
    try:
        if args.check:
            stale = check(args.check)
            print("\n".join([*stale, "Run `make figures` to redraw them."] if stale else ["all figures are fresh"]))
            return 1 if stale else 0
        if not args.out:
            parser.error("--out is missing")
        collection = records.own(args.data) if args.data else records.recorded()
        if not draw(collection, args.names or list(FIGURES), args.out, not args.svg):
            raise records.BadData("nothing could be drawn: times come from a GPU, and the emulator has none")
    except records.BadData as error:
        print(f"plots: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
