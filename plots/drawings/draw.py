"""Draws the lessons' pictures from traces of the emulator: `make drawings`, or

    python3 -m plots.drawings.draw [--check] --programs build/bin [CHAPTER …]

A drawing is chapters/NN_…/drawing.svg. With --check nothing is written, and a stale one is named; exit status 1.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from book import manifest
from plots.drawings import chapters, traces


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plots.drawings.draw", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a drawing is stale")
    parser.add_argument("numbers", nargs="*", type=int, metavar="CHAPTER")
    words = parser.parse_args()
    stale = False
    folders = manifest.load()
    try:
        for number in words.numbers or chapters.DRAWINGS:
            new = chapters.DRAWINGS[number](words.programs).text_of()
            path = folders[number].lesson_path().with_name("drawing.svg")
            if path.exists() and path.read_text(encoding="utf-8") == new:
                continue
            stale = True
            if words.check:
                print(
                    f"{path.relative_to(manifest.ROOT)} is stale: the chapter does something else now. `make drawings` "
                    "renews it."
                )
            else:
                path.write_text(new, encoding="utf-8")
                print(path.relative_to(manifest.ROOT))
    except (traces.Failure, KeyError) as error:
        print(f"draw: {error}", file=sys.stderr)
        return 1
    return 1 if stale and words.check else 0


if __name__ == "__main__":
    sys.exit(main())
