#!/usr/bin/env python3
"""Times chapter 1's reduction in the emulator and in other programs on a CPU: compare.py --build build OUT.json

All candidates do the same work: they reduce 2^20 ints in blocks of 128, in as many passes as it takes. Slow candidates
get fewer ints, and their figure is for this smaller work. The unit is the number of warp instructions that the emulator
executes for the work, per second of CPU time of one thread. The programs take turns, so that other load on the machine
affects all of them. The median of the rounds is recorded, with the lowest and the highest.

For programs of many kinds, machine code is compared with the interpreter. With --before, this is the interpreter in the
build folder of an older commit. In that commit's tree, common/emulator/bench_emulator has to be replaced by the folder
of today.

Candidates that are not installed are left out with a message. oclgrind, pocl-opencl-icd and ocl-icd-opencl-dev are
Debian packages; Numba comes from `pip install numba` (--python names the Python that has it).
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
FULL = 1 << 20
AVX2 = {"EMULATOR_NATIVE_BYTES": "32"}  # machine code for processors that have no AVX-512


def output_of(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def milliseconds(command, **more):
    return [float(line) for line in output_of(command, **more).split()]


class Emulator:
    """A row of bench_emulator, which also reports the number of warp instructions of the work. The first launches of a
    process are slower, with and without machine code, so each program runs for a few tenths of a second."""

    def __init__(self, program, row, environment=None):
        self.program, self.row, self.instructions = program, row, None
        self.environment = {**os.environ, **(environment or {})}

    def measure(self):
        text = output_of(
            [
                self.program,
                "--benchmark_format=json",
                f"--benchmark_filter=reduce_interleaved/{self.row}/",
                "--benchmark_min_time=0.2",
                "--benchmark_repetitions=3",
            ],
            env=self.environment,
        )
        rows = [r for r in json.loads(text)["benchmarks"] if r.get("run_type") == "iteration"]
        if any(r.get("error_occurred") for r in rows):
            raise RuntimeError(f"{self.row}: {rows[0]['error_message']}")
        self.instructions = rows[0]["items_per_second"] * rows[0]["real_time"] * 1e-3
        return [r["cpu_time"] for r in rows]


class Program:
    def __init__(self, command, count=FULL, environment=None):
        self.command, self.count, self.environment = command, count, environment

    def measure(self):
        words = [str(self.count) if c == "COUNT" else c for c in self.command]
        return milliseconds(words, env={**os.environ, **(self.environment or {})})


def compile_programs(folder):
    """Returns the paths of the programs that could be compiled, by name."""
    made = {}
    try:
        output_of(["g++", "-std=c++20", HERE / "run_opencl.cpp", "-o", folder / "run_opencl", "-O2", "-lOpenCL"])
        made["run_opencl"] = folder / "run_opencl"
    except RuntimeError as failed:
        print(f"left out: run_opencl ({failed})", file=sys.stderr)
    return made


def candidates(build, before, made, python):
    """Returns the candidates: (name, what it checks, how it is run)."""
    bench = pathlib.Path("bin", "bench_emulator")
    ways: list[tuple[str, pathlib.Path, str, dict[str, str] | None]]
    ways = [("interpreter before", before, "", None)] if before else []
    ways += [
        ("interpreter", build, "interpreter_", None),
        ("machine code", build, "", None),
        ("machine code, AVX2", build, "", AVX2),
    ]
    for name, folder, row, environment in ways:
        yield f"{name}, plain", "bounds, alignment", Emulator(folder / bench, f"{row}plain_1_thread", environment)
        yield (
            f"{name}, counters and checks",
            "everything",
            Emulator(folder / bench, f"{row}counters_and_checks_1_thread", environment),
        )
    if "run_opencl" in made:
        opencl = [made["run_opencl"], HERE / "reduce_interleaved.cl", "COUNT"]
        yield "pocl", "nothing", Program([*opencl, "50"], environment={"POCL_MAX_PTHREAD_COUNT": "1"})
        if shutil.which("oclgrind"):
            small = 1 << 14
            yield "Oclgrind", "bounds", Program(["oclgrind", "--num-threads", "1", *opencl, "1"], small)
            yield (
                "Oclgrind, races",
                "bounds, races",
                Program(["oclgrind", "--num-threads", "1", "--data-races", *opencl, "1"], small),
            )
        else:
            print("left out: Oclgrind (package oclgrind)", file=sys.stderr)
    try:
        output_of([python, "-c", "import numba"])
        yield "Numba's CUDA simulator", "bounds", Program([python, HERE / "run_numba.py", "COUNT", "1"], 1 << 11)
    except (RuntimeError, OSError):
        print("left out: Numba (pip install numba)", file=sys.stderr)


def kinds(build, before, rounds):
    """Times programs of many kinds, each by the interpreter and with machine code. Returns the best times of all rounds
    in ms."""
    best: dict[str, dict[str, dict[str, float]]] = {}
    ways = [
        (before or build, "interpreter", "interpreter", {}),
        (build, "native", "native", {}),
        (build, "native", "native_avx2", AVX2),
    ]
    for folder, row_name, way, environment in ways * rounds:
        text = output_of(
            [
                folder / "bin" / "bench_kinds",
                "--benchmark_format=json",
                "--benchmark_min_time=0.05",
                f"--benchmark_filter=/{row_name}/",
            ],
            env={**os.environ, **environment},
        )
        for row in json.loads(text)["benchmarks"]:
            if row.get("error_occurred"):
                raise RuntimeError(f"{row['name']}: {row['error_message']}")
            name, watched, _ = row["name"].removesuffix("/process_time").split("/")
            times = best.setdefault(name, {}).setdefault(watched, {})
            times[way] = min(times.get(way, row["cpu_time"]), row["cpu_time"])
    return [
        {
            "name": name,
            **{
                watched.replace(" ", "_"): {way: float(f"{ms:.4g}") for way, ms in times.items()}
                for watched, times in of.items()
            },
        }
        for name, of in best.items()
    ]


def processor():
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found.group(1) if found else "unknown"


def versions(python):
    """Returns the versions of what was compared; empty if a tool doesn't report one."""

    def first_line(*command):
        try:
            return output_of(command).strip().split("\n")[0]
        except (RuntimeError, OSError):
            return ""

    return {
        "oclgrind": first_line("sh", "-c", "oclgrind --version | grep Oclgrind"),
        "pocl": first_line("sh", "-c", "clinfo | grep 'Platform Version' | head -1 | sed 's/.*Version *//'"),
        "numba": first_line(python, "-c", "import numba; print(numba.__version__)"),
        "compiler": first_line("g++", "--version"),
    }


