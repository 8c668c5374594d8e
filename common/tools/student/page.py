"""What opens up when a chapter is done, for `make pageN`: your kernel, the reference and the library side by side."""

import difflib
import json
import re
import subprocess

from screen import WIDTH, reflowed

COUNTS = [("instr.", "a block", "workbook__inst_executed.sum"),
          ("barriers", "a block", "workbook__barriers.sum"),
          ("shared", "accesses",
           ("smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum")),
          ("bank", "confl.", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
          ("load", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")]
MOST_LINES = 10


class Unreadable(Exception):
    """The program gave no report."""


def report_of(program, root, *words):
    done = subprocess.run([*program, *words, "--json", "-"], cwd=root, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise Unreadable(f"{program[0]} gave no report:\n{done.stderr}") from error


def row_of(report, role):
    """The row of the table with that role; nothing where it has none that ran."""
    return next((row for row in report["kernels"] if row["role"] == role and row["launches"]), None)


def rows_of(report):
    return [row for row in (row_of(report, role) for role in ("yours", "reference", "library")) if row]


def main_launch(row):
    return max(row["launches"], key=lambda launch: launch["counters"].get("workbook__inst_executed.sum", 0))


def total(counters, names):
    return sum(counters.get(name, 0) for name in ([names] if isinstance(names, str) else names))


def short(value):
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def table(heads, rows):
    """Columns under their heads; the first is text."""
    widths = [max(len(str(row[k])) for row in [*heads, *rows]) for k in range(len(heads[0]))]
    return ["  ".join([f"{row[0]:<{widths[0]}}"] + [f"{row[k]:>{widths[k]}}" for k in range(1, len(row))]).rstrip()
            for row in [*heads, *rows]]


def what_it_took(report):
    """Registers, shared memory and counts of each kernel's main launch."""
    heads = [["", "", "regis-", "shared"] + [first for first, _, _ in COUNTS],
             ["kernel", "blocks", "ters", "bytes"] + [second for _, second, _ in COUNTS]]
    rows = []
    for row in rows_of(report):
        launch = main_launch(row)
        blocks = launch["counters"].get("workbook__blocks.sum") or 1
        shared = launch.get("static_shared_bytes", 0) + launch.get("dynamic_shared_bytes", 0)
        rows.append([row["role"], short(blocks), short(launch.get("registers_per_thread", 0)), short(shared)] +
                    [short(total(launch["counters"], names) / blocks) for _, _, names in COUNTS])
    return table(heads, rows)


def accuracy(report):
    rows = [[row["role"], f"{row['error']:.3g}" if row["error"] is not None else "-", f"{row['bound']:.3g}"]
            for row in rows_of(report)]
    return table([["kernel", "error", "bound"]], rows)


def times(report):
    """Times and bandwidth, where a GPU was there."""
    rows = [[row["role"], f"{row['time_ms']['median']:.4f}", short(row["bandwidth_gb_per_s"] or 0),
             f"{100 * row['share_of_peak']:.1f} %" if row["share_of_peak"] else "-"]
            for row in rows_of(report) if row["time_ms"]]
    return table([["kernel", "ms", "GB/s", "of peak"]], rows) if rows else []


def lines_of(row):
    """The costliest source lines of a kernel's main launch, in the order of the file."""
    launch = main_launch(row)
    blocks = launch["counters"].get("workbook__blocks.sum") or 1
    lines = sorted(launch["lines"], key=lambda line: -line["counters"].get("workbook__inst_executed.sum", 0))
    texts, shown = {}, []
    for line in sorted(lines[:MOST_LINES], key=lambda line: (line["file"], line["line"])):
        if line["file"] not in texts:
            try:
                with open(line["file"], encoding="utf-8", errors="replace") as file:
                    texts[line["file"]] = file.read().split("\n")
            except OSError:
                texts[line["file"]] = []
        source = texts[line["file"]]
        text = source[line["line"] - 1].strip() if line["line"] <= len(source) else ""
        shown.append([str(line["line"])] + [short(total(line["counters"], names) / blocks)
                                            for _, _, names in (COUNTS[0], COUNTS[3], COUNTS[4])] + [text])
    numbers = table([["", "instr.", "bank", "load"], ["line", "a block", "confl.", "sectors"]],
                    [row[:4] for row in shown])
    texts = ["", "source", *(row[4] for row in shown)]
    return [f"{a:<30} {b}"[:WIDTH].rstrip() for a, b in zip(numbers, texts)]


def in_plain_text(markdown):
    """A section for a terminal: no pictures, no folded parts, links as their words, paragraphs filled."""
    text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", markdown, flags=re.S)
    return reflowed(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]+\)", r"\1", text))


def explanation(lesson):
    """The lesson's own words on the idea and what changes, as plain text."""
    lines = []
    for name in ("The idea", "What changes"):
        found = re.search(rf"^## {name}.*?\n(.*?)(?=^## |\Z)", lesson, re.S | re.M)
        if not found:
            continue
        lines += in_plain_text(found[1])
        lines.append("")
    return lines


def difference(mine, reference):
    return list(difflib.unified_diff(mine.split("\n"), reference.split("\n"), "yours", "reference", lineterm="", n=2))


def page(title, number, program, root, mine, reference, lesson):
    """The page as text. Raises Unreadable."""
    counted = report_of(program, root, "--device", "emulator")
    floats = report_of(program, root, "--device", "emulator", "--type", "float")
    timed = report_of(program, root)
    parts = [("", [f"Chapter {number}: {title}"]),
             ("What each took", [*what_it_took(counted), "", "Counts are those of a block of the launch with the most "
                                 "instructions."]),
             ("Accuracy, with floats", accuracy(floats)), ("Time", times(timed))]
    for role, name in (("yours", "Your"), ("reference", "The reference's")):
        row = row_of(counted, role)
        if row:
            parts.append((f"{name} costliest lines", lines_of(row)))
    parts += [("Yours and the reference", difference(mine, reference) or ["They are the same, letter by letter."]),
              ("Why", explanation(lesson))]
    return "\n".join("\n".join(([f"-- {head} " + "-" * (WIDTH - 4 - len(head)), ""] if head else []) + lines + [""])
                     for head, lines in parts if lines).rstrip()
