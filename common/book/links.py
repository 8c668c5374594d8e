"""Checks links, pictures and commands of the pages and of the site:

    python3 -m book.links [--site build/docs/html] [TREE]

In the tree's Markdown files, the targets of all links to files, of pictures, of anchors and of `make …` commands must
exist. In the site, every href, src and data must exist, and so must the anchor in it. Prints one line per fault. Exit
status: 1 if there is one.
"""

from __future__ import annotations

import argparse
import collections.abc
import html.parser
import pathlib
import re
import sys
import urllib.parse

from book import processes

FENCE = re.compile(r"^(```+|~~~+)(.*)$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#{1,4}) +(.*?) *$")
# Pages that only the site has: lists that it generates.
OF_THE_SITE = ("lessons.html", "files.html")
# The only hosts outside the site that a page may link to.
OUTSIDE = re.compile(r"https?:" + r"//(docs|developer)\.nvidia\.com|https:" + r"//doi\.org")
# Doxygen generates links to this summary of nested classes, but leaves the summary out if all of them are private.
OF_DOXYGEN = {"nested-classes"}


# --- Markdown ---------------------------------------------------------------------------------------------------------


def prose(text: str, inside: bool = False) -> collections.abc.Iterator[str]:
    """Yields the lines outside of code blocks or, if `inside`, those inside of them."""
    fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif fenced == inside:
            yield line


def headings(text: str) -> collections.abc.Iterator[tuple[int, str]]:
    """Yields (level, text) for each heading."""
    for line in prose(text):
        if match := HEADING.match(line):
            yield len(match[1]), match[2]


def slug(heading: str, separator: str = "-") -> str:
    """Returns the anchor that Markdown viewers make for a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r" ", separator, re.sub(r"[^\w\- ]", "", text))


def links(text: str) -> collections.abc.Iterator[tuple[bool, str]]:
    """Yields (whether it is a picture, target) for each link. A link's text may be on several lines."""
    for paragraph in "\n".join(prose(text)).split("\n\n"):
        for picture, _, target in LINK.findall(re.sub(r"`[^`]*`", "", paragraph)):
            yield bool(picture), target
        for target in re.findall(r'<img[^>]*\bsrc="([^"]+)"', paragraph):
            yield True, target


# --- the tree ---------------------------------------------------------------------------------------------------------


def markdown_files(tree: pathlib.Path) -> list[pathlib.Path]:
    """Returns the Markdown files of the source tree, without those that are built."""
    command = ["git", "-C", str(tree), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = processes.run_captured(command, encoding="utf-8")
    if listed.returncode == 0 and listed.stdout:
        names = sorted(set(listed.stdout.split("\0")))
        return [tree / name for name in names if name and (tree / name).exists()]
    return [path for path in sorted(tree.rglob("*.md")) if not path.relative_to(tree).parts[0].startswith("build")]


def faults_of_tree(tree: pathlib.Path) -> list[str]:
    """Returns the broken links of the Markdown files, one line each."""
    faults = []
    for path in markdown_files(tree):
        for picture, target in links(path.read_text(encoding="utf-8")):
            name, _, heading = target.partition("#")
            if re.match(r"\w+:", target) or name in OF_THE_SITE:
                continue
            there = path.parent / name if name else path
            where = path.relative_to(tree)
            if not there.exists():
                faults.append(f"{where}: {'a picture' if picture else 'a link'} that is not there: {target}")
            elif heading and there.suffix == ".md":
                slugs = {slug(words) for _, words in headings(there.read_text(encoding="utf-8"))}
                if heading not in slugs:
                    faults.append(f"{where}: {name or 'the page'} has no heading #{heading}")
    return faults


def targets(tree: pathlib.Path) -> set[str]:
    """Returns the targets of the Makefile. Targets that exist for each chapter are listed without a number."""
    text = (tree / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"^([a-z][a-z -]*)%?:", text, re.MULTILINE)
    verbs = re.findall(r"foreach verb,([a-z ]+),", text)
    return {word for rule in rules + verbs for word in rule.split()}


def faults_of_commands(tree: pathlib.Path) -> list[str]:
    """Returns the `make` commands in the Markdown files for which there is no target, one line each."""
    if not (tree / "Makefile").exists():
        return []
    known, faults = targets(tree), []
    for path in markdown_files(tree):
        text = path.read_text(encoding="utf-8")
        inline = re.findall(r"`(?:[A-Z_]+=\S+ )*make ((?:-s )?[a-z][^`]*)`", "\n".join(prose(text)))
        fenced = re.findall(r"^(?:\$ )?make (\S+)", "\n".join(prose(text, inside=True)), re.MULTILINE)
        for one in inline + fenced:
            words = [word for word in one.split() if re.fullmatch(r"[a-z][a-z-]*(\d+|N)?", word)]
            for word in words[:1] if "ARGS" in one else words:
                if re.sub(r"(\d+|N)$", "", word) not in known:
                    faults.append(f"{path.relative_to(tree)}: `make {word}` isn't a command")
    return faults


# --- the site ---------------------------------------------------------------------------------------------------------


class Document(html.parser.HTMLParser):
    """The links and names of an HTML file."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if value and key in ("id", "name"):
                self.names.add(value)
            if value and (key in ("href", "src") or (key == "data" and tag == "object")):
                self.targets.append(value)


def faults_of_site(folder: pathlib.Path) -> list[str]:
    """Returns the broken links of the site, one line each."""
    documents = {
        path: Document(path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted(folder.rglob("*.html"))
        if "search" not in path.relative_to(folder).parts[:-1]
    }
    faults = [] if documents else [f"{folder} holds no page"]
    for path, document in documents.items():
        for target in document.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or target.startswith(("javascript:", "//")):
                if parts.scheme in ("http", "https") and not OUTSIDE.match(target):
                    faults.append(f"{path.name}: an address outside of the site: {target}")
                continue
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            name = urllib.parse.unquote(parts.fragment)
            if not there.exists():
                faults.append(f"{path.name}: a link to {target}, which is not there")
            elif name and name not in OF_DOXYGEN and there in documents and name not in documents[there].names:
                faults.append(f"{path.name}: {there.name} has no #{parts.fragment}")
    return sorted(set(faults))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.links", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--site", type=pathlib.Path)
    parser.add_argument("tree", nargs="?", type=pathlib.Path)
    args = parser.parse_args()
    faults = []
    if args.tree:
        tree = args.tree.resolve()
        faults += faults_of_tree(tree) + faults_of_commands(tree)
    faults += faults_of_site(args.site.resolve()) if args.site else []
    print("\n".join([*faults, f"{len(faults)} broken links"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
