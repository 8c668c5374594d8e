#!/usr/bin/env python3
"""Judges the emulator by mutants: each is a clean program without one of its barriers, fences, orders, scopes, masks,
waits or guards, or with a weaker one. The checks should find it.

    try_mutants.py run BUILD [--out FILE]   tries them; --out of all of them only
    try_mutants.py page [--check]           writes docs/mutants.md from tests/data/mutants.json

A mutant whose changed place is never executed, or whose guard is never false in these runs, is equivalent: a trap
in its place shows that. The other equivalent mutants are listed in reviewed.txt, each with its reason."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import errno
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import typing

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutations

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
RECORD = ROOT / "tests/data/mutants.json"
REVIEWED = FOLDER / "reviewed.txt"
PAGE = ROOT / "docs/mutants.md"
NEVER_EXECUTED, NEVER_FALSE = "never executed", "guard is never false where it is tried"
# These limits are much higher than any of the clean programs needs.
MAX_INSTRUCTIONS, MAX_SECONDS = 400_000, 240


class Program(typing.NamedTuple):
    path: pathlib.Path
    by_kernel: bool = False  # its argument selects the kernel to run
    options: tuple[str, ...] = ()


def programs() -> list[Program]:
    """Returns all programs that mutants are made from."""
    own = FOLDER / "programs"
    chapters = ("--expt-relaxed-constexpr", f"-I{ROOT / 'solutions'}", f"-I{ROOT / 'chapters'}", f"-I{ROOT / 'common'}")
    found = [
        Program(own / "ladder.cu", True, chapters),
        Program(own / "later_chapters.cu", True, chapters),
        Program(own / "blocks.cu", True),
        Program(own / "warps.cu", True),
        Program(own / "handshakes.cu", True),
    ]
    for name in (FOLDER / "programs.txt").read_text(encoding="utf-8").split():
        found.append(Program(ROOT / "tests/kernels/programs" / name))
    return found


class Seen(typing.NamedTuple):
    """The result of a run."""

    status: int
    findings: list[tuple[str, str, str]]  # check, kind, message

    @property
    def verdict(self) -> str:
        """Returns the checks that found something, or "result" if only the program itself reports an error."""
        if self.findings:
            return ", ".join(dict.fromkeys(f"{check}: {kind}" for check, kind, _ in self.findings))
        return "result" if self.status != 0 else ""


def started(words: list[str], **how: typing.Any) -> int:
    """Runs a program that has just been written. If another thread's child still holds it open, tries again."""
    while True:
        try:
            return subprocess.run(words, capture_output=True, check=False, **how).returncode
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(0.02)


