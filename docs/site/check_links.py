#!/usr/bin/env python3
"""Checks links, pictures and commands: check_links.py [--site build/docs/html] [TREE]

In the tree's Markdown files every link to a file, every picture, every heading behind a # and every target of a `make
…` must be there; in the site every href, src and data, with its anchor. Prints one line a fault; exit status 1 where
there is any.
"""

import argparse
import html.parser
import pathlib
import re
import subprocess
import sys
import urllib.parse

import markdown


def markdown_files(tree):
    """The tree's Markdown files, without what is built."""
    command = ["git", "-C", str(tree), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [tree / name for name in sorted(set(listed.stdout.decode().split("\0")))
                                               if name and (tree / name).exists()]
    return [path for path in sorted(tree.rglob("*.md")) if not path.relative_to(tree).parts[0].startswith("build")]


def faults_of_tree(tree):
    """What is broken in the Markdown files, a line each."""
    faults = []
    for path in markdown_files(tree):
        for picture, target in markdown.links(path.read_text(encoding="utf-8")):
            if re.match(r"\w+:", target):
                continue
            name, _, heading = target.partition("#")
            there = path if not name else path.parent / name
            where = path.relative_to(tree)
            # Pages that only the site has: the lists that it makes.
            if name in ("lessons.html", "files.html"):
                continue
            if not there.exists():
                faults.append(f"{where}: {'a picture' if picture else 'a link'} that is not there: {target}")
            elif heading and there.suffix == ".md":
                slugs = {markdown.slug(words) for _, words in markdown.headings(there.read_text(encoding="utf-8"))}
                if heading not in slugs:
                    faults.append(f"{where}: {name or 'the page'} has no heading #{heading}")
    return faults


def targets(tree):
    """The targets of the Makefile, those of each chapter without its number."""
    text = (tree / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"^([a-z][a-z -]*)%?:", text, re.M)
    verbs = re.findall(r"foreach verb,([a-z ]+),", text)
    return {word for rule in rules for word in rule.split()} | {word for verb in verbs for word in verb.split()}


def faults_of_commands(tree):
    """Commands in the Markdown files that no target answers, a line each."""
    if not (tree / "Makefile").exists():
        return []
    known, faults = targets(tree), []
    for path in markdown_files(tree):
        text = path.read_text(encoding="utf-8")
        prose = "\n".join(markdown.prose(text))
        inline = re.findall(r"`(?:[A-Z_]+=\S+ )*make ((?:-s )?[a-z][^`]*)`", prose)
        fenced = re.findall(r"^(?:\$ )?make (\S+)", "\n".join(markdown.code(text)), re.M)
        for one in inline + fenced:
            words = [word for word in one.split() if re.fullmatch(r"[a-z][a-z-]*(\d+|N)?", word)]
            for word in words[:1] if "ARGS" in one else words:
                if re.sub(r"(\d+|N)$", "", word) not in known:
                    faults.append(f"{path.relative_to(tree)}: `make {word}` is no command")
    return faults


class Document(html.parser.HTMLParser):
    """The links and names of an HTML file."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("id", "name") and value:
                self.names.add(value)
            if key in ("href", "src") and value or (key == "data" and tag == "object"):
                self.targets.append(value)


# Doxygen's summary of a class names this section also where it leaves it out, since all in it is private.
OF_DOXYGEN = {"nested-classes"}
# The pages that a reader is sent to.
OUTSIDE = re.compile(r"https?:" r"//(docs|developer)\.nvidia\.com|https:" r"//doi\.org")


def faults_of_site(folder):
    """What is broken in the site, a line each."""
    documents = {path: Document(path.read_text(encoding="utf-8", errors="replace"))
                 for path in sorted(folder.rglob("*.html")) if "search" not in path.relative_to(folder).parts[:-1]}
    faults = [] if documents else [f"{folder} holds no page"]
    for path, document in documents.items():
        for target in document.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or target.startswith(("javascript:", "//")):
                if parts.scheme in ("http", "https") and not OUTSIDE.match(target):
                    faults.append(f"{path.name}: an address outside of the site: {target}")
                continue
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not there.exists():
                faults.append(f"{path.name}: a link to {target}, which is not there")
            elif parts.fragment and parts.fragment not in OF_DOXYGEN and there in documents and (
                    urllib.parse.unquote(parts.fragment) not in documents[there].names):
                faults.append(f"{path.name}: {there.name} has no #{parts.fragment}")
    return sorted(set(faults))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--site", type=pathlib.Path)
    parser.add_argument("tree", nargs="?", type=pathlib.Path)
    words = parser.parse_args()
    faults = []
    if words.tree:
        tree = words.tree.resolve()
        faults += faults_of_tree(tree) + faults_of_commands(tree)
    faults += faults_of_site(words.site.resolve()) if words.site else []
    print("\n".join([*faults, f"{len(faults)} broken links"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
