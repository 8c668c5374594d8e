#!/usr/bin/env python3
"""Tells Harris' story again: his table of 2007, and this machine's beside it.

    story.py [--ladder build/bin/ladder] [--record FILE]

`make story` calls it. With --ladder the program measures here and now; where that fails, and without it, the figures
are those that the workbook brings. Exit status: 0; 1 bad data.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import records

COUNT = 1 << 22  # as Harris had


def measured(program):
    """Runs the ladder on the GPU; returns its record, or None with the reason on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ladder_here.json"
        done = subprocess.run([str(program), "--device", "gpu", "--counts", str(COUNT), "--json", str(path)],
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0 or not path.exists():
            print(f"No time could be measured here: {(done.stderr or done.stdout).strip() or done.returncode}",
                  file=sys.stderr)
            return None
        record = records.read(path)
        record["file"] = path.name
        return record


def lines(record, count=COUNT):
    """The table, line by line. \\throws records.BadData  where the record lacks a rung at `count`"""
    theirs = {row["chapter"]: row for row in records.read(records.DATA / "harris_2007.json")["rows"]}
    harris = records.read(records.DATA / "harris_2007.json")
    here = {row["kernel"]: row for row in record["results"] if row["count"] == count}
    steps = [(c, k) for c, k in records.rungs(record) if c] + [(c, k) for c, k in records.rungs(record) if not c]
    rungs = [(c, k) for c, k in steps if k in here and here[k].get("cold_ms")]
    if not rungs or rungs[0][0] != 1:
        raise records.BadData(f"{record['file']} has no times of the ladder at n = {records.power(count)}")
    p = record["provenance"]
    out = [f"The sum of {records.power(count)} ints, step by step.",
           f"  then: {harris['gpu']}, {harris['peak_gb_per_s']} GB/s. {harris['source']}",
           f"  now:  {p['gpu']}, {p['peak_gb_per_s']:.0f} GB/s. {records.provenance(record)}; cold L2, medians.", "",
           f"{'':<28}{'then':>33}   {'now':>33}",
           f"{'':<28}{'ms':>8}{'GB/s':>8}{'step':>8}{'total':>9}   {'ms':>8}{'GB/s':>8}{'step':>8}{'total':>9}"]
    before = first = then_before = then_first = None
    for chapter, kernel in rungs:
        ms, rate = here[kernel]["cold_ms"]["median"], here[kernel]["cold_gb_per_s"]
        then = theirs.get(chapter)
        left = " " * 33
        if then:
            t = then["time_ms"]
            left = (f"{t:>8.3f}{then['gb_per_s']:>8.1f}" + (f"{then_before / t:>7.2f}x{then_first / t:>8.2f}x"
                                                            if then_before else " " * 17))
            then_before, then_first = t, then_first or t
        right = f"{ms:>8.4f}{rate:>8.0f}" + (f"{before / ms:>7.2f}x{first / ms:>8.2f}x" if before else "")
        name = f"{chapter}: {kernel}" if chapter else kernel
        out.append(f"{name:<28}{left}   {right}".rstrip())
        before, first = ms, first or ms
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ladder", type=pathlib.Path, help="the program that measures")
    parser.add_argument("--record", type=pathlib.Path, help="a record of the ladder instead")
    words = parser.parse_args()
    try:
        record = measured(words.ladder) if words.ladder else None
        if record is None and words.record:
            record = records.own(words.record).ladder()
        elif record is None:
            record = records.recorded().ladder()
            print("Recorded figures: they are not of this machine.\n")
        if record is None:
            raise records.BadData(f"{words.record} is no ladder of ints in blocks of 128")
        print("\n".join(lines(record)))
    except records.BadData as error:
        print(f"story.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
