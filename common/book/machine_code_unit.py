"""Writes the unit that the build assembles for several architectures, for what reads machine code.

python3 -m book machine_code_unit N OUT.cu

The unit holds one instance of each kernel that lesson N speaks of, as the manifest names them. Nothing runs them. Each
chapter has a unit of its own, since two chapters may have functions of one name.
"""

from __future__ import annotations

import pathlib
import sys

from book import manifest


def unit_text(chapter: manifest.Chapter) -> str:
    """Returns the unit's source. Raises ManifestError where the manifest names no instances."""
    instances = chapter.machine_code.get("instances", [])
    if not instances:
        raise manifest.ManifestError(
            f'chapters.json, chapter {chapter.number}: "machine_code" names no "instances" to assemble'
        )
    headers = [f'#include "{header}"' for header in chapter.machine_code["headers"]]
    kernels = [f"template __global__ void {instance};" for instance in instances]
    return "\n".join(["// Made by the build from chapters/chapters.json.", *headers, "", *kernels, ""])


def write(chapter: manifest.Chapter, out: pathlib.Path) -> None:
    """Writes the unit, unless it is there already."""
    text = unit_text(chapter)
    if not out.exists() or out.read_text(encoding="utf-8") != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if len(words) != 2 or not words[0].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    try:
        chapters = manifest.load()
        if int(words[0]) not in chapters:
            raise manifest.ManifestError(f"There is no chapter {words[0]}. There are: {' '.join(map(str, chapters))}")
        write(chapters[int(words[0])], pathlib.Path(words[1]))
    except manifest.ManifestError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
