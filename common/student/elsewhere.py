"""The tasks on other problems, docs/examples/elsewhere: a histogram, a scan and a stencil, after chapters 3, 7 and 9.

    elsewhere 3            runs the student's file on the emulator: is it right, is it clean, is the goal reached?
    elsewhere 3 solution   the same for our solution

`make elsewhere3` calls it. Exit status: 0 what was attempted is right and clean; 1 a wrong result, a finding, or a
file that does not compile; 2 bad usage.
"""

from __future__ import annotations

import argparse
import collections.abc
import dataclasses
import hashlib
import json
import pathlib
import re
import sys
import tempfile
import typing

from book import processes
from book.manifest import ROOT
from book.screen import WIDTH, say, wrapped
from student.failure import Failure

FOLDER = "docs/examples/elsewhere"
# The limit of instructions per block. The kernels as we give them need a few thousand, so endless loops stop at once.
MAX_INSTRUCTIONS = 1_000_000
FOUND = 86  # the exit status of `emulate` if the program's own is 0 and a check has found something

# The counters of the launches: one dictionary per launch.
Launches = collections.abc.Sequence[dict[str, int]]


def total(launches: Launches, counter: str) -> int:
    return sum(launch[counter] for launch in launches)


def atomics_per_block(launches: Launches) -> float:
    return total(launches, "workbook__global_atomic_operations.sum") / total(launches, "workbook__blocks.sum")


def barriers_per_block(launches: Launches) -> float:
    return total(launches, "workbook__barriers.sum") / total(launches, "workbook__blocks.sum")


def shared_loads_per_warp(launches: Launches) -> float:
    return total(launches, "smsp__sass_inst_executed_op_shared_ld.sum") / total(launches, "workbook__warps.sum")


def sectors_per_sector(launches: Launches) -> float:
    """Returns the number of sectors that the largest launch loads, divided by the number of sectors that its results
    fill. It is 1 if no sector is loaded twice. It would be larger if the rows of an image did not begin at sector
    boundaries."""
    largest = max(launches, key=lambda launch: launch["workbook__blocks.sum"])
    stored = largest["workbook__global_store_ideal_sectors.sum"]
    return largest["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / stored if stored else 0.0


@dataclasses.dataclass(frozen=True)
class Count:
    """One number of a goal."""

    name: str
    at_most: float
    of: typing.Callable[[Launches], float]

    def line(self, launches: Launches) -> str:
        return f"  {self.name}: wanted at most {self.at_most:g}, yours {self.of(launches):.4g}."


@dataclasses.dataclass(frozen=True)
class Task:
    goal: str
    counts: tuple[Count, ...]
    given: str  # the fingerprint of the unedited file

    def reached(self, launches: Launches) -> bool:
        return all(count.of(launches) <= count.at_most for count in self.counts)


# The key is the chapter after which the task comes. 64: the histogram has 64 bins. 17: a scan of 256 elements has 8
# steps of two barriers, and one barrier after the load. 18: each of these steps has two loads, and there are two more.
# 1.5: a tile of 32 x 32 doubles fills 256 sectors, and its halo is in 80 more; a loop that loads both together, row by
# row, requests 374 in all.
TASKS = {
    3: Task(
        "a block goes to global memory once for each bin, not once for each element.",
        (Count("global atomics per block", 64, atomics_per_block),),
        "efc39689fb0b6be0",
    ),
    7: Task(
        "a block has all its running totals after 8 steps.",
        (
            Count("barriers per block", 17, barriers_per_block),
            Count("shared loads per warp", 18, shared_loads_per_warp),
        ),
        "af584202fec8e324",
    ),
    9: Task(
        "a block loads its tile and the halo around it once, not five elements per thread.",
        (Count("sectors loaded per sector of results", 1.5, sectors_per_sector),),
        "4e6ad5d33c7d16b5",
    ),
}


def fingerprint(code: str) -> str:
    """Returns a hash of the code without its comments and white space."""
    bare = re.sub(r"//[^\n]*|\s+", "", code)
    return hashlib.sha256(bare.encode()).hexdigest()[:16]


def file_of(number: int, solution: bool = False) -> pathlib.Path:
    """Returns the path of the task's file below the tree. Raises Failure."""
    folder = ROOT / FOLDER / ("solutions" if solution else "")
    found = sorted(folder.glob(f"{number}_*.cu"))
    if len(found) != 1:
        raise Failure(
            f"{folder.relative_to(ROOT)}/{number}_*.cu is missing: run `git checkout {FOLDER}` to restore it."
        )
    return found[0].relative_to(ROOT)


def finding_in_words(findings: list[dict[str, typing.Any]], lines: list[str], name: str) -> str:
    """Returns the first finding as text, with its line and its cure. The other findings are only named, because they
    may be consequences of it."""
    first, *others = findings
    text = [wrapped(f"{first['check']}: {first['message']}", 2)]
    number = first.get("line", 0)
    if pathlib.Path(first.get("file", "")).name == name and 0 < number <= len(lines):
        line = f"{number:>6} | {lines[number - 1].strip()}"
        text.append(line if len(line) <= WIDTH else line[: WIDTH - 1] + "…")
    text.append(wrapped(f"  {first['cure']}"))
    if others:
        places = dict.fromkeys(one["check"] + (f" in line {one['line']}" if "line" in one else "") for one in others)
        text.append(wrapped(f"  Also found, and may follow from it: {', '.join(places)}."))
    return "\n".join(text)


def judge(task: Task, path: pathlib.Path, emulate: pathlib.Path, root: pathlib.Path = ROOT) -> int:
    """Runs a file, whose path is relative to `root`, and prints the result. Returns the exit status. Raises Failure."""
    code = (root / path).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        options = ["--quiet", "--max-instructions", str(MAX_INSTRUCTIONS), "--json", str(report)]
        done = processes.run_captured([emulate.resolve(), *options, path], cwd=root)
        if not report.exists():
            raise Failure((done.stdout + done.stderr).strip() or f"{path} did not run: status {done.returncode}.")
        data = json.loads(report.read_text(encoding="utf-8"))
    say(done.stdout.strip())
    if data["findings"]:
        print(finding_in_words(data["findings"], code.split("\n"), path.name))
    if data["findings"] or done.returncode not in (0, FOUND):
        print("\nThe goal is counted once the result is right and no check finds anything.")
        return 1
    launches = [launch["counters"] for launch in data["launches"]]
    if not launches:
        raise Failure(f"{path} launched no kernel.")
    print("No check has found anything.\n")
    say(f"Goal: {task.goal}")
    for count in task.counts:
        say(count.line(launches), 2)
    print("  Reached." if task.reached(launches) else "  Not reached yet.")
    if fingerprint(code) == task.given:
        page = f"docs/pages/{path.stem.partition('_')[2]}.md"
        say(f"\nNot attempted yet: the kernel in {path} is as we gave it. {page} has the idea and hints.")
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="book elsewhere", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int, choices=list(TASKS), help="the chapter that comes before the task")
    parser.add_argument("which", nargs="?", choices=["yours", "solution"], default="yours", help="whose kernel")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    words = parser.parse_intermixed_args(arguments)  # make puts ARGS after --build
    try:
        path = file_of(words.number, words.which == "solution")
        return judge(TASKS[words.number], path, words.build / "bin" / "emulate")
    except (Failure, OSError) as error:
        print(error, file=sys.stderr)
        return 1
