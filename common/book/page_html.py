"""Converts a Markdown page to HTML for the site, with Python-Markdown: links point to pages of the site, and wide
pictures can be scrolled."""

# Python-Markdown and Pygments don't declare all of their types.
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"

from __future__ import annotations

import collections.abc
import re
from html import escape
from xml.etree.ElementTree import Element

import markdown
import markdown.treeprocessors

from book import links, markers

# A function that returns the address on the site for (target, whether it is a picture), or None to make it plain text.
Place = collections.abc.Callable[[str, bool], "str | None"]


class _Site(markdown.treeprocessors.Treeprocessor):
    """Redirects links to the site's pages, and sets the classes that the site's style sheet uses."""

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
                for code in element.iter("code"):  # as on GitHub, where a bar in a cell has to be escaped
                    code.text = markdown.util.AtomicString((code.text or "").replace(r"\|", "|"))
            elif (
                element.tag == "p"
                and len(element) == 1
                and element[0].tag == "img"
                and not (element.text or "").strip()
            ):
                element.tag = "div"
                element.set("class", "wide")


SECTIONS = 4  # a page with at least this many sections has a list of them

# A mark at the beginning of a line, and the class that the line gets in the site's style sheet.
MARKS = {"+": "added", "-": "removed", "!": "trouble"}
MARKED = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_lines(code: str) -> list[str]:
    """Returns C++ as lines of HTML, with colours if Pygments is installed."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import CppLexer
    except ImportError:
        return escape(code).split("\n")
    return str(highlight(code, CppLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))).split("\n")


def marked_code(text: str) -> str:
    """Returns a kernel or a diff with marks as HTML: coloured as C++, with full-width highlights on marked lines."""
    lines = text.removesuffix("\n").split("\n")
    code = code_lines("\n".join(line[1:] for line in lines))
    rows = []
    # The output of Pygments may end with a line end, which gives an additional empty line.
    for line, one in zip(lines, code, strict=False):
        mark = line[:1] or " "
        shown = f'<span class="mark">{escape(mark)}</span>{one}'
        rows.append(f'<span class="line {MARKS.get(mark, "same")}">{shown}\n</span>')
    return f'<div class="highlight marked"><pre><code>{"".join(rows)}</code></pre></div>'


def outline(page: str) -> str:
    """Returns a folded list of a page's sections; "" if there are only a few."""
    headings = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page, re.DOTALL)
    if len(headings) < SECTIONS:
        return ""
    # Links in the heading are removed, because links can't be nested.
    rows = "".join(f'<li><a href="#{name}">{re.sub(r"</?a[^>]*>", "", words)}</a></li>' for name, words in headings)
    return f'<details class="outline"><summary>On this page</summary><ul>{rows}</ul></details>\n'


def html(text: str, place: Place) -> str:
    """Returns the page as HTML, without its title."""
    text = markers.without_markers(text)
    # These blocks are taken out, because the following steps would take a blank line as the end of their HTML.
    blocks: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        blocks.append(marked_code(match[1]))
        return f"marked-code-{len(blocks) - 1}-"

    text = MARKED.sub(put_aside, text)
    text = re.sub(r"\A\s*# .*\n", "", text)
    # Python-Markdown reads Markdown inside HTML only if it has this attribute, and it knows CUDA only as C++.
    text = re.sub(r"^<details>", '<details markdown="1">', text, flags=re.MULTILINE)
    text = re.sub(r"^(```+|~~~+)cuda\b", r"\1cpp", text, flags=re.MULTILINE)
    extensions = ["fenced_code", "tables", "sane_lists", "md_in_html", "toc", "codehilite"]
    settings = {
        "toc": {"slugify": links.slug, "marker": ""},
        "codehilite": {"guess_lang": False, "css_class": "highlight"},
    }
    made = markdown.Markdown(extensions=extensions, extension_configs=settings, tab_length=2)
    # Runs after `inline`, which creates the links and pictures.
    made.treeprocessors.register(_Site(made, place), "site", 15)
    page = str(made.convert(text))
    return re.sub(r"<p>marked-code-(\d+)-</p>", lambda match: blocks[int(match[1])], page)


# Backgrounds of code: the box of doxygen-awesome-css, and marked lines.
LIGHT = {"box": "#f8f9fa", "trouble": "#fff0c2", "added": "#dcf5e3", "removed": "#fde2e1"}
DARK = {"box": "#282c34", "trouble": "#43390f", "added": "#16351f", "removed": "#43201f"}
EDGES_LIGHT = {"trouble": "#b7791f", "added": "#1f7a3d", "removed": "#b3261e"}
EDGES_DARK = {"trouble": "#e0b64a", "added": "#4cc26f", "removed": "#f08c85"}
LEGIBLE = 4.5  # the contrast that WCAG requires for text


def luminance(colour: str) -> float:
    """Returns the relative luminance of #rrggbb as WCAG defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Returns the contrast of two colours, from 1 (equal) to 21 (black and white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def legible(colour: str, behind: collections.abc.Collection[str]) -> str:
    """Returns the colour or, if it isn't legible on all backgrounds in `behind`, the nearest darker or lighter one that
    is."""
    end = 0 if luminance(next(iter(behind))) > 0.5 else 255
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    for step in range(101):
        mixed = "#" + "".join(f"{round(part + (end - part) * step / 100):02x}" for part in parts)
        if all(contrast(mixed, one) >= LEGIBLE for one in behind):
            return mixed
    return f"#{end:02x}{end:02x}{end:02x}"


def colours(style: str, prefix: str, behind: dict[str, str], edges: dict[str, str]) -> str:
    """Returns the style sheet of one Pygments style, whose rules begin with `prefix`. All text colours are legible, and
    only marked lines have a background."""
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
    """Returns the style sheet of highlighted code. If `dark`, it has colours for dark systems, too. Returns "" if
    Pygments is not installed."""
    try:
        sheet = colours("default", "", LIGHT, EDGES_LIGHT)
        if dark:
            # As in doxygen-awesome-css: dark if the system is dark and the reader hasn't chosen light, or if the reader
            # has chosen dark.
            system = colours("monokai", "html:not(.light-mode)", DARK, EDGES_DARK)
            sheet += f"@media (prefers-color-scheme: dark) {{\n{system}}}\n"
            sheet += colours("monokai", "html.dark-mode", DARK, EDGES_DARK)
    except ImportError:
        return ""
    return sheet
