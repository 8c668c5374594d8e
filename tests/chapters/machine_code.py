#!/usr/bin/env python3
"""Checks what the compiler made of a chapter's kernels: facts about their machine code (SASS), without a GPU.

machine_code.py --sass build/bin/sass CHAPTER FILE…

The facts are in chapters/chapters.json, under "machine_code": "kernels", found by a regular expression for the linker
name, and the facts that each must meet; "more", pairs of kernels of which the first has more of something than the
second; "figures", which a lesson states for architectures that its listings do not show. "on" and "on_from" name the
architectures. The lessons' sections "In the machine code" state the same facts. A failure is reported with the compiler
and the architecture. If a different compiler causes it, the lesson has to say so. Exit status:
0 all facts hold; 1 one does not, a kernel is missing, or machine code cannot be read.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

from book.manifest import ROOT

MANIFEST = json.loads((ROOT / "chapters/chapters.json").read_text(encoding="utf-8"))
CHAPTERS = {entry["number"]: entry["machine_code"] for entry in MANIFEST["chapters"] if "machine_code" in entry}
# The facts that several kernels share, by name, and the toolkit with which the lessons' figures were made.
SHARED, FIGURES_OF = MANIFEST["machine_code"]["facts"], MANIFEST["machine_code"]["figures_of"]

REGISTER = re.compile(r"\bR(\d+)(?:\.64)?\b")
GLOBAL_LOAD = re.compile(r"\bLDG\.(\S+) R(\d+),")


@dataclasses.dataclass
class Kernel:
    """One kernel's machine code for one architecture."""

    name: str
    architecture: int
    toolkit: str
    registers: int
    code: list  # Instructions as text: guard, opcode, operands.
    loops: list  # The instructions of each loop, as text.

    @property
    def compiler(self):
        return f"CUDA {self.toolkit} for sm_{self.architecture}"


def kernels_of(report):
    """Returns the kernels in a report of build/bin/sass."""
    found = []
    for kernel in report["kernels"]:
        code = [f"{i['guard']} {i['opcode']} {i['operands']}".strip() for i in kernel["instructions"]]
        numbers = [i["loop"] for i in kernel["instructions"]]
        loops = [[line for line, number in zip(code, numbers) if number == k + 1] for k in range(len(kernel["loops"]))]
        found.append(
            Kernel(
                kernel["linker_name"],
                int(re.sub(r"\D", "", kernel["architecture"])),
                report["toolkit"],
                kernel["registers"],
                code,
                loops,
            )
        )
    return found


def count(instructions, pattern):
    return sum(re.search(pattern, line) is not None for line in instructions)


def loads_in_flight(instructions):
    """Returns the largest number of loads from global memory issued before the result of any of them is used."""
    pending: set[int] = set()
    most, loads = 0, 0
    for line in instructions:
        load = GLOBAL_LOAD.search(line)
        read = line[load.end() :] if load else line
        if pending & {int(number) for number in REGISTER.findall(read)} or re.search(r"\b(BRA|EXIT|RET)\b", line):
            most, pending, loads = max(most, loads), set(), 0
        if load:
            words = 4 if ".128" in load[1] else 2 if ".64" in load[1] else 1
            pending |= set(range(int(load[2]), int(load[2]) + words))
            loads += 1
    return max(most, loads)


def about(entry, kernel):
    """Returns true if an entry of the manifest applies to the kernel's architecture."""
    architecture = kernel.architecture
    return architecture in entry.get("on", [architecture]) and architecture >= entry.get("on_from", 0)


# For each kind of fact: a function of the fact and a kernel, which returns what is wrong, or None.


def lacks(fact, kernel):
    return None if count(kernel.code, fact["has"]) else f"no {fact['words']}"


def has_some(fact, kernel):
    found = count(kernel.code, fact["has_no"])
    return f"{found} {fact['words']}" if found else None


def has_others(fact, kernel):
    found = count(kernel.code, fact["of"])
    return None if found == fact["exactly"] else f"{found} {fact['words']}, not {fact['exactly']}"


def has_it_in_no_loop(fact, kernel):
    figures = [count(loop, fact["of"]) for loop in kernel.loops]
    wanted = fact["some_loop_has"]
    return None if wanted in figures else f"no loop with {wanted} {fact['words']}; the loops have {figures}"


def has_too_few_in_flight(fact, kernel):
    found, least = loads_in_flight(kernel.code), fact["loads_in_flight"]
    return None if found >= least else f"{found} loads before the first use, and {least} are wanted"


def has_other_loops(fact, kernel):
    return None if len(kernel.loops) == fact["loops"] else f"{len(kernel.loops)} loops, not {fact['loops']}"


