#!/usr/bin/env python3
"""Makes the exercises from the solutions, and says whether an exercise has been touched.

generate.py --check            exit 1 where an exercise differs from what the solutions give (for the authors)
generate.py --write N|all      write exercises anew; one that has been edited is kept beside it as *.cuh.bak
generate.py --attempted-header N FILE   write a header that says whether chapter N's exercise differs from the start
generate.py --guards           check the conventions: tasks, hints, step sizes, no unknown folders
"""

import argparse
import difflib
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEP_WARNS, STEP_FAILS = 20, 40

# Chapter: what to do, and the line of the starting kernel above which the task stands.
TASKS = {
    0: ("let one thread add up all n elements.", None),
    1: (
        "reduce the tile to tile[0]: in step s, threads whose number is a multiple of 2s add what stands s further on.",
        None,
    ),
    2: (
        "let neighbouring threads do the work, so that whole warps are active or idle.",
        "  for (unsigned stride = 1;",
    ),
    3: ("turn the loop round, so that a warp touches neighbouring words.", "  for (unsigned stride = 1;"),
    4: ("let every thread load two elements and add them at once, with half the blocks.", "  // Load:"),
    5: (
        "stop the loop when one warp is left, and finish there with __syncwarp instead of __syncthreads.",
        "  for (unsigned stride =",
    ),
    6: ("make the block size a template argument and unroll every step.", "  // Reduce in the block"),
    7: ("let a grid of fixed size stride over the input, so that one tree serves many elements.", "  // Load:"),
    8: ("load 16 bytes with one instruction wherever the address allows it.", "  // Load:"),
    9: (
        "let lanes add from each other's registers, with one word of shared memory a warp and one barrier a block.",
        "  // Reduce in the block",
    ),
    10: ("let every private array stand in shared memory, in a bank of its own.", None),
    11: ("load both arrays 16 bytes at a time, and tell the compiler how the kernel is launched.", None),
    14: ("sum the warp in two steps instead of five, with shuffles that do not wait for each other.", None),
    12: ("let the last block to finish add up what all blocks have left, so that one launch is enough.", None),
    13: ("let the differences and squares be a range that is evaluated and summed in one launch.", None),
}

# Chapters that set kernels side by side; they start from their own solution, and no step leads to them.
STUDIES = {10, 11, 13, 14}

# Rungs that start from their own solution with a gap: the step before them is not the chapter before.
OWN_START = {12}

# Steps between solutions that are larger than the budget, and why.
LARGE_STEPS = {
    6: "every step of the tree is written out, and every block size has a line in the dispatch",
    8: "a vector and its load, a path for whole vectors and one for what they leave at both ends",
    9: "the tree in shared memory goes, and with it a kernel for each block size; any operator takes the place of +",
}


def folders(base):
    return {int(p.name[:2]): p for p in sorted((ROOT / base).iterdir()) if p.is_dir() and re.match(r"\d\d_", p.name)}


def file_name(number):
    """The file that a student edits: reduce.cuh, or NAME.cuh in a chapter that is no rung of the ladder."""
    return f"{folders('solutions')[number].name[3:]}.cuh" if number in STUDIES else "reduce.cuh"


def solution_text(number):
    return (folders("solutions")[number] / file_name(number)).read_text(encoding="utf-8")


def without_markers(text):
    """What a reader of the solution sees: no marker lines, no text of the exercise."""
    return re.sub(
        r"^ *// exercise: begin\n(.*?)(^ *// exercise: instead\n.*?)?^ *// exercise: end\n",
        r"\1",
        text,
        flags=re.S | re.M,
    )


def wrapped_task(number, words, indent="  "):
    lines, line = [], f"{indent}// TODO(chapter {number}):"
    for word in words.split():
        if len(line) + 1 + len(word) > 118:
            lines.append(line)
            line = f"{indent}//"
        line += " " + word
    return "\n".join(lines + [line])


def gap(number, region, words):
    """The lines that stand where a region was: the task, or, without words, that this belongs to it."""
    indent = re.match(" *", region)[0]
    return wrapped_task(number, words or "this belongs to it.", indent) + "\n"