def commit_of(tree):
    return output_of(["git", "-C", tree, "rev-parse", "--short=8", "HEAD"]).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the project's build folder")
    parser.add_argument("--before", type=pathlib.Path, help="the build folder of an older commit")
    parser.add_argument("--python", default=sys.executable, help="a Python that has Numba")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("out", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = compile_programs(pathlib.Path(folder))
        compared = list(candidates(given.build, given.before, made, given.python))
        times: dict[str, list[float]] = {name: [] for name, _, _ in compared}
        for _ in range(given.rounds):
            for name, _, way in compared:
                times[name] += way.measure()
    work = compared[0][2].instructions
    results = []
    for name, checks, way in compared:
        share = getattr(way, "count", FULL) / FULL
        rates = sorted(work * share / ms * 1e-3 for ms in times[name])
        results.append(
            {
                "name": name,
                "checks": checks,
                "count": getattr(way, "count", FULL),
                "million_warp_instructions_per_cpu_s": float(f"{statistics.median(rates):.3g}"),
                "lowest": float(f"{rates[0]:.3g}"),
                "highest": float(f"{rates[-1]:.3g}"),
                "runs": len(rates),
            }
        )
    before = commit_of(given.before.resolve().parent) if given.before else None
    provenance = {
        "command": "python3 common/emulator/bench_emulator/compare/compare.py --build build "
        f"{'--before BUILD_OF_OLDER_COMMIT ' if before else ''}"
        f"--python PYTHON_WITH_NUMBA --rounds {given.rounds} plots/data/{given.out.name}",
        "work": "chapter 1's reduction, 2^20 ints, blocks of 128, all passes; CPU time of one thread, rounds in turn",
        "warp_instructions": round(work),
        "processor": processor(),
        "versions": versions(given.python),
        "commit": commit_of(ROOT),
        "before": before,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    record = {"provenance": provenance, "results": results, "kinds": kinds(given.build, given.before, given.rounds)}
    given.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
