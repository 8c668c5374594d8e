"""The table of the systems that the workbook was tried on, from the records of tests/roots/try.sh.

`<!-- systems begin -->`: a row for each record, sorted by file name.
"""

from __future__ import annotations

import json
import textwrap

from book import markers, records
from book.outputs import Failure, Setting

RECORDS = records.ROOT / "tests" / "roots" / "records"
HEAD = ["system", "as", "compiler, C library, CUDA", "`make chapter1`", "`make test`"]


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def _chapter(record: records.Record) -> str:
    done = record["chapter1"]
    # What was installed before the first make, if the compilers' programs were replaced then.
    seconds = done["processor_seconds"] + record.get("bootstrap", {}).get("processor_seconds", 0)
    return f"{'works' if done['status'] == 0 else '**fails**'}, {_minutes(seconds)}"


def _tests(record: records.Record) -> str:
    """Returns the result of `make test` or, if that was not tried, of `make test-emulator`."""
    done = record.get("test", record.get("test-emulator"))
    if done is None:
        return "not tried"
    if "passed" not in done or done["passed"] == "":
        return f"**fails**, {_minutes(done['processor_seconds'])}"
    passed = done["passed"] - done["failed"]
    which = "" if "test" in record else " of `make test-emulator`"
    return f"{passed} of {done['passed']}{which}, {_minutes(done['processor_seconds'])}"


def _system(record: records.Record) -> str:
    """Returns the system's name without its code name, with its processor if it isn't x86-64, and special settings."""
    name = str(record["system"]).split(" (")[0].replace("GNU/Linux ", "").replace(" LTS", "")
    more = "" if record["architecture"] == "x86_64" else f", {record['architecture']} under qemu"
    for kind in ("with", "settings"):
        if kind in record:
            more += f", {'with ' if kind == 'with' else ''}`{record[kind]}`"
    return name + more


def made(_part: markers.Part, _setting: Setting) -> str:
    """Returns the table. Raises Failure if there is no record, or if chapter 1's counts differ between systems."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RECORDS.glob("*.json"))]
    if not read:
        raise Failure(f"there are no records in {RECORDS.relative_to(records.ROOT)}: run tests/roots/try.sh")
    if len({record["chapter1"]["counts"] for record in read}) != 1:
        raise Failure("chapter 1's counts differ between systems: compare the records' `counts`, or renew all records")
    lines = ["| " + " | ".join(HEAD) + " |", "| --- | --- | --- | --- | --- |"]
    for record in read:
        lines.append(
            f"| {_system(record)} | {'user without root' if record.get('user') == 'yes' else 'root'} "
            f"| g++ {record['compiler']}, glibc {record['libc']}, {record['toolkit']} "
            f"| {_chapter(record)} | {_tests(record)} |"
        )
    days = sorted({record["date"] for record in read})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    below = (
        f"Tried by `tests/roots/try.sh` {when}. Minutes are processor time, with everything that is installed and "
        "compiled: two cores take a little more than half of it. What chapter 1 counts (`--all`) is the same on all of "
        "them, byte for byte."
    )
    for record in read:
        if "native_compilers" in record:
            replaced = ", ".join(record["native_compilers"].split())
            below += (
                f" On {record['architecture']}, these programs inside g++ and nvcc were builds of the same versions "
                f"for x86-64, because qemu is slow: {replaced}. Everything else ran under qemu, also what they "
                "compiled."
            )
    return "\n".join([*lines, "", *textwrap.wrap(below, 120, break_on_hyphens=False)]) + "\n"
