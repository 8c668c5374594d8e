#!/usr/bin/env python3
"""Writes docs/coverage.md from the comments of the test programs: coverage.py [--check]

With --check it writes nothing, and exits with 1 if the page differs from what it would write.
"""

import pathlib
import sys

from check_program import promises_of

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "coverage.md"
GROUPS = {
    "classics": "Classics of CUDA courses",
    "types": "Types",
    "functions": "Device functions",
    "device library": "What kernels call",
    "host": "What the host calls",
    "devices": "Several devices",
    "libcu++": "libcu++",
    "CUB": "CUB",
    "Thrust": "Thrust",
}
HEAD = """# What `emulate` runs

Each row with a program in `tests/kernels/programs/` shows a feature. A test runs the program, by default with all
checks except the one for leaks. A program that "runs" has to compute the right result, which it checks itself, and must
have exactly the findings that it demonstrates, or none. One that is "refused" must get an error that names the feature.
"Counts" is the number of counters whose value is derived by hand in the program's comments and compared with the
emulator's. Features that are not listed may work, too. If the emulator lacks an instruction, it reports an error with
its name, the kernel and the source line.

This page is written by `python3 tests/kernels/programs/coverage.py`.
"""


TEXTURES = """
## Textures and surfaces: what is counted and checked

An instruction on a texture or surface counts as one executed instruction with its active lanes, like any other.
Sectors and requests of textures are not counted, because they depend on how a GPU lays out an array, which NVIDIA does
not document. A fetch does not count as a load of global memory.

We check the object, its memory, its type and the edge of a surface. If one stream writes a texture while another one
fetches from it without any order between them, this is a stream race on the whole texture. We don't check for reads of
unwritten texels. We also don't check if a thread writes a texel that other threads of the same kernel read, which the
programming guide leaves undefined.

264 forms of accesses were compared with an H100 (`tests/data/texture_forms_h100.json`). 174 of them give the same bits.
Filtered values differ by at most 1/284 of the texels' range. The H100 does not notice two mistakes that the emulator
reports: the use of a destroyed surface, and a surface of an array that was not made for surfaces.

Refused by name: cubemaps, mipmaps, gathers, derivatives, sRGB, views, textures as references, separate samplers.
"""

MATRICES = """
## Matrices on tensor cores: what is counted and checked

| | shapes | what |
| --- | --- | --- |
| `wmma`: half, bfloat16, int8, uint8 | m16n16k16, m32n8k16, m8n32k16 | both layouts, strides, all sums, saturation |
| `wmma`: tf32; double | m16n16k8; m8n8k4 | as above; all rounding modes of double |
| `mma.sync`: half, bfloat16 | m16n8k8, m16n8k16 | sums of halves or floats |
| `mma.sync`: tf32 | m16n8k4, m16n8k8 | |
| `mma.sync`: double | m8n8k4, m16n8k4, m16n8k8, m16n8k16 | all rounding modes |
| `mma.sync`: int8 and uint8, mixed | m8n8k16, m16n8k16, m16n8k32 | saturation |
| `ldmatrix`, `stmatrix` | m8n8, x1, x2, x4 | with `.trans` and without |
| `movmatrix` | m8n8 | |

385 forms give the same results as an H100, bit for bit (`tests/data/matrix_forms_h100.json`). CUDA's documents don't
say which elements of a `wmma` fragment a lane has. Here, a lane has the same elements as on an H100.

A product counts as one executed instruction, and as nothing else. An `ldmatrix` or `stmatrix` is one access of up to 32
rows of 16 bytes, 8 of which are served at once. A `wmma` load or store counts as the accesses in the machine code that
CUDA 13.0 makes from it for compute capability 9.0 (`tests/data/matrix_requests_sm90.json`). 16-bit factors in shared
memory are loaded as by an `ldmatrix`, and so are 8-bit factors if neighbours in memory are neighbours in a register.
Everything else is loaded as words or elements by lanes. Races, bounds and unwritten memory are checked for these
accesses, and the lane that names a row is the one that reads it. We also check that all 32 lanes take part, that they
give `wmma` the same pointer and the same stride, and that these are aligned as the manual or the programming guide
requires.

Refused by name: sparse matrices (`mma.sp`), elements of 1 or 4 bits, 8-bit floating-point numbers, m8n8k4 of halves,
`ldmatrix` of other shapes, `wgmma`.
"""

CLUSTERS = """
## Clusters and bulk copies: what is run and what is refused

The emulator runs the following:

- clusters of up to 8 blocks, or of 16 if the kernel allows it, by `__cluster_dims__`, launch attribute or required
  width
- `barrier.cluster` (release, acquire, relaxed, aligned), `mapa`, `getctarank`, `isspacep`
- loads, stores and atomics on `shared::cluster` and generic addresses
- arrivals and bytes on another block's `mbarrier`
- `cp.async.bulk` from global to shared memory, from shared memory to that of a block of the cluster, and back to global
  memory

Refused by name: copies by tensor maps (`cp.async.bulk.tensor`), copies to several blocks at once
(`.multicast::cluster`), reductions by copies (`cp.reduce.async.bulk`), `st.async` and `red.async`,
`cudaOccupancyMaxActiveClusters`.

The histogram, the reduction, the pipeline, the ring, the refusals (except `__cluster_dims__()`, which was not tried
there) and the block that has exited print the same on an H100 as here (driver 580.159.04, CUDA 13.0, 2026-11-25,
`nvcc -std=c++20 -arch=sm_90`).
"""


def what_of(program):
    """Returns (group, what, refused, number of counts) of a program. Raises ValueError if its comments are wrong."""
    promises = promises_of(program.read_text())
    said = [(line, False) for line in promises["covers"]] + [(line, True) for line in promises["refuses"]]
    if len(said) != 1 or said[0][0].count("|") != 1:
        raise ValueError(f"{program.name}: wanted one line '// covers: GROUP | WHAT'")
    group, what = (part.strip() for part in said[0][0].split("|"))
    if group not in GROUPS:
        raise ValueError(f"{program.name}: there is no group '{group}'")
    return group, what, said[0][1], len(promises["count"])


def page(programs):
    """Returns the text of the page."""
    rows: dict[str, list[str]] = {group: [] for group in GROUPS}
    for program in programs:
        group, what, refused, counts = what_of(program)
        name = f"[{program.name}](../{program.relative_to(HERE.parents[2]).as_posix()})"
        rows[group].append(f"| {what} | {'refused' if refused else 'runs'} | {counts or ''} | {name} |\n")
    parts = [HEAD]
    for group, title in GROUPS.items():
        if rows[group]:
            parts.append(f"\n## {title}\n\n| what | | counts | program |\n| --- | --- | --- | --- |\n")
            parts.extend(rows[group])
    return "".join(parts) + MATRICES + TEXTURES + CLUSTERS


def main(arguments):
    programs = sorted([*HERE.glob("classics/*.cu"), *HERE.glob("features/*.cu"), *HERE.glob("devices/*.cu")])
    try:
        text = page(programs)
    except ValueError as error:
        print(error)
        return 1
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print("docs/coverage.md is stale: python3 tests/kernels/programs/coverage.py writes it again")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
