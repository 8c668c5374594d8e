#!/usr/bin/env python3
"""Checks what the compiler made of a chapter's kernels: facts about their machine code (SASS), without a GPU.

machine_code.py --sass build/bin/sass CHAPTER FILE…

The lessons' sections "In the machine code" say these things in words. What does not hold is told with the compiler and
the architecture, since another compiler may do otherwise: then the lesson has to say so. Exit status: 0 all facts hold;
1 one does not, a kernel is missing, or machine code cannot be read.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

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
    """The kernels of a report of build/bin/sass."""
    found = []
    for kernel in report["kernels"]:
        code = [f"{i['guard']} {i['opcode']} {i['operands']}".strip() for i in kernel["instructions"]]
        numbers = [i["loop"] for i in kernel["instructions"]]
        loops = [[line for line, number in zip(code, numbers) if number == k + 1] for k in range(len(kernel["loops"]))]
        found.append(Kernel(kernel["linker_name"], int(re.sub(r"\D", "", kernel["architecture"])), report["toolkit"],
                            kernel["registers"], code, loops))
    return found


def count(instructions, pattern):
    return sum(re.search(pattern, line) is not None for line in instructions)


def loads_in_flight(instructions):
    """The most loads from global memory that are issued before the result of any of them is used."""
    most, pending, loads = 0, set(), 0
    for line in instructions:
        load = GLOBAL_LOAD.search(line)
        read = line[load.end():] if load else line
        if pending & {int(number) for number in REGISTER.findall(read)} or re.search(r"\b(BRA|EXIT|RET)\b", line):
            most, pending, loads = max(most, loads), set(), 0
        if load:
            words = 4 if ".128" in load[1] else 2 if ".64" in load[1] else 1
            pending |= set(range(int(load[2]), int(load[2]) + words))
            loads += 1
    return max(most, loads)


# A fact is a function of a kernel that returns what is wrong, or None.

def has(pattern, words):
    return lambda kernel: None if count(kernel.code, pattern) else f"no {words}"


def has_no(pattern, words):
    return lambda kernel: f"{count(kernel.code, pattern)} {words}" if count(kernel.code, pattern) else None


def has_exactly(wanted, pattern, words):
    return lambda kernel: (None if count(kernel.code, pattern) == wanted
                           else f"{count(kernel.code, pattern)} {words}, not {wanted}")


def keeps_in_flight(least):
    return lambda kernel: (None if loads_in_flight(kernel.code) >= least else
                           f"{loads_in_flight(kernel.code)} loads before the first use, and {least} are wanted")


def has_loops(wanted):
    return lambda kernel: None if len(kernel.loops) == wanted else f"{len(kernel.loops)} loops, not {wanted}"


def some_loop_has(wanted, pattern, words):
    """Of the loops, one has exactly so many of these instructions."""
    def fact(kernel):
        figures = [count(loop, pattern) for loop in kernel.loops]
        return None if wanted in figures else f"no loop with {wanted} {words}; the loops have {figures}"
    return fact


def on(architectures, fact):
    """A fact of some architectures only."""
    return lambda kernel: fact(kernel) if kernel.architecture in architectures else None


LATER = range(80, 1000)  # Ampere and everything after it
NO_LOCAL = has_no(r"\b(LDL|STL)\b", "accesses to local memory")
ONE_BARRIER = has_exactly(1, r"\bBAR\.SYNC\b", "block barriers (BAR.SYNC)")
TWO_BARRIERS = has_exactly(2, r"\bBAR\.SYNC\b", "block barriers (BAR.SYNC)")
NO_SHARED = has_no(r"\b(LDS|STS)\b", "accesses to shared memory")
WIDE = has(r"\bLDG\.E\.128\b", "load of 16 bytes (LDG.E.128)")
# A remainder by a number that only the run knows: by way of a reciprocal in floating point.
RECIPROCAL = r"\b(MUFU\.RCP|I2F|F2I)\b"
ONE_BRANCH = some_loop_has(1, r"\bBRA\b", "branches: the test of the index is a predicate")
PREDICATED_STORE = some_loop_has(1, r"^@\S+ STS\b", "shared stores with a predicate")
WIDE_ONCE = has(r"\bLDG\.E\.(EF\.)?128\b", "load of 16 bytes (LDG.E.128, LDG.E.EF.128)")

# Chapter: for each kernel, by a regular expression for its linker name, what must hold.
FACTS = {
    1: {"8solution18reduce_interleavedI[ijxfd]": [
        some_loop_has(3, RECIPROCAL, "instructions of a division (I2F, MUFU.RCP, F2I)"), ONE_BRANCH, PREDICATED_STORE]},
    2: {"8solution14reduce_strided": [has_no(RECIPROCAL, "instructions of a division"), has_loops(1)],
        # Not for 64-bit integers, whose addition is two instructions.
        "8solution14reduce_stridedI[ijfd]": [ONE_BRANCH, PREDICATED_STORE]},
    3: {"8solution17reduce_sequential": [has_loops(1), ONE_BRANCH, PREDICATED_STORE,
                                         some_loop_has(1, r"\bSHF\.R\b|\bUSHF\.R\b", "shifts of the stride")]},
    # Two loads, each with a predicate in the place of a branch, and both on their way before the first is used.
    4: {"8solution16reduce_first_add": [has_exactly(2, r"^@\S+ LDG\.", "loads with a predicate"), keeps_in_flight(2),
                                        has_loops(1)]},
    5: {"8solution20reduce_unrolled_warp": [
        has_loops(1), TWO_BARRIERS, some_loop_has(1, r"\bBAR\.SYNC\b", "block barriers"),
        # What __syncwarp becomes: a test whether the warp is in one piece, with a way round for where it is not.
        on({75, 80}, has(r"\bBRA\.CONV\b", "test whether the warp is in one piece (BRA.CONV)")),
        on({90}, has(r"\bBRA\.DIV\b", "test whether the warp is in one piece (BRA.DIV)"))]},
    6: {"8solution15reduce_unrolled": [has_loops(0)],
        "8solution15reduce_unrolledILj128E": [TWO_BARRIERS]},
    7: {"8solution22reduce_many_per_thread": [has_loops(1), keeps_in_flight(2),
                                              some_loop_has(2, r"\bLDG\b", "loads from global memory")]},
    8: {"reduce_vector_loads": [WIDE, keeps_in_flight(2), NO_LOCAL, has_loops(1),
                                some_loop_has(2, r"\bLDG\.E\.128\b", "loads of 16 bytes (LDG.E.128)")]},
    9: {
        "reduce_shuffles": [WIDE, keeps_in_flight(2), NO_LOCAL, ONE_BARRIER],
        # Sums of 32-bit integers in one instruction, everything else by shuffles.
        "reduce_shufflesI[ij]": [on(LATER, has(r"\bREDUX\b", "reduction of a warp (REDUX)")),
                                 on(LATER, has_no(r"\bSHFL\b", "shuffles")),
                                 on({75}, has(r"\bSHFL\.DOWN\b", "shuffle (SHFL.DOWN)")),
                                 on({75}, has_no(r"\bREDUX\b", "reductions of a warp, which sm_75 does not have"))],
        "reduce_shufflesI[xfd]": [has(r"\bSHFL\.DOWN\b", "shuffle (SHFL.DOWN)")],
    },
    10: {
        "8solution6gather": [NO_LOCAL, has(r"\bLDS\b", "load of shared memory (LDS)")],
        "gather_(static|unrolled|by_selects)": [NO_LOCAL, NO_SHARED],
        "gather_from_warp": [NO_LOCAL, NO_SHARED, has(r"\bSHFL\.IDX\b", "shuffle (SHFL.IDX)")],
        # The fill and the accesses: what the emulator counts is what the machine runs.
        "gather_(uniform|local)": [has(r"\bLDL\b", "load of local memory (LDL)"), has(r"\bSTL\.128\b", "STL.128")],
    },
    11: {
        "8solution12largest_sums": [NO_LOCAL, WIDE],
        "bounded": [NO_LOCAL],
        "bounded.*wide_both": [WIDE],
    },
    12: {"8solution17reduce_last_block": [
        has_exactly(1, r"\bATOM", "atomic operations"), has(r"\bATOMG\.E\.INC\b", "ticket (ATOMG.E.INC)"),
        has_exactly(2, r"\bMEMBAR\.\S*GPU\b", "fences (MEMBAR)"),
        has_exactly(3, r"\bBAR\.SYNC\b", "block barriers (BAR.SYNC)"), WIDE, NO_LOCAL]},
    13: {
        # Of the instances of one pipeline, those with 2 and 4 loads of each array are launched.
        "reduce_one_launchILj[24].*squared_differences": [NO_LOCAL, WIDE_ONCE, keeps_in_flight(4)],
        "reduce_one_launchILj[24].*zip_transform_view": [NO_LOCAL, WIDE_ONCE, keeps_in_flight(4)],
        "reduce_one_launchILj[24].*filter_view": [WIDE_ONCE, keeps_in_flight(2)],
        "distance_by_hand": [NO_LOCAL, WIDE, keeps_in_flight(4)],
        # The numbers come from no memory: what is loaded is the other blocks' sums.
        "(reduce_one_launchILj4.*iota_view|iota_by_hand)": [
            NO_LOCAL, has_no(r"\bLDG\.\S*128\b", "loads of 16 bytes")],
    },
}


def loads(kernel):
    return loads_in_flight(kernel.code)


def shortest_loop(kernel):
    return min((len(loop) for loop in kernel.loops), default=0)


def size(kernel):
    return len(kernel.code)


def registers(kernel):
    return kernel.registers


# Chapter: pairs of kernels, of which the first has more of something than the second, on the same architecture. A pair
# is compared where the files hold both.
MORE = {
    2: [("instructions in its loop", shortest_loop, "18reduce_interleavedIi", "14reduce_stridedIi", {75, 80, 90})],
    3: [("instructions in its loop", shortest_loop, "14reduce_stridedIi", "17reduce_sequentialIi", {75, 80, 90})],
    4: [("loads in flight", loads, "16reduce_first_addIi", "17reduce_sequentialIi", {75, 80, 90})],
    6: [("instructions", size, "20reduce_unrolled_warpIi", "15reduce_unrolledILj128EiE", {75, 80, 90})],
    9: [("instructions", size, "19reduce_vector_loadsILj128EiE", "15reduce_shufflesIi", LATER),
        ("instructions", size, "15reduce_shufflesIi", "19reduce_vector_loadsILj128EiE", {75})],
    11: [("loads in flight", loads, "7boundedI.*4baseELj1024ELj1Ed", "9unboundedI.*4baseEd", {90}),
         ("loads in flight", loads, "7boundedI.*10wide_smallELj1024ELj1Ed", "9unboundedI.*10wide_smallEd", {90}),
         ("loads in flight", loads, "7boundedI.*9wide_bothELj1024ELj1Ed", "9unboundedI.*9wide_bothEd", {90}),
         ("registers", registers, "7boundedI.*4baseELj512ELj2Ed", "9unboundedI.*4baseEd", LATER),
         ("registers", registers, "7boundedI.*9wide_bothELj512ELj2Ed", "9unboundedI.*9wide_bothEd", LATER)],
}
# Figures that the lessons' words give for architectures which their listings do not show, as this toolkit makes them:
# by linker name and architecture. Those of another toolkit are not compared, and that is said.
FIGURES_OF = "13.0."
FIGURES = {
    1: [("18reduce_interleavedIi", a, "instructions in its loop", shortest_loop, 28) for a in (75, 80, 90)],
    2: [("14reduce_stridedIi", a, "instructions in its loop", shortest_loop, 12) for a in (75, 80)],
    3: [("17reduce_sequentialIi", a, "instructions in its loop", shortest_loop, 10) for a in (75, 80, 90)],
    5: [("20reduce_unrolled_warpIi", 75, "instructions", size, 129),
        ("20reduce_unrolled_warpIi", 90, "instructions", size, 154)],
    7: [("22reduce_many_per_threadILj128EiE", 75, "instructions in its loop", shortest_loop, 12)],
    8: [("19reduce_vector_loadsILj128EiE", 90, "instructions in its loop", shortest_loop, 18)],
}


def read(words):
    """The kernels of the chapter, and of the one before it, in all files."""
    # A library's objects from the host compiler hold no machine code for a GPU.
    # Where a chapter has no study, CMake may leave an empty word in its place.
    files = [str(path) for path in words.files if str(path) != "." and not path.name.endswith((".cpp.o", ".cpp.obj"))]
    chapters = [f"--kernel=chapter{number}::" for number in (words.chapter, words.chapter - 1)]
    command = [str(words.sass), *files, "--arch=all", "--json=-", *chapters]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return kernels_of(json.loads(done.stdout))


def compared(chapter, kernels):
    """Returns what does not hold of pairs of kernels, one line each."""
    found = []
    for what, figure, more, less, architectures in MORE.get(chapter, []):
        for architecture in sorted({k.architecture for k in kernels if k.architecture in architectures}):
            both = [next((k for k in kernels if k.architecture == architecture and re.search(name, k.name)), None)
                    for name in (more, less)]
            if None in both:
                continue
            figures = [figure(k) for k in both]
            print(f"chapter {chapter}, sm_{architecture}: {figures[0]} {what} in {more}, {figures[1]} in {less}")
            if figures[0] <= figures[1] or figures[1] == 0:
                found.append(f"chapter {chapter}, {both[0].compiler}: {more} has {figures[0]} {what} and {less} "
                             f"{figures[1]}; the lesson says that it has more")
    return found


def figures(chapter, kernels):
    """Returns which of the lesson's figures are other ones now, one line each."""
    found = []
    for name, architecture, what, figure, wanted in FIGURES.get(chapter, []):
        for kernel in kernels:
            if kernel.architecture != architecture or not re.search(name, kernel.name):
                continue
            if not kernel.toolkit.startswith(FIGURES_OF):
                print(f"chapter {chapter}, {kernel.compiler}: {figure(kernel)} {what}; the lesson's {wanted} are of "
                      f"CUDA {FIGURES_OF}x, not compared")
            elif figure(kernel) != wanted:
                found.append(f"chapter {chapter}, {kernel.compiler}, {kernel.name}: {figure(kernel)} {what}; "
                             f"the lesson says {wanted}")
    return found


def complaints(chapter, kernels):
    """Returns what does not hold, one line each."""
    found = []
    for name, facts in FACTS[chapter].items():
        mine = [kernel for kernel in kernels if re.search(name, kernel.name)]
        if not mine:
            found.append(f"chapter {chapter}: no machine code of a kernel named {name}")
        for kernel in mine:
            found += [f"chapter {chapter}, {kernel.compiler}, {kernel.name}: {wrong}"
                      for fact in facts if (wrong := fact(kernel))]
    return found + compared(chapter, kernels) + figures(chapter, kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sass", type=pathlib.Path, required=True, help="the program that reads machine code")
    parser.add_argument("chapter", type=int, choices=sorted(FACTS))
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    words = parser.parse_args()
    try:
        kernels = read(words)
    except (RuntimeError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    wrong = complaints(words.chapter, kernels)
    print("\n".join(wrong) if wrong else f"chapter {words.chapter}: {len(kernels)} functions read, all facts hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
