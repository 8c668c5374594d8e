#!/usr/bin/env python3
"""Textures and surfaces on the emulator and on a GPU, form by form (texture_forms.cu).

    texture_forms.py --measure JSON WORDS   builds the program with nvcc, runs it on the GPU here and makes the record;
                                            WORDS say which GPU it was
    texture_forms.py EMULATE JSON           compares the emulator with the record

What is fetched without a filter has to be the same bits. A filtered value may differ by a part of the texels' range:
--parts 512 (the default) allows 1/512 of it for each dimension, half a step of the filter's weights.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().with_suffix(".cu")
LEAST_FORMS = 260
# Mistakes that a GPU does not notice, and the emulator's error. According to the programming guide, each is a mistake.
UNNOTICED = {
    "destroyed surface": "cudaErrorLaunchFailure",
    "surface of an array that is for none": "cudaErrorInvalidValue",
}


def forms_of(printed: str) -> dict[str, dict]:
    """Returns the program's output by form."""
    rows = [json.loads(line) for line in printed.splitlines() if line.startswith('{"form"')]
    return {row["form"]: {"error": row["error"], "words": row["words"]} for row in rows}


def measure(record: pathlib.Path, words: str) -> int:
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "texture_forms"
        subprocess.run([nvcc, "-std=c++17", "-arch=native", "-o", str(program), str(PROGRAM)], check=True)
        ran = subprocess.run([str(program)], stdout=subprocess.PIPE, text=True, check=False)
    forms = forms_of(ran.stdout)
    if len(forms) < LEAST_FORMS:
        print(f"only {len(forms)} forms were printed, at least {LEAST_FORMS} are expected (exit {ran.returncode})")
        return 1
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(form)}" for name, form in forms.items())
    record.write_text(f'{{\n  "where": {json.dumps(words)},\n  "forms": {{\n{lines}\n  }}\n}}\n')
    print(f"{record}: {len(forms)} forms")
    return 0


def real(word: int) -> float:
    return struct.unpack("<f", struct.pack("<I", word))[0]


def difference(ours: dict, theirs: dict, filtered: bool) -> float:
    """Returns the distance of two results relative to the range of the GPU's values, or 0 for the same bits."""
    if ours["error"] != theirs["error"] or len(ours["words"]) != len(theirs["words"]):
        return float("inf")
    if ours["words"] == theirs["words"]:
        return 0.0
    if not filtered:
        return float("inf")
    reals = [real(word) for word in theirs["words"]]
    reach = (max(reals) - min(reals)) or 1.0
    apart = [abs(real(a) - b) for a, b in zip(ours["words"], reals)]
    return max(apart) / reach if not any(map(math.isnan, apart)) else float("inf")


def dimensions_of(form: str) -> int:
    """Returns the number of filter weights, each of which may differ by half a step. A border adds a second weight."""
    dimensions = int(form[0]) if form[0].isdigit() else 2
    return 2 if dimensions == 1 and "border" in form else dimensions


def compare(emulate: str, record: pathlib.Path, parts: float) -> int:
    theirs = json.loads(record.read_text())["forms"]
    ran = subprocess.run(
        [emulate, str(PROGRAM), "--api-errors", "off", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    ours = forms_of(ran.stdout)
    wrong, same, largest = [], 0, 0.0
    for name, form in theirs.items():
        mine = ours.get(name, {"error": "missing", "words": []})
        if name in UNNOTICED:
            if (mine["error"], form["error"]) != (UNNOTICED[name], "cudaSuccess"):
                wrong.append(f"{name}: {mine['error']} instead of {UNNOTICED[name]}, and {form['error']} on the GPU")
            continue
        apart = difference(mine, form, " linear" in name)
        same += apart == 0
        if apart > dimensions_of(name) / parts:
            firsts = [k for k, (a, b) in enumerate(zip(mine["words"], form["words"])) if a != b][:6]
            wrong.append(
                f"{name}: {mine['error']} against {form['error']}, words {firsts} differ: "
                + ", ".join(
                    f"{mine['words'][k]} ({real(mine['words'][k]):.6g}) against {form['words'][k]} "
                    f"({real(form['words'][k]):.6g})"
                    for k in firsts
                )
            )
        else:
            largest = max(largest, apart)
    print("\n".join(wrong))
    print(
        f"{len(theirs)} forms: {same} the same bits, {len(wrong)} wrong, {len(UNNOTICED)} that only the emulator "
        f"notices; the other filtered ones differ by up to {largest:.3g} of the range"
    )
    return 1 if wrong or len(theirs) < LEAST_FORMS else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=pathlib.Path, metavar="JSON")
    parser.add_argument("--parts", type=float, default=512)
    parser.add_argument("words", nargs="+")
    given = parser.parse_args()
    if given.measure is not None:
        return measure(given.measure, " ".join(given.words))
    if len(given.words) != 2:
        parser.error("EMULATE JSON are wanted")
    return compare(given.words[0], pathlib.Path(given.words[1]), given.parts)


if __name__ == "__main__":
    sys.exit(main())
