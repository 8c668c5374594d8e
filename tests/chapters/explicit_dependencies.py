#!/usr/bin/env python3
"""An edited kernel is compiled even if ninja has lost the compiler's list of included headers. An unedited kernel isn't
compiled again, because every file in that list exists:

explicit_dependencies.py ROOT BUILD        77 if the build doesn't use ninja
"""

import pathlib
import re
import subprocess
import sys

from book import manifest


def inputs_of(build_file):
    """Returns {object file: its inputs, as one text} for the kernels' objects."""
    text = build_file.read_text(encoding="utf-8").replace("$ ", " ").replace("$:", ":").replace("$\n", "")
    return dict(re.findall(r"^build (chapters/\S+\.cu\.o): (.*)$", text, re.MULTILINE))


def missing_headers(build, name):
    """Returns the files in ninja's list for the object that don't exist. With such a file, the object is never up to
    date."""
    listed = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps", name], capture_output=True, text=True, check=False
    ).stdout
    return [
        line.strip() for line in listed.splitlines() if line.startswith("    ") and not (build / line.strip()).exists()
    ]


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    if not (build / "build.ninja").exists():
        return 77
    inputs = inputs_of(build / "build.ninja")
    missing = 0
    for number, chapter in manifest.load(root).items():
        snapshot = f"chapters/chapter{number}_exercise.cuh"
        for kind, file in (("exercise", snapshot), ("solution", f"solutions/{chapter.folder}/{chapter.exercise}")):
            name = f"chapters/CMakeFiles/chapter{number}_{kind}.dir/chapter{number}_{kind}.cu.o"
            if file not in inputs.get(name, ""):
                print(f"{name} is not said to be built from {file}")
                missing += 1
            for header in missing_headers(build, name):
                print(f"{name} depends on {header}, which doesn't exist")
                missing += 1
    print(f"{2 * len(manifest.load(root))} objects, {missing} faults")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
