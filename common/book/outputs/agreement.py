#!/usr/bin/env python3
"""Keeps the table of the emulator's counts beside Nsight Compute's true.

    <!-- agreement begin ncu_h200.json -->
    (the table, made by this program)
    <!-- agreement end -->

    agreement.py [--check] --data tests/data --programs build/bin FILE.md …

The emulator's counts are those of the first launch of each chapter's reference, from `chapterN --json`. A table that
says something else than programs and record do is stale; exit status 1.
"""

import json
import pathlib
import re
import subprocess
import sys

import pages
from pages import Failure

BLOCK = re.compile(r"^<!-- agreement begin (?P<file>\S+) -->\n(?P<body>.*?)^<!-- agreement end -->$",
                   re.MULTILINE | re.DOTALL)
METRICS = {
    "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
}


def counted(programs, chapter, given):
    """The counters of the first launch of previous and reference, by kernel."""
    command = [str(programs / f"chapter{chapter}"), "--device", "emulator", "--count", str(given["count"]), "--type",
               given["type"], "--block-size", str(given["block_size"]), "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    try:
        kernels = json.loads(done.stdout)["kernels"]
    except (json.JSONDecodeError, KeyError) as error:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}") from error
    return {k["name"]: k["launches"][0]["counters"] for k in kernels
            if k["role"] in ("previous", "reference") and k["launches"]}


def table(data, programs, name):
    record = json.loads((data / name).read_text(encoding="utf-8"))
    theirs = {}
    for launch in record["launches"]:
        theirs.setdefault(launch["kernel"], launch["metrics"])
    ours = {}
    # Each brings the chapter before along.
    for chapter in (2, 4, 6, 8, 9):
        ours.update(counted(programs, chapter, record["provenance"]["input"]))
    lines = ["| emulator (Nsight Compute) | " + " | ".join(METRICS) + " |", "| --- |" + " ---: |" * len(METRICS)]
    for kernel, metrics in theirs.items():
        if kernel not in ours:
            continue
        cells = []
        for metric in METRICS.values():
            mine, real = ours[kernel][metric], metrics[metric]
            cells.append(f"{mine:,}" + ("" if mine == real else f" ({real:,})"))
        lines.append(f"| `{kernel}` | " + " | ".join(cells) + " |")
    p, given = record["provenance"], record["provenance"]["input"]
    return "\n".join([*lines, "", f"{given['count']} of {given['type']}, blocks of {given['block_size']}, the first "
                      f"launch of each. Nsight Compute's value stands in brackets where it differs: {p['gpu']}, driver "
                      f"{p['driver']}, "
                      f"CUDA {p['toolkit']}, {p['date'][:10]} (`tests/data/{name}`).", ""])


def renewed(text, words, name):
    """As `pages.keep` wants it."""
    stale = []

    def renew(match):
        new = table(words.data, words.programs, match["file"])
        if new == match["body"]:
            return match[0]
        stale.extend(pages.diff(match["body"], new, name, "today"))
        return pages.replaced_body(match, new)

    return BLOCK.sub(renew, text), stale


def main():
    parser = pages.parser(__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of the record")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the built programs")
    return pages.keep("agreement.py", parser.parse_args(), renewed)


if __name__ == "__main__":
    sys.exit(main())
