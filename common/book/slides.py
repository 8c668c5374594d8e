"""Makes a deck of slides for each session of the instructor's guide: python3 -m book.slides --out build/slides

A deck is a single file that loads no other file. The guide's plan gives its title, and each numbered item of the
session is a slide. The slide also shows the drawings and plots that the item names, and the table of a section if a
link with the word "table" leads to it. The kernel and the predictions of a chapter follow the item in which the class
starts to work on it; its limits and questions follow the last item about it. A kernel that is too long for one slide is
split over several. The parts after "Heard" and "So", a lesson's folded answers, a reference and a table of limits stay
hidden until a key is pressed.

Exit status: 0; 1 if the guide and the lessons contradict each other; 77 if Python-Markdown is not installed.
"""

from __future__ import annotations

import argparse
import dataclasses
import html
import importlib.util
import pathlib
import re
import sys

from book import links, manifest, markers, one_page

GUIDE = manifest.ROOT / "docs" / "pages" / "instructor.md"
FIGURES = manifest.ROOT / "plots" / "figures"
SCRIPT = pathlib.Path(__file__).with_suffix(".js")
LOOK = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #57606a; --line: #c9d1d9; --box: #f8f9fa; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e4e9ee; --faint: #9aa5b0; --line: #444c56;
  --box: #282c34; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 20px/1.4 system-ui, 'DejaVu Sans', sans-serif; }
.slide { box-sizing: border-box; padding: 1em 1.6em 1.4em; overflow-wrap: anywhere; }
.deck .slide { display: none; } .deck .slide.on { display: block; }
.deck .later:not(.shown) { visibility: hidden; }
h1 { font-size: 1.7em; line-height: 1.2; margin: 0 0 .4em; }
h2 { font-size: 1em; color: var(--faint); margin: 0 0 .5em; }
h3 { font-size: 1em; margin: .6em 0 .2em; } p, ul, ol { margin: .4em 0; } a { color: inherit; }
img { display: block; width: 100%; max-height: 20em; object-fit: contain; }
.deck .covered { position: relative; }
.deck .covered::after { content: ""; position: absolute; left: 35%; width: 27%; top: 0; bottom: 0;
  background: var(--line); }
.deck .covered:has(table)::after { display: none; } .deck .covered .time { visibility: hidden; }
.deck .slide:not(:has(.later:not(.shown))) .covered::after { display: none; }
.deck .slide:not(:has(.later:not(.shown))) .covered .time { visibility: visible; }
pre { overflow-x: auto; background: var(--box); padding: .5em; margin: .4em 0; font-size: .75em; line-height: 1.3; }
.marked pre { padding: .5em 0; } .marked code { display: block; width: max-content; min-width: 100%; }
.marked .line { display: block; min-height: 1.3em; padding: 0 .7em; }
.marked .mark { display: inline-block; width: 1.6em; font-weight: 700; }
.marked .trouble { background: var(--trouble); } .marked .added { background: var(--added); }
.marked .removed { background: var(--removed); }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .8em; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .2em .6em .2em 0; text-align: left; }
#place { position: fixed; right: .6rem; bottom: .3rem; font-size: .8rem; color: var(--faint); }
@media print { body { font-size: 14px; } #place { display: none; } pre { white-space: pre-wrap; }
  .deck .slide { display: block; break-after: page; } .deck .later:not(.shown) { visibility: visible; }
  .marked code { width: auto; } img { max-height: 14cm; } .deck .covered::after { display: none; }
  .deck .covered .time { visibility: visible !important; }
  pre, table, img { break-inside: avoid-page; } }
"""


# The number of lines of a kernel on one slide, in letters that can be read from the last row.
LINES = 34
# Words in a lesson about its fold. They are removed, because a deck has no folds.
OF_A_FOLD = re.compile(r"; then open the fold(?=\.)")
# The heading of a column with measured values.
TIME = re.compile(r"\b(?:time|us|ms|ns|GB/s|over|faster)\b")
TABLE = re.compile(r"\[[^\]]*\btable\b[^\]]*\]\((?P<path>[^)#\s]+)#(?P<place>[^)\s]+)\)")


# An item in a list of questions or answers, and a fold with one answer.
ITEM = re.compile(r"^- ", re.MULTILINE)
ANSWER = "<details>\n<summary>Answer</summary>\n\n{}\n</details>"


class Wrong(Exception):
    """Raised if the guide asks for something that doesn't exist. The message names it."""


@dataclasses.dataclass(frozen=True)
class Session:
    """One session of the guide."""

    number: int
    chapters: tuple[int, ...]
    words: str  # "chapters 2 and 3"
    idea: str
    items: tuple[str, ...]
    home: str


