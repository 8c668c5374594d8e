"""The page that becomes available when a chapter is done, for `make pageN`: yours, the reference and the library
compared."""

from __future__ import annotations

import difflib
import pathlib
import re
import typing

from book.screen import WIDTH, reflowed, say
from student.workbook import Workbook

Row = dict[str, typing.Any]  # a kernel's row in a program's report
Cells = list[str]

COUNTS: list[tuple[str, str, tuple[str, ...]]] = [
    ("", "instr.", ("workbook__inst_executed.sum",)),
    ("", "barriers", ("workbook__barriers.sum",)),
    ("shared", "accesses", ("smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum")),
    ("bank", "confl.", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",)),
    ("load", "sectors", ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",)),
]
MAX_LINES = 10


def row_of(report: Row, role: str) -> Row | None:
    """Returns the row of the table with this role, or None if no such kernel ran."""
    return next((row for row in report["kernels"] if row["role"] == role and row["launches"]), None)


def rows_of(report: Row) -> list[Row]:
    return [row for row in (row_of(report, role) for role in ("yours", "reference", "library")) if row]


def main_launch(row: Row) -> Row:
    launches: list[Row] = row["launches"]
    return max(launches, key=lambda launch: launch["counters"].get("workbook__inst_executed.sum", 0))


def total(counters: dict[str, float], names: tuple[str, ...]) -> float:
    return sum(counters.get(name, 0) for name in names)


def short(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def table(heads: list[Cells], rows: list[Cells]) -> list[str]:
    """Returns a table with aligned columns. The first column is text, and the others are numbers."""
    widths = [max(len(str(row[k])) for row in [*heads, *rows]) for k in range(len(heads[0]))]
    return [
        "  ".join([f"{row[0]:<{widths[0]}}"] + [f"{row[k]:>{widths[k]}}" for k in range(1, len(row))]).rstrip()
        for row in [*heads, *rows]
    ]


def what_it_took(report: Row) -> list[str]:
    """Returns a table with the registers, shared memory and counts of each kernel's main launch."""
    heads = [
        ["", "", "regis-", "shared"] + [first for first, _, _ in COUNTS],
        ["kernel", "blocks", "ters", "bytes"] + [second for _, second, _ in COUNTS],
    ]
    rows = []
    for row in rows_of(report):
        launch = main_launch(row)
        blocks = launch["counters"].get("workbook__blocks.sum") or 1
        shared = launch.get("static_shared_bytes", 0) + launch.get("dynamic_shared_bytes", 0)
        rows.append(
            [row["role"], short(blocks), short(launch.get("registers_per_thread", 0)), short(shared)]
            + [short(total(launch["counters"], names) / blocks) for _, _, names in COUNTS]
        )
    return table(heads, rows)


def accuracy(report: Row) -> list[str]:
    rows = [
        [row["role"], f"{row['error']:.3g}" if row["error"] is not None else "-", f"{row['bound']:.3g}"]
        for row in rows_of(report)
    ]
    return table([["kernel", "error", "bound"]], rows)


def times(report: Row) -> list[str]:
    """Returns a table of times and bandwidths, or [] if there is no GPU."""
    rows = [
        [
            row["role"],
            f"{row['time_ms']['median']:.4f}",
            short(row["bandwidth_gb_per_s"] or 0),
            f"{100 * row['share_of_peak']:.1f} %" if row["share_of_peak"] else "-",
        ]
        for row in rows_of(report)
        if row["time_ms"]
    ]
    return table([["kernel", "ms", "GB/s", "of peak"]], rows) if rows else []


def lines_in(path: str) -> list[str]:
    """Returns the lines of a source file, or [] if it can't be read."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []


def lines_of(row: Row) -> list[str]:
    """Returns a table of the most expensive source lines in a kernel's main launch, in the order of the file."""
    launch = main_launch(row)
    blocks = launch["counters"].get("workbook__blocks.sum") or 1
    costliest = sorted(launch["lines"], key=lambda line: -line["counters"].get("workbook__inst_executed.sum", 0))
    files = {name: lines_in(name) for name in {line["file"] for line in costliest[:MAX_LINES]}}
    cells, texts = [], ["", "source"]
    for line in sorted(costliest[:MAX_LINES], key=lambda line: (line["file"], line["line"])):
        source = files[line["file"]]
        texts.append(source[line["line"] - 1].strip() if line["line"] <= len(source) else "")
        shown = [short(total(line["counters"], COUNTS[k][2]) / blocks) for k in (0, 3, 4)]
        cells.append([str(line["line"]), *shown])
    numbers = table([["", "instr.", "bank", "load"], ["line", "per block", "confl.", "sectors"]], cells)
    return [f"{a:<32} {b}"[:WIDTH].rstrip() for a, b in zip(numbers, texts)]


def in_plain_text(markdown: str) -> list[str]:
    """Returns a section for a terminal: without pictures and folds, with links and emphasised words as plain text, and
    with filled paragraphs."""
    text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", markdown, flags=re.S)
    text = re.sub(r"(?<!!)\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return reflowed(re.sub(r"(?<![\w*])(\*\*?)(?=\w|`)([^*\n]+)(?<=[\w.`])\1(?![\w*])", r"\2", text))


def explanation(lesson: str) -> list[str]:
    """Returns, as plain text, the lesson's sections on the idea and on what changes."""
    lines: list[str] = []
    for name in ("The idea", "What changes"):
        found = re.search(rf"^## {name}.*?\n(.*?)(?=^## |\Z)", lesson, re.S | re.M)
        if found:
            lines += [*in_plain_text(found[1]), ""]
    return lines


def difference(mine: str, reference: str) -> list[str]:
    return list(difflib.unified_diff(mine.split("\n"), reference.split("\n"), "yours", "reference", lineterm="", n=2))


def page(book: Workbook, number: int) -> str:
    """Returns the page as text. Raises Failure."""
    counted = book.report(number, "--device", "emulator")
    floats = book.report(number, "--device", "emulator", "--type", "float")
    timed = book.report(number)
    mine = book.exercise(number).read_text(encoding="utf-8")
    lesson = book.chapter(number).lesson_path(book.root).read_text(encoding="utf-8")
    counts = [*what_it_took(counted), "", "Counts are per block, of the launch with the most instructions."]
    parts = [
        ("", [f"Chapter {number}: {book.chapter(number).title}"]),
        ("What each took", counts),
        ("Accuracy, with floats", accuracy(floats)),
        ("Time", times(timed)),
    ]
    for role, name in (("yours", "Your"), ("reference", "The reference's")):
        row = row_of(counted, role)
        if row:
            parts.append((f"{name} costliest lines", lines_of(row)))
    same = ["They are identical."]
    parts.append(("Yours and the reference", difference(mine, book.reference(number)) or same))
    parts.append(("Why", explanation(lesson)))
    return "\n".join(section(head, lines) for head, lines in parts if lines).rstrip()


def section(head: str, lines: list[str]) -> str:
    rule = [f"-- {head} " + "-" * (WIDTH - 4 - len(head)), ""] if head else []
    return "\n".join([*rule, *lines, ""])


def show_page(book: Workbook, number: int) -> int:
    """Shows the page if the chapter is done."""
    if book.judge(number)["verdict"] != "done":
        say(f"The page of chapter {number} opens when it is done: `make test{number}` says what is missing.")
        return 1
    book.build(number)
    print(page(book, number))
    return 0
