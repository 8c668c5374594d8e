"""The workbook's version, which `project` in CMakeLists.txt sets."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def version(root: pathlib.Path = ROOT) -> str:
    """Returns the version of the tree, such as "1.0.0"."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(\w+ VERSION ([0-9.]+)", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{root / 'CMakeLists.txt'} has no line project(… VERSION …)")
    return found[1]


def version_text(program: str) -> str:
    """Returns what `--version` prints: "book 1.0.0 (Reduction Workbook)"."""
    return f"{program} {version()} (Reduction Workbook)"
