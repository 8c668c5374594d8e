"""Makes the whole book as one page, to print or to read offline: python3 -m book.one_page --out build/book.html

It contains the lessons and guides of the site in reading order, with their hints at the end and all pictures embedded,
so it loads no other file. Links between its parts become links within the page, and links to anything else become plain
text. Folds are opened for printing. Exit status: 0; 1 if a link leads nowhere; 77 if Python-Markdown is not installed.
"""

from __future__ import annotations

import argparse
import base64
import collections
import functools
import html
import importlib.util
import pathlib
import re
import sys

from book import site

# The site's pages that aren't part of the book: its front page and lists, and pages for those who change the workbook.
LEFT_OUT = re.compile(r"readme|index|lessons|layout|adding_a_chapter|contributing|changelog|coverage|decision_.*")
KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
LOOK = """
:root { color-scheme: light; }
body { max-width: 50rem; margin: 0 auto; padding: 1rem; background: #fff; color: #1b1f24;
  font: 1rem/1.5 Georgia, 'DejaVu Serif', serif; overflow-wrap: anywhere; }
h1, h2, h3, h4, nav, summary, th { font-family: system-ui, sans-serif; line-height: 1.25; }
section > h1 { margin-top: 4rem; } a { color: #1567a8; }
img { max-width: 100%; height: auto; } table { border-collapse: collapse; font-size: .85rem; display: block;
  overflow-x: auto; } th, td { border-bottom: 1px solid #c9d1d9; padding: .25rem .6rem .25rem 0; text-align: left;
  overflow-wrap: normal; }
pre { overflow-x: auto; background: #f8f9fa; padding: .6rem; font-size: .8rem; line-height: 1.45; }
.marked pre { padding: .6rem 0; } .marked .line { display: block; min-height: 1.45em; padding: 0 .7rem; }
.marked .mark { display: inline-block; width: 1.6em; font-weight: 700; }
.marked .trouble { background: var(--trouble); box-shadow: inset 4px 0 var(--trouble-edge); }
.marked .added { background: var(--added); box-shadow: inset 4px 0 var(--added-edge); }
.marked .removed { background: var(--removed); box-shadow: inset 4px 0 var(--removed-edge); }
details { border: 1px solid #dfe3e8; padding: .3rem .8rem; margin: .8rem 0; } summary { font-weight: 600; }
@media print { section { break-before: page; } pre, table, img, details { break-inside: avoid-page; }
  pre { white-space: pre-wrap; } a { color: inherit; text-decoration: none; } }
"""
NO_MARKDOWN = "Python-Markdown is not installed. On Debian and Ubuntu: sudo apt-get install python3-markdown"
UNFOLD = "addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(one => one.open = true))"


def parts() -> dict[pathlib.Path, str]:
    """Returns {Markdown file: label of its part} in reading order: introductions and lessons, guides, hints."""
    pages = {path: label for path, label in site.collect().items() if not LEFT_OUT.fullmatch(label)}

    def place(label: str) -> int:
        if label.endswith("_hints"):
            return 2
        return 0 if label in site.AMONG_LESSONS or re.fullmatch(r"chapter\d+(_\w+)?", label) else 1

    return dict(sorted(pages.items(), key=lambda page: place(page[1])))  # a stable sort, so otherwise the order stays


def document(title: str, head: str, body: str) -> str:
    """Returns a page as HTML. `head` is inserted at the end of the head that all pages have in common."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def data_url(picture: pathlib.Path) -> str:
    """Returns a URL that contains the picture itself."""
    data = base64.b64encode(picture.read_bytes()).decode("ascii")
    return f"data:{KINDS[picture.suffix]};base64,{data}"


class Book:
    """Builds the page."""

    def __init__(self) -> None:
        self.parts = parts()
        self.texts = {path: path.read_text(encoding="utf-8") for path in self.parts}
        self.titles = {label: site.title(self.texts[path], label) for path, label in self.parts.items()}

    def lead(self, source: pathlib.Path, target: str, picture: bool) -> str | None:
        """Returns the link's target within the page, or None if no part has it. For a picture, returns its
        data as a URL."""
        path, _, name = target.partition("#")
        there = (source.parent / path).resolve()
        if picture:
            return data_url(there)
        label = self.parts.get(there / "README.md" if there.is_dir() else there)
        return None if label is None else f"#{label}" + (f"--{name}" if name else "")

    def part(self, path: pathlib.Path, label: str) -> str:
        from book import page_html  # only here: it needs Python-Markdown

        text = self.texts[path].replace("<!-- lessons -->", "").replace("<!-- figures -->", "")
        body = page_html.html(text, functools.partial(self.lead, path))
        # Many parts have headings with the same names, so each name, and each link within a part, gets the part's
        # label.
        body = re.sub(r'(<h\d[^>]*) id="([^"]+)"', rf'\1 id="{label}--\2"', body)
        known = "|".join(map(re.escape, self.titles))
        body = re.sub(rf'href="#(?!(?:{known})(?:--|"))', f'href="#{label}--', body)
        return f'<section id="{label}">\n<h1>{html.escape(self.titles[label])}</h1>\n{body}\n</section>'

    def page(self) -> str:
        from book import page_html

        listed = "".join(f'<li><a href="#{one}">{html.escape(words)}</a></li>' for one, words in self.titles.items())
        head = f"<style>{LOOK}{page_html.highlighting(dark=False)}</style>\n<script>{UNFOLD}</script>"
        begin = (
            "<h1>The Reduction Workbook</h1>\n<p>How a parallel sum becomes as fast as the memory allows.</p>\n"
            f"<nav><ol>{listed}</ol></nav>"
        )
        parts = [self.part(path, label) for path, label in self.parts.items()]
        return document("The Reduction Workbook", head, "\n".join([begin, *parts]))


def faults(page: str) -> list[str]:
    """Returns the faults of a page that must be self-contained: broken links, duplicate names, and things that would be
    fetched."""
    names = collections.Counter(re.findall(r'<[^>]* id="([^"]+)"', page))
    found = [f"{count} places are called {name}" for name, count in names.items() if count > 1]
    wanted = re.findall(r'href="#([^"]*)"', page)
    found += [f"a link leads to {name}, which is not there" for name in wanted if name not in names]
    fetched = re.findall(r'<(?:img|script|link|iframe)\b[^>]* (?:src|href)="((?!data:)[^"]*)"', page)
    found += [f"{what} would be fetched" for what in fetched]
    return sorted(set(found))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.one_page", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    out = parser.parse_args().out.resolve()
    if importlib.util.find_spec("markdown") is None:
        print(NO_MARKDOWN, file=sys.stderr)
        return 77
    page = Book().page()
    wrong = faults(page)
    for fault in wrong:
        print(fault, file=sys.stderr)
    if wrong:
        return 1
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
