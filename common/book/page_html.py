"""Makes HTML of a Markdown page for the site, by Python-Markdown: links lead to pages of the site, pictures scroll."""

# Neither Python-Markdown nor Pygments says its types everywhere.
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"

from __future__ import annotations

import collections.abc
import re
from html import escape
from xml.etree.ElementTree import Element

import markdown
import markdown.treeprocessors

from book import links, markers

# Where a link leads: (target, is it a picture) -> address on the site, or None for words without a link.
Place = collections.abc.Callable[[str, bool], "str | None"]


class _Site(markdown.treeprocessors.Treeprocessor):
    """Leads links to the site's pages, and marks what the site's sheet gives a look."""

    def __init__(self, md: markdown.Markdown, place: Place) -> None:
        super().__init__(md)
        self.place = place

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag == "a" and not re.match(r"\w+:|#", element.get("href", "#")):
                address = self.place(element.attrib.pop("href"), False)
                if address:
                    element.set("href", address)
            elif element.tag == "img":
                element.set("src", self.place(element.get("src", ""), True) or "")
            elif element.tag == "table":
                element.set("class", "markdownTable")
                for code in element.iter("code"):  # as in a cell of GitHub's, where a bar has to be written so
                    code.text = markdown.util.AtomicString((code.text or "").replace(r"\|", "|"))
            elif (
                element.tag == "p"
                and len(element) == 1
                and element[0].tag == "img"
                and not (element.text or "").strip()
            ):
                element.tag = "div"
                element.set("class", "wide")


SECTIONS = 4  # a page of so many has a list of them

# What a mark at the beginning of a line says of it, as a class of the site's sheet.
MARKS = {"+": "added", "-": "removed", "!": "trouble"}
MARKED = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_lines(code: str) -> list[str]:
    """C++ as lines of HTML, with colours where Pygments is installed."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import CppLexer
    except ImportError:
        return escape(code).split("\n")
    return str(highlight(code, CppLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))).split("\n")


def marked_code(text: str) -> str:
    """A kernel or a diff with marks as HTML: coloured as C++, and lines with a mark from edge to edge."""
    lines = text.removesuffix("\n").split("\n")
    code = code_lines("\n".join(line[1:] for line in lines))
    rows = []
    # Pygments may end what it returns with a line end, and so with one line more.
    for line, one in zip(lines, code, strict=False):
        mark = line[:1] or " "
        shown = f'<span class="mark">{escape(mark)}</span>{one}'
        rows.append(f'<span class="line {MARKS.get(mark, "same")}">{shown}\n</span>')
    return f'<div class="highlight marked"><pre><code>{"".join(rows)}</code></pre></div>'


def outline(page: str) -> str:
    """A folded list of a page's sections; nothing where there are few."""
    headings = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page, re.DOTALL)
    if len(headings) < SECTIONS:
        return ""
    # Of the heading's mark-up all but links: one cannot stand within another.
    rows = "".join(f'<li><a href="#{name}">{re.sub(r"</?a[^>]*>", "", words)}</a></li>' for name, words in headings)
    return f'<details class="outline"><summary>On this page</summary><ul>{rows}</ul></details>\n'


def html(text: str, place: Place) -> str:
    """The page as HTML, without its title."""
    text = markers.without_markers(text)
    # Put aside, since what follows would take blank lines in HTML for the end of it.
    blocks: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        blocks.append(marked_code(match[1]))
        return f"marked-code-{len(blocks) - 1}-"

    text = MARKED.sub(put_aside, text)
    text = re.sub(r"\A\s*# .*\n", "", text)
    # Python-Markdown reads Markdown inside of HTML where it is told to, and knows CUDA as C++.
    text = re.sub(r"^<details>", '<details markdown="1">', text, flags=re.MULTILINE)
    text = re.sub(r"^(```+|~~~+)cuda\b", r"\1cpp", text, flags=re.MULTILINE)
    extensions = ["fenced_code", "tables", "sane_lists", "md_in_html", "toc", "codehilite"]
    settings = {
        "toc": {"slugify": links.slug, "marker": ""},
        "codehilite": {"guess_lang": False, "css_class": "highlight"},
    }
    made = markdown.Markdown(extensions=extensions, extension_configs=settings, tab_length=2)
    # Behind `inline`, which makes links and pictures of their Markdown.
    made.treeprocessors.register(_Site(made, place), "site", 15)
    page = str(made.convert(text))
    return re.sub(r"<p>marked-code-(\d+)-</p>", lambda match: blocks[int(match[1])], page)


# What stands behind code: the box of doxygen-awesome-css, and the marked lines with the edge of each.
LIGHT = {"box": "#f8f9fa", "trouble": "#fff0c2", "added": "#dcf5e3", "removed": "#fde2e1"}
DARK = {"box": "#282c34", "trouble": "#43390f", "added": "#16351f", "removed": "#43201f"}
EDGES_LIGHT = {"trouble": "#b7791f", "added": "#1f7a3d", "removed": "#b3261e"}
EDGES_DARK = {"trouble": "#e0b64a", "added": "#4cc26f", "removed": "#f08c85"}
LEGIBLE = 4.5  # the contrast that WCAG asks of text


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, as WCAG defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """From 1, the same, to 21, black and white."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def legible(colour: str, behind: collections.abc.Collection[str]) -> str:
    """The colour, or the nearest one on the way to black or white that is legible on all that may stand behind it."""
    end = 0 if luminance(next(iter(behind))) > 0.5 else 255
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    for step in range(101):
        mixed = "#" + "".join(f"{round(part + (end - part) * step / 100):02x}" for part in parts)
        if all(contrast(mixed, one) >= LEGIBLE for one in behind):
            return mixed
    return f"#{end:02x}{end:02x}{end:02x}"


def colours(style: str, prefix: str, behind: dict[str, str], edges: dict[str, str]) -> str:
    """The sheet of one style, below `prefix`: every colour of text legible, no background but those of the marks."""
    from pygments.formatters import HtmlFormatter

    names = "".join(f"--{name}: {colour}; " for name, colour in behind.items() if name != "box")
    names += "".join(f"--{name}-edge: {colour}; " for name, colour in edges.items())
    rules = [f"{prefix or 'html'} {{ {names}}}"]
    for line in HtmlFormatter(style=style).get_style_defs(f"{prefix} .highlight".strip()).split("\n"):
        match = re.match(r"(?P<where>[^{]*\.highlight \.\w+) \{ (?P<what>[^}]*)\}", line)
        if match and not match["where"].endswith((".err", ".hll")):
            what = re.sub(r"background-color: [^;]+;?|border: [^;]+;?", "", match["what"])
            six = re.sub(r"#([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])\b", r"#\1\1\2\2\3\3", what)
            what = re.sub(r"#[0-9A-Fa-f]{6}", lambda one: legible(one[0], behind.values()), six)
            rules.append(f"{match['where']} {{ {what.strip()} }}")
    return "\n".join(rules) + "\n"


def highlighting(dark: bool) -> str:
    """The style sheet of highlighted code, with colours for dark systems where the site turns dark, too; nothing where
    Pygments is not installed."""
    try:
        sheet = colours("default", "", LIGHT, EDGES_LIGHT)
        if dark:
            # As doxygen-awesome-css: dark where the system is, unless light was asked for, or where dark was.
            system = colours("monokai", "html:not(.light-mode)", DARK, EDGES_DARK)
            sheet += f"@media (prefers-color-scheme: dark) {{\n{system}}}\n"
            sheet += colours("monokai", "html.dark-mode", DARK, EDGES_DARK)
    except ImportError:
        return ""
    return sheet
