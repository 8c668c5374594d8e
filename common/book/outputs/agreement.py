"""The table of the emulator's counts compared with Nsight Compute's: `<!-- agreement begin ncu_h200.json -->`.

The emulator's counts are those of the first launch of each chapter's reference, from `chapterN --json`.
"""

from __future__ import annotations

import json
import pathlib

from book import markers, processes, records
from book.outputs import Failure, Setting, table

METRICS = {
    "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
}
# Each of these programs also runs the previous chapter's kernel, so together they run all kernels of the ladder.
PROGRAMS = (2, 4, 6, 8, 9)


def counted(programs: pathlib.Path, chapter: int, given: records.Record) -> dict[str, dict[str, int]]:
    """Returns the counters of the first launch of the previous and the reference kernel, by kernel name."""
    command = [str(programs / f"chapter{chapter}"), "--device", "emulator", "--count", str(given["count"])]
    command += ["--type", given["type"], "--block-size", str(given["block_size"]), "--json", "-"]
    done = processes.run_captured(command)
    try:
        kernels = json.loads(done.stdout)["kernels"]
    except (json.JSONDecodeError, KeyError) as error:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}") from error
    return {
        k["name"]: k["launches"][0]["counters"]
        for k in kernels
        if k["role"] in ("previous", "reference") and k["launches"]
    }


def made(part: markers.Part, setting: Setting) -> str:
    record = records.read(setting.counters / part.arguments)
    p, given = record["provenance"], record["provenance"]["input"]
    theirs: dict[str, dict[str, int]] = {}
    for launch in record["launches"]:
        theirs.setdefault(launch["kernel"], launch["metrics"])
    ours: dict[str, dict[str, int]] = {}
    for chapter in PROGRAMS:
        ours.update(counted(setting.programs, chapter, given))
    rows = []
    for kernel in [kernel for kernel in theirs if kernel in ours]:
        pairs = [(ours[kernel][metric], theirs[kernel][metric]) for metric in METRICS.values()]
        rows.append([f"`{kernel}`", *(f"{mine:,}" + ("" if mine == real else f" ({real:,})") for mine, real in pairs)])
    source = (
        f"{given['count']} of {given['type']}, blocks of {given['block_size']}, the first launch of each. Nsight "
        f"Compute's value is in brackets if it differs: {p['gpu']}, driver {p['driver']}, CUDA {p['toolkit']}, "
        f"{p['date'][:10]} (`tests/data/{part.arguments}`)."
    )
    return "\n".join([table(["emulator (Nsight Compute)", *METRICS], rows), "", source, ""])
