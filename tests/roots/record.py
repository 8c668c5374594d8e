#!/usr/bin/env python3
"""Makes a record of the results of try.sh: record.py FACTS RECORD [NAME=VALUE…]

FACTS has a line for each fact, with name and value separated by a tab. Exit status: 0 if everything that was tried
worked; 1 if something did not.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import sys


def record_of(lines: list[str], more: dict[str, str]) -> dict[str, object]:
    """Returns the record. A name with a dot, such as `test.seconds`, becomes a member of an object in the record."""
    record: dict[str, object] = {"schema": 1}
    for line in lines:
        name, value = line.split("\t", 1)
        place = record
        *outer, last = name.split(".")
        for part in outer:
            inner = place.setdefault(part, {})
            assert isinstance(inner, dict)
            place = inner
        place[last] = int(value) if value.isdecimal() and outer else value
    record["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    record["processors"] = os.cpu_count()
    return record | {name: value.strip() for name, value in more.items() if value.strip()}


def worked(record: dict[str, object]) -> bool:
    """Returns true if at least one target was made, and all of them ended with status 0."""
    made = [what for what in record.values() if isinstance(what, dict)]
    return bool(made) and all(what["status"] == 0 for what in made)


def main() -> int:
    facts, path = (pathlib.Path(argument) for argument in sys.argv[1:3])
    more = dict(argument.split("=", 1) for argument in sys.argv[3:])
    record = record_of(facts.read_text().splitlines(), more)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    print(path.read_text())
    return 0 if worked(record) else 1


if __name__ == "__main__":
    sys.exit(main())
