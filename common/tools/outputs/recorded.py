#!/usr/bin/env python3
"""Keeps the tables of recorded measurements in Markdown files equal to plots/data.

A table stands between two markers, which say what it shows and of which records:

    <!-- recorded:ladder begin ladder_h200_int.json 2^22 2^29 -->
    (the table, made by this program)
    <!-- recorded:ladder end -->

    ladder FILE COUNT…     chapters and library: GB/s at each size, and the speed-up over chapter 1 at the last
    study FILE BASELINE    kernels side by side: time, time over the baseline's, registers, blocks
    compared FILE          ways to run a kernel on a CPU: million warp instructions a second
    group FILE HEADING     the rows of such a record under one heading: time, time over the first one's, GB/s

    recorded.py [--check] --data plots/data FILE.md …

Without --check the tables are written anew. With it, a stale one is shown as a diff, and the exit status is 1.
"""

import argparse
import difflib
import json
import pathlib
import re
import shlex
import sys

BLOCK = re.compile(r"^<!-- recorded:(?P<kind>\w+) begin (?P<arguments>.*?) -->\n"
                   r"(?P<body>.*?)"
                   r"^<!-- recorded:(?P=kind) end -->$", re.MULTILINE | re.DOTALL)
BEGIN = re.compile(r"^<!-- recorded:\w+ begin", re.MULTILINE)


class Failure(Exception):
    """A message for the reader of the console."""


