"""Tables and figures of recorded measurements. A table is between two markers, which specify what it shows:

    <!-- recorded:ladder begin ladder_h200_int_block256.json 2^22 2^29 -->

    ladder FILE COUNT…          chapters and library: GB/s at each size, and the speed-up over chapter 1 at the last
    study FILE BASELINE         kernels compared: time, time over the baseline's, registers, blocks
    compared FILE               methods to run a kernel on a CPU: million warp instructions per second
    kinds FILE                  programs of many kinds, by the interpreter and as machine code
    group FILE HEADING          the rows of such a record under one heading: time, time over the first one's, GB/s
    groups FILE HEADING…        the same kernels under several headings: microseconds
    times FILE COUNTS KERNEL…   microseconds of some kernels at one size or more, with a cold L2
    tune FILE TYPE COUNT…       the reduction in one launch compared with the library and with lower bounds
    types FILE COUNT…           the same for each pair of types: how many times as fast as the library
    raced FILE TYPE COUNTS NAME…   some programs of one race
    agreements FILE TYPE COUNTS    the fastest shapes of that reduction, by how the block sums are combined
    machine FILE PART           what a GPU can do: book.outputs.machine lists the parts
    limits FILE COUNT KERNEL    what limits a kernel over its block sizes: book.outputs.limits has more of this kind
    shapes FILE                 rows, columns, segments and keys: book.outputs.shapes has more of this kind
    reproducible FILE COUNT…    the sum with the same bits everywhere: book.outputs.reproducible has one more
    large_sum FILE              methods to sum what a GPU cannot hold: book.outputs.large_sum
    all_reduce FILE             methods to sum the vectors of several GPUs: book.outputs.scaling has more of this kind

A figure in a sentence is between two short markers: <!--=FILE WHAT …-->4.8<!--/-->. WHAT is

    us COUNT KERNEL             microseconds, of a ladder
    gb COUNT KERNEL             GB/s
    share COUNT KERNEL          per cent of the memory's peak
    over COUNT KERNEL OTHER     how many times as fast as OTHER
    fact NAME                   a field of the provenance: peak_gb_per_s, l2_bytes …
    flight NS                   MB in flight if reading has this latency
    flight_here NS              the same in KB per multiprocessor
    time NAME                   microseconds of a kernel of a study
    ratio NAME OTHER            its time over OTHER's
    studied CHAPTER TYPE COUNT NAME  microseconds of a kernel in the record of all studies
    each NAME ELEMENTS          nanoseconds that it takes for ELEMENTS elements
    moving BYTES NAME           its GB/s if it moves BYTES bytes per element
    measured NAME               measured cycles of a sequence in a cost table
    modelled NAME               cycles of that sequence by its model
    latency OPCODE              cycles of an instruction in a cost table
    value PATH [DIGITS]         a value in a record of `machine` by its path: latencies.l1.ns
    reading                     GB/s, the ceiling of the lessons: the best rate in all records of that GPU
    starting BLOCKS THREADS     microseconds that BLOCKS blocks take to start, in such a record
    limit COUNT BLOCK KERNEL    what limits a kernel; also kept, took, alone, best …: book.outputs.limits
    same_bits TYPE              launches of the reproducible sum that had the same bits
    streamed WAY                GB/s of a method to sum what a GPU cannot hold
    reduced BYTES WAY           microseconds of an all-reduce: book.outputs.scaling has more of this kind
    empty                       microseconds of an empty launch after a flush of L2, in a record of `tune`
"""

from __future__ import annotations

import shlex
import statistics

from book import markers, records
from book.outputs import (
    Failure,
    Makers,
    Setting,
    large_sum,
    limits,
    machine,
    reproducible,
    scaling,
    shapes,
    source,
    studies,
    table,
)
from book.records import Record, count_of


