"""Records with invented figures, for tests alone."""

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
    "l2_bytes": 1 << 22,
}


def ladder(block_size=128, counts=(1 << 10, 1 << 16, 1 << 22), kernels=3):
    """A ladder of some chapters and the library."""
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
    """A tuning with several grid sizes."""
    grids = [[g, 10.0 + abs(g - 264) / 100] for g in (66, 132, 264, 528, 1056)]
    return {
        "schema": 1,
        "provenance": PROVENANCE,
        "results": [{"type": "int", "count": 1 << 26, "grids": grids, "raced": []}],
    }


def write(folder, name, record):
    """Writes a record; returns its path."""
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps(record), encoding="utf-8")
    return path