WRONG = {
    "has": lacks,
    "has_no": has_some,
    "exactly": has_others,
    "some_loop_has": has_it_in_no_loop,
    "loads_in_flight": has_too_few_in_flight,
    "loops": has_other_loops,
}

# The measures that compare pairs of kernels. The lessons state their values.
MEASURES = {
    "loads in flight": lambda kernel: loads_in_flight(kernel.code),
    "instructions in its loop": lambda kernel: min((len(loop) for loop in kernel.loops), default=0),
    "instructions": lambda kernel: len(kernel.code),
    "registers": lambda kernel: kernel.registers,
}


def wrong(fact, kernel):
    """Returns what is wrong with a kernel according to a fact of the manifest, or None."""
    fact = SHARED[fact] if isinstance(fact, str) else fact
    kind = next((kind for kind in WRONG if kind in fact), None)
    if kind is None:
        raise ValueError(f"chapters.json: {fact} is no fact; a fact has one of {', '.join(WRONG)}")
    return WRONG[kind](fact, kernel) if about(fact, kernel) else None


def read(words):
    """Returns the kernels of the chapter, and of the one that it starts from, in all files."""
    # The objects of the host compiler contain no machine code for a GPU.
    # If a chapter has no study, CMake may leave an empty argument in its place.
    files = [str(path) for path in words.files if str(path) != "." and not path.name.endswith((".cpp.o", ".cpp.obj"))]
    # Selects the chapter's own kernels, and its parent's kernels if the files with their machine code are given.
    parent = next((entry.get("parent") for entry in MANIFEST["chapters"] if entry["number"] == words.chapter), None)
    given = {path.name for path in words.files}
    numbers = [words.chapter, *([parent] if f"chapter{parent}.fatbin" in given else [])]
    chapters = [f"--kernel=chapter{number}::" for number in numbers]
    command = [str(words.sass), *files, "--arch=all", "--json=-", *chapters]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return kernels_of(json.loads(done.stdout))


def compared(chapter, kernels):
    """Returns a line for each pair of kernels whose comparison does not hold."""
    found = []
    for pair in CHAPTERS[chapter].get("more", []):
        what, more, less = pair["what"], pair["kernel"], pair["than"]
        for architecture in sorted({k.architecture for k in kernels if about(pair, k)}):
            of_one = [k for k in kernels if k.architecture == architecture]
            both = [next((k for k in of_one if re.search(name, k.name)), None) for name in (more, less)]
            if both[0] is None or both[1] is None:
                continue
            figures = [MEASURES[what](k) for k in both]
            print(f"chapter {chapter}, sm_{architecture}: {figures[0]} {what} in {more}, {figures[1]} in {less}")
            if figures[0] <= figures[1] or figures[1] == 0:
                found.append(
                    f"chapter {chapter}, {both[0].compiler}: {more} has {figures[0]} {what} and {less} "
                    f"{figures[1]}; the lesson says that it has more"
                )
    return found


def figures(chapter, kernels):
    """Returns a line for each of the lesson's figures that differs now. Prints which figures belong to a different
    toolkit and are therefore not compared."""
    found = []
    for entry in CHAPTERS[chapter].get("figures", []):
        for kernel in kernels:
            if not about(entry, kernel) or not re.search(entry["kernel"], kernel.name):
                continue
            figure, what, wanted = MEASURES[entry["what"]](kernel), entry["what"], entry["is"]
            if not kernel.toolkit.startswith(FIGURES_OF):
                print(
                    f"chapter {chapter}, {kernel.compiler}: {figure} {what}; the lesson's {wanted} are of "
                    f"CUDA {FIGURES_OF}x, not compared"
                )
            elif figure != wanted:
                found.append(
                    f"chapter {chapter}, {kernel.compiler}, {kernel.name}: {figure} {what}; the lesson says {wanted}"
                )
    return found


def complaints(chapter, kernels):
    """Returns a line for each fact that does not hold."""
    found = []
    for entry in CHAPTERS[chapter].get("kernels", []):
        mine = [kernel for kernel in kernels if re.search(entry["kernel"], kernel.name)]
        if not mine:
            found.append(f"chapter {chapter}: no machine code of a kernel named {entry['kernel']}")
        for kernel in mine:
            found += [
                f"chapter {chapter}, {kernel.compiler}, {kernel.name}: {fault}"
                for fact in entry["facts"]
                if (fault := wrong(fact, kernel))
            ]
    return found + compared(chapter, kernels) + figures(chapter, kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sass", type=pathlib.Path, required=True, help="the program that reads machine code")
    parser.add_argument("chapter", type=int, choices=sorted(CHAPTERS))
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    try:
        kernels = read(args)
    except (RuntimeError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    found = complaints(args.chapter, kernels)
    print("\n".join(found) if found else f"chapter {args.chapter}: {len(kernels)} functions read, all facts hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
