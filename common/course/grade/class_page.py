"""One page on what a class has learned, from all its sheets: chapters, findings, predictions, and files that are alike.

    class --sheets DIR [--submissions DIR]      every sheet.json at or below DIR; predictions and files from the folders

The page has no names unless --names is given. Exit status: 0 the page is written; 2 bad usage, or no sheet.
"""

from __future__ import annotations

import argparse
import collections
import collections.abc
import hashlib
import os
import pathlib
import sys
from html import escape

from book import exercises, manifest
from book.manifest import ROOT, ManifestError
from book.screen import wrapped
from course.grade import alike, history, html_page, submissions, words
from course.grade.history import Run
from course.grade.result import PARTS, Result

STANDINGS = {"done": "one", "right": "two", "not right": "three", "not begun": "four"}
MAX_RUNS = 12  # bars in the picture
MAX_KINDS, MAX_GROUPS = 40, 60  # rows in the tables
Bars = list[tuple[str, dict[str, int]]]


def shown_names(names: collections.abc.Iterable[str], named: bool) -> dict[str, str]:
    """Returns what the page calls each student: the name, or a number that does not reveal the name."""
    # Sorted by a hash, because the alphabetical order would reveal the students.
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())
    return {name: html_page.name(name if named else f"student {k}") for k, name in enumerate(order, start=1)}


def legend() -> str:
    marks = "".join(
        f'<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" style="display:inline-block">'
        f'<rect width="14" height="14" fill="var(--{colour})"/></svg> {name} &nbsp; '
        for name, colour in STANDINGS.items()
    )
    return f'<p class="dim">{marks}</p>'


def bars(title: str, rows: Bars) -> str:
    """Returns a picture with one bar per row, which is divided by how far the students' files are."""
    left, width, high, gap = 64, 284, 18, 6
    shapes = []
    for k, (label, parts) in enumerate(rows):
        y, x, total = k * (high + gap), float(left), max(1, sum(parts.values()))
        shapes.append(f'<text x="{left - 6}" y="{y + 13}" text-anchor="end">{escape(label)}</text>')
        for name, colour in STANDINGS.items():
            wide = parts.get(name, 0) / total * width
            if wide > 0:
                shapes.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{high}" fill="var(--{colour})">'
                    f"<title>{escape(label)}: {parts[name]} {name}</title></rect>"
                )
            x += wide
    height = len(rows) * (high + gap)
    return (
        f'<figure><svg role="img" aria-label="{escape(title)}" viewBox="0 0 360 {height}" '
        f'style="width:100%;max-width:34rem">{"".join(shapes)}</svg><figcaption>{escape(title)}</figcaption></figure>'
    )


def counts(results: collections.abc.Iterable[Result]) -> dict[str, int]:
    return dict(collections.Counter(history.standing(result) for result in results))


def chapters_part(runs: list[Run], titles: dict[int, str]) -> list[str]:
    """Returns the section on how far the class is in each chapter. Chapters with the most left to do are first."""
    last = history.latest(runs)
    if not last:
        return []
    rows = []
    by_share = sorted(last.items(), key=lambda item: (counts(item[1].values()).get("done", 0) / len(item[1]), item[0]))
    for number, results in by_share:
        has = [sum(result.reaches(part) for result in results.values()) for part in PARTS]
        standing = counts(results.values())
        begun = len(results) - standing.get("not begun", 0)
        cells = [f"{number}: {titles.get(number, '')}", begun, *has, standing.get("done", 0)]
        rows.append([escape(str(cell)) for cell in cells])
    heads = ["chapter", "begun", *PARTS, "done"]
    picture = [(f"ch. {number}", counts(results.values())) for number, results in last.items()]
    return [
        "<h2>Chapters</h2>",
        legend(),
        bars("How far the class is: each student's last file for a chapter.", picture),
        html_page.table("By the share that is done, the least first", heads, rows, numbers=set(range(1, 7))),
    ]


