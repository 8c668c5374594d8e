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

    tune FILE TYPE COUNT…  the reduction in one launch beside the library and beside what any must take

    times FILE COUNT KERNEL…   microseconds of some kernels at one size, with a cold L2

A figure in a sentence stands between two short ones: <!--=FILE WHAT …-->4.8<!--/-->. WHAT is

    us COUNT KERNEL            microseconds, of a ladder
    gb COUNT KERNEL            GB/s
    share COUNT KERNEL         per cent of the memory's peak
    over COUNT KERNEL OTHER    how many times as fast as OTHER
    fact NAME                  a field of the provenance: peak_gb_per_s, l2_bytes …
    flight NS                  MB in flight, where reading has this latency;   flight_here NS   KB on a multiprocessor
    time NAME                  microseconds of a kernel of a study;   ratio NAME OTHER   its time over OTHER's
    measured NAME              cycles of a sequence of a cost table;   modelled NAME   what its model says
    empty                      microseconds of an empty launch behind a flush of L2, of a record of `tune`
    latency OPCODE             cycles of an instruction, of a cost table

    recorded.py [--check] --data plots/data FILE.md …

Without --check the tables and figures are written anew. With it, a stale one is shown as a diff, and the exit
status is 1.
"""

import json
import pathlib
import re
import shlex
import statistics
import sys

import pages
from pages import Failure

BLOCK = re.compile(r"^<!-- recorded:(?P<kind>\w+) begin (?P<arguments>.*?) -->\n"
                   r"(?P<body>.*?)"
                   r"^<!-- recorded:(?P=kind) end -->$", re.MULTILINE | re.DOTALL)
EMPTY = "an empty launch"
BEGIN = re.compile(r"^<!-- recorded:\w+ begin", re.MULTILINE)


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


def tune(data, name, kind, *counts):
    """The reduction in one launch beside the library, and beside what cannot be less."""
    record = load(data, name)
    wanted = {size_of(count): count for count in counts}
    rows = []
    for row in record["results"]:
        if row["type"] != kind or row["count"] not in wanted:
            continue
        by_name = {r["name"]: r for r in row["raced"]}
        library, ours, empty = row["raced"][0], by_name["workbook::reduce"], by_name[EMPTY]
        # Sums of blocks that nobody adds up.
        floor = min((r["cold_us"] for r in row["raced"] if r.get("shape", {}).get("agreement") == 3), default=None)
        rows.append([wanted[row["count"]], f"{library['cold_us']:.1f}", f"{ours['cold_us']:.1f}",
                     f"{library['cold_us'] / ours['cold_us']:.2f}", f"{library['warm_us'] / ours['warm_us']:.2f}",
                     f"{floor:.1f}" if floor else "", f"{empty['cold_us']:.1f}"])
    if len(rows) != len(wanted):
        raise Failure(f"{name} has not all of {' '.join(counts)} for {kind}")
    head = [f"{kind}s", "library (us)", "reduce (us)", "over the library", "the same, warm L2",
            "blocks' sums only (us)", "an empty launch (us)"]
    return table(head, rows) + ["", provenance(record, name)]


def raced(data, name, kind, counts, *names):
    """Programs of one race, sizes in `counts` separated by spaces: medians with a cold L2, in microseconds."""
    record = load(data, name)
    rows = []
    for count in counts.split():
        row = next((r for r in record["results"] if r["type"] == kind and r["count"] == size_of(count)), None)
        by_name = {r["name"]: r["cold_us"] for r in row["raced"]} if row else {}
        missing = [one for one in names if one not in by_name]
        if missing:
            raise Failure(f"{name} has no time of {missing[0]} for {count} of {kind}")
        rows.append([count, *(f"{by_name[one]:.1f}" for one in names)])
    return table([f"{kind}s", *(f"{one} (us)" for one in names)], rows) + ["", provenance(record, name)]


def times(data, name, count, *kernels):
    record = load(data, name)
    rows = [[f"`{kernel}`", f"{1e3 * row_of(record, name, count, kernel)['cold_ms']['median']:.1f}"]
                                            for kernel in kernels]
    return table([f"{count} {record['type']}s", "us"], rows) + ["", provenance(record, name)]


KINDS = {"ladder": ladder, "study": study, "compared": compared, "group": group, "times": times, "tune": tune,
         "raced": raced}
VALUE = re.compile(r"<!--=(?P<arguments>[^>]*?)-->(?P<body>[^<]*)<!--/-->")


def size_of(text):
    return 2 ** int(text[2:]) if text.startswith("2^") else int(text)


def row_of(record, name, count, kernel):
    for row in record["results"]:
        if row["kernel"] == kernel and row["count"] == size_of(count) and row.get("cold_gb_per_s"):
            return row
    raise Failure(f"{name} has no time of {kernel} at {count}")


def study_time(record, name, kernel):
    for row in record["kernels"]:
        if row["name"] == kernel and row["role"] != "yours" and row["time_ms"]:
            return row["time_ms"]["median"]
    raise Failure(f"{name} has no time of `{kernel}`")


def value(data, name, what, *rest):
    """A figure of a record, as it stands in a sentence."""
    record = load(data, name)
    if what == "fact":
        fact = record["provenance"][rest[0]]
        return f"{fact / 2**20:.0f} MiB" if rest[0] == "l2_bytes" else f"{fact:.1f}" if fact < 100 else f"{fact:.0f}"
    if what in ("flight", "flight_here"):
        megabytes = record["provenance"]["read_gb_per_s"] * float(rest[0]) / 1e6
        here = 1e3 * megabytes / record["provenance"]["multiprocessors"]
        return f"{megabytes:.1f}" if what == "flight" else f"{here:.0f}"
    if what == "empty":
        raced = [contender for row in record["results"] for contender in row["raced"]]
        return f"{statistics.median(r['cold_us'] for r in raced if r['name'] == EMPTY):.1f}"
    if what in ("measured", "modelled"):
        return f"{next(s[what + '_cycles'] for s in record['sequences'] if s['name'] == rest[0]):.0f}"
    if what == "latency":
        return str(record["instructions"][rest[0]]["latency"])
    if what == "time":
        return f"{1e3 * study_time(record, name, rest[0]):.1f}"
    if what == "ratio":
        return f"{study_time(record, name, rest[0]) / study_time(record, name, rest[1]):.2f}"
    row = row_of(record, name, rest[0], rest[1])
    if what == "us":
        return f"{1e3 * row['cold_ms']['median']:.1f}"
    if what == "gb":
        return f"{row['cold_gb_per_s']:.0f}"
    if what == "share":
        return f"{100 * row['cold_gb_per_s'] / record['provenance']['peak_gb_per_s']:.0f}"
    if what == "over":
        return f"{row['cold_gb_per_s'] / row_of(record, name, rest[0], rest[2])['cold_gb_per_s']:.2f}"
    raise Failure(f"there is no figure `{what}`")


def renewed(text, words, name):
    """As `pages.keep` wants it."""
    stale = []

    def renew(match):
        if match["kind"] not in KINDS:
            raise Failure(f"{name}: there is no table `{match['kind']}`; there are {', '.join(KINDS)}")
        new = "\n".join(KINDS[match["kind"]](words.data, *shlex.split(match["arguments"]))) + "\n"
        if new == match["body"]:
            return match[0]
        stale.extend(pages.diff(match["body"], new, name, "recorded"))
        return pages.replaced_body(match, new)

    def renew_value(match):
        try:
            new = value(words.data, *shlex.split(match["arguments"]))
        except (IndexError, KeyError, StopIteration, TypeError) as error:
            raise Failure(f"{name}: there is no figure for `{match['arguments']}`") from error
        if new == match["body"]:
            return match[0]
        stale.append(f"{name}: `{match['arguments']}` is {new} (recorded), and the page says {match['body']}")
        return pages.replaced_body(match, new)

    if len(BLOCK.findall(text)) != len(BEGIN.findall(text)):
        raise Failure(f"{name}: a begin marker without its end")
    if len(VALUE.findall(text)) != text.count("<!--="):
        raise Failure(f"{name}: a figure without its end, <!--/-->")
    return VALUE.sub(renew_value, BLOCK.sub(renew, text)), stale


def main():
    parser = pages.parser(__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of the records")
    return pages.keep("recorded.py", parser.parse_args(), renewed)


if __name__ == "__main__":
    sys.exit(main())
