"""Draws the lessons' pictures from traces of the emulator: `make drawings`, or

    python3 -m plots.drawings.draw [--check] --programs build/bin [CHAPTER …]

A drawing is chapters/NN_…/drawing.svg. Those of other pages, and of a lesson's further parts, are next to the page, and
are drawn only if no chapter is given. With --check nothing is written, and the names of stale files are printed; exit
status 1 if there are any.
"""

from __future__ import annotations

import argparse
import collections.abc
import pathlib
import sys

from book import manifest
from plots.drawings import fusion, gpu, load_chapters, motion, rings, segments, shuffle_trees, traces, tree_chapters
from plots.drawings.svg import Canvas

Drawing = collections.abc.Callable[[pathlib.Path], Canvas | motion.Picture]
DRAWINGS: dict[int, Drawing] = {
    **{number: getattr(tree_chapters, f"chapter{number}") for number in range(7)},
    **{number: getattr(load_chapters, f"chapter{number}") for number in range(7, 13)},
    13: fusion.chapter13,
    14: shuffle_trees.chapter14,
    15: segments.chapter15,
    16: rings.chapter16,
}
PAGES: dict[str, Drawing] = {
    "chapters/13_fused_pipelines/ranges.svg": fusion.ranges,
    "docs/pages/how-a-gpu-works.svg": gpu.how_a_gpu_works,
    "docs/pages/kernels-in-motion.svg": motion.kernels_in_motion,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plots.drawings.draw", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a drawing is stale")
    parser.add_argument("numbers", nargs="*", type=int, metavar="CHAPTER")
    args = parser.parse_args()
    stale = False
    folders = manifest.load()
    try:
        wanted = {
            folders[number].lesson_path().with_name("drawing.svg"): DRAWINGS[number]
            for number in args.numbers or DRAWINGS
        }
        if not args.numbers:
            wanted |= {manifest.ROOT / name: drawing for name, drawing in PAGES.items()}
        for path, drawing in wanted.items():
            new = drawing(args.programs).text_of()
            if path.exists() and path.read_text(encoding="utf-8") == new:
                continue
            stale = True
            if args.check:
                print(
                    f"{path.relative_to(manifest.ROOT)} is stale, because its "
                    "contents have changed. Run `make drawings` "
                    "renews it."
                )
            else:
                path.write_text(new, encoding="utf-8")
                print(path.relative_to(manifest.ROOT))
    except (traces.Failure, KeyError) as error:
        print(f"draw: {error}", file=sys.stderr)
        return 1
    return 1 if stale and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
