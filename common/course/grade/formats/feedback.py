"""feedback/NAME.html: a page for each student. It has the verdict on each chapter, the findings and their lines, how to
watch the kernel, the goal, and the costs of the file's lines.

Names and compiler output are untrusted text, so all of it is escaped, and the page must not load or run anything."""

from __future__ import annotations

import hashlib
import pathlib
import re
from html import escape

from course.grade import html_page, words
from course.grade.formats import entries
from course.grade.formats.surroundings import Around
from course.grade.result import Result, State
from course.grade.sheet_contents import Contents, Entry, Submission

BEFORE, BEHIND = 2, 2  # lines of the file around a finding
SAID_OF_LINE = re.compile(r"^[^\n(]*\((\d+)\): ", re.MULTILINE)  # how nvcc names a line


def file_names(names: list[str]) -> dict[str, str]:
    """Returns a file name for each submission: its own name if every file system accepts that, otherwise a name that is
    made from it."""
    found, taken = {}, set()
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60]
        if plain != name or plain.casefold() in taken:
            mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            plain = f"{plain or 'student'}-{mark}"
        taken.add(plain.casefold())
        found[name] = f"{plain}.html"
    return found


def excerpt(source: list[str], line: int) -> str:
    """Returns the lines of the student's file around a finding; "" if the file has no such line or can't be read."""
    if not 0 < line <= len(source):
        return ""
    first, last = max(1, line - BEFORE), min(len(source), line + BEHIND)
    rows = []
    for k in range(first, last + 1):
        css = "at" if k == line else "line"
        rows.append(f'<span class="{css}">{k:>4}  {html_page.text(source[k - 1]) or " "}</span>')
    return f'<pre aria-label="line {line} of the file">{"".join(rows)}</pre>'


def findings(result: Result, source: list[str]) -> list[str]:
    """Returns the findings as HTML, each with the source lines around it."""
    said: list[str] = []
    for finding in result.findings:
        said.append(f"<h3>{escape(entries.finding_words(finding))}</h3>")
        said += [f"<p>{html_page.text(text)}</p>" for text in (finding.cause, finding.cure) if text]
        said.append(excerpt(source, finding.line))
    if result.state == State.DOES_NOT_COMPILE and (named := SAID_OF_LINE.search(result.words)):
        said.append(excerpt(source, int(named[1])))
    return [one for one in said if one]


def figures(result: Result) -> str:
    """Returns a table of the goal's counts and of the accuracy; "" if there are neither."""
    rows = []
    for one in entries.counted(result):
        rows.append([html_page.text(one.metric or ""), entries.number(one.wanted), entries.number(one.yours)])
    if result.figures and result.figures.worst_share_of_bound:
        share = f"{result.figures.worst_share_of_bound:.3g}"
        rows.append(["largest error, as a share of its bound", "at most 1", share])
    if not rows:
        return ""
    return html_page.table("Figures", ["what was counted", "wanted", "yours"], rows, numbers=(1, 2))


def profile(result: Result, source: list[str]) -> str:
    """Returns a folded table of the costs of the file's lines; "" if they were not counted."""
    if result.profile is None or not result.profile.lines:
        return ""
    rows = []
    for one in result.profile.lines:
        words_of_line = source[one.line - 1].strip() if 0 < one.line <= len(source) else ""
        share = 100 * one.instructions / max(1, result.profile.instructions)
        shown = f"<code>{html_page.text(words_of_line)}</code>"
        rows.append([str(one.line), shown, f"{share:.1f} %", f"{one.conflicts:,}", f"{one.sectors:,}"])
    heads = ["line", "source", "instructions", "bank conflicts", "sectors of global memory"]
    costs = html_page.table("What the lines cost on the goal's input", heads, rows, numbers=(0, 2, 3, 4))
    return f"<details><summary>What the lines of your file cost</summary>{costs}</details>"


def how_to_watch(number: int, result: Result) -> str:
    """Returns how the student can watch the kernel; "" if it wasn't judged."""
    if result.state != State.JUDGED:
        return ""
    return f"<p>To watch your kernel step by step in a browser, run <code>make play{number}</code>.</p>"


def chapter(about: Around, number: int, entry: Entry, found: list[entries.Part], source: list[str]) -> list[str]:
    title = f"Chapter {number}: {about.titles.get(number, '')}".rstrip(": ")
    most = sum(part.most for part in found)
    result = entry.result
    said = [f"<h2>{escape(title)}</h2>", f"<p><strong>{entry.points} of {most} points</strong></p>"]
    if result.state != State.JUDGED:
        said.append(f"<p>{html_page.text(entries.STATES[result.state])}</p>")
    else:
        rows = []
        for part in found:
            verdict = '<span class="good">✓ yes</span>' if part.passed else '<span class="bad">✗ no</span>'
            rows.append([escape(part.name), verdict, f"{part.score} of {part.most}", entries.ASKED[part.name]])
        said.append(html_page.table("Verdict", ["part", "reached?", "points", "what is asked"], rows, numbers=(2,)))
    # A finding that has an explanation repeats the message of the result, so the message isn't shown again.
    if result.words.strip() and not any(finding.cause for finding in result.findings):
        said.append(f'<pre class="words">{html_page.text(result.words.strip())}</pre>')
    more = [how_to_watch(number, result), figures(result), profile(result, source)]
    return [*said, *findings(result, source), *(one for one in more if one)]


def page(about: Around, sheet: Contents, submission: Submission, called: str) -> str:
    found = entries.parts(sheet, submission)
    graded = sheet.graded_at[:10]
    said = [
        f"<h1>Feedback for {html_page.name(called)}</h1>",
        f"<p><strong>{submission.points} of {sheet.most_points} points</strong>"
        + (f', <span class="dim">graded on {escape(graded)}</span>' if graded else "")
        + "</p>",
        '<p class="dim">Points come from counts on an emulator, never from time. '
        "<code>make testN</code> gives the same verdict on your own machine, for chapter N.</p>",
    ]
    for number, entry in submission.chapters.items():
        of_chapter = [part for part in found if part.chapter == number]
        said += chapter(about, number, entry, of_chapter, about.source(submission.name, number))
    return html_page.page(f"Feedback for {called}", said)


def write(sheet: Contents, folder: pathlib.Path, about: Around) -> list[str]:
    """Writes a page per submission into feedback/, after deleting the pages of an earlier run."""
    place = folder / "feedback"
    place.mkdir(exist_ok=True)
    for old in place.glob("*.html"):
        old.unlink()
    called = {words.visible(one.folder): one.name for one in about.students or [] if one.name}
    names = file_names([one.name for one in sheet.submissions])
    for one in sheet.submissions:
        shown = called.get(words.visible(one.name), one.name)
        (place / names[one.name]).write_text(page(about, sheet, one, shown), encoding="utf-8")
    return ["feedback/"]