def runs_part(runs: list[Run]) -> list[str]:
    """Returns the section with all sheets in order of time."""
    rows, picture = [], []
    for run in runs:
        students = run.sheet.submissions
        standing = counts(entry.result for one in students for entry in one.chapters.values())
        most = run.sheet.most_points * len(students)
        points = sum(one.points for one in students)
        share = f"{100 * points / most:.0f} %" if most else ""
        cells = [len(students), len(run.sheet.chapters), standing.get("done", 0), share]
        rows.append([html_page.day(run.at.strftime("%Y-%m-%d")), *(escape(str(cell)) for cell in cells)])
        picture.append((run.at.strftime("%m-%d"), standing))
    heads = ["graded", "students", "chapters", "files done", "of all points"]
    said = ["<h2>Over time</h2>"]
    if len(picture) > 1:
        said += [legend(), bars("Each sheet's files, the oldest on top.", picture[-MAX_RUNS:])]
    return [*said, html_page.table("Sheets, the newest first", heads, rows[::-1], numbers={1, 2, 3, 4})]


def findings_part(runs: list[Run]) -> list[str]:
    """Returns the section on the findings that submissions share, sorted by how many students have ever had them."""
    ever: dict[str, set[str]] = collections.defaultdict(set)
    days: dict[str, list[str]] = collections.defaultdict(list)
    for run in runs:
        for kind, who in history.kinds(run).items():
            ever[kind] |= who
            days[kind].append(run.at.date().isoformat())
    now = history.kinds(runs[-1])
    order = sorted(ever, key=lambda kind: (-len(ever[kind]), kind))
    rows = []
    for kind in order[:MAX_KINDS]:
        seen = " to ".join(html_page.day(day) for day in dict.fromkeys([days[kind][0], days[kind][-1]]))
        rows.append([html_page.text(kind), str(len(ever[kind])), str(len(now.get(kind, ()))), seen])
    if not rows:
        return ["<h2>Findings</h2>", "<p>No sheet has any.</p>"]
    heads = ["what was found", "students, ever", "in the last sheet", "seen"]
    return ["<h2>Findings</h2>", html_page.table("By how many had it", heads, rows, numbers={1, 2})]


def predictions_part(folders: dict[str, pathlib.Path], known: dict[int, tuple[str, ...]]) -> list[str]:
    """Returns the section on wrong predictions, from the notebooks in the submissions."""
    asked, notebooks = history.predictions(folders, known)
    said = ["<h2>Predictions</h2>"]
    if not asked:
        why = "No submission contains a notebook." if folders else "No folder of submissions was named."
        return [*said, f"<p>{why} A student's clone has one, <code>.workbook/progress.json</code>.</p>"]
    order = sorted(asked.values(), key=lambda one: (-one.count("wrong"), -one.count("second"), one.chapter, one.name))
    rows = []
    for one in order:
        about = f"{one.name}: {one.idea}" if one.idea else one.name
        counted = map(str, (len(one.days), one.count("first"), one.count("wrong")))
        rows.append([str(one.chapter), html_page.text(about), *counted])
    weeks = history.by_week(asked.values())
    heads = ["chapter", "question", "answered", "right at once", "wrong twice"]
    by_week = [[html_page.day(week), str(count), str(wrong)] for week, (count, wrong) in weeks.items()]
    return [
        *said,
        f"<p>From {notebooks} of {len(folders)} submissions: those that bring a notebook. Each student's last answer "
        "counts.</p>",
        html_page.table("Which went wrong, the most first", heads, rows, numbers={0, 2, 3, 4}),
        html_page.table(
            "When they were last answered", ["week of", "answered", "wrong twice"], by_week, numbers={1, 2}
        ),
    ]


def benches(folders: dict[str, pathlib.Path], root: pathlib.Path) -> list[alike.Bench]:
    """Returns one bench per chapter with the students' files for it."""
    found = []
    for number, facts in manifest.load(root).items():
        start = exercises.start_text(facts, root)
        solution = facts.solution_path(root).read_text(encoding="utf-8")
        bench = alike.Bench(number, alike.fingerprints(start), alike.fingerprints(solution))
        exercise = pathlib.PurePosixPath(facts.exercise_path(root).relative_to(root))
        for name, folder in folders.items():
            given = submissions.read(folder, exercise)
            if given is not None and not given.refused:
                bench.add(name, given.data.decode("utf-8", "replace"))
        found.append(bench)
    return found


