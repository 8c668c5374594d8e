"""What the tools share that keep parts of Markdown files true: each part stands between two markers.

A tool gives `renewed(text, words, name)`, which returns the file's text with all its parts made anew, and the diff of
what is stale (empty: nothing). `keep` is the rest of its main function.
"""

import argparse
import difflib
import pathlib
import subprocess
import sys


class Failure(Exception):
    """A message for the reader of the console."""


def diff(old, new, name, today):
    """The lines of a unified diff between what the page shows and what it should."""
    return list(difflib.unified_diff(old.split("\n"), new.split("\n"), f"{name} (shown)", f"{name} ({today})",
                                     lineterm=""))


def replaced_body(match, new):
    """The whole of the match, with `new` in the place of its group `body`."""
    begin, end = match.start("body") - match.start(), match.end("body") - match.start()
    return match[0][:begin] + new + match[0][end:]


def parser(description):
    """The command line that all tools have."""
    result = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    result.add_argument("--check", action="store_true", help="change nothing; fail where a part is stale")
    result.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.md")
    return result


def keep(tool, words, renewed):
    """Renews the files of `words`, or with --check says what is stale. Returns the exit status."""
    any_stale = False
    try:
        for path in words.files:
            text = path.read_text(encoding="utf-8")
            new, stale = renewed(text, words, path)
            if not stale:
                continue
            any_stale = True
            if words.check:
                print("\n".join(stale))
            else:
                path.write_text(new, encoding="utf-8")
                print(f"renewed {path}")
    except (Failure, OSError, subprocess.TimeoutExpired) as error:
        print(f"{tool}: {error}", file=sys.stderr)
        return 1
    if any_stale and words.check:
        print("\n`make outputs` renews what is stale.")
        return 1
    return 0
