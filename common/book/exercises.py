"""Makes the exercises from the solutions, and says whether an exercise has been touched.

python3 -m book exercises --check            exit with 77 if an exercise differs from what the solutions give
python3 -m book exercises --write N|all      write the exercises again; an edited one is kept as *.cuh.bak
python3 -m book exercises --snapshot N EXERCISE FILE  copy exercise N for the compiler, with its hash
python3 -m book exercises --guards           check the conventions: folders, tasks, hints, step sizes

It runs with PYTHONPATH=common. The build runs it after each save of an exercise, so it has to start fast: modules
that only authors need are imported where they are used.
"""

from __future__ import annotations

import hashlib
import itertools
import pathlib
import re
import sys
import typing

from book import manifest
from book.files import write_if_changed
from book.manifest import ROOT, Chapter

if typing.TYPE_CHECKING:
    import argparse

STEP_WARNS, STEP_FAILS = 20, 40
LONGEST_LINE = 118

# The exit status of --check if an exercise was edited. ctest treats it as a skip, which CI doesn't accept.
EDITED = 77


class Unreadable(Exception):
    """Raised if an exercise's file cannot be read as text. The message names the file, the reason, and what to do."""


REGION = re.compile(
    r"^ *// exercise: begin\n(?P<solved>.*?)(?:^ *// exercise: instead\n(?P<given>.*?))?^ *// exercise: end\n",
    flags=re.S | re.M,
)


def folders(base: str, root: pathlib.Path = ROOT) -> dict[int, pathlib.Path]:
    """Returns the chapter folders that exist below `base`, which is chapters or solutions, by number."""
    found = sorted(path for path in (root / base).iterdir() if path.is_dir() and re.match(r"\d\d_", path.name))
    return {int(path.name[:2]): path for path in found}


def solution_text(chapter: Chapter, root: pathlib.Path = ROOT) -> str:
    return chapter.solution_path(root).read_text(encoding="utf-8")


def without_markers(text: str) -> str:
    """Returns the solution as a reader sees it: without the lines of the markers, and without the exercise's text."""
    return REGION.sub(lambda region: region["solved"], text)


def reference_text(chapter: Chapter, root: pathlib.Path = ROOT) -> str:
    """Returns the solution with the exercise's namespace, as it would be in the exercise's file."""
    return in_exercise(chapter, chapter, without_markers(solution_text(chapter, root)))


def in_exercise(source: Chapter, target: Chapter, text: str) -> str:
    return text.replace(f"chapter{source.number}::solution", f"chapter{target.number}::exercise")


def wrapped_task(number: int, words: str, indent: str = "  ") -> str:
    lines, line = [], f"{indent}// TODO(chapter {number}):"
    for word in words.split():
        if len(line) + 1 + len(word) > LONGEST_LINE:
            lines.append(line)
            line = f"{indent}//"
        line += " " + word
    return "\n".join([*lines, line])


def with_gaps(chapter: Chapter, text: str) -> str:
    """Returns the solution without its marked regions. In the place of the first one is the task; in the places of the
    others is only a note that they are part of it."""
    tasks = itertools.chain([chapter.task], itertools.repeat("this is also part of the task."))

    def gap(region: re.Match[str]) -> str:
        indent = region[0][: len(region[0]) - len(region[0].lstrip(" "))]
        given = re.sub(r"^( *)// ", r"\1", region["given"] or "", flags=re.M)
        return wrapped_task(chapter.number, next(tasks), indent) + "\n" + given

    return in_exercise(chapter, chapter, REGION.sub(gap, text))


def above_line(chapter: Chapter, parent: Chapter, text: str) -> str:
    """Returns the parent's solution with the task above the line that the manifest names."""
    lines = in_exercise(parent, chapter, without_markers(text)).split("\n")
    wanted = f"  {chapter.task_above}"
    at = next((k for k, line in enumerate(lines) if line.startswith(wanted)), None)
    if at is None:
        raise manifest.ManifestError(
            f'chapters.json, chapter {chapter.number}: "task_above" is {chapter.task_above!r}, but no line of '
            f"chapter {parent.number}'s solution begins with it (after two spaces). Name an existing line."
        )
    lines.insert(at, wrapped_task(chapter.number, chapter.task))
    return "\n".join(lines)


