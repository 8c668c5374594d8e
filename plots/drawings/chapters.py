"""The drawing of each chapter, by number, and those of other pages, by file."""

from __future__ import annotations

import collections.abc
import pathlib

from plots.drawings import fusion, gpu, load_chapters, rings, segments, shuffle_trees, tree_chapters
from plots.drawings.svg import Canvas

DRAWINGS: dict[int, collections.abc.Callable[[pathlib.Path], Canvas]] = {
    **{number: getattr(tree_chapters, f"chapter{number}") for number in range(7)},
    **{number: getattr(load_chapters, f"chapter{number}") for number in range(7, 13)},
    13: fusion.chapter13,
    14: shuffle_trees.chapter14,
    15: segments.chapter15,
    16: rings.chapter16,
}

PAGES: dict[str, collections.abc.Callable[[pathlib.Path], Canvas]] = {
    "docs/pages/how-a-gpu-works.svg": gpu.how_a_gpu_works,
}