def exercise_text(number):
    words, anchor = TASKS[number]
    if anchor is None:
        # The task stands at the first gap; at the others, only that they belong to it.
        tasks = itertools.chain([words], itertools.repeat(None))
        text = re.sub(
            r"^ *// exercise: begin\n(.*?)(?:^ *// exercise: instead\n(.*?))?^ *// exercise: end\n",
            lambda m: gap(number, m[0], next(tasks)) + re.sub(r"^( *)// ", r"\1", m.group(2) or "", flags=re.M),
            solution_text(number),
            flags=re.S | re.M,
        )
        text = text.replace(f"chapter{number}::solution", f"chapter{number}::exercise")
    else:
        text = without_markers(solution_text(number - 1))
        text = text.replace(f"chapter{number - 1}::solution", f"chapter{number}::exercise")
        lines = text.split("\n")
        at = next(k for k, line in enumerate(lines) if line.startswith(anchor))
        lines.insert(at, wrapped_task(number, words))
        text = "\n".join(lines)
    first = f"/// Chapter {number}, your kernel: {words}"
    return re.sub(
        r"^/// Chapter \d+:.*$",
        first if len(first) <= 118 else f"/// Chapter {number}, your kernel. The task stands below.",
        text,
        count=1,
        flags=re.M,
    )


def exercise_path(number):
    return folders("chapters")[number] / file_name(number)


def same(a, b):
    return re.sub(r"\s+", " ", a) == re.sub(r"\s+", " ", b)


# The exit status of --check where an exercise is not as generated: ctest takes it as a skip, and CI no skip.
EDITED = 77


def step_size(number):
    def code(n):
        lines = without_markers(solution_text(n)).split("\n")
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("//")]

    return sum(
        line[0] in "+-" and line[:3] not in ("+++", "---")
        for line in difflib.unified_diff(code(number - 1), code(number), n=0)
    )


def guards():
    complaints, warnings = [], []
    chapters, solutions = folders("chapters"), folders("solutions")
    if set(chapters) != set(TASKS) or set(solutions) != set(TASKS):
        complaints.append(
            f"chapters/, solutions/ and the table of tasks must name the same chapters: "
            f"{sorted(chapters)}, {sorted(solutions)}"
        )
    for number, folder in chapters.items():
        if number in solutions and folder.name != solutions[number].name:
            complaints.append(f"{folder.name} and {solutions[number].name} are one chapter with two names")
        hints = folder / "hints.md"
        if not hints.exists() or hints.read_text(encoding="utf-8").count("## Hint") < 3:
            complaints.append(f"chapters/{folder.name}/hints.md needs three hints, each under `## Hint`")
        if f"TODO(chapter {number})" not in exercise_text(number):
            complaints.append(f"the exercise of chapter {number} has no task in it")
    for number in sorted(set(solutions) - {0, 1} - STUDIES - OWN_START):
        size = step_size(number)
        if size > STEP_FAILS and number not in LARGE_STEPS:
            complaints.append(
                f"chapter {number} changes {size} lines of chapter {number - 1}; {STEP_FAILS} is "
                f"the most without a reason"
            )
        elif size > STEP_WARNS:
            warnings.append(
                f"chapter {number} changes {size} lines"
                + (f" ({LARGE_STEPS[number]})" if number in LARGE_STEPS else "")
            )
    for line in warnings:
        print(f"note: {line}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--guards", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--attempted-header", nargs=2, metavar=("N", "FILE"))
    words = parser.parse_args()
    complaints = []
    if words.write:
        for number in sorted(TASKS) if words.write == "all" else [int(words.write)]:
            path = exercise_path(number)
            if path.exists() and not same(path.read_text(encoding="utf-8"), exercise_text(number)):
                path.replace(path.with_suffix(".cuh.bak"))
            path.write_text(exercise_text(number), encoding="utf-8")
    if words.attempted_header:
        number = int(words.attempted_header[0])
        touched = not same(exercise_path(number).read_text(encoding="utf-8"), exercise_text(number))
        value = str(touched).lower()
        text = f"#pragma once\nnamespace chapter{number} {{\ninline constexpr bool attempted = {value};\n}}\n"
        out = pathlib.Path(words.attempted_header[1])
        out.parent.mkdir(parents=True, exist_ok=True)
        if not out.exists() or out.read_text(encoding="utf-8") != text:
            out.write_text(text, encoding="utf-8")
    edited = []
    if words.check:
        for number in sorted(TASKS):
            if not same(exercise_path(number).read_text(encoding="utf-8"), exercise_text(number)):
                edited.append(str(exercise_path(number).relative_to(ROOT)))
    if words.guards:
        complaints += guards()
    for line in complaints:
        print(line, file=sys.stderr)
    if edited:
        print(
            f"Edited, so not compared with what the solutions give: {', '.join(edited)}. Where that is your work on "
            f"the exercise, all is well; where a solution has changed, run `make generate`.",
            file=sys.stderr,
        )
    return 1 if complaints else EDITED if edited else 0


if __name__ == "__main__":
    sys.exit(main())
