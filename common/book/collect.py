"""Puts what record.sh left in a folder into the tree: the measured times into plots/data, the counters that Nsight
Compute read and what compute-sanitizer said into tests/data.

    python3 -m book.collect FOLDER GPU        for example: python3 -m book.collect results h200
                                              of several GPUs: python3 -m book.collect results h200x4

What a part of record.sh has not left stays as it is in the tree, and is named. Paths of the machine that recorded are
cut from the commands; the driver's version is added. Kernels of the workbook are kept, in the order of their
launches; those of libraries and those that make the input are not. Of the records of `tune` the rows that nothing
reads are left out, and the record says so.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import re
import sys
import typing

from book import records
from book.records import Record

INPUT = {"type": "int", "count": 1 << 22, "block_size": 256}
# Rows of `tune` that no page, figure or test reads, by the record's name, and what they hold.
UNREAD = {
    "tune": {"screened": "the time of every shape in the screening before the race"},
    "tune_unaligned": {
        "screened": "the time of every shape in the screening before the race",
        "grids": "the times of the best shape over the grid size",
    },
}


def measured(path: pathlib.Path, driver: str) -> Record:
    """A record of one of our programs, with the driver and without the folder that it was written to."""
    record = records.read(path)
    command = record["provenance"]["command"]
    record["provenance"]["command"] = re.sub(r"(--json|--cost-table|--links) \S*/", r"\1 ", command)
    record["provenance"]["driver"] = driver
    return record


def of_several_gpus(folder: pathlib.Path, gpu: str, driver: str) -> dict[pathlib.Path, Record]:
    """What the part `gpus` of record.sh left, which also says what kind of host it was."""
    found: dict[pathlib.Path, Record] = {}
    for name in ("links", "scaling", "ranks"):
        if (folder / f"{name}.json").exists():
            record = measured(folder / f"{name}.json", driver)
            record["provenance"]["host"] = (folder / "host.txt").read_text(encoding="utf-8").strip()
            found[records.DATA / f"{name}_{gpu}.json"] = record
    return found


def tune(folder: pathlib.Path, name: str, driver: str, toolkit: int) -> Record:
    """A record of the reduction in one launch in many shapes, without what nothing reads; its provenance says what was
    removed."""
    record = measured(folder / f"{name}.json", driver)
    for row in record["results"]:
        for field in UNREAD[name]:
            row.pop(field, None)
    record["provenance"] |= {"toolkit": toolkit, "rows_removed": UNREAD[name]}
    return record


def study(path: pathlib.Path, source: Record) -> Record:
    """The record of a chapter that sets kernels side by side, with where it came from."""
    record = records.read(path)
    given = record["input"]
    program = f"build/bin/chapter{record['chapter']}"
    command = (
        f"{program} --device gpu --type {given['type']} --count {given['count']} "
        f"--block-size {given['block_size']} --json {path.name}"
    )
    record["provenance"] = {**source, "command": command}
    return record


def studies(paths: list[pathlib.Path], source: Record) -> Record:
    """The times of chapters that set kernels side by side, at sizes that the emulator counts: a row for each kernel."""
    rows = []
    for path in paths:
        record = records.read(path)
        given = record["input"]
        of_all = {"chapter": record["chapter"], **{key: given[key] for key in ("type", "count", "block_size")}}
        for kernel in record["kernels"]:
            if kernel["role"] == "yours" or not kernel.get("time_ms"):
                continue
            time = kernel["time_ms"]
            us = {f"{key}us": 1e3 * time[name] for key, name in (("", "median"), ("min_", "min"), ("max_", "max"))}
            names = {"group": kernel.get("group", ""), "kernel": kernel["name"]}
            rows.append({**of_all, **names, **us, "queued": time["queued"]})
    command = "build/bin/chapterN --device gpu --type … --count … --block-size … --json study_N_….json, cold times"
    return {"schema": 1, "provenance": {**source, "command": command}, "results": rows}


def launches(path: pathlib.Path, kernels: str) -> list[Record]:
    """The launches in ncu's CSV of kernels whose name `kernels` matches, each with its metrics."""
    lines = path.read_text(encoding="utf-8").split("\n")
    begin = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
    by_id: dict[int, Record] = {}
    for row in csv.DictReader(line for line in lines[begin:] if line.startswith('"')):
        kernel = re.search(kernels, row["Kernel Name"])
        if not kernel:
            continue
        new: Record = {"kernel": kernel[1], "grid": row["Grid Size"], "block": row["Block Size"], "metrics": {}}
        launch = by_id.setdefault(int(row["ID"]), new)
        launch["metrics"][row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
    return [by_id[k] for k in sorted(by_id)]


def collected(folder: pathlib.Path, gpu: str) -> dict[pathlib.Path, Record]:
    """All records of the folder, by where they belong in the tree."""
    # A line for each GPU: the first one's.
    driver = (folder / "gpu.txt").read_text(encoding="utf-8").split("\n")[0].split(",")[1].strip()
    found: dict[pathlib.Path, Record] = {}
    for path in sorted(folder.glob("ladder_*.json")):
        kind = path.stem.removeprefix("ladder_")
        found[records.DATA / f"ladder_{gpu}_{kind}.json"] = measured(path, driver)
    for name in ("machine", "ablations", "types", "reproducible", "shapes"):
        if (folder / f"{name}.json").exists():
            found[records.DATA / f"{name}_{gpu}.json"] = measured(folder / f"{name}.json", driver)
    for path in sorted(folder.glob("foreign_*.json")):
        found[records.DATA / f"foreign_{gpu}_{path.stem.removeprefix('foreign_')}.json"] = measured(path, driver)
    found |= of_several_gpus(folder, gpu, driver)
    if not found:
        raise records.BadData(
            f"{folder} has none of ladder_*.json, machine.json, ablations.json, foreign_*.json and links.json"
        )
    first = next(iter(found.values()))["provenance"]
    source = {key: first[key] for key in ("gpu", "driver", "toolkit", "date", "commit")}
    for name in UNREAD:
        if (folder / f"{name}.json").exists():
            found[records.DATA / f"{name}_{gpu}.json"] = tune(folder, name, driver, source["toolkit"])
    for chapter in ("0_", "10", "11", "13", "14", "15"):
        for path in sorted(folder.glob(f"chapter{chapter}*.json")):
            name, _, rest = path.stem.partition("_")
            found[records.DATA / f"{name}_{gpu}{'_' + rest if rest else ''}.json"] = study(path, source)
    if of_studies := sorted(folder.glob("study_*.json")):
        found[records.DATA / f"studies_{gpu}.json"] = studies(of_studies, source)
    return {**found, **counters(folder, gpu, source)}


def counters(folder: pathlib.Path, gpu: str, source: Record) -> dict[pathlib.Path, Record]:
    """What Nsight Compute and compute-sanitizer said."""
    found: dict[pathlib.Path, Record] = {}
    read_on = {**source, "toolkit": records.toolkit(source["toolkit"])}
    ncu = "ncu --clock-control none --csv --metrics … build/bin/"
    of_ladder = {"command": ncu + "ladder --device gpu --counts 2^22 --block-size 256 --repetitions 0", "input": INPUT}
    for name, how, kernels in (
        ("ncu", of_ladder, r"\b(reduce_\w+)"),
        ("ncu_probes", {"command": ncu + "agreement --device gpu"}, r"\b((?:global|shared|local|generic)_\w+)"),
    ):
        if (path := folder / f"{name}.csv").exists():
            made = {"provenance": {**read_on, **how}, "launches": launches(path, kernels)}
            found[records.COUNTERS / f"{name}_{gpu}.json"] = made
    if (folder / "sanitizer.json").exists():
        command = "python3 tests/wrong_kernels/sanitize.py record build/bin/wrong_kernel FILE"
        found[records.COUNTERS / f"sanitizer_{gpu}.json"] = {
            "provenance": {**read_on, "command": command},
            **records.read(folder / "sanitizer.json"),
        }
    return found


def rounded(value: typing.Any) -> typing.Any:
    """The same with six digits for each fraction: an event ticks every 32 ns."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def text_of(record: Record) -> str:
    """JSON; the many rows of a record of `limits` take a line each."""
    if records.kind_of(record) != "limits":
        return json.dumps(record, indent=1) + "\n"
    rows = ",\n".join(" " + json.dumps(rounded(row), separators=(",", ":")) for row in record["rows"])
    return json.dumps({**record, "rows": []}, indent=1).replace('"rows": []', f'"rows": [\n{rows}\n ]') + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.collect", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("gpu", help="the short name in the files' names, such as h200")
    words = parser.parse_args()
    try:
        found = collected(words.folder, words.gpu)
    except (OSError, KeyError, IndexError, StopIteration, ValueError, records.BadData) as error:
        print(f"collect: {words.folder} is not what record.sh leaves: {error!r}", file=sys.stderr)
        return 1
    for path, record in found.items():
        path.write_text(text_of(record), encoding="utf-8")
        print(path.relative_to(records.ROOT))
    kept = [path for folder in (records.DATA, records.COUNTERS) for path in folder.glob(f"*_{words.gpu}*.json")]
    for path in sorted(set(kept) - set(found)):
        print(f"left as it is: {path.relative_to(records.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
