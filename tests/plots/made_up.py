"""Makes records with invented figures, only for tests."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLOTS = ROOT / "plots"

PROVENANCE = {
    "gpu": "GPU of a test",
    "driver": "1.2",
    "toolkit": 13000,
    "date": "2026-01-02T03:04:05Z",
    "commit": "abc",
    "peak_gb_per_s": 1000.0,
    "read_gb_per_s": 900.0,
    "launch_us": 4.0,
    "further_launch_us": 1.5,
    "l2_bytes": 1 << 22,
}


def ladder(block_size=256, counts=(1 << 10, 1 << 16, 1 << 22), kernels=3):
    """Returns a record of a ladder with some chapters and the library."""
    rows = []
    for count in counts:
        for chapter in [*range(1, kernels + 1), 0]:
            rate = count / 1e4 * (chapter or 3) * block_size / 128
            rows.append(
                {
                    "count": count,
                    "kernel": f"reduce_{chapter}" if chapter else "cub::DeviceReduce::Sum",
                    "chapter": chapter,
                    "error": 0.0,
                    "bound": 0.0,
                    "cold_gb_per_s": rate,
                    "cold_ms": {"median": 4 * count / rate / 1e6},
                }
            )
    return {"schema": 1, "provenance": PROVENANCE, "type": "int", "block_size": block_size, "results": rows}


def tune():
    """Returns a record of tuning with several grid sizes."""
    grids = [[g, 10.0 + abs(g - 264) / 100] for g in (66, 132, 264, 528, 1056)]
    return {
        "schema": 1,
        "provenance": PROVENANCE,
        "results": [{"type": "int", "count": 1 << 26, "grids": grids, "raced": []}],
    }


def machine():
    """Returns a record of a GPU's properties."""
    starts = [
        {"threads": threads, "shared_bytes": 0, "registers": 4, "barrier": barrier, "blocks": 1 << 21, "us": 1.0,
         "ns_per_block": max(0.5, threads / 512) + barrier}
        for barrier in (False, True)
        for threads in (32, 64, 128, 256, 512, 1024)
    ]  # fmt: skip
    in_flight = [
        {"vector_bytes": size, "loads": loads, "warps": warps, "bytes_in_flight": 32.0 * warps * loads * size,
         "gb_per_s": min(4000.0, warps * loads * size / 0.3)}
        for size in (4, 8, 16)
        for loads in (1, 2, 4, 8)
        for warps in (8, 16, 32, 48, 64)
    ]  # fmt: skip
    knee = {"bytes_in_flight": 40960.0, "gb_per_s": 3900.0, "best_gb_per_s": 4000.0, "latency_ns": 1386.0}
    walks = [{"bytes": 1 << k, "ns": 20.0 + 10 * k * (k > 17), "cycles": 36.0} for k in range(13, 31)]
    return {
        "schema": 1,
        "provenance": PROVENANCE,
        "device": {
            "name": "GPU of a test", "compute_capability": "9.0", "multiprocessors": 132,
            "threads_per_multiprocessor": 2048, "warps_per_multiprocessor": 64, "blocks_per_multiprocessor": 32,
            "registers_per_multiprocessor": 65536, "shared_bytes_per_multiprocessor": 233472,
            "shared_bytes_per_block": 232448, "l2_bytes": 62914560, "memory_bytes": 1 << 37, "clock_mhz": 1980.0,
            "memory_clock_mhz": 3201.0, "memory_bus_bits": 6144, "peak_gb_per_s": 4917.0,
        },
        "starts": [
            *starts,
            dict(starts[2], shared_bytes=8192), dict(starts[2], registers=62), dict(starts[3], shared_bytes=8192),
        ],
        "launches": {"idle_us": 5.0, "queued_us": 2.0, "stream_us_per_launch": 1.5, "graph_us_per_launch": 1.25,
                     "dependent_us_per_launch": None},
        "latencies": {
            "neighbours": [{"stride_bytes": s, "ns": 2.0 * s, "cycles": 3.5 * s} for s in (32, 64)],
            "walks": walks, "l1": walks[1], "l2": walks[10], "dram": walks[-1], "clock_ghz": 1.75,
            "shared_cycles": 23.0,
            "barriers": [{"warps": w, "cycles": 10.0 + w} for w in (1, 2, 4, 8, 16, 32)],
            "chains": {"SHFL": 24.0, "IADD3": 4.2},
            "sequences": [{"name": "sum16", "measured_cycles": 116.2, "modelled_cycles": 112.0}],
            "atomics": [{"type": "int", "pattern": "one_word", "threads": 1, "additions": 1.0, "us": 1.0,
                         "ns_per_atomic": 0.5, "per_ns_and_multiprocessor": 0.015}],
        },
        "bandwidth": {
            "array_bytes": 1 << 31, "in_flight": in_flight, "knee": knee,
            "short_lives": [{"ints_per_thread": k, "threads": t, "blocks": 1, "us": 1.0, "gb_per_s": 100.0 * k + t}
                            for k in (1, 2) for t in (64, 128)],
        },
        "ceilings": {
            kind: {"best": {"block_size": 512, "loads": 4, "blocks_per_multiprocessor": 4, "array_bytes": 1 << 32,
                            "us": 1.0, "gb_per_s": rate}, "shapes": []}
            for kind, rate in (("read", 4300.0), ("write", 4200.0), ("copy", 4100.0))
        },
        "shared": [{"degree": d, "load_cycles": 22.0 + d, "store_cycles": 2.0 * d, "loads_per_cycle": 1 / d,
                    "stores_per_cycle": 1 / d, "warps": 16} for d in (1, 2, 4, 8, 16, 32)],
        "instructions": [{"name": "IADD3", "warps": 32.0, "per_cycle": 2.0, "cycles": 0.5}],
    }  # fmt: skip


def write(folder, name, record):
    """Writes a record. Returns its path."""
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps(record), encoding="utf-8")
    return path
