"""classroom/: an autograder for Classroom 50, according to the page "Advanced Autograding" of its wiki. autograder.py
runs in a student's checkout, reads the facts about the assignment from environment variables, and writes ./result.json
with the schema classroom50/result/v1. It exits with 0 if it has run to its end, whatever the points are. There is no
format for GitHub Classroom, because it has been shut down, as its reporter states.

The grader is in an image that belongs to the instructor. It is never in the student's repository, because the student
could change it there."""

from __future__ import annotations

import datetime
import json
import os
import pathlib

from course.grade.formats import entries
from course.grade.formats.surroundings import Around
from course.grade.result import Json
from course.grade.sheet_contents import Contents

AUTOGRADER = '''#!/usr/bin/env python3
"""Grades the chapters {chapters} of The Reduction Workbook for Classroom 50. The image holds the workbook, built, in
WORKBOOK_ROOT; the working directory is the student's checkout, which gets result.json."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("WORKBOOK_ROOT", "/workbook"))
BUILD = os.environ.get("WORKBOOK_BUILD_DIR", "build")
CHAPTERS = "{chapters}"
POINTS = "{points}"

here = pathlib.Path.cwd()
(here / "result.json").unlink(missing_ok=True)  # a student may have brought one
sys.exit(
    subprocess.run(
        [sys.executable, "-m", "course.grade.one", "--form", "classroom", "--build", BUILD, "--submission", here,
         "--result", here / "result.json", "--chapters", CHAPTERS, "--points", POINTS],
        cwd=ROOT,
        env={{**os.environ, "PYTHONPATH": f"common:{{BUILD}}/python", "PYTHONSAFEPATH": "1"}},
        check=False,
    ).returncode
)
'''
RUNTIME = {"container": {"image": "REGISTRY/reduction-workbook-grader:latest", "user": "root"}}


def result(sheet: Contents, said: list[str]) -> Json:
    """Returns the result of the only submission of a sheet, in the form of result.json. The runner adds the owner and
    the kind of the assignment, which it knows better."""
    (submission,) = sheet.submissions
    parts = entries.parts(sheet, submission)
    given = os.environ
    commit = given.get("COMMIT_URL", "")
    return {
        "schema": "classroom50/result/v1",
        "classroom": given.get("CLASSROOM", ""),
        "assignment": given.get("ASSIGNMENT", ""),
        "submission": given.get("SUBMISSION_TAG", ""),
        "commit": commit,
        "release": given.get("RELEASE_URL", ""),
        "review": given.get("REVIEW_URL") or commit,
        "datetime": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": submission.points,
        "max-score": sheet.most_points,
        "tests": [
            {
                "test-name": f"chapter {part.chapter}: {part.name}",
                "passed": part.passed,
                "score": part.score,
                "max-score": part.most,
                "output": "\n".join([*said, part.words]).strip(),
            }
            for part in parts
        ],
    }


def write(about: Around, folder: pathlib.Path) -> list[str]:
    """Writes classroom/autograder.py, and runtime.json, which names the image in which it runs."""
    place = folder / "classroom"
    place.mkdir(exist_ok=True)
    chapters = ",".join(str(number) for number in sorted(about.titles))
    text = AUTOGRADER.format(chapters=chapters, points=about.points)
    (place / "autograder.py").write_text(text, encoding="utf-8")
    (place / "runtime.json").write_text(json.dumps(RUNTIME, indent=1) + "\n", encoding="utf-8")
    return ["classroom/"]
