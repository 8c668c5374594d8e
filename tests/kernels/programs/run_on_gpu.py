#!/usr/bin/env python3
"""Runs the programs of this folder that should have no finding on a real GPU, and records how each of them went.

    run_on_gpu.py --out FILE --commit COMMIT          builds all, several at a time, and runs them one by one
    run_on_gpu.py --only scan                         those with `scan` in their names
    run_on_gpu.py --build-only --arch sm_90           builds for that architecture and runs nothing; needs no GPU

A program that passes on the emulator must be right on a GPU, too. A program is clean if it has no line `// finding:`.
It is built by nvcc -std=c++20 -I common -I . -arch=native in the project's folder and compared with its own comments,
which check_program.py explains. On a GPU they mean:
  // with: FILE.cu FLAG …            the same; options of `emulate` itself are left out
  // gpus: N                         exactly N devices are visible, 1 without it; skipped if there are fewer
  // gpus: N:no-peer                 skipped: only `emulate` keeps devices from each other's memory
  // status: N                       how the program ends; `emulate` makes 86 of its 0
  // says: TEXT                      a part of standard output, in the order of these comments
  // refuses: GROUP | WHAT           skipped: it shows what the emulator lacks
  // covers:, count:, link:, checks: nothing
The record is written again after each program, so an interrupted run still shows which programs were not reached. Exit
status: 0 if no program is wrong and all build, 2 if nothing can be tried at all, otherwise 1.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from check_program import promises_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDERS = ("classics", "features", "devices", ".")
TOOLKIT_FOLDER = "/usr/local/cuda/bin"
BUILD_LIMIT_S = 900
# Time limit for a killed process to end. If the driver holds it, it may never end.
KILL_LIMIT_S = 10
MAX_OUTPUT = 1 << 26
MAX_DETAIL = 300
FINDING_STATUS = 86
# Options of `emulate` that a `// with:` may contain, and whether each takes a value as the next argument.
EMULATE_OPTIONS = {
    "--api-errors": True,
    "--check": True,
    "--gpu": True,
    "--gpus": True,
    "--host-threads": True,
    "--interpreter": False,
    "--max-instructions": True,
    "--orders": True,
    "--suppress": True,
}
# Programs that are only for the emulator, although none of their header lines shows it. The value is the reason.
EMULATED_ONLY = {
    "features/graph_capture_errors.cu": "promises the emulator's own messages, and the error of a call it does not do",
    "features/printf_lengths.cu": "prints by lengths of C that a GPU does not know",
    "features/waits_for_time.cu": "waits for an hour of the device's clock, which only the emulator lets pass at once",
}


@dataclasses.dataclass
class Program:
    """A clean program: what its header comments state about its output, and what happened when it ran."""

    name: str
    words: list[str] = dataclasses.field(default_factory=list)
    says: list[str] = dataclasses.field(default_factory=list)
    status: int = 0
    gpus: int = 1
    result: str = ""
    detail: str = ""
    seconds: float = 0.0

    def entry(self) -> dict[str, object]:
        """Returns the program's entry in the record."""
        found: dict[str, object] = {"name": self.name, "result": self.result or "skipped"}
        if self.result != "right":
            found["detail"] = self.detail if self.result else "not reached"
        return {**found, "seconds": round(self.seconds, 2)}


@dataclasses.dataclass
class Ending:
    """How a process ended. The status is None if it did not end or could not be started."""

    status: int | None
    output: str
    errors: str
    seconds: float


def short(text: str, folder: pathlib.Path) -> str:
    """Returns a text as one short line, without the paths of this machine."""
    for path in (folder, ROOT):
        text = text.replace(f"{path}/", "")
    text = re.sub(r"(?<![\w./])/(?:[\w.+-]+/)+", "", text)
    text = " ".join(text.split())
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 2] + " …"


def finish(command: list[str], cwd: pathlib.Path, limit_s: float, environment: dict[str, str] | None = None) -> Ending:
    """Runs a command to its end. At the limit, kills it and all processes that it started."""
    try:
        return watched(command, cwd, limit_s, environment)
    except OSError as error:
        return Ending(None, "", f"cannot be run: {error.strerror}", 0.0)


def watched(command: list[str], cwd: pathlib.Path, limit_s: float, environment: dict[str, str] | None) -> Ending:
    """Same as finish(), but raises OSError if the command cannot be started."""
    # Uses files instead of pipes, because a process that holds the other end of a pipe could make us wait.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        status, note = None, ""
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            note = f"did not end within {limit_s:g} s"
        finally:
            if status is None:
                os.killpg(process.pid, signal.SIGKILL)
        if status is None:
            try:
                process.wait(KILL_LIMIT_S)
            except subprocess.TimeoutExpired:
                note += ", nor when it was killed"
        seconds = time.monotonic() - begin
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read(MAX_OUTPUT).decode(errors="replace"))
    return Ending(status, texts[0], texts[1] if status is not None else note, seconds)


