"""The drawing of how-a-gpu-works.md: the parts of a GPU, and the latencies of its memories from a machine's record."""

from __future__ import annotations

import pathlib

from book import records
from plots.drawings.svg import Canvas

WIDTH, EDGE, INSIDE = 400, 10, 24  # as wide as a phone
SCHEDULERS = 4  # per streaming multiprocessor, since Volta
PER_ROW = 22
LANE_BYTES = 32 * 4  # the bytes that a warp loads with one instruction, 4 per lane
WORDS, SMALL = 12, 11
MACHINE, COPIES = "machine_h200.json", "host_and_device_h200.json"


def rate_in_words(gb_per_s: float) -> str:
    return f"{gb_per_s / 1e3:.1f} TB/s" if gb_per_s >= 1e3 else f"{gb_per_s:.0f} GB/s"


def wait(canvas: Canvas, y: float, cycles: float, longest: float, words: str) -> float:
    """Draws a bar whose length is the latency of a load from this memory, with text below it. Returns the y after
    it."""
    room = WIDTH - 2 * INSIDE
    canvas.box(INSIDE, y, max(2.0, room * cycles / longest), 7, "orange")
    canvas.text(INSIDE, y + 20, words, SMALL)
    return y + 30


def multiprocessors(canvas: Canvas, y: float, count: int) -> float:
    """Draws a square for each multiprocessor. The first one is shown in full below."""
    pitch = (WIDTH - 2 * INSIDE) / PER_ROW
    for k in range(count):
        row, column = divmod(k, PER_ROW)
        fill = "blue" if k == 0 else "grid"
        canvas.box(INSIDE + column * pitch, y + row * pitch, pitch - 3, pitch - 3, fill, None if k == 0 else "faint")
    return y + (count + PER_ROW - 1) // PER_ROW * pitch


def one_multiprocessor(canvas: Canvas, y: float, machine: records.Record) -> float:
    """Draws a multiprocessor's schedulers with their warps, its registers, and its own memory."""
    device, latencies, top = machine["device"], machine["latencies"], y
    canvas.text(INSIDE, y + 20, "one streaming multiprocessor (SM)", WORDS, bold=True)
    y += 30
    width = (WIDTH - 2 * INSIDE) / SCHEDULERS
    warps = device["warps_per_multiprocessor"] // SCHEDULERS
    registers = 4 * device["registers_per_multiprocessor"] // SCHEDULERS
    for k in range(SCHEDULERS):
        x = INSIDE + k * width
        canvas.box(x, y, width - 6, 102, "grid", "faint")
        canvas.text(x + width / 2 - 3, y + 16, "scheduler", WORDS, "ink", "middle")
        for warp in range(warps):
            row, column = divmod(warp, 8)
            canvas.box(x + 6 + column * (width - 18) / 8, y + 25 + row * 13, (width - 18) / 8 - 2, 10, "green")
        canvas.text(x + width / 2 - 3, y + 66, f"{warps} warps", SMALL, "ink", "middle")
        canvas.text(x + width / 2 - 3, y + 80, "registers:", SMALL, "ink", "middle")
        canvas.text(x + width / 2 - 3, y + 92, records.size(registers, ".0f"), SMALL, "ink", "middle")
    y += 122
    longest = latencies["dram"]["cycles"]
    size = records.size(device["shared_bytes_per_multiprocessor"], ".0f")
    canvas.text(INSIDE, y, f"shared memory, up to {size}; the rest is L1", WORDS)
    y = wait(canvas, y + 8, latencies["shared_cycles"], longest, f"shared: {latencies['shared_cycles']:.0f} cycles")
    y = wait(canvas, y, latencies["l1"]["cycles"], longest, f"L1: {latencies['l1']['cycles']:.0f} cycles")
    alone = next(row for row in machine["shared"] if row["degree"] == 1)["loads_per_cycle"]
    all_of_them = alone * LANE_BYTES * device["multiprocessors"] * device["clock_mhz"] / 1e3
    canvas.text(INSIDE, y + 6, f"all shared memories together: {rate_in_words(all_of_them)}", SMALL)
    y += 20
    canvas.box(EDGE, top, WIDTH - 2 * EDGE, y - top, None, "blue")
    return y


def level(canvas: Canvas, y: float, title: str, load: records.Record, longest: float, more: str) -> float:
    """Draws a memory that all multiprocessors share."""
    top = y
    canvas.text(INSIDE, y + 20, title, WORDS, bold=True)
    y = wait(canvas, y + 28, load["cycles"], longest, f"{load['cycles']:.0f} cycles, {load['ns']:.0f} ns{more}")
    canvas.box(EDGE, top, WIDTH - 2 * EDGE, y - top + 2, None, "faint")
    return y + 2


def drawing(machine: records.Record, copies: records.Record) -> Canvas:
    device, latencies = machine["device"], machine["latencies"]
    longest = latencies["dram"]["cycles"]
    canvas = Canvas(f"What an {device['name'].replace('NVIDIA ', '')} is made of, and what a load takes", WIDTH)
    canvas.text(EDGE, 20, f"{device['name']}: {device['multiprocessors']} streaming multiprocessors", 13, bold=True)
    y = multiprocessors(canvas, 32, device["multiprocessors"])
    canvas.line(INSIDE, 45, EDGE, y + 12, "blue")
    canvas.line(EDGE, y + 12, EDGE, y + 14, "blue")
    y = one_multiprocessor(canvas, y + 14, machine)
    middle = WIDTH / 2
    canvas.arrow(middle, y + 14, middle, y, "faint")
    l2 = records.size(device["l2_bytes"], ".0f")
    y = level(canvas, y + 14, f"L2, {l2}, one for all", latencies["l2"], longest, "")
    canvas.arrow(middle, y + 14, middle, y, "faint")
    best = machine["ceilings"]["read"]["best"]["gb_per_s"]
    most = f"; at most {rate_in_words(best)}"
    title = f"global memory, {records.size(device['memory_bytes'], '.0f')}"
    y = level(canvas, y + 14, title, latencies["dram"], longest, most)
    canvas.arrow(middle, y + 26, middle, y, "faint")
    ordinary, pinned = (copies["copies"]["bytes"] / copies["copies"][way] / 1e3 for way in ("to_us", "to_pinned_us"))
    canvas.text(middle + 10, y + 18, f"{ordinary:.0f} GB/s; {pinned:.0f} if pinned", SMALL)
    canvas.box(EDGE, y + 26, WIDTH - 2 * EDGE, 30, None, "faint")
    canvas.text(INSIDE, y + 46, "the host: its processor and its memory", WORDS, bold=True)
    canvas.box(EDGE, y + 70, 24, 7, "orange")
    canvas.text(EDGE + 32, y + 77, "the latency of a load that waits for the load before it", SMALL)
    return canvas


def how_a_gpu_works(_: pathlib.Path) -> Canvas:
    """Draws from the records, so it needs no program."""
    return drawing(records.read(records.DATA / MACHINE), records.read(records.DATA / COPIES))
