"""Tells Harris' story again: his table of 2007, and this machine's next to it.

    python3 -m book.story [--ladder build/bin/ladder] [--record FILE]

First with 128 threads per block for all kernels, as in his table, then with the block size that suits each kernel best.
`make story` calls it. With --ladder, the program measures on this machine. Without it, or if that fails, the recorded
figures of the workbook are used. Exit status: 0; 1 on bad data.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

from book import processes, records

COUNT = 1 << 22  # as in Harris' table
BLOCK = 128  # as in Harris' table
BLOCKS = (32, 64, BLOCK, 256, 512, 1024)
HARRIS = records.DATA / "harris_2007.json"


def measured(program: pathlib.Path, block: int) -> records.Record | None:
    """Runs the ladder on the GPU and returns its record. If it fails, prints the reason to standard error and returns
    None."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ladder_here.json"
        command = [str(program), "--device", "gpu", "--counts", str(COUNT), "--json", str(path)]
        command += ["--block-size", str(block)]
        done = processes.run_captured(command)
        if done.returncode != 0 or not path.exists():
            reason = (done.stderr or done.stdout).strip() or done.returncode
            print(f"The ladder could not be measured: {reason}", file=sys.stderr)
            return None
        return {**records.read(path), "file": path.name}


class Column:
    """One machine's columns in the table: time, GB/s, speedup over the previous step, and speedup over the first
    step."""

    def __init__(self, digits_ms: int, digits_rate: int) -> None:
        self.digits_ms, self.digits_rate = digits_ms, digits_rate
        self.before: float | None = None
        self.first: float | None = None

    def cells(self, ms: float, rate: float) -> str:
        text = f"{ms:>8.{self.digits_ms}f}{rate:>8.{self.digits_rate}f}"
        if self.before and self.first:
            text += f"{self.before / ms:>7.2f}x{self.first / ms:>8.2f}x"
        self.before, self.first = ms, self.first or ms
        return f"{text:<33}"


def best(ladders: list[records.Record], count: int = COUNT) -> records.Record:
    """Returns the first record, in which each kernel's row is replaced by that of its fastest block size. The row's
    name contains the block size."""
    chosen: dict[str, records.Record] = {}
    for record in ladders:
        for row in record["results"]:
            if row["count"] != count or not row.get("cold_ms"):
                continue
            old = chosen.get(row["kernel"])
            if old is None or row["cold_ms"]["median"] < old["cold_ms"]["median"]:
                chosen[row["kernel"]] = {**row, "block_size": record["block_size"]}
    return {**ladders[0], "results": list(chosen.values())}


def lines(record: records.Record) -> list[str]:
    """Returns the lines of the table. Raises BadData if the record lacks the first rung at COUNT."""
    harris = records.read(HARRIS)
    theirs = {row["chapter"]: row for row in harris["rows"]}
    here = {row["kernel"]: row for row in record["results"] if row["count"] == COUNT and row.get("cold_ms")}
    rungs = [(c, k) for c, k in records.rungs(record, library_last=True) if k in here]
    if not rungs or rungs[0][0] != 1:
        raise records.BadData(f"{record['file']} has no times of the ladder at n = {records.power(COUNT)}")
    p = record["provenance"]
    names = f"{'ms':>8}{'GB/s':>8}{'step':>8}{'total':>9}"
    out = [
        f"The sum of {records.power(COUNT)} ints, step by step.",
        f"  then: {harris['gpu']}, {harris['peak_gb_per_s']} GB/s. {harris['source']}",
        f"  now:  {p['gpu']}, {p['peak_gb_per_s']:.0f} GB/s. {records.provenance(record)}.",
        f"        Medians, {records.COLD}.",
        "",
        f"{'':<28}{'then':>33}   {'now':>33}",
        f"{'':<28}{names}   {names}",
    ]
    left, right = Column(3, 1), Column(4, 0)
    for chapter, kernel in rungs:
        then, now = theirs.get(chapter), here[kernel]
        was = left.cells(then["time_ms"], then["gb_per_s"]) if then else " " * 33
        name = f"{chapter}: {kernel}" if chapter else kernel
        name += " (idle)" if now.get("queued") is False else ""
        here_is = right.cells(now["cold_ms"]["median"], now["cold_gb_per_s"])
        threads = f"{now['block_size']:>8}" if chapter and "block_size" in now else ""
        out.append(f"{name:<28}{was}   {here_is}{threads}".rstrip())
    return out


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.story", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--ladder", type=pathlib.Path, help="the program that measures")
    parser.add_argument("--record", type=pathlib.Path, help="a record of the ladder instead")
    args = parser.parse_args()
    try:
        record = measured(args.ladder, BLOCK) if args.ladder else None
        others: list[records.Record] = []
        if record is not None:
            others = [other for block in BLOCKS if block != BLOCK and (other := measured(args.ladder, block))]
        elif args.record:
            record = records.own(args.record).ladder(block_size=BLOCK)
        else:
            known = records.recorded()
            record = known.ladder(block_size=BLOCK)
            others = [other for block in BLOCKS if block != BLOCK and (other := known.ladder(block_size=block))]
            print("Recorded figures: they are not of this machine.\n")
        if record is None:
            raise records.BadData(f"{args.record} is not a ladder of ints in blocks of {BLOCK}")
        print("\n".join(lines(record)))
        if others:
            print("\nThe same, now in the block size that is fastest for each (last column: threads per block):\n")
            print("\n".join(lines(best([record, *others]))[5:]))
    except records.BadData as error:
        print(f"story: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
