"""Reads what the programs wrote: ladders (build/bin/ladder), chapters (--json), tunings, and tells what is wrong with a
file that is none of these. Needs no matplotlib."""

import json
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"


class BadData(Exception):
    """A message for the reader of the console: which file, what is wrong, what would be right."""


def read(path):
    """The JSON in a file."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path} is not JSON: {error}") from error


def kind_of(record):
    """'ladder', 'chapter', 'tune' or None."""
    if not isinstance(record, dict):
        return None
    if isinstance(record.get("kernels"), list) and "chapter" in record:
        return "chapter"
    rows = record.get("results")
    if isinstance(rows, list) and rows and isinstance(rows[0], dict) and {"kernel", "count"} <= rows[0].keys():
        return "ladder"
    if isinstance(rows, list) and rows and isinstance(rows[0], dict) and {
                  "screened", "count", "type"} <= rows[0].keys():
        return "tune"
    return "errors" if isinstance(record.get("orders"), list) else None


NEEDED = {
    "ladder": (("provenance", "type", "block_size", "results"), "results", ("count", "kernel", "chapter")),
    "chapter": (("schema", "chapter", "title", "device", "input", "kernels"), "kernels", ("name", "role")),
    "errors": (("provenance", "type", "orders"), "orders", ("order", "count", "error", "bound")),
}


def check(record, path):
    """Returns the record's kind. \\throws BadData"""
    kind = kind_of(record)
    if kind is None:
        raise BadData(f"{path} is no record of ours. `build/bin/ladder --json FILE` and `make chapterN ARGS=\"--json "
                      "FILE\"` write such.")
    if kind not in NEEDED:
        return kind
    fields, rows, columns = NEEDED[kind]
    for field in fields:
        if field not in record:
            raise BadData(f"{path}: the field '{field}' is missing")
    if not record[rows]:
        raise BadData(f"{path}: '{rows}' is empty")
    for number, row in enumerate(record[rows]):
        for column in columns:
            if column not in row:
                raise BadData(f"{path}: row {number} of '{rows}' has no '{column}'")
    return kind


class Collection:
    """Records by kind, each with the file's name."""

    def __init__(self, files):
        self.records = {"ladder": [], "chapter": [], "tune": [], "errors": []}
        for path in files:
            record = read(path)
            kind = check(record, path)
            self.records[kind].append(dict(record, file=pathlib.Path(path).name))

    def ladder(self, kind="int", block_size=128):
        """The ladder of a type, or None; with several, the one of the most sizes."""
        fitting = [r for r in self.records["ladder"] if r["type"] == kind and r["block_size"] == block_size]
        return max(fitting, key=lambda r: len(r["results"]), default=None)

    def launch_us(self, record):
        """What an empty launch takes that waits behind a flush of L2, as the times with a cold L2 do: by a record of
        `tune` of the same GPU where there is one, else by the record itself."""
        gpu = record["provenance"].get("gpu")
        times = [raced["cold_us"] for tune in self.records["tune"] if tune["provenance"].get("gpu") == gpu
                 for row in tune["results"] for raced in row.get("raced", []) if raced["name"] == "an empty launch"]
        return statistics.median(times) if times else record["provenance"].get("launch_us")

    def chapters(self, number):
        """The records of a chapter that have times."""
        return [r for r in self.records["chapter"] if r["chapter"] == number
                and any((k.get("time_ms") or {}).get("median") for k in r["kernels"])]


def recorded():
    """What the workbook brings: measured on an H200."""
    return Collection(sorted(DATA.glob("ladder_h200_*.json")) + sorted(DATA.glob("chapter1[01]_h200*.json"))
                      + sorted(DATA.glob("tune_h200.json")) + sorted(DATA.glob("errors_emulator.json")))


def own(place):
    """A reader's own records: a file, or all JSON files of a folder. \\throws BadData"""
    place = pathlib.Path(place)
    if not place.exists():
        raise BadData(f"DATA={place}: there is no such file or folder")
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not files:
        raise BadData(f"DATA={place}: there is no JSON file in this folder")
    return Collection(files)


def provenance(record, *others):
    """One line: what was measured where, and when. The others are records of the same kind, with other inputs."""
    if "provenance" not in record:
        return f"{record['device'].get('name', 'unknown device')} ({record['file']})"
    p = record["provenance"]
    words = [p.get("gpu") or p.get("device", "unknown device")]
    if "driver" in p:
        words.append(f"driver {p['driver']}")
    if "toolkit" in p:
        words.append(f"CUDA {p['toolkit'] // 1000}.{p['toolkit'] % 1000 // 10}")
    words.append(p.get("date", "")[:10])
    files = ", ".join([record["file"], *(other["file"] for other in others)][:2])
    more = f" and {len(others) - 1} more" if others[1:] else ""
    return ", ".join(word for word in words if word) + f" ({files}{more})"


def rates(record):
    """(kernel, count) -> GB/s with a cold L2, of a ladder that was timed."""
    return {(r["kernel"], r["count"]): r["cold_gb_per_s"] for r in record["results"] if r.get("cold_gb_per_s")}


def rungs(record):
    """[(chapter, kernel)] in the ladder's order; the library has chapter 0."""
    return list(dict.fromkeys((r["chapter"], r["kernel"]) for r in record["results"]))


def power(count):
    """'2^22', or the number where it is none."""
    return f"2^{count.bit_length() - 1}" if count & (count - 1) == 0 else str(count)
