"""Makes the machine of blocks: python3 -m book.blocks --out build/blocks.html

The page simulates how the kernels of chapters 4 to 8 run on the recorded GPU: blocks in their slots, bytes in flight,
and the predicted time next to the measured one. It loads no other file. All numbers are from plots/data and tests/data.
Exit status: 0 if it is written; 2 if a record is missing or damaged.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import typing

from book import manifest, records
from book.records import BadData

PARTS = pathlib.Path(__file__).parent / "blocks_page"
SHEET = manifest.ROOT / "common/student/player/player.css"
COUNTS = manifest.ROOT / "tests/data/model_counts.json"
CHAPTERS = range(4, 9)
TYPE = "int"


def counted(kernels: typing.Container[str]) -> tuple[list[str], dict[str, dict[int, dict[int, list[list[float]]]]]]:
    """Returns the names of a launch's counts, and {kernel: {block size: {elements: launches}}}. Raises BadData."""
    try:
        found = json.loads(COUNTS.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadData(f"{COUNTS.name}: {error}") from None
    launches: dict[str, dict[int, dict[int, list[list[float]]]]] = {}
    for row in found["rows"]:
        if row["kernel"] not in kernels or row.get("type") != TYPE or "chapter" in row or "group" in row:
            continue
        if "decides_itself" in row:
            raise BadData(
                f"{row['kernel']} chooses its own launches, but the page assumes "
                "that it repeats launches until one sum is left"
            )
        of_kernel = launches.setdefault(row["kernel"], {})
        of_kernel.setdefault(row["block_size"], {})[row["count"]] = row["launches"]
    return found["launch"], launches


def facts() -> dict[str, typing.Any]:
    """Returns all data of the page. Raises BadData."""
    predicted = records.read(records.DATA / "predictions_h200.json")
    machine = records.read(records.DATA / "machine_h200.json")
    chapters = {number: chapter for number, chapter in manifest.load().items() if number in CHAPTERS}
    rows = [row for row in predicted["predictions"] if row["set"] == "ladder" and row["chapter"] in chapters]
    kernels = {row["chapter"]: row["kernel"] for row in rows}
    missing = [number for number in CHAPTERS if number not in kernels]
    if missing:
        raise BadData(f"predictions_h200.json has no kernel of chapter {missing[0]}")
    names, launches = counted(set(kernels.values()))
    source, machines = predicted["provenance"], machine["provenance"]
    return {
        "machine": predicted["facts"],
        "warps": machine["device"]["warps_per_multiprocessor"],
        "names": names,
        "type": TYPE,
        "chapters": [
            {
                "number": number,
                "title": chapters[number].title,
                "kernel": kernel,
                "counts": launches[kernel],
                "measured": [[r["block_size"], r["count"], r["measured_us"]] for r in rows if r["kernel"] == kernel],
            }
            for number, kernel in sorted(kernels.items())
        ],
        "in_flight": [
            [row["warps"], row["loads"], row["vector_bytes"], row["gb_per_s"]]
            for row in machine["bandwidth"]["in_flight"]
        ],
        "source": f"Measured on an {source['gpu']}, driver {source['driver']}, {source['date'][:10]}; bytes in flight "
        f"at commit {machines['commit']}, {machines['date'][:10]}.",
    }


def page() -> str:
    """Returns the page as HTML. Raises BadData."""
    text = (PARTS / "page.html").read_text(encoding="utf-8")
    sheet = SHEET.read_text(encoding="utf-8") + (PARTS / "page.css").read_text(encoding="utf-8")
    scripts = "".join(
        f"<script>\n{(PARTS / name).read_text(encoding='utf-8')}</script>\n"
        for name in ("model.js", "views.js", "controls.js")
    )
    known = json.dumps(facts(), separators=(",", ":")).replace("<", "\\u003c")
    data = f'<script type="application/json" id="facts">{known}</script>'
    return text.replace("/* sheet */", sheet).replace("<!-- scripts -->", scripts).replace("<!-- facts -->", data)


def html() -> str:
    """Returns the HTML that embeds the page into a page of the site."""
    return (
        '<iframe class="player" src="machine_of_blocks.html" title="A machine of blocks" loading="lazy"></iframe>\n'
        '<p><a href="machine_of_blocks.html">On a page of its own</a></p>\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.blocks", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    try:
        text = page()
    except (BadData, KeyError) as error:
        print(f"blocks: {error}", file=sys.stderr)
        return 2
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