def ladder(record: Record, *counts: str) -> str:
    sizes, rate, rungs = [count_of(text) for text in counts], records.rates(record), records.rungs(record)
    first = next(kernel for chapter, kernel in rungs if chapter == 1)
    rows = []
    for chapter, kernel in rungs:
        missing = [count for count, n in zip(counts, sizes) if (kernel, n) not in rate]
        if missing:
            raise Failure(f"{record['file']} has no {kernel} at {', '.join(missing)}")
        label = f"{chapter}: `{kernel}`" if chapter else f"`{kernel}`"
        label += (
            records.IDLE if any(r["kernel"] == kernel and r.get("queued") is False for r in record["results"]) else ""
        )
        over = rate[kernel, sizes[-1]] / rate[first, sizes[-1]]
        rows.append([label, *(f"{rate[kernel, n]:.0f}" for n in sizes), f"{over:.2f}"])
    head = [f"GB/s of {record['type']}s", *(f"n = {count}" for count in counts), f"over chapter 1 at {counts[-1]}"]
    return table(head, rows)


def compared(record: Record) -> str:
    speed, results = "million_warp_instructions_per_cpu_s", record["results"]
    rows = [
        [
            r["name"],
            r["checks"],
            *(f"{r[key]:.3g}" for key in (speed, "lowest", "highest")),
            f"{r[speed] / results[0][speed]:.2g}",
        ]
        for r in results
    ]
    head = ["", "checks", "million warp instructions per second", "lowest", "highest", f"over {results[0]['name']}"]
    return table(head, rows)


def kinds(record: Record) -> str:
    """Returns a table of programs of many kinds: the interpreter's time, and how many times as fast machine code is,
    with AVX-512 and with AVX2. The last row is the geometric mean."""
    rows: list[list[str]] = []
    ratios: dict[tuple[str, str], list[float]] = {}
    for kind in record["kinds"]:
        cells = [kind["name"]]
        for watched in ("plain", "all_checks"):
            before = kind[watched]["interpreter"]
            cells.append(f"{before:.3g}")
            for way in ("native", "native_avx2"):
                ratio = before / kind[watched][way]
                ratios.setdefault((watched, way), []).append(ratio)
                cells.append(f"{ratio:.2f}")
        rows.append(cells)
    means = iter(f"{statistics.geometric_mean(collected):.2f}" for collected in ratios.values())
    rows.append(["geometric mean", "", next(means), next(means), "", next(means), next(means)])
    base = "interpreter before (ms)" if record["provenance"].get("before") else "interpreter (ms)"
    ways = ["over AVX-512's", "over AVX2's"]
    return table(["", f"plain, {base}", *ways, f"all checks, {base}", *ways], rows)


def where_and_when(provenance: Record) -> str:
    """Returns the processor, the day and the commits of a comparison of emulators."""
    before = provenance.get("before")
    commits = f"commit {provenance['commit']}" + (f"; before: commit {before}" if before else "")
    return f"{provenance['processor']}, {provenance['date'][:10]}, {commits}"


def source_of_comparison(record: Record) -> str:
    p = record["provenance"]
    versions = ", ".join(f"{key} {value}" for key, value in p["versions"].items() if value)
    work = p["work"][:1].upper() + p["work"][1:]
    return f"{work}; medians. {where_and_when(p)} (`plots/data/{record['file']}`). {versions}."


def source_of_kinds(record: Record) -> str:
    p = record["provenance"]
    return (
        "CPU time of one thread, with what the host does; the best of several rounds. "
        f"{where_and_when(p)} (`plots/data/{record['file']}`)."
    )


