"""Code shared by the records of forms: `--source FILE` writes the program to run on a GPU, `--record TEXT JSON WORDS`
stores its output with WORDS as the provenance, and `EMULATE JSON` compares the emulator with the record."""

import json
import pathlib
import sys
from collections.abc import Callable


def run(
    words: list[str],
    usage: str | None,
    source: Callable[[], str],
    found: Callable[[str], dict],
    key: str,
    compare: Callable[[str, dict], int],
) -> int:
    """Runs the command in `words`. `found` parses the output for the record's `key`. Returns the exit status."""
    if words[:1] == ["--source"] and len(words) == 2:
        pathlib.Path(words[1]).write_text(source(), encoding="utf-8")
        return 0
    if words[:1] == ["--record"] and len(words) > 3:
        printed = pathlib.Path(words[1]).read_text(encoding="utf-8")
        record = {"provenance": " ".join(words[3:]), key: found(printed)}
        pathlib.Path(words[2]).write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")
        return 0
    if len(words) != 2 or words[0].startswith("-"):
        print(usage, file=sys.stderr)
        return 2
    return compare(words[0], json.loads(pathlib.Path(words[1]).read_text(encoding="utf-8"))[key])