def start_text(chapter: Chapter, root: pathlib.Path = ROOT) -> str:
    """Returns the exercise's starting text, as the chapter gives it to students."""
    if chapter.task_above is None:
        text = with_gaps(chapter, solution_text(chapter, root))
    else:
        if chapter.parent is None:
            raise manifest.ManifestError(
                f'chapters.json, chapter {chapter.number}: "task_above" names a line of the parent\'s solution; add '
                '"parent", or leave "task_above" out.'
            )
        parent = manifest.load(root)[chapter.parent]
        text = above_line(chapter, parent, solution_text(parent, root))
    first = f"/// Chapter {chapter.number}, your kernel: {chapter.task}"
    if len(first) > LONGEST_LINE:
        first = f"/// Chapter {chapter.number}, your kernel. The task is below."
    return re.sub(r"^/// Chapter \d+:.*$", lambda _: first, text, count=1, flags=re.M)


def same(one: str, other: str) -> bool:
    """Returns true if two texts are equal except for white space."""
    return re.sub(r"\s+", " ", one) == re.sub(r"\s+", " ", other)


def exercise_bytes(chapter: Chapter, root: pathlib.Path = ROOT) -> bytes:
    """Returns the student's file. Raises Unreadable."""
    path = chapter.exercise_path(root)
    try:
        return path.read_bytes()
    except OSError as error:
        words = f"cannot be read: {error.strerror}. Make it yours (chmod u+r), and try again."
        if isinstance(error, FileNotFoundError):
            words = f"is missing: `make reset{chapter.number}` creates it again."
        elif isinstance(error, IsADirectoryError):
            words = f"is a folder: rename it, then `make reset{chapter.number}` creates the file again."
        raise Unreadable(f"{path.relative_to(root)} {words}") from error


def text_of(chapter: Chapter, data: bytes, root: pathlib.Path = ROOT) -> str:
    """Returns the text of a student's file. Every line end becomes a single character. Raises Unreadable."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{chapter.exercise_path(root).relative_to(root)}, line {line}: the byte 0x{data[error.start]:02x} isn't "
            "UTF-8. Save the file as UTF-8 in your editor."
        ) from error


def exercise_text(chapter: Chapter, root: pathlib.Path = ROOT) -> str:
    """Returns the text of the student's file. Raises Unreadable."""
    return text_of(chapter, exercise_bytes(chapter, root), root)


def touched(chapter: Chapter, root: pathlib.Path = ROOT) -> bool:
    """Returns true if the exercise differs from its starting text. Raises Unreadable."""
    return not same(exercise_text(chapter, root), start_text(chapter, root))


def write(chapter: Chapter, root: pathlib.Path = ROOT) -> None:
    """Writes the exercise's starting text to its file. If the file was edited, it is kept under a different name."""
    path = chapter.exercise_path(root)
    if path.exists() and touched(chapter, root):
        path.replace(path.with_suffix(".cuh.bak"))
    path.write_text(start_text(chapter, root), encoding="utf-8")


def write_snapshot(chapter: Chapter, shown: str, out: pathlib.Path, root: pathlib.Path = ROOT) -> None:
    """Writes a copy of the exercise for the compiler, if the exercise has changed. At its end, it states whether the
    exercise was attempted, and the hash of the version that it contains.

    The student may save the file again while the compiler reads the copy. #line directives make messages, debuggers and
    counts name the student's file (`shown`) and its lines."""
    data = exercise_bytes(chapter, root)
    text = text_of(chapter, data, root).removeprefix("\ufeff")
    attempted = str(not same(text, start_text(chapter, root))).lower()
    # An empty line follows the text, because the last line may end with a backslash.
    text = (
        f'#pragma once\n#line 1 "{shown}"\n{text}\n\n#line 1 "{out}"\n'
        f"namespace chapter{chapter.number} {{\ninline constexpr bool attempted = {attempted};\n"
        f'const char* exercise_sha256() {{\n  return "{hashlib.sha256(data).hexdigest()}";\n}}\n}}\n'
    )
    write_if_changed(out, text)


def step_size(parent: Chapter, chapter: Chapter, root: pathlib.Path = ROOT) -> int:
    """Returns the number of lines of code that change from the parent's solution to the chapter's."""
    import difflib

    def code(one: Chapter) -> list[str]:
        lines = [line.strip() for line in without_markers(solution_text(one, root)).split("\n")]
        return [line for line in lines if line and not line.startswith("//")]

    changes = difflib.unified_diff(code(parent), code(chapter), n=0)
    return sum(line[0] in "+-" and line[:3] not in ("+++", "---") for line in changes)