def tune(record: Record, kind: str, *counts: str) -> str:
    """Returns a table of the reduction in one launch compared with the library and with lower bounds."""
    wanted, rows = {count_of(count): count for count in counts}, []
    # The table has the rows in the order of the record.
    for row in record["results"]:
        if row["type"] != kind or row["count"] not in wanted:
            continue
        by_name = {r["name"]: r for r in row["raced"]}
        library, ours, empty = row["raced"][0], by_name["workbook::reduce"], by_name[records.EMPTY_LAUNCH]
        # Shapes that do not combine the blocks' sums.
        floor = min((r["cold_us"] for r in row["raced"] if r.get("shape", {}).get("agreement") == 3), default=None)
        times = [f"{library['cold_us']:.1f}", f"{ours['cold_us']:.1f}"]
        ratios = [f"{library[key] / ours[key]:.2f}" for key in ("cold_us", "warm_us")]
        bounds = [f"{floor:.1f}" if floor else "", f"{empty['cold_us']:.1f}"]
        rows.append([wanted[row["count"]], *times, *ratios, *bounds])
    if len(rows) != len(wanted):
        raise Failure(f"{record['file']} lacks one of the sizes {' '.join(counts)} for {kind}")
    head = [f"{kind}s", "library (us)", "reduce (us)", "over the library", "the same, warm L2"]
    return table([*head, "blocks' sums only (us)", "an empty launch (us)"], rows)


def types(record: Record, *counts: str) -> str:
    """Returns the library's time divided by the reduction's for each pair of types and each size."""
    by_pair: dict[str, dict[int, str]] = {}
    for row in record["results"]:
        pair = f"{row['operation']}: {row['element']} → {row['result']}"
        by_pair.setdefault(pair, {})[row["count"]] = f"{row['library']['cold_us'] / row['ours']['cold_us']:.2f}"
    rows = []
    for pair, ratios in by_pair.items():
        missing = [count for count in counts if count_of(count) not in ratios]
        if missing:
            raise Failure(f"{record['file']} has no {missing[0]} of {pair}")
        rows.append([pair, *(ratios[count_of(count)] for count in counts)])
    return table(["times as fast as the library", *counts], rows)


def raced(record: Record, kind: str, counts: str, *names: str) -> str:
    """Returns the medians of several programs in one race, with a cold L2, in microseconds. `counts` contains sizes
    that are separated by spaces."""
    rows = []
    for count in counts.split():
        by_name = {r["name"]: r["cold_us"] for r in records.race(record, kind, count_of(count)) or []}
        missing = [one for one in names if one not in by_name]
        if missing:
            raise Failure(f"{record['file']} has no time of {missing[0]} for {count} of {kind}")
        rows.append([count, *(f"{by_name[one]:.1f}" for one in names)])
    return table([f"{kind}s", *(f"{one} (us)" for one in names)], rows)


# The methods of combining block sums, in the order of the programs' own enumeration.
AGREEMENTS = ("mailboxes", "ticket", "sum and count in one word", "nobody adds the blocks' sums")


def agreements(record: Record, kind: str, counts: str) -> str:
    """Returns a table of the fastest raced shape for each method of combining the block sums. A cell is empty if the
    race had no such shape."""
    rows = []
    for count in counts.split():
        raced = records.race(record, kind, count_of(count))
        if not raced:
            raise Failure(f"{record['file']} has no race of {count} of {kind}")
        best: dict[int, float] = {}
        for one in raced:
            by = one.get("shape", {}).get("agreement")
            if by is not None:
                best[by] = min(one["cold_us"], best.get(by, one["cold_us"]))
        shown = [f"{best[by]:.1f}" if by in best else "" for by in range(len(AGREEMENTS))]
        rows.append([count, f"{raced[0]['cold_us']:.1f}", *shown])
    return table([f"us, {kind}s", "library", *AGREEMENTS], rows)


def times(record: Record, counts: str, *kernels: str) -> str:
    sizes = counts.split()
    rows = [
        [f"`{kernel}`", *(f"{1e3 * row_of(record, n, kernel)['cold_ms']['median']:.1f}" for n in sizes)]
        for kernel in kernels
    ]
    one = len(sizes) == 1
    return table([f"{counts} {record['type']}s", "us"] if one else [f"us, {record['type']}s", *sizes], rows)