def alike_part(folders: dict[str, pathlib.Path], root: pathlib.Path, called: dict[str, str]) -> list[str]:
    """Returns the section on groups of files that share text which neither the exercise nor the solution contains."""
    said = ["<h2>Files that are alike</h2>"]
    if not folders:
        return [*said, "<p>No folder of submissions was named, so no files were compared.</p>"]
    rows, like_book = [], []
    for bench in benches(folders, root):
        for group in bench.groups():
            members = ", ".join(called[name] for name in group.members)
            rows.append((group.share, [str(bench.chapter), str(len(group.members)), members, f"{group.share:.0%}"]))
        if near := bench.near_solution():
            like_book.append(f"chapter {bench.chapter}: {len(near)} of {len(bench.files)}")
    rows.sort(key=lambda row: -row[0])
    if rows:
        heads = ["chapter", "files", "whose", "alike"]
        shown = [row for _, row in rows[:MAX_GROUPS]]
        said.append(html_page.table("The most alike first", heads, shown, numbers={0, 1, 3}))
    else:
        said.append("<p>There are none.</p>")
    said.append(
        f"<p>Names and layout do not count. The text that the exercise gave does not, either, and two files that share "
        f"what the book's solution holds are in no group. From {alike.ALIKE:.0%} of the shorter file on, files are "
        "named here; independent solutions of the book's own tests stay below. This is a reason to ask, not proof.</p>"
    )
    if like_book:
        said.append(f"<p>Mostly the book's solution: {escape('; '.join(like_book))}.</p>")
    return said


def page(runs: list[Run], folders: dict[str, pathlib.Path], root: pathlib.Path = ROOT, named: bool = False) -> str:
    """Returns the whole page as HTML."""
    chapters = manifest.load(root)
    names = history.students(runs)
    first, last = (run.at.date().isoformat() for run in (runs[0], runs[-1]))
    span = f"on {first}" if first == last else f"from {first} to {last}"
    counted = f"{len(names)} students, {len(runs)} sheet{'s' if len(runs) > 1 else ''} {span}."
    body = [
        "<h1>What the class learned</h1>",
        f"<p>{counted} {'' if named else 'Students are numbered in random order instead of named.'}</p>",
        *chapters_part(runs, {number: one.title for number, one in chapters.items()}),
        *runs_part(runs),
        *findings_part(runs),
        *predictions_part(folders, {number: one.predict for number, one in chapters.items()}),
        *alike_part(folders, root, shown_names({*names, *folders}, named)),
    ]
    return html_page.page("What the class learned", body)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="book class", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build = pathlib.Path(os.environ.get("WORKBOOK_BUILD_DIR", "build"))
    parser.add_argument("--sheets", type=pathlib.Path, default=build / "grade/sheet", help="a folder with sheets in it")
    parser.add_argument("--submissions", type=pathlib.Path, help="the students' folders, for files and predictions")
    parser.add_argument("--names", action="store_true", help="with names")
    parser.add_argument("--out", type=pathlib.Path, default=build / "grade/class.html", help="the page")
    given = parser.parse_args(arguments)
    try:
        if given.submissions and not given.submissions.is_dir():
            raise history.NoSheets(f"--submissions {given.submissions}: there is no such folder")
        folders = submissions.find(given.submissions) if given.submissions else {}
        text = page(history.read_sheets(given.sheets), folders, named=given.names)
    except (history.NoSheets, ManifestError) as error:
        print(wrapped(words.lines(str(error))), file=sys.stderr)
        return 2
    given.out.parent.mkdir(parents=True, exist_ok=True)
    part = given.out.with_name(given.out.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(given.out)
    print(wrapped(f"The page: {os.path.relpath(given.out)}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