def sections(text: str, level: int) -> dict[str, str]:
    """Returns {heading: the text below it} for the headings of one level. Lines of code blocks are never headings."""
    found: dict[str, list[str]] = {}
    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= bool(links.FENCE.match(line))
        match = None if fenced else links.HEADING.match(line)
        if match and len(match[1]) <= level:
            lines = found.setdefault(match[2], []) if len(match[1]) == level else []
        else:
            lines.append(line)
    return {heading: "\n".join(below) for heading, below in found.items()}


def numbers(words: str) -> tuple[int, ...]:
    """Returns the chapters that a text names, such as `chapter 2`, `chapters 4, 5 and 6`, `chapters 1 to 3` or `make
    profile2`."""
    found = [int(one) for one in re.findall(r"`make [a-z]+(\d+)", words)]
    for one in re.findall(r"[Cc]hapters? (\d+(?:(?:, (?:and )?| and | to )\d+)*)", words):
        named = [int(number) for number in re.findall(r"\d+", one)]
        found += range(named[0], named[-1] + 1) if " to " in one else named
    return tuple(dict.fromkeys(found))


def items(text: str, name: str) -> tuple[str, ...]:
    """Returns the numbered items, each as one line. Raises Wrong."""
    parts = re.split(r"^(\d+)\. ", text.split("\nAt home:", maxsplit=1)[0], flags=re.MULTILINE)
    if parts[1::2] != [str(k + 1) for k in range(len(parts) // 2)] or len(parts) < 3:
        raise Wrong(f"{name}: its items are not numbered 1, 2, 3 …, but {', '.join(parts[1::2]) or 'there are none'}")
    return tuple(" ".join(part.split()) for part in parts[2::2])


def sessions(guide: str) -> list[Session]:
    """Returns the sessions of the guide's plan, with their items. Raises Wrong."""
    plan = re.findall(r"^\| (\d+) \| ([\d, ]+) \| ([^|]+) \| [^|]+ \|$", guide, re.MULTILINE)
    if not plan:
        raise Wrong("the guide has no plan: no row `| session | chapters | idea | at home |`")
    told = {}
    for heading, text in sections(guide, 3).items():
        if match := re.fullmatch(r"Session (\d+): (.*)", heading):
            told[int(match[1])] = match[2], text
    if extra := sorted(set(told) - {int(row[0]) for row in plan}):
        raise Wrong(f"session {extra[0]} is told, but the plan does not name it")
    found = []
    for row in plan:
        number, chapters = int(row[0]), tuple(int(one) for one in row[1].split(","))
        name = f"session {number}"
        if number not in told:
            raise Wrong(f"the plan names {name}, but nothing tells it: no heading `### Session {number}: …`")
        words, text = told[number]
        if numbers(words) != chapters:
            raise Wrong(f"{name}: the plan names the chapters {row[1]}, its heading {words}")
        if unknown := set(chapters) - set(manifest.load()):
            raise Wrong(f"{name}: there is no chapter {min(unknown)}")
        home = re.search(r"^At home: (.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
        if home is None:
            raise Wrong(f"{name}: the paragraph `At home: …` is missing")
        listed = items(text, name)
        if unnamed := set(chapters) - {one for item in listed for one in numbers(item)}:
            raise Wrong(f"{name}: no item names chapter {min(unnamed)}")
        found.append(Session(number, chapters, words, row[2].strip(), listed, home[1]))
    return found


def shown(text: str, source: pathlib.Path) -> str:
    """Returns Markdown as HTML for a slide. Headings have no anchors, links within a lesson become plain text, and keys
    open the folds."""
    from book import page_html  # only here: it needs Python-Markdown

    def place(target: str, picture: bool) -> str | None:
        return one_page.data_url((source.parent / target).resolve()) if picture else None

    text = OF_A_FOLD.sub("", text)
    page = re.sub(r'(<h\d[^>]*) id="[^"]*"', r"\1", page_html.html(text, place))
    page = re.sub(r'<a href="#[^"]*">(.*?)</a>', r"\1", page, flags=re.DOTALL)
    page = re.sub(r"<details>\s*<summary>(.*?)</summary>", r"<div class='later'><h3>\1</h3>", page, flags=re.DOTALL)
    return page.replace("</details>", "</div>")


def slide(title: str, body: str, small: str = "", kind: str = "") -> str:
    below = f"<h2>{html.escape(small)}</h2>" if small else ""
    heading = f"<h1>{html.escape(title)}</h1>" if title else ""
    return f'<section class="slide {kind}">\n{below}{heading}\n{body}\n</section>'


def later(body: str) -> str:
    return f"<div class='later'>{body}</div>"


def pieces(lines: list[str]) -> list[list[str]]:
    """Returns code in parts that fit on a slide. It is cut at empty lines or, if there are none, anywhere."""
    found, left = [], lines
    while len(left) > LINES:
        empty = [k for k in range(1, LINES + 1) if not left[k][1:].strip()]
        # Cuts at the empty line that makes the parts most similar in length, so that no slide shows only the last lines
        # of a kernel.
        parts = -(-len(left) // LINES)
        cut = min(empty, key=lambda k: abs(k - len(left) / parts)) if empty else LINES
        found.append(left[:cut])
        left = left[cut + bool(empty) :]
    return [*found, left]


class Lesson:
    """The parts of a chapter's lesson that slides show."""

    def __init__(self, number: int) -> None:
        self.path = manifest.load()[number].lesson_path()
        self.number, self.text = number, self.path.read_text(encoding="utf-8")
        self.below = sections(self.text, 2)
        self.small = f"Chapter {number}: {manifest.load()[number].title}"

    def code(self, title: str, detail: str, kind: str, hidden: bool = False) -> list[str]:
        """Returns the slides of a kernel. If `hidden`, they are hidden until a key is pressed. Raises Wrong."""
        kernels = {one.detail: one.body for one in markers.parts(self.text) if one.kind == "kernel"}
        if detail not in kernels:
            raise Wrong(f"the lesson of chapter {self.number} has no kernel:{detail}")
        fence, *lines = kernels[detail].strip("\n").split("\n")
        parts = pieces(lines[:-1])
        found = []
        for k, part in enumerate(parts):
            body = shown("\n".join([fence, *part, lines[-1], ""]), self.path)
            which = f", {k + 1} of {len(parts)}" if len(parts) > 1 else ""
            found.append(slide(title + which, later(body) if hidden else body, self.small, kind))
        return found

    def under(self, heading: str) -> str:
        """Returns the text below a heading as HTML. Raises Wrong."""
        if heading not in self.below:
            raise Wrong(f"the lesson of chapter {self.number} has no heading `## {heading}`")
        return shown(self.below[heading], self.path)

    def work(self) -> list[str]:
        """Returns the slides that are shown when the class starts to work on the chapter."""
        return [
            *self.code("The kernel to start from", "start", "kernel"),
            slide("Predict", self.under("Predict"), self.small, "predict"),
            *self.code("The kernel of the book", "solution", "solution", hidden=True),
        ]

    def asked(self) -> list[str]:
        """Returns the slides of the lesson's questions: one for each question with a folded answer, and one for all
        other questions. An answer is in a fold below its question, or in a fold below the list. Raises Wrong."""
        heading = "Questions"
        if heading not in self.below:
            raise Wrong(f"the lesson of chapter {self.number} has no heading `## {heading}`")
        questions, fold, answers = self.below[heading].partition("<details>\n<summary>Answers</summary>\n")
        if fold:
            listed = [ITEM.split(part)[1:] for part in (questions, answers.partition("</details>")[0])]
            if len(listed[0]) != len(listed[1]):
                raise Wrong(
                    f"the lesson of chapter {self.number} has {len(listed[1])} answers to {len(listed[0])} questions"
                )
            parts = [f"- {one}\n\n{ANSWER.format(other)}" for one, other in zip(*listed, strict=True)]
        else:
            parts = [one for one in re.split(r"(?<=^</details>$)", questions, flags=re.MULTILINE) if one.strip()]
        return [slide(heading, shown(one, self.path), self.small, "questions") for one in parts]

    def end(self) -> list[str]:
        """Returns the slides that are shown when the class has finished the chapter."""
        heading = "What limits it now"
        words = self.under(heading)
        # If the lesson has a table of experiments, only that is shown, because the instructor explains it.
        tables = [shown(one.body, self.path) for one in markers.parts(self.below[heading]) if one.detail == "limits"]
        return [
            slide(f"{heading}?", later("".join(tables) or words), self.small, "limits"),
            *self.asked(),
        ]


def pictures(item: str, named: tuple[int, ...], name: str) -> list[pathlib.Path]:
    """Returns the plots and drawings that an item names. Raises Wrong."""
    found = [FIGURES / f"{plot}.svg" for plot in re.findall(r"\[(\w+) plot\]", item)]
    if re.search(r"\bdrawings?\b", item):
        if not named:
            raise Wrong(f"{name} mentions a drawing, but no chapter")
        found += [manifest.load()[number].lesson_path().with_name("drawing.svg") for number in named]
    for path in found:
        if not path.is_file():
            raise Wrong(f"{name}: there is no picture {path.relative_to(manifest.ROOT)}")
    return found


def tables(item: str, name: str) -> list[str]:
    """Returns, as HTML, the first table of each section that an item links to as a table. Raises Wrong."""
    found = []
    for match in TABLE.finditer(item):
        path = (GUIDE.parent / match["path"]).resolve()
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        here = [below for level in (2, 3) for heading, below in sections(text, level).items()
                if links.slug(heading) == match["place"]]  # fmt: skip
        rows = re.search(r"^\|.*\n\|[ :|-]+\n(?:\|.*\n)+", f"{here[0]}\n" if here else "", re.MULTILINE)
        if rows is None:
            raise Wrong(f"{name}: there is no table below #{match['place']} of {match['path']}")
        found.append(with_times(rows[0], shown(rows[0], path)))
    return found


def with_times(rows: str, page: str) -> str:
    """Returns the table. Each cell of a column with measured values has a class."""
    heads = rows.split("\n", 1)[0].strip("|").split(" | ")
    measured = {k for k, head in enumerate(heads) if k and TIME.search(head)}
    cell = re.compile(r"<td(?=[ >])")

    def row(match: re.Match[str]) -> str:
        count = iter(range(len(heads)))
        return cell.sub(lambda one: one[0] + (' class="time"' if next(count, 0) in measured else ""), match[0])

    return re.sub(r"<tr>.*?</tr>", row, page, flags=re.DOTALL)


def item_slides(item: str, named: tuple[int, ...], small: str) -> list[str]:
    """Returns the slides of an item: its text, whose parts after Heard and So are hidden until a key is pressed, and
    its pictures and tables. If there are several of these, each has its own slide. Raises Wrong."""
    said = re.split(r"(?<=\W) (?=(?:Heard|So)\b[:,])", item)
    body = shown(said[0], GUIDE) + "".join(later(shown(one, GUIDE)) for one in said[1:])
    drawn = [f'<img alt="" src="{one_page.data_url(path)}">' for path in pictures(item, named, small)]
    drawn += tables(item, small)
    if re.search(r"\bcovered\b", item):  # the picture is covered until all of the text is shown
        if len(said) == 1 or len(drawn) != 1:
            raise Wrong(f"{small}: what is covered is one picture or table, and a `So:` uncovers it")
        drawn = [f'<div class="covered">{one}</div>' for one in drawn]
    if len(drawn) == 1:
        return [slide("", body + drawn[0], small, "item")]
    return [slide("", body, small, "item"), *(slide("", one, small, "picture") for one in drawn)]


def slides(session: Session) -> list[str]:
    """Returns all slides of a session. Raises Wrong."""
    about: list[tuple[int, ...]] = []
    for k, item in enumerate(session.items):  # without a chapter, an item is about the previous one's
        if unknown := set(numbers(item)) - set(manifest.load()):
            raise Wrong(f"session {session.number}, {k + 1}: there is no chapter {min(unknown)}")
        about.append(numbers(item) or (about[-1] if about else ()))
    works, last = {}, {}
    for number in session.chapters:
        on = [k for k, item in enumerate(session.items) if number in numbers(item)]
        last[number] = max(k for k, named in enumerate(about) if number in named)
        tried = [k for k in on if re.search(r"^Live|exercise", session.items[k])]
        works[number] = tried[0] if tried else last[number]
    title = f"Session {session.number}: {session.words}"
    found = [slide(title, shown(session.idea, GUIDE), "→ or space: next. ←: back. Home, End.", "title")]
    for k, item in enumerate(session.items):
        found += item_slides(item, about[k], f"Session {session.number}, {k + 1}")
        for number in session.chapters:
            found += Lesson(number).work() if works[number] == k else []
        for number in session.chapters:
            found += Lesson(number).end() if last[number] == k else []
    return [*found, slide("At home", shown(session.home, GUIDE), f"Session {session.number}", "home")]


def deck(session: Session) -> str:
    """Returns the session's page. Raises Wrong."""
    from book import page_html

    head = f"<style>{LOOK}{page_html.highlighting(dark=True)}</style>"
    script = f"<script>\n{SCRIPT.read_text(encoding='utf-8')}</script>"
    body = "\n".join([*slides(session), '<div id="place"></div>', script])
    return one_page.document(f"The Reduction Workbook, session {session.number}", head, body)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.slides", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--guide", type=pathlib.Path, default=GUIDE, help="a guide other than docs/pages/instructor.md")
    given = parser.parse_args()
    if importlib.util.find_spec("markdown") is None:
        print(one_page.NO_MARKDOWN, file=sys.stderr)
        return 77
    try:
        pages = {one.number: deck(one) for one in sessions(given.guide.read_text(encoding="utf-8"))}
    except Wrong as error:
        print(f"{given.guide.name}: {error}", file=sys.stderr)
        return 1
    wrong = [f"session {number}: {fault}" for number, page in pages.items() for fault in one_page.faults(page)]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    given.out.mkdir(parents=True, exist_ok=True)
    for number, page in pages.items():
        path = given.out / f"session{number}.html"
        path.write_text(page, encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