def folder_complaints(chapters: dict[int, Chapter], root: pathlib.Path) -> typing.Iterator[str]:
    """Yields the differences between the manifest and the folders."""
    wanted = [chapter.folder for chapter in chapters.values()]
    for base in ("chapters", "solutions"):
        there = [folder.name for folder in folders(base, root).values()]
        for name in sorted(set(wanted) ^ set(there)):
            fault = "is not in chapters/chapters.json" if name in there else "is missing, and chapters.json names it"
            yield f"{base}/{name} {fault}: every chapter has an entry there and a folder of that name in both places"


def chapter_complaints(chapter: Chapter, chapters: dict[int, Chapter], root: pathlib.Path) -> typing.Iterator[str]:
    """Yields what a chapter lacks, and prints a note if its step is large."""
    number = chapter.number
    hints = root / "chapters" / chapter.folder / "hints.md"
    if not hints.exists() or hints.read_text(encoding="utf-8").count("## Hint") < 3:
        yield f"chapters/{chapter.folder}/hints.md needs three hints, each under `## Hint`"
    if f"TODO(chapter {number})" not in start_text(chapter, root):
        yield (
            f"the exercise of chapter {number} contains no task: mark a region of the solution "
            '(`// exercise: begin`), or give "task_above" in chapters.json'
        )
    # The step is what the student has to do. If the exercise is the chapter's own solution with gaps, filling them is
    # the step.
    if chapter.task_above is None or chapter.parent is None:
        return
    size = step_size(chapters[chapter.parent], chapter, root)
    if size > STEP_FAILS and chapter.large_step is None:
        yield (
            f"chapter {number} changes {size} lines of chapter {chapter.parent}; above {STEP_FAILS}, chapters.json "
            'says why: "large_step"'
        )
    elif size > STEP_WARNS:
        print(f"note: chapter {number} changes {size} lines" + (f" ({chapter.large_step})" * bool(chapter.large_step)))


def guards(root: pathlib.Path = ROOT) -> list[str]:
    """Returns the violations of the conventions, one line each."""
    chapters = manifest.load(root)
    complaints = list(folder_complaints(chapters, root))
    if not complaints:
        for chapter in chapters.values():
            complaints += chapter_complaints(chapter, chapters, root)
    return complaints


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    import argparse

    parser = argparse.ArgumentParser(
        prog="book exercises", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--guards", action="store_true")
    parser.add_argument("--write", metavar="N|all")
    parser.add_argument("--snapshot", nargs=3, metavar=("N", "EXERCISE", "FILE"))
    return parser.parse_args(arguments)


def edited_exercises() -> list[str]:
    """Returns the paths of the exercises that differ from their starting texts."""
    chapters = manifest.load().values()
    return [str(chapter.exercise_path().relative_to(ROOT)) for chapter in chapters if touched(chapter)]


def run(args: argparse.Namespace) -> int:
    chapters = manifest.load()
    if args.write:
        for number in chapters if args.write == "all" else [int(args.write)]:
            write(chapters[number])
    if args.snapshot:
        number, shown, out = args.snapshot
        write_snapshot(chapters[int(number)], shown, pathlib.Path(out))
    complaints = guards() if args.guards else []
    edited = edited_exercises() if args.check else []
    for line in complaints:
        print(line, file=sys.stderr)
    if edited:
        print(
            f"Edited, so not compared with what the solutions give: {', '.join(edited)}. If that is your work on "
            f"the exercise, all is well; if a solution has changed, run `make generate`.",
            file=sys.stderr,
        )
    return 1 if complaints else EDITED if edited else 0


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    try:
        # The build calls it in this form. Importing an argument parser would take longer than the work itself.
        if len(given) == 4 and given[0] == "--snapshot" and given[1].isdigit():
            write_snapshot(manifest.load()[int(given[1])], given[2], pathlib.Path(given[3]))
            return 0
        return run(parse_arguments(given))
    except (manifest.ManifestError, Unreadable) as error:
        words = str(error)
    except OSError as error:
        words = f"{error.filename or 'exercises'}: {error.strerror}."
    from book.screen import wrapped

    print(wrapped(words), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
