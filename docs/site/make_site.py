#!/usr/bin/env python3
"""Makes the site: make_site.py --out build/docs

Lessons, guides and decisions become pages in order, each with the one before and behind it; files that they link to get
a page too; the reference is Doxygen's. Then every link and picture is checked. Exit status: 0; 1 a warning of Doxygen
or a broken link; 77 no Doxygen or no Graphviz here.
"""

import argparse
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import check_links
import markdown
import search_index

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = pathlib.Path(__file__).resolve().parent
CODE = {".cuh": "{.cpp}", ".hpp": "{.cpp}", ".cpp": "{.cpp}", ".cu": "{.cpp}", ".py": "{.py}"}


def chapters():
    """[(number, folder)] of the lessons, in order."""
    found = [(int(path.parent.name.split("_")[0]), path.parent)
              for path in (ROOT / "chapters").glob("[0-9]*_*/README.md")]
    return sorted(found)


def collect():
    """{file of the tree: label of its page}, in reading order."""
    pages = {ROOT / "README.md": "readme"}
    for number, folder in chapters():
        pages[folder / "README.md"] = f"chapter{number}"
        if (folder / "hints.md").exists():
            pages[folder / "hints.md"] = f"chapter{number}_hints"
    for path in sorted((ROOT / "docs" / "pages").glob("*.md")):
        pages[path] = path.stem
    pages[ROOT / "docs" / "coverage.md"] = "coverage"
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        pages[path] = "decision_" + path.stem.replace("-", "_")
    pages[ROOT / "CONTRIBUTING.md"] = "contributing"
    pages[ROOT / "CHANGELOG.md"] = "changelog"
    return pages


class Site:
    """What is gathered before Doxygen runs."""

    def __init__(self, out):
        self.folder, self.pages, self.pictures, self.files = out / "pages", collect(), {}, {}
        self.lessons = [f"chapter{number}" for number, _ in chapters()]

    def place(self, source):
        """Returns what says where the links of a file lead."""

        def find(target, picture):
            path, _, name = target.partition("#")
            there = (source.parent / path).resolve()
            if not there.exists():
                raise SystemExit(f"make_site.py: {source.relative_to(ROOT)} links to {target}, which is not there")
            if picture:
                relative = there.relative_to(ROOT)
                self.pictures[there] = "_".join(relative.parts[-2:])
                return self.pictures[there]
            if there in self.pages:
                label = self.pages[there]
                return f"{self.html(label)}" + (f"#{markdown.anchor(label, name)}" if name else "")
            if there.is_dir():
                readme = there / "README.md"
                return self.html(self.pages[readme]) if readme in self.pages else ""
            label = "file_" + re.sub(r"\W", "_", str(there.relative_to(ROOT)))
            self.files[there] = label
            return f"{label}.html"

        return find

    @staticmethod
    def html(label):
        return "index.html" if label == "index" else f"{label}.html"

    def turn(self, label, first):
        """The links to the lessons before and behind."""
        if label not in self.lessons:
            return ""
        k, words = self.lessons.index(label), {}
        for path, name in self.pages.items():
            words[name] = markdown.title(path.read_text(encoding="utf-8"), name)
        before = self.lessons[k - 1] if k else None
        behind = self.lessons[k + 1] if k + 1 < len(self.lessons) else None
        left = f'<a href="{before}.html">&larr; {html.escape(words[before])}</a>' if before else "<span></span>"
        right = f'<a href="{behind}.html">{html.escape(words[behind])} &rarr;</a>' if behind else "<span></span>"
        kind = "turn first" if first else "turn"
        return f"\\htmlonly\n<div class=\"{kind}\">{left}{right}</div>\n\\endhtmlonly"

    def list_of_lessons(self):
        """One line a lesson."""
        lines = []
        for path, label in self.pages.items():
            if label in self.lessons:
                words = html.escape(markdown.title(path.read_text(encoding="utf-8"), label))
                lines.append(f'<li><a href="{label}.html">{words}</a></li>')
        return "<ul>" + "".join(lines) + "</ul>"

    @staticmethod
    def other_figures(text):
        """The figures that the page does not name yet: those of new records."""
        return "\n\n".join(f"![{path.stem.replace('_', ' ')}](../../plots/figures/{path.name})"
                           for path in sorted((ROOT / "plots" / "figures").glob("*.svg")) if path.name not in text)

    def write(self):
        """Writes all pages, and copies the pictures' names."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for path, label in self.pages.items():
            text = path.read_text(encoding="utf-8").replace("<!-- lessons -->", "LIST_OF_LESSONS")
            text = text.replace("<!-- figures -->", self.other_figures(text))
            page = markdown.Page(label, text, self.place(path))
            hints = path.parent / "hints.md"
            foot = f'<a href="{label}_hints.html">Hints</a>\n\n' if label in self.lessons and hints.exists() else ""
            text = page.doxygen(self.turn(label, True), foot + self.turn(label, False))
            text = text.replace("LIST_OF_LESSONS", self.list_of_lessons())
            name = "index.md" if label == "index" else f"{label}.md"
            if label == "index":
                text = text.replace("{#index}", "", 1)
            (self.folder / name).write_text(text, encoding="utf-8")
        for path, label in self.files.items():
            self.write_file(path, label)

    def write_file(self, path, label):
        """A page with the text of a file that a page links to."""
        text = path.read_text(encoding="utf-8")
        body = f"~~~~{CODE.get(path.suffix, '{.unparsed}')}\n{text}\n~~~~\n"
        (self.folder / f"{label}.md").write_text(f"# {path.relative_to(ROOT)} {{#{label}}}\n\n{body}", encoding="utf-8")


def run_doxygen(site, out):
    """Runs Doxygen; returns its warnings."""
    for path, name in site.pictures.items():
        shutil.copy(path, out / name)
    settings = (ROOT / "docs" / "Doxyfile.in").read_text(encoding="utf-8")
    pictures = " ".join(f'"{out / name}"' for name in sorted(site.pictures.values()))
    for name, value in (("OUT", out), ("PAGES", site.folder), ("ROOT", ROOT), ("PICTURES", pictures)):
        settings = settings.replace(f"@{name}@", str(value))
    doxyfile = out / "Doxyfile"
    doxyfile.write_text(settings, encoding="utf-8")
    shutil.rmtree(out / "html", ignore_errors=True)
    done = subprocess.run(["doxygen", str(doxyfile)], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "TZ": "UTC"})
    # The header names these for every version of Doxygen; some do without.
    for name in ("tabs.css", "jquery.js", "dynsections.js"):
        (out / "html" / name).touch()
    warnings = (out / "warnings.txt").read_text(encoding="utf-8") if (out / "warnings.txt").exists() else ""
    if done.returncode != 0:
        warnings += done.stderr
    return [line for line in warnings.split("\n") if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    out = parser.parse_args().out.resolve()
    missing = [tool for tool in ("doxygen", "dot") if shutil.which(tool) is None]
    if missing:
        print(
    f"There is no {missing[0]} here. On Debian and Ubuntu: sudo apt-get install doxygen graphviz",
     file=sys.stderr)
        return 77
    out.mkdir(parents=True, exist_ok=True)
    site = Site(out)
    site.write()
    faults = run_doxygen(site, out)
    search_index.write(out / "html", {site.html(label) for label in site.pages.values()})
    faults += check_links.faults_of_site(out / "html")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{len(faults)} warnings and broken links", file=sys.stderr)
        return 1
    print(f"{out / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
