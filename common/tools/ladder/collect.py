#!/usr/bin/env python3
"""Puts what record.sh left in a folder into the tree: plots/data/ladder_GPU_TYPE.json, also in other blocks,
plots/data/chapterN_GPU….json, plots/data/tune_GPU.json, plots/data/tune_unaligned_GPU.json and tests/data/ncu_GPU.json.

    collect.py FOLDER GPU        for example: collect.py results h200

Paths of the machine that recorded are cut from the commands; the driver's version is added. Kernels of the workbook are
kept, in the order of their launches; those of libraries and those that make the input are not.
"""

import argparse
import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUT = {"type": "int", "count": 1 << 22, "block_size": 128}


def ladder(folder, kind, driver):
    """Returns the record of one element type."""
    record = json.loads((folder / f"ladder_{kind}.json").read_text(encoding="utf-8"))
    provenance = record["provenance"]
    provenance["command"] = re.sub(r"--json \S*/", "--json ", provenance["command"])
    provenance["driver"] = driver
    return record


def tune(folder, name, driver, toolkit):
    """Returns a record of the reduction in one launch in many shapes."""
    record = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    provenance = record["provenance"]
    provenance["command"] = re.sub(r"--json \S*/", "--json ", provenance["command"])
    provenance.update({"driver": driver, "toolkit": toolkit})
    return record


def study(path, provenance):
    """Returns the record of a chapter that sets kernels side by side, with where it came from."""
    record = json.loads(path.read_text(encoding="utf-8"))
    given = record["input"]
    record["provenance"] = {key: provenance[key] for key in ("gpu", "driver", "toolkit", "date", "commit")}
    program = f"build/bin/chapter{record['chapter']}"
    record["provenance"]["command"] = (f"{program} --device gpu --type {given['type']} --count {given['count']} "
                                       f"--block-size {given['block_size']} --json {path.name}")
    return record


def launches(path, kernels):
    """Returns the launches in ncu's CSV of kernels whose name `kernels` matches, each with its metrics."""
    lines = path.read_text(encoding="utf-8").split("\n")
    begin = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
    by_id = {}
    for row in csv.DictReader(line for line in lines[begin:] if line.startswith('"')):
        kernel = re.search(kernels, row["Kernel Name"])
        if not kernel:
            continue
        launch = by_id.setdefault(int(row["ID"]), {"kernel": kernel[1], "grid": row["Grid Size"],
                                                   "block": row["Block Size"], "metrics": {}})
        launch["metrics"][row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
    return [by_id[k] for k in sorted(by_id)]


def write(path, record):
    path.write_text(json.dumps(record, indent=1, sort_keys=False) + "\n", encoding="utf-8")
    print(path.relative_to(ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("gpu", help="the short name in the files' names, such as h200")
    words = parser.parse_args()
    try:
        driver = (words.folder / "gpu.txt").read_text(encoding="utf-8").split(",")[1].strip()
        types = [kind for kind in ("int", "float", "double") if (words.folder / f"ladder_{kind}.json").exists()]
        records = {kind: ladder(words.folder, kind, driver) for kind in types}
        for path in sorted(words.folder.glob("ladder_int_block*.json")):
            records[path.stem.removeprefix("ladder_")] = ladder(words.folder, path.stem.removeprefix("ladder_"), driver)
        counters = launches(words.folder / "ncu.csv", r"\b(reduce_\w+)")
        probes = launches(words.folder / "ncu_probes.csv", r"\b((?:global|shared|local|generic)_\w+)")
        zoo = json.loads((words.folder / "sanitizer.json").read_text(encoding="utf-8"))
        provenance = records["int"]["provenance"]
        tuned = {name: tune(words.folder, name, driver, provenance["toolkit"]) for name in ("tune", "tune_unaligned")}
        studies = {path.stem: study(path, provenance)
                   for chapter in ("0_", 10, 11, 13, 14)
                   for path in sorted(words.folder.glob(f"chapter{chapter}*.json"))}
    except (OSError, KeyError, StopIteration, json.JSONDecodeError) as error:
        print(f"collect.py: {words.folder} is not what record.sh leaves: {error!r}", file=sys.stderr)
        return 1
    for kind, record in records.items():
        write(ROOT / "plots" / "data" / f"ladder_{words.gpu}_{kind}.json", record)
    for name, record in tuned.items():
        write(ROOT / "plots" / "data" / f"{name}_{words.gpu}.json", record)
    for name, record in studies.items():
        chapter, _, rest = name.partition("_")
        write(ROOT / "plots" / "data" / f"{chapter}_{words.gpu}{'_' + rest if rest else ''}.json", record)
    toolkit = f"{provenance['toolkit'] // 1000}.{provenance['toolkit'] % 1000 // 10}"
    read_on = {"gpu": provenance["gpu"], "driver": driver, "toolkit": toolkit, "date": provenance["date"],
               "commit": provenance["commit"]}
    ncu = "ncu --clock-control none --csv --metrics … "
    write(ROOT / "tests" / "data" / f"ncu_{words.gpu}.json", {
        "provenance": {**read_on, "command": ncu + "build/bin/ladder --device gpu --counts 2^22 --repetitions 0",
                       "input": INPUT},
        "launches": counters,
    })
    write(ROOT / "tests" / "data" / f"ncu_probes_{words.gpu}.json", {
        "provenance": {**read_on, "command": ncu + "build/bin/agreement --device gpu"},
        "launches": probes,
    })
    write(ROOT / "tests" / "data" / f"sanitizer_{words.gpu}.json", {
        "provenance": {**read_on,
                       "command": "python3 tests/wrong_kernels/sanitize.py record build/bin/wrong_kernel FILE"},
        **zoo,
    })
    return 0


if __name__ == "__main__":
    sys.exit(main())
