"""Updates the generated parts of Markdown pages, or reports which are stale.

    python3 -m book.outputs [--check] [--kind KIND]… [--programs build/bin] [FILE.md …]

KIND is one of: output (what programs print), recorded (tables and figures of records), diff (changed lines of kernels),
kernel (whole kernels with their changed lines marked), source (programs next to a lesson), chapters (the table in
README.md), agreement (the emulator's counts compared with Nsight Compute's), library (the tables of the device
headers), listing (the output of the CUDA toolkit's programs for a file), mistake (one to make on purpose, and the
judge's answer), systems (the systems that the workbook was tried on). Without a KIND, all kinds are renewed; without a
file, those in all pages of the tree. Exit status: 0; 1 if a part is stale or can't be made; 77 if an exercise or a step
is edited, because programs then print something else (with --unless-edited).
"""

from __future__ import annotations

import argparse
import collections.abc
import difflib
import pathlib
import subprocess
import sys

from book import exercises, markers, records
from book.outputs import (
    Failure,
    Setting,
    agreement,
    chapter_table,
    diffs,
    kernels,
    library,
    listings,
    mistakes,
    programs,
    recorded,
    steps,
    systems,
)

KINDS: dict[str, collections.abc.Callable[[markers.Part, Setting], str]] = {
    "output": programs.made,
    "recorded": recorded.made,
    "diff": diffs.made,
    "kernel": kernels.made,
    "source": steps.source,
    "chapters": chapter_table.made,
    "agreement": agreement.made,
    "library": library.made,
    "listing": listings.made,
    "mistake": mistakes.made,
    "systems": systems.made,
}

# For kinds whose parts may differ without being stale: functions that compare only the comparable parts.
DIFFER: dict[str, collections.abc.Callable[[markers.Part, str, pathlib.Path, bool], bool]] = {
    "output": programs.differs,
    "listing": listings.differs,
}


def pages() -> list[pathlib.Path]:
    """Returns the pages of the tree that may have generated parts."""
    patterns = (
        "README.md",
        "chapters/*/*.md",
        "docs/pages/*.md",
        "docs/decisions/*.md",
        "common/emulator/*/*/README.md",
    )
    return [path for pattern in patterns for path in sorted(records.ROOT.glob(pattern))]


def renewed(text: str, kinds: collections.abc.Collection[str], setting: Setting, check: bool) -> tuple[str, list[str]]:
    """Returns the text with new parts of these kinds, and a diff of the stale parts, line by line."""
    stale: list[str] = []

    def make(part: markers.Part) -> str:
        kind = part.kind or "recorded"  # a figure in a sentence is always from a record
        if kind not in kinds:
            return part.body
        new = KINDS[kind](part, setting)
        differs = DIFFER.get(kind)
        if new == part.body or (differs and not differs(part, new, setting.page, check)):
            return part.body
        if part.kind:
            names = (f"{setting.page} (shown)", f"{setting.page} (today)")
            stale.extend(difflib.unified_diff(part.body.split("\n"), new.split("\n"), *names, lineterm=""))
        else:
            stale.append(f"{setting.page}: `{part.arguments}` is {new} (recorded), and the page says {part.body}")
        return new

    markers.check(text, setting.page)
    return markers.renewed(text, make), stale


def keep(args: argparse.Namespace) -> int:
    """Updates the files or, with --check, reports what is stale. Returns the exit status."""
    any_stale = False
    for path in args.files or pages():
        text = path.read_text(encoding="utf-8")
        setting = Setting(path, args.programs, args.data or records.DATA, args.data or records.COUNTERS)
        new, stale = renewed(text, args.kind or KINDS, setting, args.check)
        if not stale:
            continue
        any_stale = True
        if args.check:
            print("\n".join(stale))
        else:
            path.write_text(new, encoding="utf-8")
            print(f"renewed {path}")
    if any_stale and args.check:
        print("\nRun `make outputs` to update the stale parts.")
    return 1 if any_stale and args.check else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.outputs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a part is stale")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only parts of this kind")
    parser.add_argument(
        "--programs", type=pathlib.Path, default=records.ROOT / "build" / "bin", help="the folder of the built programs"
    )
    parser.add_argument("--data", type=pathlib.Path, help="the folder of the records, instead of the tree's own")
    parser.add_argument(
        "--unless-edited", action="store_true", help="change nothing and exit with 77 if an exercise is edited"
    )
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE.md")
    args = parser.parse_args()
    if args.unless_edited and (edited := exercises.edited_exercises() + steps.edited()):
        print(f"Edited, so programs print something else: {', '.join(edited)}.", file=sys.stderr)
        return exercises.EDITED
    try:
        return keep(args)
    except (Failure, records.BadData, markers.BadMarkers, OSError, subprocess.TimeoutExpired) as error:
        print(f"outputs: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
