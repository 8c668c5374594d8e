"""Puts what record.sh left in a folder into the tree: the measured times into plots/data, the counters that Nsight
Compute read and what compute-sanitizer said into tests/data.

    python3 -m book.collect FOLDER GPU        for example: python3 -m book.collect results h200
                                              of several GPUs: python3 -m book.collect results h200x4

Files of the tree for which the folder has no record stay unchanged, and their names are printed. Paths of the machine
that recorded are cut from the commands, and the driver's version is added. Of Nsight Compute's launches, those of the
workbook's kernels are kept, in order; those of libraries, and those that make the input, are dropped. Rows of the
records of `tune` that nothing reads are dropped, and the record states that.
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
# Parts of the records of `tune` that no page, figure or test reads, by record, with a description of the contents.
UNREAD = {
    "tune": {"screened": "the time of every shape in the screening before the race"},
    "tune_unaligned": {
        "screened": "the time of every shape in the screening before the race",
        "grids": "the times of the best shape over the grid size",
    },
}


def measured(path: pathlib.Path, driver: str) -> Record:
    """Returns a record of one of our programs. The driver is added, and the folder that it was written to removed."""
    record = records.read(path)
    command = record["provenance"]["command"]
    record["provenance"]["command"] = re.sub(r"(--json|--cost-table|--links) \S*/", r"\1 ", command)
    record["provenance"]["driver"] = driver
    return record


def of_several_gpus(folder: pathlib.Path, gpu: str, driver: str) -> dict[pathlib.Path, Record]:
    """Returns the records that the part `gpus` of record.sh has written, with a description of the host."""
    found: dict[pathlib.Path, Record] = {}
    for name in ("links", "scaling", "ranks"):
        if (folder / f"{name}.json").exists():
            record = measured(folder / f"{name}.json", driver)
            record["provenance"]["host"] = (folder / "host.txt").read_text(encoding="utf-8").strip()
            found[records.DATA / f"{name}_{gpu}.json"] = record
    return found


def tune(folder: pathlib.Path, name: str, driver: str, toolkit: int) -> Record:
    """Returns a record of the reduction in one launch in many shapes, without the parts that nothing reads. The
    provenance states what was removed."""
    record = measured(folder / f"{name}.json", driver)
    for row in record["results"]:
        for field in UNREAD[name]:
            row.pop(field, None)
    record["provenance"] |= {"toolkit": toolkit, "rows_removed": UNREAD[name]}
    return record


def study(path: pathlib.Path, source: Record) -> Record:
    """Returns the record of a chapter that compares kernels, with its provenance."""
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
    """Returns the times of chapters that compare kernels, at sizes that the emulator counts. Each kernel has a row."""
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
    """Returns the launches in a CSV file of ncu whose kernels' names match `kernels`, each with its metrics."""
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
    """Returns all records in the folder, by their paths in the source tree."""
    # gpu.txt has a line for each GPU. The driver's version is read from the first line.
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
    for chapter in ("0_", "10", "11", "12", "13", "14", "15"):
        for path in sorted(folder.glob(f"chapter{chapter}*.json")):
            name, _, rest = path.stem.partition("_")
            found[records.DATA / f"{name}_{gpu}{'_' + rest if rest else ''}.json"] = study(path, source)
    if of_studies := sorted(folder.glob("study_*.json")):
        found[records.DATA / f"studies_{gpu}.json"] = studies(of_studies, source)
    return {**found, **counters(folder, gpu, source)}


def counters(folder: pathlib.Path, gpu: str, source: Record) -> dict[pathlib.Path, Record]:
    """Returns the records of Nsight Compute and compute-sanitizer."""
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
        command = "python3 tests/kernels/wrong_kernels/sanitize.py record build/bin/wrong_kernel FILE"
        found[records.COUNTERS / f"sanitizer_{gpu}.json"] = {
            "provenance": {**read_on, "command": command},
            **records.read(folder / "sanitizer.json"),
        }
    return found


def rounded(value: typing.Any) -> typing.Any:
    """Returns the value with all fractions rounded to six digits, because an event's clock ticks only every 32 ns."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def text_of(record: Record) -> str:
    """Returns the record as JSON. A record of `limits` has many rows, so each row takes only one line."""
    if records.kind_of(record) != "limits":
        return json.dumps(record, indent=1) + "\n"
    rows = ",\n".join(" " + json.dumps(rounded(row), separators=(",", ":")) for row in record["rows"])
    return json.dumps({**record, "rows": []}, indent=1).replace('"rows": []', f'"rows": [\n{rows}\n ]') + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.collect", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("gpu", help="the short name in the files' names, such as h200")
    args = parser.parse_args()
    try:
        found = collected(args.folder, args.gpu)
    except (OSError, KeyError, IndexError, StopIteration, ValueError, records.BadData) as error:
        print(f"collect: {args.folder} was not written by record.sh, or is incomplete: {error!r}", file=sys.stderr)
        return 1
    for path, record in found.items():
        path.write_text(text_of(record), encoding="utf-8")
        print(path.relative_to(records.ROOT))
    kept = [path for folder in (records.DATA, records.COUNTERS) for path in folder.glob(f"*_{args.gpu}*.json")]
    for path in sorted(set(kept) - set(found)):
        print(f"unchanged: {path.relative_to(records.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