def run(image: bytes, program: Program, kernel: str, orders: int = 0) -> Seen:
    with tempfile.TemporaryDirectory() as folder:
        path, report = pathlib.Path(folder, program.path.stem), pathlib.Path(folder, "report.json")
        path.write_bytes(image)
        path.chmod(0o755)
        environment = {
            **os.environ,
            "EMULATOR_CHECK": "all",
            "EMULATOR_HOST_THREADS": "1",
            "EMULATOR_JSON": str(report),
            "EMULATOR_MAX_INSTRUCTIONS": str(MAX_INSTRUCTIONS),
            "EMULATOR_ORDERS": str(orders),
        }
        words = [str(path), *([kernel] if program.by_kernel and kernel else [])]
        try:
            status = started(words, env=environment, timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            return Seen(1, [("", "did not end", "")])
        text = report.read_text(encoding="utf-8") if report.exists() else ""
    found = json.loads(text)["findings"] if text else [{"check": "", "kind": "died", "message": f"status {status}"}]
    return Seen(status, [(one["check"], one["kind"], one["message"]) for one in found])


class Subject:
    """A clean program and its mutants."""

    def __init__(self, program: Program, emulate: str, folder: pathlib.Path) -> None:
        self.program = program
        kept = folder / program.path.stem
        words = [emulate, "--quiet", "--check", "none", "--keep", str(kept), str(program.path), *program.options]
        # The executable is saved, and does not have to run.
        words += ["--", "nothing"] if program.by_kernel else []
        subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
        self.image = kept.read_bytes()
        self.texts = [(at, text, mutations.read(text)) for at, text in mutations.split_out(self.image)]
        launched = self.launched()
        self.mutants = [
            (k, m)
            for k, one in enumerate(self.texts)
            for m in mutations.mutants_of(one[2])
            if not m.kernel or m.kernel in launched
        ]
        self.names = mutations.demangled(m.kernel for _, m in self.mutants)
        # Instances of one template have the same name here, so their mutants are numbered consecutively.
        counts: collections.Counter[tuple[str, str]] = collections.Counter()
        for _, m in self.mutants:
            counts[self.names[m.kernel], m.change] += 1
            m.number = counts[self.names[m.kernel], m.change]

    def launched(self) -> set[str]:
        """Returns the mangled names of the kernels that are launched; templates may have further instances."""
        with tempfile.TemporaryDirectory() as folder:
            path, report = pathlib.Path(folder, self.program.path.stem), pathlib.Path(folder, "report.json")
            path.write_bytes(self.image)
            path.chmod(0o755)
            started([str(path)], env={**os.environ, "EMULATOR_JSON": str(report)})
            return {one["mangled"] for one in json.loads(report.read_text(encoding="utf-8"))["launches"]}

    def with_line(self, text: int, line: int, new: str, also: int = -1) -> bytes:
        at, old, lines = self.texts[text]
        changed = [one.text for one in lines]
        changed[line] = new
        if also >= 0:
            changed[also] = ""
        return mutations.with_text(self.image, at, old, changed)

    def key(self, m: mutations.Mutant) -> str:
        return f"{self.program.path.name} | {self.names[m.kernel]} | {m.change} | {m.number}"


def reviewed() -> dict[str, tuple[str, str]]:
    """Returns for each reviewed mutant its verdict, "equivalent" or "missed", and the reason."""
    found, verdict = {}, ("", "")
    for line in REVIEWED.read_text(encoding="utf-8").split("\n"):
        if heading := re.match(r"(equivalent|missed): (.*)", line):
            verdict = (heading[1], heading[2])
        elif line.strip() and not line.startswith("#"):
            found[line.strip()] = verdict
    return found


def judge(subject: Subject, text: int, m: mutations.Mutant, orders: int) -> dict[str, str]:
    """Tries one mutant. If it is found in the usual order, the other orders need not be run."""
    kernel = subject.names[m.kernel]
    row = {
        "mutant": subject.key(m),
        "kind": m.kind,
        "place": f"{m.place[0]}:{m.place[1]}",
        "equivalent": "",
        "found": "",
        "found_in_orders": "",
    }
    if not run(subject.with_line(text, m.line, m.probe), subject.program, kernel).verdict:
        row["equivalent"] = NEVER_FALSE if m.kind == "guard" else NEVER_EXECUTED
        return row
    image = subject.with_line(text, m.line, m.new, m.also)
    row["found"] = run(image, subject.program, kernel).verdict
    if not row["found"] and orders:
        row["found_in_orders"] = run(image, subject.program, kernel, orders).verdict
    return row


def clean(subject: Subject, orders: int) -> list[str]:
    """Returns a line for each report about a clean program."""
    kernels = sorted({subject.names[m.kernel] for _, m in subject.mutants}) if subject.program.by_kernel else [""]
    blamed = []
    for kernel in kernels:
        for k in {0, orders}:
            if verdict := run(subject.image, subject.program, kernel, k).verdict:
                blamed.append(f"{subject.program.path.name} {kernel} in {k} orders: {verdict}")
    return blamed


def try_all(arguments: argparse.Namespace) -> int:
    emulate = str(arguments.build.resolve() / "bin/emulate")
    rows: list[dict[str, str]] = []
    blamed: list[str] = []
    made = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tasks, cleans = [], []
        for program in programs():
            if arguments.only and arguments.only not in program.path.name:
                continue
            subject = Subject(program, emulate, pathlib.Path(folder))
            made += 1
            if not arguments.mutants_only:
                cleans.append(pool.submit(clean, subject, arguments.orders))
            chosen = subject.mutants[:: arguments.every]
            print(f"{program.path.name}: {len(chosen)} mutants", file=sys.stderr, flush=True)
            tasks += [pool.submit(judge, subject, text, m, arguments.orders) for text, m in chosen]
        for task in concurrent.futures.as_completed(tasks):
            row = task.result()
            rows.append(row)
            if not row["equivalent"] and not row["found"]:
                print(f"{row['mutant']} ({row['place']}): {row['found_in_orders'] or 'NOT FOUND'}", flush=True)
        blamed = [line for one in cleans for line in one.result()]
    rows.sort(key=lambda row: row["mutant"])
    record = {
        "schema": 1,
        "command": f"make mutants (the emulator with --orders {arguments.orders}; it needs no GPU)",
        "orders": arguments.orders,
        "programs": made,
        "blamed": blamed,
        "mutants": rows,
    }
    if arguments.out:
        arguments.out.write_text(as_text(record), encoding="utf-8")
    for line in blamed:
        print(f"blamed though clean: {line}")
    for kind in ("", *mutations.KINDS):
        print(f"{kind or 'all':8} " + " ".join(f"{name} {count}" for name, count in shares(record, kind).items()))
    return 1 if blamed else 0


def as_text(record: dict[str, typing.Any]) -> str:
    """Returns the record as JSON with a line for each mutant."""
    head = json.dumps({**record, "mutants": []}, indent=1)
    rows = ",\n".join("  " + json.dumps(row) for row in record["mutants"])
    return head.removesuffix("[]\n}") + f"[\n{rows}\n ]\n}}\n"


def silent(record: dict[str, typing.Any]) -> list[dict[str, str]]:
    """Returns the mutants that were executed but not found by any check."""
    return [row for row in record["mutants"] if not (row["equivalent"] or row["found"] or row["found_in_orders"])]


def shares(record: dict[str, typing.Any], kind: str = "") -> dict[str, int]:
    """Returns how many mutants there are, and how many of them were found in each way."""
    looked_at = reviewed()
    rows = [row for row in record["mutants"] if kind in ("", row["kind"])]
    unreached = sum(row["equivalent"] != "" for row in rows)
    missed = [row for row in silent(record) if row in rows]
    alike = sum(looked_at.get(row["mutant"], ("",))[0] == "equivalent" for row in missed)
    usual = [row for row in rows if row["found"]]
    return {
        "made": len(rows),
        "unreached": unreached,
        "alike": alike,
        "real": len(rows) - unreached - alike,
        "named": sum(row["found"] != "result" for row in usual),
        "usual": len(usual),
        "orders": len(rows) - unreached - len(missed),
    }


def page_text(record: dict[str, typing.Any]) -> str:
    looked_at = reviewed()

    def share(part: int, whole: int) -> str:
        return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"

    orders = record["orders"]
    lines = [
        "# Mutants judge the emulator",
        "",
        f"A check that never fails proves nothing. So we took {record['programs']} clean programs, among them the "
        "chapters' reference kernels,",
        "and made them wrong at one place at a time: we removed or weakened a barrier, a fence, an order, a scope, a "
        "mask, a wait",
        "or a guard. No such mutant should pass all checks.",
        "",
        "Not all of them are wrong. We put a trap into the changed place. If it's never triggered, the program doesn't "
        "get there",
        "with these inputs, or the guard is never false. Such mutants are left out. We also left out those that we "
        "reviewed and",
        "found to be equivalent, for the reasons below.",
        "",
        "| gone or weaker | mutants | not reached | equivalent | left | a check names it | or the result is wrong "
        f"| with `--orders {orders}` |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in (*mutations.KINDS, ""):
        s = shares(record, kind)
        lines.append(
            f"| {kind or '**all**'} | {s['made']} | {s['unreached']} | {s['alike']} | {s['real']} | "
            f"{share(s['named'], s['real'])} | {share(s['usual'], s['real'])} | {share(s['orders'], s['real'])} |"
        )
    blamed = len(record["blamed"])
    lines += [
        "",
        "If a guard is missing, often only the result is wrong. Then the program's own comparison finds the mistake, "
        "and no check",
        f"has to. The checks blamed {blamed or 'none'} of the clean programs, in the usual order and in {orders} "
        "others.",
        "",
        "`make mutants` makes and tries all of them again, and a test tries a sample.",
    ]
    for verdict, title in (("missed", "Missed, and why"), ("equivalent", "Equivalent, and why")):
        reasons = collections.defaultdict(list)
        for row in silent(record):
            kind, reason = looked_at.get(row["mutant"], ("missed", "not looked at yet"))
            if kind == verdict:
                reasons[reason].append(row)
        if not reasons:
            continue
        lines += ["", f"## {title}", ""]
        for reason, rows in reasons.items():
            lines.append(f"- {reason}:")
            for row in rows:
                program, kernel, change, number = row["mutant"].split(" | ")
                lines.append(f"  - `{program}`, `{kernel}`: {change}, number {number} ({row['place']})")
    made_by = "`python3 tests/kernels/mutants/try_mutants.py page` from `tests/data/mutants.json`"
    lines += ["", f"This page is written by {made_by}.", ""]
    return "\n".join(lines)


def page(arguments: argparse.Namespace) -> int:
    text = page_text(json.loads(RECORD.read_text(encoding="utf-8")))
    if not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/mutants.md is not what tests/data/mutants.json says: python3 tests/kernels/mutants/try_mutants.py page")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("build", type=pathlib.Path)
    runs.add_argument("--orders", type=int, default=64)
    runs.add_argument("--only", default="", help="programs whose name has this in it")
    runs.add_argument("--every", type=int, default=1, help="only every N-th mutant of a program")
    runs.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    runs.add_argument("--mutants-only", action="store_true", help="without the clean programs")
    runs.add_argument("--out", type=pathlib.Path)
    runs.set_defaults(do=try_all)
    pages = commands.add_parser("page")
    pages.add_argument("--check", action="store_true", help="only say whether it is as it should be")
    pages.set_defaults(do=page)
    args = parser.parse_args()
    if getattr(args, "out", None):
        for part in ("only", "every", "mutants_only"):
            if getattr(args, part) != runs.get_default(part):
                parser.error(f"--out keeps a record of all mutants: leave out --{part.replace('_', '-')}")
    return int(args.do(args))


if __name__ == "__main__":
    sys.exit(main())
