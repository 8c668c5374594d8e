#!/usr/bin/env python3
"""Runs a CUDA program on the emulator and compares its results with the promises in the program's comments.

check_program.py EMULATE PROGRAM.cu

A program's comments contain:
  // covers: GROUP | WHAT            what it shows, for docs/coverage.md; this script only requires that there is one
  // refuses: GROUP | WHAT           instead: a feature that the emulator reports as not implemented
  // count: KERNEL | COUNTER | N     the sum over all launches of the kernel is N; the derivation is next to it
  // gpus: N                         the value of `emulate --gpus`
  // link: FROM TO | COUNTER | N     the counter of the link from one device, or `host`, to another one
  // with: FILE.cu FLAG …            further sources and compiler options
  // checks: LIST                    the value of `emulate --check` (default: all of the usual checks)
  // status: N                       the exit status of `emulate` (0)
  // says: TEXT                      a part of the output, in the order of these comments
  // finding: TEXT                   a part of a finding's message; if there is none, there must be no finding at all
Prints a line for each promise that is not kept, and exits with 1 if there is any.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

KEYS = ("covers", "refuses", "count", "gpus", "link", "with", "checks", "status", "says", "finding")
PROMISE = re.compile(rf"^// ({'|'.join(KEYS)}): (.*)$", re.MULTILINE)
# Matches a promise that is in the middle of a line because a formatter has filled the paragraph. It would not be read.
BURIED = re.compile(rf"^// .*\S ((?:{'|'.join(KEYS)}):)(?: |$)", re.MULTILINE)
METRICS = {
    "barriers": "workbook__barriers.sum",
    "constant loads": "workbook__constant_loads.sum",
    "divergent branches": "workbook__divergent_branches.sum",
    "global atomic operations": "workbook__global_atomic_operations.sum",
    "global load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global reduction requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "global reduction sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "global store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared atomics": "workbook__shared_atomics.sum",
    "shared bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "shared loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "shuffles": "workbook__shuffles.sum",
}


def promises_of(text):
    """Returns the promises of a program, a list of values for each key. Raises ValueError if one cannot be read."""
    if buried := BURIED.search(text):
        raise ValueError(f"`{buried[1]}` stands in the middle of a line; each promise begins one")
    found: dict[str, list[str]] = {key: [] for key in KEYS}
    for key, value in PROMISE.findall(text):
        found[key].append(value.strip())
    return found


def counted(report, kernel, counter):
    """Returns the sum of a counter over all launches of a kernel, or None if the kernel was not launched."""
    launches = [launch for launch in report["launches"] if re.split(r"[(<]", launch["kernel"])[0].split()[-1] == kernel]
    if not launches:
        return None
    return sum(launch["counters"].get(METRICS[counter], 0) for launch in launches)


def breaches(promises, status, output, report):
    """Yields a line for each promise that was not kept."""
    wanted = int(promises["status"][0]) if promises["status"] else 0
    if status != wanted:
        yield f"ended with {status}, not {wanted}"
    at = 0
    for text in promises["says"]:
        found = output.find(text, at)
        if found < 0:
            yield f"did not print, or not here: {text}"
        else:
            at = found + len(text)
    if report is None:
        yield "wrote no report"
        return
    # The messages of every launch, and those of the findings about calls in the report.
    everywhere = [finding for launch in report["launches"] for finding in launch["findings"]]
    everywhere += [one for finding in report["findings"] for one in finding["occurrences"]]
    messages = list(dict.fromkeys(one["message"] for one in everywhere))
    missing = [text for text in promises["finding"] if not any(text in message for message in messages)]
    yield from (f"no finding says: {text}" for text in missing)
    surprising = [message for message in messages if not any(text in message for text in promises["finding"])]
    yield from (f"finding: {message}" for message in surprising)
    for launch in report["launches"]:
        for note in launch.get("notes", []):
            # The authors of ordinary programs cannot fix the toolkit's headers.
            if note["check"] in ("index", "initcheck") and "/include/" in note["file"]:
                yield f"note on a header of the toolkit: {note['file']}:{note['line']}: {note['kind']}"
    yield from wrong_counts(promises, report)


def wrong_counts(promises, report):
    """Yields a line for each promise about a kernel's counter that was not kept."""
    for line in promises["count"]:
        kernel, counter, number = (part.strip() for part in line.split("|"))
        if counter not in METRICS:
            yield f"there is no counter '{counter}'"
            continue
        count = counted(report, kernel, counter)
        if count != int(number):
            yield f"{kernel}: {counter}: {count}, not {number}"


def wrong_links(promises, report):
    """Yields a line for each promise about a link's counter that was not kept."""
    for line in promises["link"]:
        ends, counter, number = (part.strip() for part in line.split("|"))
        links = {f"{link['from']} {link['to']}": link for link in (report or {}).get("links", [])}
        if (found := links.get(ends, {}).get(counter)) != int(number):
            yield f"link {ends}: {counter}: {found}, not {number}"


def main(arguments):
    emulate, program = str(pathlib.Path(arguments[1]).absolute()), pathlib.Path(arguments[2])
    try:
        promises = promises_of(program.read_text())
    except ValueError as error:
        print(f"{program.name}: {error}")
        return 1
    if not promises["covers"] + promises["refuses"]:
        print(f"{program.name} does not say what it covers")
        return 1
    further = " ".join(promises["with"]).split()
    for checks in promises["checks"]:
        further += ["--check", checks]
    for gpus in promises["gpus"]:
        further += ["--gpus", gpus]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        run = subprocess.run(
            [emulate, "--quiet", "--json", str(path), program.name, *further],
            cwd=program.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(path.read_text()) if path.exists() and path.stat().st_size else None
    found = list(breaches(promises, run.returncode, run.stdout + run.stderr, report))
    found += wrong_links(promises, report)
    for line in found:
        print(f"{program.name}: {line}")
    if found:
        print(run.stdout + run.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
