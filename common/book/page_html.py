"""Makes HTML of a Markdown page for the site, by Python-Markdown: links lead to pages of the site, pictures scroll."""

# Neither Python-Markdown nor Pygments says its types everywhere.
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"

from __future__ import annotations

import collections.abc
import re
from xml.etree.ElementTree import Element

import markdown
import markdown.extensions
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
            elif (
                element.tag == "p"
                and len(element) == 1
                and element[0].tag == "img"
                and not (element.text or "").strip()
            ):
                element.tag = "div"
                element.set("class", "wide")


class _SiteExtension(markdown.extensions.Extension):
    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802  (Python-Markdown names it)
        # Behind `inline`, which makes links and pictures of their Markdown.
        md.treeprocessors.register(_Site(md, self.place), "site", 15)


def html(text: str, place: Place) -> str:
    """The page as HTML, without its title."""
    text = markers.without_markers(text)
    text = re.sub(r"\A\s*# .*\n", "", text)
    # Python-Markdown reads Markdown inside of HTML where it is told to, and knows CUDA as C++.
    text = re.sub(r"^<details>", '<details markdown="1">', text, flags=re.MULTILINE)
    text = re.sub(r"^(```+|~~~+)cuda\b", r"\1cpp", text, flags=re.MULTILINE)
    extensions: list[str | markdown.extensions.Extension] = ["fenced_code", "tables", "sane_lists", "md_in_html", "toc"]
    extensions += ["codehilite", _SiteExtension(place)]
    settings = {
        "toc": {"slugify": links.slug, "marker": ""},
        "codehilite": {"guess_lang": False, "css_class": "highlight"},
    }
    return str(markdown.markdown(text, extensions=extensions, extension_configs=settings, tab_length=2))


def highlighting(dark: bool) -> str:
    """The style sheet of highlighted code, with colours for dark systems where the site turns dark, too; nothing where
    Pygments is not installed."""
    try:
        from pygments.formatters import HtmlFormatter
    except ImportError:
        return ""
    sheet = HtmlFormatter(style="default").get_style_defs(".highlight") + "\n"
    if dark:
        colours = HtmlFormatter(style="monokai").get_style_defs(".highlight")
        sheet += f"@media (prefers-color-scheme: dark) {{\n{colours}\n}}\n"
    return re.sub(r"^\.highlight \{ background.*\n|^(td|span)\.linenos.*\n|^pre \{.*\n", "", sheet, flags=re.MULTILINE)
