"""Reads records, the measurements that programs wrote as JSON, in plots/data and tests/data.

This module knows the kinds of records, reports what is wrong with a file that isn't one, and finds rows and figures in
them.
"""

from __future__ import annotations

import collections.abc
import json
import pathlib
import statistics
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "plots" / "data"
COUNTERS = ROOT / "tests" / "data"  # records of Nsight Compute and compute-sanitizer
EMPTY_LAUNCH = "an empty launch"
LESSON_BLOCK = 256  # threads per block in the ladder's lessons, and the default of their programs
# The conditions under which every cold time is measured; `words_for` in common/workbook/timer.cpp has the same text.
COLD = "queued behind work, L2 full of clean lines of another array"
# Appended to the name of a row that waits for the GPU itself, so that it can't be queued after other work.
IDLE = " (on an idle GPU)"

Record = dict[str, typing.Any]


class BadData(Exception):
    """Raised with a message for the console: which file is wrong, what is wrong with it, and what would be right."""


def read(path: pathlib.Path | str) -> Record:
    """Returns the JSON in a file. Raises BadData."""
    try:
        record: Record = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path} is not JSON: {error}") from error
    return record


# The requirements for each kind of record: its fields, the field that contains its rows, the fields of each row, and
# the fields of the first row that distinguish it from the kinds after it.
NEEDED = {
    "predictions": ("provenance", "predictions", "set kernel count block_size measured_us us", ""),
    "what_if": ("provenance kernel chapter", "what_if", "block_size count per_thread us alone_us", ""),
    "scaling": ("provenance gpus sums all_reduce", "all_reduce", "gpus bytes way further_us predicted_us", ""),
    "chapter": ("schema chapter title device input kernels", "kernels", "name role", ""),
    "limits": ("provenance type rows", "rows", "kernel chapter block_size count us limit", "limit"),
    "studies": ("provenance", "results", "chapter group kernel type count block_size us queued", "chapter queued us"),
    "ladder": ("provenance type block_size results", "results", "count kernel chapter", "kernel count"),
    "tune": ("provenance results", "results", "count type raced", "raced count type"),
    "types": ("provenance results", "results", "operation element result count library ours", "operation element ours"),
    "reproducible": (
        "provenance checks results",
        "results",
        "type count input plain reproducible",
        "plain reproducible",
    ),
    "shapes": (
        "provenance results",
        "results",
        "kind count length element ours libraries",
        "kind length ours libraries",
    ),
    "machine": ("provenance device", "device", "", ""),
    "errors": ("provenance type orders", "orders", "order count error bound", ""),
}


def kind_of(record: typing.Any) -> str | None:
    """Returns the kind of a record according to NEEDED, or None."""
    if not isinstance(record, dict):
        return None
    for kind, (_, place, _, marks) in NEEDED.items():
        rows = record.get(place)
        if kind == "machine":
            if isinstance(rows, dict) and "warps_per_multiprocessor" in rows:
                return kind
            continue
        if not isinstance(rows, list) or (kind == "chapter" and "chapter" not in record):
            continue
        if not marks or (rows and isinstance(rows[0], dict) and rows[0].keys() >= set(marks.split())):
            return kind
    return None


def check(record: typing.Any, path: pathlib.Path | str) -> str:
    """Returns the record's kind. Raises BadData if it has none or if a field is missing."""
    kind = kind_of(record)
    if kind is None:
        raise BadData(
            f"{path} isn't a record of this project. `build/bin/ladder --json FILE` and "
            '`make chapterN ARGS="--json FILE"` write records.'
        )
    fields, rows, columns, _ = NEEDED[kind]
    for field in fields.split():
        if field not in record:
            raise BadData(f"{path}: the field '{field}' is missing")
    if not record[rows]:
        raise BadData(f"{path}: '{rows}' is empty")
    for number, row in enumerate(record[rows]):
        for column in columns.split():
            if column not in row:
                raise BadData(f"{path}: row {number} of '{rows}' has no '{column}'")
    return kind


# --- sizes and provenance ---------------------------------------------------------------------------------------------


def count_of(text: str) -> int:
    """Returns the number that `2^22` or `1000` means."""
    return 2 ** int(text[2:]) if text.startswith("2^") else int(text)


def power(count: int) -> str:
    """Returns '2^22' for a power of two, and otherwise the number itself."""
    return f"2^{count.bit_length() - 1}" if count & (count - 1) == 0 else str(count)


