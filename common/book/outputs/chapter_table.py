#!/usr/bin/env python3
"""Keeps the table of the chapters in README.md true.

    <!-- chapters begin ladder_h200_int.json 2^29 -->
    (the table, made by this program)
    <!-- chapters end -->

    chapter_table.py [--check] FILE.md …

Title from the lesson, kernel and rate from the record: chapters that it does not have show none.
"""

import json
import pathlib
import re
import sys

import pages

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^<!-- chapters begin (?P<file>\S+) (?P<count>\S+) -->\n(?P<body>.*?)^<!-- chapters end -->$",
                   re.MULTILINE | re.DOTALL)


def table(file, count):
    record = json.loads((ROOT / "plots" / "data" / file).read_text(encoding="utf-8"))
    n = 2 ** int(count[2:]) if count.startswith("2^") else int(count)
    rates = {row["chapter"]: row for row in record["results"] if row["count"] == n and row["chapter"]}
    peak = record["provenance"]["peak_gb_per_s"]
    lines = [f"| | chapter | GB/s, {count} {record['type']}s | of the peak |", "| ---: | --- | ---: | ---: |"]
    for lesson in sorted((ROOT / "chapters").glob("[0-9]*_*/README.md")):
        number = int(lesson.parent.name.split("_")[0])
        title = re.sub(r"^# *(Chapter \d+: *)?", "", lesson.read_text(encoding="utf-8").split("\n", 1)[0])
        row = rates.get(number)
        figures = (f"{row['cold_gb_per_s']:.0f}", f"{100 * row['cold_gb_per_s'] / peak:.0f} %") if row else ("", "")
        lines.append(f"| {number} | [{title}](chapters/{lesson.parent.name}/README.md) | {figures[0]} | {figures[1]} |")
    p = record["provenance"]
    return "\n".join([*lines, "", f"{p['gpu']}, {p['date'][:10]}, cold L2 (`plots/data/{file}`).", ""])


def renewed(text, _, name):
    """As `pages.keep` wants it."""
    stale = []

    def renew(match):
        new = table(match["file"], match["count"])
        if new == match["body"]:
            return match[0]
        stale.extend(pages.diff(match["body"], new, name, "today"))
        return pages.replaced_body(match, new)

    return BLOCK.sub(renew, text), stale


if __name__ == "__main__":
    sys.exit(pages.keep("chapter_table.py", pages.parser(__doc__).parse_args(), renewed))
