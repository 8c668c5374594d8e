#!/usr/bin/env python3
"""Draws the lessons' pictures from traces of the emulator: `make drawings`, or

    draw.py [--check] --programs build/bin [CHAPTER …]

A drawing is chapters/NN_…/drawing.svg. With --check nothing is written, and a stale one is named; exit status 1.
"""

import argparse
import pathlib
import sys

import chapters
import traces

ROOT = pathlib.Path(__file__).resolve().parents[2]


def path_of(number):
    """Where the chapter's drawing stands."""
    return next((ROOT / "chapters").glob(f"{number:02}_*")) / "drawing.svg"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a drawing is stale")
    parser.add_argument("numbers", nargs="*", type=int, metavar="CHAPTER")
    words = parser.parse_args()
    stale = False
    try:
        for number in words.numbers or chapters.DRAWINGS:
            new, path = chapters.DRAWINGS[number](words.programs).text_of(), path_of(number)
            if path.exists() and path.read_text(encoding="utf-8") == new:
                continue
            stale = True
            if words.check:
                print(f"{path.relative_to(ROOT)} is stale: the chapter does something else now. `make drawings` "
                      "renews it.")
            else:
                path.write_text(new, encoding="utf-8")
                print(path.relative_to(ROOT))
    except (traces.Failure, KeyError) as error:
        print(f"draw.py: {error}", file=sys.stderr)
        return 1
    return 1 if stale and words.check else 0


if __name__ == "__main__":
    sys.exit(main())