def size(count: float, form: str = ".4g") -> str:
    """Returns a number of bytes as text, such as '16 KiB'."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:{form}} {name}"
    return f"{count:.0f} bytes"


def toolkit(number: int) -> str:
    """Returns the version as text for the number that CUDA uses for it: '13.0' for 13000."""
    return f"{number // 1000}.{number % 1000 // 10}"


def measured_on(record: Record, with_host: bool = False) -> str:
    """Returns GPU, driver, toolkit, day and commit, the CCCL release if the record has it, and, if `with_host`, the
    host."""
    p = record["provenance"]
    host = f"a host with {p['host']}, " if with_host else ""
    raced = f"CCCL {p['cccl']}, " if "cccl" in p else ""
    return (
        f"{p['gpu']}, {host}driver {p['driver']}, CUDA {toolkit(p['toolkit'])}, {raced}{p['date'][:10]}, "
        f"commit {p['commit']}"
    )


def provenance(record: Record, *others: Record) -> str:
    """Returns one line on where and when the record was measured. `others` are records of the same kind for other
    inputs."""
    if "provenance" not in record:
        return f"{record['device'].get('name', 'unknown device')} ({record['file']})"
    p = record["provenance"]
    words = [p.get("gpu") or p.get("device", "unknown device")]
    if "driver" in p:
        words.append(f"driver {p['driver']}")
    if "toolkit" in p:
        words.append(f"CUDA {toolkit(p['toolkit'])}")
    if "cccl" in p:
        words.append(f"CCCL {p['cccl']}")
    words.append(p.get("date", "")[:10])
    files = ", ".join([record["file"], *(other["file"] for other in others)][:2])
    more = f" and {len(others) - 1} more" if others[1:] else ""
    return ", ".join(word for word in words if word) + f" ({files}{more})"


# --- the rows of a ladder ---------------------------------------------------------------------------------------------


def rates(record: Record) -> dict[tuple[str, int], float]:
    """Returns {(kernel, count): GB/s with a cold L2} for the rows of a ladder that have times."""
    return {(r["kernel"], r["count"]): r["cold_gb_per_s"] for r in record["results"] if r.get("cold_gb_per_s")}


def rungs(record: Record, library_last: bool = False) -> list[tuple[int, str]]:
    """Returns [(chapter, kernel)] in the ladder's order; the library has chapter 0."""
    found = list(dict.fromkeys((r["chapter"], r["kernel"]) for r in record["results"]))
    return sorted(found, key=lambda rung: rung[0] == 0) if library_last else found


def timed_row(record: Record, kernel: str, count: int) -> Record | None:
    """Returns the row of a kernel at a size if it has a time, otherwise None."""
    rows: list[Record] = record["results"]
    wanted = (r for r in rows if r["kernel"] == kernel and r["count"] == count and r.get("cold_gb_per_s"))
    return next(wanted, None)


# --- the kernels of a chapter -----------------------------------------------------------------------------------------


def timed_kernels(record: Record, heading: str | None = None) -> list[Record]:
    """Returns the kernels in a chapter's record that have a time, except the student's. If a heading is given, returns
    only those below it."""
    return [
        k
        for k in record["kernels"]
        if k["role"] != "yours"
        and (k.get("time_ms") or {}).get("median")
        and (heading is None or k.get("group") == heading)
    ]


# --- races of `tune` --------------------------------------------------------------------------------------------------


def race(record: Record, kind: str, count: int) -> list[Record] | None:
    """Returns the contenders of one race, which is found by element type and size, or None."""
    found: list[list[Record]] = [r["raced"] for r in record["results"] if r["type"] == kind and r["count"] == count]
    return found[0] if found else None


def empty_launch_us(records: collections.abc.Iterable[Record]) -> float | None:
    """Returns the median time of an empty launch that is queued after a flush of L2, from records of `tune`; None if
    there are none."""
    times = [
        raced["cold_us"]
        for record in records
        for row in record["results"]
        for raced in row["raced"]
        if raced["name"] == EMPTY_LAUNCH
    ]
    return statistics.median(times) if times else None


# --- many records -----------------------------------------------------------------------------------------------------


class Collection:
    """Records by kind, each with the name of its file."""

    def __init__(self, files: collections.abc.Iterable[pathlib.Path]) -> None:
        self.records: dict[str, list[Record]] = {kind: [] for kind in NEEDED}
        for path in files:
            record = read(path)
            self.records[check(record, path)].append(dict(record, file=path.name))

    def ladder(self, kind: str = "int", block_size: int | None = LESSON_BLOCK) -> Record | None:
        """Returns the ladder for a type, or None. If several fit, returns the one with the most rows."""
        fitting = [r for r in self.records["ladder"] if r["type"] == kind and block_size in (None, r["block_size"])]
        return max(fitting, key=lambda r: (len(r["results"]), r["block_size"] == LESSON_BLOCK), default=None)

    def machine(self) -> Record | None:
        """Returns the facts about a GPU that explain how long kernels take, or None."""
        return self.records["machine"][0] if self.records["machine"] else None

    def chapters(self, number: int) -> list[Record]:
        """Returns the records of a chapter that have times."""
        return [r for r in self.records["chapter"] if r["chapter"] == number and timed_kernels(r)]


def recorded() -> Collection:
    """Returns the records of the workbook that are needed for the figures."""
    patterns = ["ladder_h200_*.json", "chapter1[015]_h200*.json", "tune_h200.json", "errors_emulator.json"]
    patterns += ["machine_h200.json", "predictions_h200.json", "what_if_chapter7.json", "ablations_h200.json"]
    patterns += ["scaling_h100x2.json"]
    return Collection(path for pattern in patterns for path in sorted(DATA.glob(pattern)))


def own(place: pathlib.Path | str) -> Collection:
    """Returns a reader's own records, from a file or from all JSON files in a folder. Raises BadData."""
    place = pathlib.Path(place)
    if not place.exists():
        raise BadData(f"DATA={place}: there is no such file or folder")
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not files:
        raise BadData(f"DATA={place}: there is no JSON file in this folder")
    return Collection(files)
