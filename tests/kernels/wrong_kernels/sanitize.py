#!/usr/bin/env python3
"""The zoo under compute-sanitizer, next to this project's own checks.

sanitize.py record PROGRAM FILE   on a machine with a GPU: runs every wrong kernel under each tool (PROGRAM is
                                  build/bin/wrong_kernel) and writes what it says to FILE (JSON)
sanitize.py page [--check]        writes docs/sanitizer.md from tests/data/sanitizer_h200.json; --check: says
                                  whether it is as it should be
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import typing

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parents[1] / "data" / "sanitizer_h200.json"
PAGE = HERE.parents[2] / "docs" / "sanitizer.md"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
LIMIT_S = 20


def promises():
    """Returns name -> the facts of its header (wrong, killed by, shows for) and the line with the finding."""
    found = {}
    for path in sorted(HERE.glob("*.cuh")):
        text = path.read_text(encoding="utf-8")
        facts = dict(re.findall(r"^// (wrong|killed by|shows for): (.*)$", text, re.M))
        line = next((k for k, row in enumerate(text.split("\n"), 1) if "// <- finding" in row), None)
        found[path.stem] = {**facts, "line": line}
    return found


def run(program, name, problem, tool):
    """Returns the result of `tool` for one kernel: the number of errors, and the line of the first in its file."""
    parts = re.fullmatch(r"n = (\d+), blocks of (\d+), (\w+)", problem)
    assert parts, problem
    n, block, kind = parts.groups()
    command = [
        "compute-sanitizer",
        "--tool",
        tool,
        *(["--leak-check", "no"] if tool == "memcheck" else []),
        program,
        name,
        n,
        block,
        kind,
    ]
    # The tool gets its own process group, so that a kernel that never ends is removed from the GPU together with it.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return {"ended": False}
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", output)
    lines = re.findall(rf"{name}\.cuh:(\d+)", output)
    said = "the sum is the exact one" if "the sum is the exact one" in output else "another"
    return {
        "ended": True,
        "errors": int(summary[-1]) if summary else None,
        "line": int(lines[0]) if lines else None,
        "sum": said,
    }


def record(program, path):
    """Runs every kernel under every tool, a few at a time, and writes the record."""
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        for name, facts in promises().items():
            problem = facts.get("shows for", "n = 1000, blocks of 128, int")
            for tool in TOOLS:
                jobs[name, tool] = pool.submit(run, program, name, problem, tool)
    verdicts: dict[str, dict[str, typing.Any]] = {}
    for (name, tool), job in jobs.items():
        verdicts.setdefault(name, {})[tool] = job.result()
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True, check=False).stdout
    record_of_all = {"version": version.strip().split("\n")[-1], "kernels": verdicts}
    pathlib.Path(path).write_text(json.dumps(record_of_all, indent=1), encoding="utf-8")
    return 0


def theirs(verdict, line):
    """Returns compute-sanitizer's verdict on a kernel as text: the tools with errors, and whether at our line."""
    parts = []
    for tool in TOOLS:
        said = verdict[tool]
        if not said["ended"]:
            parts.append(f"{tool}: not ended after {LIMIT_S} s")
        elif said["errors"]:
            where = "" if said["line"] is None else ", same line" if said["line"] == line else f", line {said['line']}"
            parts.append(f"{tool}{where}")
    return "; ".join(parts) or "nothing"


def page(recorded):
    """Returns the text of docs/sanitizer.md."""
    facts = promises()
    rows = [
        f"| `{name}` | {facts[name]['wrong']} | {facts[name]['killed by']}"
        f"{'' if facts[name]['line'] is None else ', line ' + str(facts[name]['line'])} "
        f"| {theirs(verdict, facts[name]['line'])} |"
        for name, verdict in recorded["kernels"].items()
    ]
    quiet = sum(1 for verdict in recorded["kernels"].values() if theirs(verdict, 0) == "nothing")
    source = recorded["provenance"]
    return "\n".join(
        [
            "# The zoo under compute-sanitizer",
            "",
            "The table shows what finds the mistake in each wrong kernel of `tests/kernels/wrong_kernels`: which check "
            "of this project, on the emulator, and which of the four tools of compute-sanitizer, on a GPU. "
            "*verification* compares the sum with the right one, which compute-sanitizer does not do.",
            "",
            f"compute-sanitizer ran on an {source['gpu']} (driver {source['driver']}, CUDA {source['toolkit']}, "
            f"{recorded['version']}, {source['date'][:10]}, commit {source['commit']}). This page is written by "
            "`python3 tests/kernels/wrong_kernels/sanitize.py page`.",
            "",
            f"compute-sanitizer finds nothing in {quiet} of the {len(rows)} kernels.",
            "",
            "| kernel | what is wrong | found here by | compute-sanitizer |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    recorder = verbs.add_parser("record")
    recorder.add_argument("program")
    recorder.add_argument("file")
    verbs.add_parser("page").add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.verb == "record":
        return record(args.program, args.file)
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    missing = sorted(set(promises()) - set(recorded["kernels"]))
    if missing:
        print(
            f"not yet run under compute-sanitizer: {', '.join(missing)}: common/timing/ladder/record.sh does it on a "
            "machine with a GPU",
            file=sys.stderr,
        )
    text = page(recorded)
    if not args.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != text:
        print(
            "docs/sanitizer.md is stale: python3 tests/kernels/wrong_kernels/sanitize.py page writes it again",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
