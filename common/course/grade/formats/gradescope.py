"""gradescope.zip: an autograder for Gradescope, according to its "Autograder Specifications" and "Output format"
(gradescope-autograders.readthedocs.io/en/latest/specs).

The root of the archive contains setup.sh and run_autograder. Gradescope runs setup.sh once, as root, when it builds the
image. It runs run_autograder in the working folder /autograder for each submission, which is in /autograder/submission,
and expects /autograder/results/results.json. The archive is unpacked to /autograder/source. Nothing is downloaded after
setup.sh.

The archive contains the workbook at its present commit, with every exercise as the chapter gives it. It never contains
a student's file, not even one that has been committed."""

from __future__ import annotations

import io
import pathlib
import shlex
import subprocess
import tarfile
import zipfile

from book import exercises, manifest
from course.grade.formats import entries
from course.grade.formats.surroundings import Around
from course.grade.result import Json
from course.grade.sheet_contents import Contents

# WORKBOOK_AUTOGRADER replaces the folder /autograder, and WORKBOOK_BUILD_DIR the image's build folder.
SETUP = """#!/usr/bin/env bash
# Run once, as root, when the image is built: installs what the grader needs, and builds it.
set -eu
cd "${WORKBOOK_AUTOGRADER:-/autograder}/source/workbook"
exec sh common/bootstrap/bootstrap.sh grader @CHAPTERS@
"""
RUN = """#!/usr/bin/env bash
# Run for each submission: grades it, and writes results.json. What it prints is for the instructor.
root=${WORKBOOK_AUTOGRADER:-/autograder}
cd "$root/source/workbook" || exit 1
build=${WORKBOOK_BUILD_DIR:-build}
rm -f "$root/results/results.json"  # no result is left if the grader fails
PYTHONPATH="common:$build/python" exec python3 -m course.grade.one --form gradescope --build "$build" \\
  --submission "$root/submission" --result "$root/results/results.json" --chapters @CHAPTERS@ --points @POINTS@
"""
NOTE = """The autograder of The Reduction Workbook, commit {commit}, for chapter {chapters}.
Upload the archive whole: Gradescope, Configure Autograder, Zip file upload.
"""
DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that the same commit gives the same archive
# The paths that configuring, building and grading read. A class that is committed in another folder isn't included.
PARTS = "CMakeLists.txt CMakePresets.json LICENSE Makefile chapters common docs plots pyproject.toml solutions tests"
Entry = tuple[str, bytes, bool]  # path in the tree, content, whether it is executable


def result(sheet: Contents, said: list[str]) -> Json:
    """Returns the results of the only submission of a sheet, in the form of results.json."""
    (submission,) = sheet.submissions
    parts = entries.parts(sheet, submission)
    lines = [*said, f"{submission.points} of {sheet.most_points} points."]
    return {
        "score": submission.points,
        "execution_time": round(sheet.times.seconds) if sheet.times else 0,
        "output": "\n".join(lines),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": f"Chapter {part.chapter}, {part.name}: {entries.ASKED[part.name]}",
                "number": f"{part.chapter}.{k}",
                "score": part.score,
                "max_score": part.most,
                "status": "passed" if part.passed else "failed",
                "output": part.words,
                "visibility": "visible",
            }
            for chapter in dict.fromkeys(part.chapter for part in parts)
            for k, part in enumerate([one for one in parts if one.chapter == chapter], start=1)
        ],
    }


def git(root: pathlib.Path, *words: str) -> bytes:
    """Returns the output of git. Raises ValueError with a message for the user."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=False)
    except OSError as error:
        raise ValueError(f"a kit holds the workbook as git knows it, and there is no git: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ValueError(f"a kit holds the workbook as git knows it, and git says: {said}")
    return done.stdout


def changed(root: pathlib.Path) -> bool:
    """Returns true if the grader in the source tree differs from the last commit. Changes to exercises don't count."""
    said = git(root, "status", "--porcelain", "--", "common", "solutions", "tests", "CMakeLists.txt").decode()
    return bool(said.strip())


def tree(root: pathlib.Path) -> list[Entry]:
    """Returns the files of the current commit, with the starting texts in place of the exercises. Raises ValueError
    with a message for the user."""
    given = {str(one.exercise_path(root).relative_to(root)): one for one in manifest.load(root).values()}
    found: list[Entry] = []
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", "HEAD", *PARTS.split()))) as archive:
        for member in archive:
            if not member.isfile():
                continue
            handle = archive.extractfile(member)
            data = handle.read() if handle else b""
            if member.name in given:
                data = exercises.start_text(given[member.name], root).encode()
            found.append((member.name, data, bool(member.mode & 0o100)))
    return found


def write(about: Around, folder: pathlib.Path) -> list[str]:
    """Writes gradescope.zip for the chapters that `about` names."""
    chapters = ",".join(str(number) for number in sorted(about.titles))
    note = NOTE.format(commit=git(about.root, "rev-parse", "HEAD").decode().strip(), chapters=chapters)
    files: list[Entry] = []
    for name, text, executable in (
        ("setup.sh", SETUP, True),
        ("run_autograder", RUN, True),
        ("README.txt", note, False),
    ):
        filled = text.replace("@CHAPTERS@", chapters).replace("@POINTS@", shlex.quote(about.points))
        files.append((name, filled.encode(), executable))
    files += [(f"workbook/{path}", data, executable) for path, data, executable in tree(about.root)]
    part = folder / "gradescope.zip.part"
    with zipfile.ZipFile(part, "w") as archive:
        for name, data, executable in files:
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    part.replace(folder / "gradescope.zip")
    made = ["gradescope.zip"]
    if changed(about.root):
        made.append("(gradescope.zip contains the last commit, without later changes)")
    return made
