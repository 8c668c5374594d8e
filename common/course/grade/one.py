"""Grades a single submission from another system, and writes the result in that system's format.

    python3 -m course.grade.one --form gradescope --submission DIR --result FILE [--chapters 3] [--points …]
        [--build DIR]

A submission holds exercise files at the paths that they have in the repository, possibly within one more folder. If the
system keeps no folders, it holds the files alone, and their names have to identify the chapter. If the grader itself
fails, it writes no result and the exit status is 1, so that no student gets 0 points for that.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pathlib
import sys
import tempfile

from book.manifest import ROOT
from course.grade import chapters as chapter_list
from course.grade import points, run, submissions
from course.grade.chapters import Chapter
from course.grade.result import Json
from course.grade.sheet_contents import Contents
from course.grade.submissions import Submitted

FORMS = ("gradescope", "classroom")
NAME = "submission"


def tree_in(folder: pathlib.Path) -> pathlib.Path | None:
    """Returns the folder that contains chapters/: the given one, or its only subfolder that does."""
    if (folder / "chapters").is_dir():
        return folder
    within = [one for one in folder.iterdir() if one.is_dir() and not one.is_symlink() and (one / "chapters").is_dir()]
    return within[0] if len(within) == 1 else None


def put(given: Submitted, path: pathlib.PurePath, target: pathlib.Path) -> str:
    """Writes a file of a submission to the path at which the grader looks for it. `path` is where the student had it.
    Returns a remark for the student, "" if there is none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if given.refused:
        target.symlink_to("refused")  # a link, so that the grader refuses the file, too
        return f"{path} was refused: {given.refused}."
    target.write_bytes(given.data)
    return ""


def lay_out(folder: pathlib.Path, chapters: list[Chapter], place: pathlib.Path) -> list[str]:
    """Copies the exercise files of a submission to the paths at which the grader looks for them. If it isn't clear to
    which chapter a file belongs, copies no file. Does not follow links, because a link could lead to a solution.
    Returns remarks for the student."""
    place.mkdir(parents=True)
    tree = tree_in(folder)
    if tree is not None:
        read = {chapter.exercise: submissions.read(tree, chapter.exercise) for chapter in chapters}
        notes = [put(given, path, place / path) for path, given in read.items() if given is not None]
        return [note for note in notes if note]
    meant: dict[str, list[Chapter]] = {}
    for chapter in chapters:
        meant.setdefault(chapter.exercise.name, []).append(chapter)
    alone = {name: submissions.read(folder, pathlib.PurePath(name)) for name in sorted(meant)}
    found = {name: given for name, given in alone.items() if given is not None}
    for name in found:
        if len(meant[name]) > 1:
            numbers = ", ".join(str(chapter.number) for chapter in meant[name])
            words = f"{name} alone could be for chapter {numbers}."
            return [f"{words} Hand in the folder chapters/ of your workbook as a zip."]
    said = []
    for name, given in found.items():
        (chapter,) = meant[name]
        note = put(given, pathlib.PurePath(name), place / chapter.exercise)
        said.append(note or f"{name} was graded as chapter {chapter.number}.")
    return said or [f"None of these files were handed in: {', '.join(sorted(str(one.exercise) for one in chapters))}."]


def sheet(folder: pathlib.Path, chapters: list[Chapter], given: argparse.Namespace) -> Contents:
    """Returns the sheet of a folder of submissions. Raises RuntimeError if the grader fails."""
    with tempfile.TemporaryDirectory() as out:
        arguments = ["--submissions", str(folder), "--out", out, "--points", given.points, "--build", given.build]
        arguments += ["--chapters", ",".join(str(chapter.number) for chapter in chapters), "--root", str(given.root)]
        arguments += ["--seed", str(given.seed)] if given.seed is not None else []
        status = run.main(arguments)
        if status != 0:
            raise RuntimeError(f"the grader ended with status {status}")
        return Contents.from_json(json.loads((pathlib.Path(out) / "sheet.json").read_text(encoding="utf-8")))


def result_of(given: argparse.Namespace) -> Json:
    """Grades the submission, and returns the result in the form that the other system expects."""
    root = given.root.resolve()
    chapters = chapter_list.chosen(chapter_list.load(root, (root / given.build).resolve()), given.chapters)
    form = importlib.import_module(f"course.grade.formats.{given.form}")
    with tempfile.TemporaryDirectory() as place:
        # The name of the folder is the grader's choice. The student controls only its contents.
        said = lay_out(given.submission.resolve(), chapters, pathlib.Path(place) / NAME)
        result: Json = form.result(sheet(pathlib.Path(place), chapters, given), said)
    return result


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m course.grade.one", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--form", choices=FORMS, required=True)
    parser.add_argument("--submission", type=pathlib.Path, required=True)
    parser.add_argument("--result", type=pathlib.Path, required=True)
    parser.add_argument("--chapters")
    parser.add_argument("--points", default=points.WORTH)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--build", default="build")
    given = parser.parse_args(arguments)
    given.result.unlink(missing_ok=True)  # an old result must not be taken for this one
    try:
        result = result_of(given)
    except Exception as error:  # an error of any kind must not become a grade
        print(f"The grader failed: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    given.result.parent.mkdir(parents=True, exist_ok=True)
    part = given.result.with_name(given.result.name + ".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(given.result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
