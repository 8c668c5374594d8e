#!/usr/bin/env python3
"""Records the model's predicted time of every kernel that was measured: record_predictions.py [--check] BUILD/BIN FILE

With --check it reports whether the file is up to date. Exit status: 0; with --check, 1 if it is stale.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys

from book import records

MEASURED = "ablations_h200.json"


def rounded(us: float) -> float:
    return float(f"{us:.4g}")


def record_of(programs: pathlib.Path) -> str:
    """Returns the record, with one line per prediction."""
    command = [str(programs / "model_accuracy"), "--json", "-"]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    measured = records.read(records.DATA / MEASURED)
    chapters = {row["kernel"]: row["chapter"] for row in measured["rows"]}
    provenance = {key: measured["provenance"][key] for key in ("gpu", "driver", "toolkit", "date")}
    provenance["command"] = f"python3 -m plots.record_predictions build/bin FILE, which compares them with {MEASURED}"
    rows = []
    for row in said["predictions"]:
        made = {
            "set": row["set"],
            "kernel": row["kernel"],
            "chapter": chapters.get(row["kernel"]),
            "count": round(row["count"]),
            "block_size": round(row["block_size"]),
            "measured_us": rounded(row["measured_us"]),
            "us": rounded(row["us"]),
        }
        # The terms are stored only for the lessons' block size, because one figure shows them.
        if row["set"] == "ladder" and made["block_size"] == records.LESSON_BLOCK:
            alone = {**row["terms"], "launches": row["launch_us"]}
            made["alone_us"] = {name: rounded(us) for name, us in alone.items()}
        rows.append(made)
    lines = ",\n".join(json.dumps(row) for row in rows)
    facts = json.dumps(said["facts"])
    return (
        f'{{"schema": 1, "provenance": {json.dumps(provenance)},\n"facts": {facts},\n"predictions": [\n{lines}\n]}}\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plots.record_predictions")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    args = parser.parse_args()
    text = record_of(args.programs)
    if args.check:
        if args.file.read_text(encoding="utf-8") == text:
            return 0
        print(f"{args.file} is out of date: run `make figures` to record it again.")
        return 1
    args.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