def compiler_words(words: list[str], folder: pathlib.Path) -> list[str]:
    """Converts the arguments of `// with:` for nvcc: drops options of `emulate`, and makes files relative to ROOT."""
    found = []
    rest = iter(words)
    for word in rest:
        option, equals, _ = word.partition("=")
        if option in EMULATE_OPTIONS:
            if EMULATE_OPTIONS[option] and not equals:
                next(rest, None)
        elif (folder / word).is_file():
            found.append((folder / word).relative_to(ROOT).as_posix())
        else:
            found.append(word)
    return found


def reading(path: pathlib.Path) -> Program | None:
    """Returns a program as its comments describe it, judged if it needs no build. Returns None if it isn't clean."""
    program = Program(path.relative_to(HERE).as_posix())
    try:
        promises = promises_of(path.read_text(encoding="utf-8"))
        if promises["finding"]:
            return None
        program.words = compiler_words(" ".join(promises["with"]).split(), path.parent)
        program.says = promises["says"]
        status = int(promises["status"][0]) if promises["status"] else 0
        # `emulate` ends with this status if a program with findings ends with 0.
        program.status = 0 if status == FINDING_STATUS else status
        gpus, _, peers = (promises["gpus"] or ["1"])[0].partition(":")
        program.gpus = int(gpus)
    except ValueError as error:
        program.result, program.detail = "wrong", f"its comments cannot be read: {error}"
        return program
    if promises["refuses"]:
        program.result, program.detail = "skipped", f"the emulator refuses: {promises['refuses'][0]}"
    elif peers:
        program.result, program.detail = "skipped", f"wants devices kept from each other's memory: {gpus}:{peers}"
    elif program.name in EMULATED_ONLY:
        program.result, program.detail = "skipped", EMULATED_ONLY[program.name]
    return program


def build(program: Program, nvcc: str, arch: str, binary: pathlib.Path) -> None:
    """Builds a program, and stores an error in its result if that fails."""
    source = (HERE / program.name).relative_to(ROOT).as_posix()
    command = [nvcc, "-std=c++20", "-I", "common", "-I", ".", f"-arch={arch}", "-o", str(binary), source]
    ending = finish(command + program.words, ROOT, BUILD_LIMIT_S)
    program.seconds = ending.seconds
    if ending.status == 0:
        return
    lines = (ending.errors + "\n" + ending.output).strip().split("\n")
    first = next((line for line in lines if "error" in line), lines[0])
    program.result, program.detail = "does not build", short(first or f"status {ending.status}", binary.parent)


def breaches(program: Program, ending: Ending) -> list[str]:
    """Returns a line for each difference between what a program did and what its comments promise."""
    if ending.status is None:
        return [ending.errors]
    found = []
    if ending.status < 0:
        found.append(f"was ended by signal {-ending.status}, not with {program.status}")
    elif ending.status != program.status:
        found.append(f"ended with {ending.status}, not {program.status}")
    at = 0
    for text in program.says:
        begin = ending.output.find(text, at)
        if begin >= 0:
            at = begin + len(text)
        else:
            found.append(f"{'printed elsewhere' if text in ending.output else 'did not print'}: {text}")
    return found


def run(program: Program, binary: pathlib.Path, visible: list[str], limit_s: float, eager: bool) -> None:
    """Runs a program that has been built, and judges it."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(visible[: program.gpus])}
    # Uses nvidia-smi's order of the devices, because the record names the first one.
    environment.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    if eager:
        environment["CUDA_MODULE_LOADING"] = "EAGER"
    ending = finish([str(binary)], binary.parent, limit_s, environment)
    program.seconds = ending.seconds
    found = breaches(program, ending)
    program.result = "wrong" if found else "right"
    if found:
        printed = (ending.output.strip() + "\n" + (ending.errors if ending.status is not None else "")).strip()
        last = short(printed.split("\n")[-1], binary.parent)
        program.detail = short("; ".join(found) + (f" (printed at its end: {last})" if last else ""), binary.parent)


def devices() -> tuple[list[str], str, str]:
    """Returns the devices to use, the first one's name, and the driver's version. Raises OSError if there is no GPU."""
    asked = [tool("nvidia-smi"), "--query-gpu=index,name,driver_version", "--format=csv,noheader"]
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    ending = finish(asked + (["-i", given.split(",")[0]] if given else []), ROOT, 60)
    rows = [[part.strip() for part in line.split(",")] for line in ending.output.strip().split("\n")]
    if ending.status != 0 or len(rows[0]) != 3:
        raise OSError("nvidia-smi finds no GPU: --build-only needs none")
    return given.split(",") if given else [row[0] for row in rows], rows[0][1], rows[0][2]


def tool(name: str) -> str:
    """Returns the path of a program of the toolkit or the driver. Raises OSError if it isn't found."""
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), TOOLKIT_FOLDER]))
    if found is None:
        raise OSError(f"there is no {name} in PATH or {TOOLKIT_FOLDER}")
    return found