TABLES: Makers = {
    "ladder": ladder,
    "compared": compared,
    "kinds": kinds,
    "times": times,
    "tune": tune,
    "types": types,
    "raced": raced,
    "agreements": agreements,
    **studies.TABLES,
    **machine.TABLES,
    **limits.TABLES,
    **reproducible.TABLES,
    **large_sum.TABLES,
    **scaling.TABLES,
    **shapes.TABLES,
}
SOURCES: Makers = {
    **dict.fromkeys(TABLES, lambda record: source(record, f"medians, {records.COLD}; all rows of a column in one run")),
    "compared": source_of_comparison,
    "kinds": source_of_kinds,
    **machine.SOURCES,
    **limits.SOURCES,
    **large_sum.SOURCES,
    **scaling.SOURCES,
}


def row_of(record: Record, count: str, kernel: str) -> Record:
    row = records.timed_row(record, kernel, count_of(count))
    if row is None:
        raise Failure(f"{record['file']} has no time of {kernel} at {count}")
    return row


def fact(record: Record, field: str) -> str:
    value = record["provenance"][field]
    return f"{value / 2**20:.0f} MiB" if field == "l2_bytes" else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def share_of_peak(record: Record, count: str, kernel: str) -> str:
    return f"{100 * row_of(record, count, kernel)['cold_gb_per_s'] / record['provenance']['peak_gb_per_s']:.0f}"


def over(record: Record, count: str, kernel: str, other: str) -> str:
    rate, others = (row_of(record, count, one)["cold_gb_per_s"] for one in (kernel, other))
    return f"{rate / others:.2f}"


def mb_in_flight(record: Record, nanoseconds: str) -> float:
    return float(record["provenance"]["read_gb_per_s"] * float(nanoseconds) / 1e6)


def cycles(record: Record, key: str, name: str) -> str:
    return f"{next(s[key] for s in record['sequences'] if s['name'] == name):.0f}"


FIGURES: Makers = {
    "us": lambda record, *row: f"{1e3 * row_of(record, *row)['cold_ms']['median']:.1f}",
    "gb": lambda record, *row: f"{row_of(record, *row)['cold_gb_per_s']:.0f}",
    "share": share_of_peak,
    "over": over,
    "fact": fact,
    "flight": lambda record, ns: f"{mb_in_flight(record, ns):.1f}",
    "flight_here": lambda record, ns: f"{1e3 * mb_in_flight(record, ns) / record['provenance']['multiprocessors']:.0f}",
    "empty": lambda record: f"{records.empty_launch_us([record]):.1f}",
    "measured": lambda record, name: cycles(record, "measured_cycles", name),
    "modelled": lambda record, name: cycles(record, "modelled_cycles", name),
    "latency": lambda record, opcode: str(record["instructions"][opcode]["latency"]),
    **studies.FIGURES,
    **machine.FIGURES,
    **limits.FIGURES,
    **reproducible.FIGURES,
    **large_sum.FIGURES,
    **scaling.FIGURES,
}


def figure(record: Record, what: str, *rest: str) -> str:
    """Returns a figure from a record, formatted for a sentence."""
    if what not in FIGURES:
        raise Failure(f"there is no figure `{what}`")
    return FIGURES[what](record, *rest)


def made(part: markers.Part, setting: Setting) -> str:
    if part.kind and part.detail not in TABLES:
        raise Failure(f"{setting.page}: there is no table `{part.detail}`; there are {', '.join(TABLES)}")
    words = shlex.split(part.arguments)
    try:
        record = {**records.read(setting.data / words[0]), "file": words[0]}
        if not part.kind:
            return figure(record, *words[1:])
        return f"{TABLES[part.detail](record, *words[1:])}\n\n{SOURCES[part.detail](record)}\n"
    except (IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
        what = f"table `{part.detail}`" if part.kind else "figure"
        raise Failure(f"{setting.page}: there is no {what} for `{part.arguments}`") from error