def load(data, name):
    try:
        return json.loads((data / name).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise Failure(f"{data / name}: {error}") from error


def provenance(record, name):
    p = record["provenance"]
    toolkit = f"{p['toolkit'] // 1000}.{p['toolkit'] % 1000 // 10}"
    return (f"{p['gpu']}, driver {p['driver']}, CUDA {toolkit}, {p['date'][:10]}, commit {p['commit']}: medians with a "
            f"cold L2, all rows of a column in one run (`plots/data/{name}`).")


def table(head, rows):
    """A Markdown table; the first column is text, the others are figures."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def ladder(data, name, *counts):
    record = load(data, name)
    sizes = [2 ** int(text[2:]) if text.startswith("2^") else int(text) for text in counts]
    rate = {(row["kernel"], row["count"]): row["cold_gb_per_s"] for row in record["results"]}
    chapters = dict.fromkeys((row["chapter"], row["kernel"]) for row in record["results"])
    first = next(kernel for chapter, kernel in chapters if chapter == 1)
    rows = []
    for chapter, kernel in chapters:
        missing = [count for count, n in zip(counts, sizes) if (kernel, n) not in rate]
        if missing:
            raise Failure(f"{name} has no {kernel} at {', '.join(missing)}")
        label = f"{chapter}: `{kernel}`" if chapter else f"`{kernel}`"
        rows.append([label] + [f"{rate[kernel, n]:.0f}" for n in sizes]
                    + [f"{rate[kernel, sizes[-1]] / rate[first, sizes[-1]]:.2f}"])
    head = [f"GB/s of {record['type']}s"] + [f"n = {count}" for count in counts] + [f"over chapter 1 at {counts[-1]}"]
    return table(head, rows) + ["", provenance(record, name)]


def study(data, name, baseline):
    record = load(data, name)
    kernels = [k for k in record["kernels"] if k["role"] != "yours" and k["time_ms"]]
    base = next((k["time_ms"]["median"] for k in kernels if k["name"] == baseline), None)
    if base is None:
        raise Failure(f"{name} has no kernel `{baseline}`")
    rows = []
    for k in kernels:
        ms, compiled = k["time_ms"]["median"], k["compiled"]
        rate = k.get("bandwidth_gb_per_s")
        rows.append([k["name"], f"{1000 * ms:.1f}", f"{ms / base:.2f}", f"{rate:.0f}" if rate else "",
                     str(compiled["registers"]), str(compiled["local_bytes"]),
                     str(compiled["blocks_per_multiprocessor"]), f"{100 * compiled['occupancy']:.0f} %",
                     compiled["limiter"]])
    given = record["input"]
    head = [f"{given['count']} of {given['type']}, blocks of {given['block_size']}", "time (us)", f"over {baseline}",
            "GB/s", "registers", "local bytes", "blocks an SM", "occupancy", "limited by"]
    if not any(row[3] for row in rows):
        head.pop(3)
        for row in rows:
            row.pop(3)
    return table(head, rows) + ["", provenance(record, name)]


def compared(data, name):
    record = load(data, name)
    p = record["provenance"]
    first = record["results"][0]["million_warp_instructions_per_cpu_s"]
    rows = [[r["name"], r["checks"], *(f"{r[key]:.3g}" for key in
                                       ("million_warp_instructions_per_cpu_s", "lowest", "highest")),
             f"{r['million_warp_instructions_per_cpu_s'] / first:.2g}"] for r in record["results"]]
    head = ["", "checks", "million warp instructions a second", "lowest", "highest",
            f"over {record['results'][0]['name']}"]
    versions = ", ".join(f"{key} {value}" for key, value in p["versions"].items() if value)
    work = p["work"][:1].upper() + p["work"][1:]
    return table(head, rows) + ["", f"{work}; medians. {p['processor']}, {p['date'][:10]}, commit {p['commit']} "
                                    f"(`plots/data/{name}`). {versions}."]


def group(data, name, heading):
    record = load(data, name)
    kernels = [k for k in record["kernels"]
               if k.get("group") == heading and k["role"] != "yours" and k["time_ms"]]
    if not kernels:
        raise Failure(f"{name} has no times under the heading `{heading}`")
    base = kernels[0]["time_ms"]["median"]
    rows = []
    for k in kernels:
        ms, rate = k["time_ms"]["median"], k.get("bandwidth_gb_per_s")
        rows.append([k["name"].replace("|", "\\|"), f"{1000 * ms:.1f}", f"{ms / base:.2f}",
                     f"{rate:.0f}" if rate else ""])
    given = record["input"]
    head = [f"{heading}: {given['count']} of {given['type']}", "time (us)", "over the first", "GB/s"]
    if not any(row[3] for row in rows):
        head.pop()
        rows = [row[:3] for row in rows]
    return table(head, rows) + ["", provenance(record, name)]


KINDS = {"ladder": ladder, "study": study, "compared": compared, "group": group}


def renewed(text, data, name):
    """Returns the file's text with all its tables made anew, and the diff of what is stale (empty: nothing)."""
    stale = []

    def renew(match):
        if match["kind"] not in KINDS:
            raise Failure(f"{name}: there is no table `{match['kind']}`; there are {', '.join(KINDS)}")
        new = "\n".join(KINDS[match["kind"]](data, *shlex.split(match["arguments"]))) + "\n"
        if new == match["body"]:
            return match[0]
        stale.extend(difflib.unified_diff(match["body"].split("\n"), new.split("\n"), f"{name} (shown)",
                                          f"{name} (recorded)", lineterm=""))
        begin, end = match.start("body") - match.start(), match.end("body") - match.start()
        return match[0][:begin] + new + match[0][end:]

    if len(BLOCK.findall(text)) != len(BEGIN.findall(text)):
        raise Failure(f"{name}: a begin marker without its end")
    return BLOCK.sub(renew, text), stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a table is stale")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of the records")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.md")
    arguments = parser.parse_args()
    any_stale = False
    try:
        for path in arguments.files:
            text = path.read_text(encoding="utf-8")
            new, stale = renewed(text, arguments.data, path)
            if not stale:
                continue
            any_stale = True
            if arguments.check:
                print("\n".join(stale))
            else:
                path.write_text(new, encoding="utf-8")
                print(f"renewed {path}")
    except (Failure, OSError) as error:
        print(f"recorded.py: {error}", file=sys.stderr)
        return 1
    if any_stale and arguments.check:
        print("\n`make outputs` renews what is stale.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