def command_line(arguments: list[str]) -> str:
    """Returns the command line of this run, without folders that exist on one machine only."""
    words = [re.sub(r"^(--[a-z-]+=)?/.*/", r"\1", word) for word in arguments]
    return " ".join(["python3", pathlib.Path(__file__).resolve().relative_to(ROOT).as_posix(), *words])


def write(path: pathlib.Path | None, head: dict[str, str | None], programs: list[Program]) -> None:
    """Writes the record, either completely or not at all."""
    if path is None:
        return
    text = json.dumps({**head, "programs": [one.entry() for one in programs]}, indent=1, ensure_ascii=False)
    draft = path.with_name(path.name + ".new")
    draft.write_text(text + "\n", encoding="utf-8")
    draft.replace(path)


def chosen_programs(only: str) -> list[Program]:
    """Returns the clean programs with `only` in their names. Raises OSError if there is none."""
    paths = sorted(path for folder in FOLDERS for path in (HERE / folder).glob("*.cu"))
    clean = [program for program in map(reading, paths) if program is not None]
    chosen = [program for program in clean if only in program.name]
    if not chosen:
        raise OSError(f"no clean program has '{only}' in its name")
    return chosen


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="write the record there, as JSON")
    parser.add_argument("--commit", help="the commit that the record names")
    parser.add_argument("--arch", default="native", help="nvcc's -arch (native)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="builds at a time (one a processor)")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="programs with that in their names")
    parser.add_argument("--build-only", action="store_true", help="build, and run nothing")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds for a program to run (60)")
    parser.add_argument("--eager", action="store_true", help="load all kernels at a program's start, none at a launch")
    return parser.parse_args(arguments)


def try_all(
    programs: list[Program], args: argparse.Namespace, nvcc: str, visible: list[str], record: Callable[[], None]
) -> None:
    """Builds all programs that have no result yet. Unless they are only to be built, runs them."""

    def tell(program: Program) -> None:
        record()
        detail = f": {program.detail}" if program.detail else ""
        print(f"{program.name}: {program.result}{detail} ({program.seconds:.1f} s)", flush=True)

    for program in programs:
        if not program.result and not args.build_only and program.gpus > len(visible):
            program.result, program.detail = (
                "skipped",
                f"wants {program.gpus} devices, of which there are {len(visible)}",
            )
        if program.result:
            tell(program)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        binaries = {}
        for number, program in enumerate(programs):
            # Each program gets its own folder for the files that it writes.
            folder = pathlib.Path(scratch, str(number))
            folder.mkdir()
            binaries[program.name] = folder / pathlib.Path(program.name).stem
        pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(args.jobs, 1))
        try:
            waiting = {
                pool.submit(build, program, nvcc, args.arch, binaries[program.name]): program
                for program in programs
                if not program.result
            }
            for job in concurrent.futures.as_completed(waiting):
                job.result()
                program = waiting[job]
                if not program.result and args.build_only:
                    program.result, program.detail = "skipped", "built, not run"
                if program.result:
                    tell(program)
        finally:
            pool.shutdown(cancel_futures=True)
        for program in programs:
            if not program.result:
                run(program, binaries[program.name], visible, args.timeout, args.eager)
                tell(program)


def main(arguments: list[str]) -> int:
    words = parse(arguments)
    try:
        programs = chosen_programs(words.only)
        nvcc = tool("nvcc")
        visible, gpu, driver = ([], None, None) if words.build_only else devices()
        version = finish([nvcc, "--version"], ROOT, 60).output
        toolkit = re.search(r"release ([\d.]+)", version)
        head = {
            "gpu": gpu,
            "driver": driver,
            "toolkit": toolkit[1] if toolkit else None,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "command": command_line(arguments),
            "commit": words.commit,
        }
        write(words.out, head, programs)
    except OSError as error:
        print(f"run_on_gpu.py: {error}", file=sys.stderr)
        return 2
    try_all(programs, words, nvcc, visible, lambda: write(words.out, head, programs))
    counts = dict.fromkeys(("right", "wrong", "does not build", "skipped"), 0)
    for program in programs:
        counts[program.result] += 1
    print(f"{len(programs)} programs: " + ", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["wrong"] + counts["does not build"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
