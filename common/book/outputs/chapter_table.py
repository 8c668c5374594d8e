"""The table of the chapters in README.md: `<!-- chapters begin ladder_h200_int_block256.json 2^29 -->`.

Titles are from the manifest, and rates are from the record. A rate is that of the kernel that the student writes, not
of other kernels that the chapter shows. If the record does not contain the chapter, the table shows no rate for it.
"""

from __future__ import annotations

from book import manifest, markers, records
from book.outputs import Failure, Setting


def made(part: markers.Part, setting: Setting) -> str:
    words = part.arguments.split()
    if len(words) != 2:
        raise Failure(f"`chapters begin {part.arguments}`: a record and a number of elements")
    file, count = words
    record = records.read(setting.data / file)
    n = records.count_of(count)
    rates = records.rates(record)
    p = record["provenance"]
    lines = [f"| | chapter | GB/s, {count} {record['type']}s | of the peak |", "| ---: | --- | ---: | ---: |"]
    for number, chapter in manifest.load().items():
        rate = rates.get((chapter.kernel, n)) if chapter.kernel else None
        figures = f"{rate:.0f} | {100 * rate / p['peak_gb_per_s']:.0f} %" if rate else " | "
        lines.append(f"| {number} | [{chapter.title}](chapters/{chapter.folder}/README.md) | {figures} |")
    return "\n".join([*lines, "", f"{p['gpu']}, {p['date'][:10]}: {records.COLD} (`plots/data/{file}`).", ""])
