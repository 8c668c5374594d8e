#!/usr/bin/env python3
"""Checks what the compiler made of a chapter's kernels: facts about their machine code (SASS), without a GPU.

machine_code.py --cuobjdump FILE --nvdisasm FILE [--architecture sm_90] CHAPTER OBJECT…

Exit status: 0 all facts hold; 1 one does not, a kernel is missing, or a program that reads machine code is.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"^\s*Function : (\S+)")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;")
REGISTER = re.compile(r"\bR(\d+)(?:\.64)?\b")
GLOBAL_LOAD = re.compile(r"\bLDG\.(\S+) R(\d+),")


def functions_of(text):
    """Returns the instructions of each function in cuobjdump's output, by mangled name."""
    found, current = {}, None
    for line in text.split("\n"):
        if match := FUNCTION.match(line):
            current = found.setdefault(match[1], [])
        elif current is not None and (match := INSTRUCTION.match(line)):
            current.append(match[1])
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


def has(pattern, words):
    return lambda code: None if count(code, pattern) else f"no {words}"


def has_no(pattern, words):
    return lambda code: f"{count(code, pattern)} {words}" if count(code, pattern) else None


def has_exactly(wanted, pattern, words):
    return lambda code: None if count(code, pattern) == wanted else f"{count(code, pattern)} {words}, not {wanted}"


def keeps_in_flight(least):
    return lambda code: (None if loads_in_flight(code) >= least else
                         f"{loads_in_flight(code)} loads before the first use, and {least} are wanted")


NO_LOCAL = has_no(r"\b(LDL|STL)\b", "accesses to local memory")
ONE_BARRIER = has_exactly(1, r"\bBAR\.SYNC\b", "block barriers (BAR.SYNC)")
NO_SHARED = has_no(r"\b(LDS|STS)\b", "accesses to shared memory")
WIDE = has(r"\bLDG\.E\.128\b", "load of 16 bytes (LDG.E.128)")
WIDE_ONCE = has(r"\bLDG\.E\.(EF\.)?128\b", "load of 16 bytes (LDG.E.128, LDG.E.EF.128)")

# Chapter: for each kernel, by a regular expression for its mangled name, what must hold. A fact is a function of the
# instructions that returns what is wrong, or None.
FACTS = {
    8: {"reduce_vector_loads": [WIDE, keeps_in_flight(2), NO_LOCAL]},
    9: {
        "reduce_shuffles": [WIDE, keeps_in_flight(2), NO_LOCAL, ONE_BARRIER],
        # Sums of 32-bit integers in one instruction, everything else by shuffles.
        "reduce_shufflesI[ij]": [has(r"\bREDUX\b", "reduction of a warp (REDUX)"), has_no(r"\bSHFL\b", "shuffles")],
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
    13: {
        # Of the instances of one pipeline, those with 2 and 4 loads of each array are launched.
        "reduce_one_launchILj[24].*squared_differences": [NO_LOCAL, WIDE_ONCE, keeps_in_flight(4)],
        "reduce_one_launchILj[24].*zip_transform_view": [NO_LOCAL, WIDE_ONCE, keeps_in_flight(4)],
        "reduce_one_launchILj[24].*filter_view": [WIDE_ONCE, keeps_in_flight(2)],
        "distance_by_hand": [NO_LOCAL, WIDE, keeps_in_flight(4)],
        # The numbers come from no memory: what is loaded is the other blocks' sums.
        "(reduce_one_launchILj4.*iota_view|iota_by_hand)": [NO_LOCAL, has_no(r"\bLDG\.\S*128\b", "loads of 16 bytes")],
    },
}

# Chapter: pairs of kernels, of which the first keeps more loads in flight than the second (one instance each).
MORE_IN_FLIGHT = {
    11: [("7boundedI.*4baseELj1024ELj1Ed", "9unboundedI.*4baseEd"),
         ("7boundedI.*10wide_smallELj1024ELj1Ed", "9unboundedI.*10wide_smallEd"),
         ("7boundedI.*9wide_bothELj1024ELj1Ed", "9unboundedI.*9wide_bothEd")],
}


def disassembly(words, path):
    environment = dict(os.environ)
    # cuobjdump starts nvdisasm by name.
    environment["PATH"] = str(words.nvdisasm.parent) + os.pathsep + environment.get("PATH", "")
    done = subprocess.run([str(words.cuobjdump), "-sass", "-arch", words.architecture, str(path)],
                          capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{words.cuobjdump} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def complaints(chapter, functions):
    """Returns what does not hold, one line each."""
    found = []
    for kernel, facts in FACTS[chapter].items():
        mine = {name: code for name, code in functions.items() if re.search(kernel, name)}
        if not mine:
            found.append(f"chapter {chapter}: no machine code of a kernel named {kernel}")
        for name, code in mine.items():
            found += [f"chapter {chapter}, {name}: {wrong}" for fact in facts if (wrong := fact(code))]
    for pair in MORE_IN_FLIGHT.get(chapter, []):
        loads = [max((loads_in_flight(code) for name, code in functions.items() if re.search(kernel, name)), default=0)
                 for kernel in pair]
        print(f"chapter {chapter}: {loads[0]} loads in flight in {pair[0]}, {loads[1]} in {pair[1]}")
        if loads[0] <= loads[1] or loads[1] == 0:
            found.append(f"chapter {chapter}: {pair[0]} does not keep more loads in flight than {pair[1]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cuobjdump", type=pathlib.Path, required=True)
    parser.add_argument("--nvdisasm", type=pathlib.Path, required=True)
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("chapter", type=int, choices=sorted(FACTS))
    parser.add_argument("objects", nargs="+", type=pathlib.Path)
    words = parser.parse_args()
    for program in (words.cuobjdump, words.nvdisasm):
        if not os.access(program, os.X_OK):
            print(f"{program}: this program is needed to read machine code, and it is not there. "
                  "`sh common/tools/bootstrap/bootstrap.sh sass` installs it into the build folder; then run CMake.",
                  file=sys.stderr)
            return 1
    try:
        functions = {}
        # A library's objects from the host compiler hold no machine code for a GPU.
        for path in [path for path in words.objects if not path.name.endswith((".cpp.o", ".cpp.obj"))]:
            functions |= functions_of(disassembly(words, path))
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    wrong = complaints(words.chapter, functions)
    print("\n".join(wrong) if wrong else f"chapter {words.chapter}: {len(functions)} functions, all facts hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
