#!/usr/bin/env python3
"""Accesses of a warp that a load or store of a matrix is made of: on the emulator, and in machine code.

matrix_requests.py --source FILE.cu              writes the program: nvcc -cubin FILE.cu, then nvdisasm -c
matrix_requests.py --record LISTING JSON WORDS…  makes the record of what nvdisasm printed; WORDS say of what
matrix_requests.py EMULATE JSON                  compares the emulator with the record
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import matrix_forms
import records_of_forms

# For each kind of form: the instructions that access memory, and the emulator's counter. Stores to shared memory are
# not included, because they look like the stores that fill the tile at the beginning.
KINDS = {
    ("load", "global"): (("LDG",), "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("load", "shared"): (("LDS", "LDSM"), "smsp__sass_inst_executed_op_shared_ld.sum"),
    ("store", "global"): (("STG",), "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
}
LEAST_COMPARED = 140


def kind_of(form: str):
    """Returns the value in KINDS for an instruction, or None if there is none."""
    words = form.split(".")
    return KINDS.get((words[1], words[7])) if words[0] == "wmma" else None


def forms() -> list[dict]:
    return [form for form in matrix_forms.load_forms() if kind_of(form["name"])]


def in_listing(listing: str) -> dict[str, int]:
    """Returns the number of accesses by form, read from the output of nvdisasm for all kernels."""
    found: dict[str, int] = {}
    for number, form in enumerate(forms()):
        kernel = listing.split(f"\n.text._Z{len(f'form{number}')}form{number}P", 1)[1].split("\n.text.", 1)[0]
        instructions = re.findall(r"\b([A-Z]+)(?:\.\w+)* U?[R\[d]", kernel)
        found[form["name"]] = sum(instructions.count(name) for name in kind_of(form["name"])[0])
    return found


def in_report(report: dict) -> dict[str, int]:
    """Returns the same numbers, read from the emulator's report."""
    found: dict[str, int] = {}
    names = [form["name"] for form in forms()]
    for launch in report["launches"]:
        number = re.search(r"form(\d+)", launch["kernel"])
        assert number, launch["kernel"]
        name = names[int(number[1])]
        found[name] = launch["counters"].get(kind_of(name)[1], 0)
    return found


def compare(emulate: str, wanted: dict[str, int]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        file, report = pathlib.Path(folder) / "forms.cu", pathlib.Path(folder) / "report.json"
        file.write_text(matrix_forms.source(forms()), encoding="utf-8")
        done = subprocess.run(
            [emulate, "--quiet", "--json", str(report), str(file)], capture_output=True, text=True, check=False
        )
        found = in_report(json.loads(report.read_text(encoding="utf-8"))) if report.exists() else {}
    wrong = [name for name, count in wanted.items() if found.get(name) != count]
    for name in wrong:
        print(f"{name}: {found.get(name)} accesses, and {wanted[name]} in machine code")
    print(f"{len(wanted)} forms compared, {len(wrong)} differ")
    if done.returncode != 0:
        print(done.stderr[-2000:])
    return 1 if wrong or done.returncode != 0 or len(wanted) < LEAST_COMPARED else 0


if __name__ == "__main__":
    sys.exit(
        records_of_forms.run(
            sys.argv[1:], __doc__, lambda: matrix_forms.source(forms()), in_listing, "requests", compare
        )
    )
