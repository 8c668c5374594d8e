"""Makes the site: python3 -m book.site --out build/docs [--programs build/bin]

Lessons, guides and decisions become pages in reading order, and files that they link to get a page, too.
Python-Markdown makes their HTML; Doxygen makes the frame around it, the reference of common/ and the search;
doxygen-awesome-css provides the look. A lesson shows its kernel in motion if its chapter is built. Finally, every link
and picture is checked. Exit status: 0; 1 on a warning of Doxygen or a broken link; 77 if Doxygen, Graphviz or
Python-Markdown is not installed.
"""

from __future__ import annotations

import argparse
import collections.abc
import functools
import html
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

from book import blocks, cards, links, manifest, players, processes

ROOT = manifest.ROOT
DOCS = ROOT / "docs"
LANGUAGES = {".cuh": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".cu": "cpp", ".py": "python", ".sh": "bash"}
# Folders with the style sheets of doxygen-awesome-css: the user's copy, or the package of Debian and Ubuntu.
AWESOME = [os.environ.get("DOXYGEN_AWESOME_CSS", ""), "/usr/share/doxygen-awesome-css"]
AWESOME_SHEETS = ("doxygen-awesome.css", "doxygen-awesome-sidebar-only.css")
# The pages that a newcomer reads before chapter 0 and after some chapters, in the order of the student's guide.
BEFORE_CHAPTER_0 = ("student", "four-steps", "first-kernel", "cpp-used-here", "how-a-gpu-works")
AFTER_CHAPTER = {0: ("how-nvcc-compiles",), 3: ("roofline", "histogram"), 7: ("scan",), 9: ("stencil",)}
AMONG_LESSONS = {*BEFORE_CHAPTER_0, *(name for names in AFTER_CHAPTER.values() for name in names)}
# Programs and their parts, in the folders of libraries whose reference the site has.
NOT_IN_REFERENCE = ("emulator/fat_binary", "emulator/emulate", "emulator/bench_emulator", "reductions/tune")
SCRIPT = DOCS / "site.js"  # the buttons that copy code
# The button that switches between dark and light, if the package has it.
TOGGLE_SHEET, TOGGLE = "doxygen-awesome-sidebar-only-darkmode-toggle.css", "doxygen-awesome-darkmode-toggle.js"


def collect() -> dict[pathlib.Path, str]:
    """Returns {file of the source tree: label of its page}, in reading order."""
    pages = {ROOT / "README.md": "readme", **{DOCS / "pages" / f"{name}.md": name for name in BEFORE_CHAPTER_0}}
    for number, chapter in manifest.load().items():
        pages[chapter.lesson_path()] = f"chapter{number}"
        for part in chapter.lesson_paths()[1:]:
            pages[part] = f"chapter{number}_{part.stem}"
        hints = chapter.lesson_path().with_name("hints.md")
        if hints.exists():
            pages[hints] = f"chapter{number}_hints"
        pages |= {DOCS / "pages" / f"{name}.md": name for name in AFTER_CHAPTER.get(number, ())}
    # The guides follow in the order in which the site's front page lists them.
    index = (DOCS / "pages" / "index.md").read_text(encoding="utf-8")
    guides = (DOCS / "pages").glob("*.md")
    for path in sorted(guides, key=lambda path: (index.find(f"]({path.name}") % (1 << 30), path)):
        pages[path] = path.stem
    pages[DOCS / "coverage.md"] = "coverage"
    pages[DOCS / "mutants.md"] = "mutants"
    for path in sorted((DOCS / "decisions").glob("*.md")):
        pages[path] = "decision_" + path.stem.replace("-", "_")
    pages[ROOT / "CONTRIBUTING.md"] = "contributing"
    pages[ROOT / "CHANGELOG.md"] = "changelog"
    return pages


# Pages that aren't guides. They are in the last group of the menu.
OF_THE_PROJECT = ("decisions", "files_shown")


def groups(index: str, pages: dict[pathlib.Path, str]) -> dict[str, tuple[str, list[str]]]:
    """Returns {heading: (text, labels)}, the groups of the menu. They are the groups into which the front page divides
    the guides."""
    found: dict[str, tuple[str, list[str]]] = {}
    for part in index.partition("\n## All pages\n")[2].split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        there = [(DOCS / "pages" / target.partition("#")[0]).resolve() for _, target in links.links(text)]
        found[heading] = (text, [pages[path] for path in there if path in pages])
    if found:
        found[list(found)[-1]][1].extend(OF_THE_PROJECT)
    return found


def title(text: str, otherwise: str) -> str:
    """Returns the first heading without its mark-up, or `otherwise` if there is none."""
    return next((words.replace("`", "") for _, words in links.headings(text)), otherwise)


class Site:
    """Collects and writes the pages before Doxygen runs."""

    def __init__(self, out: pathlib.Path, played: dict[int, pathlib.Path] | None = None) -> None:
        self.played = {f"chapter{number}": (number, page) for number, page in (played or {}).items()}
        self.folder, self.pages = out / "pages", collect()
        self.pictures: dict[pathlib.Path, str] = {}
        self.files: dict[pathlib.Path, str] = {}
        self.titles = {label: title(path.read_text(encoding="utf-8"), label) for path, label in self.pages.items()}
        index = (DOCS / "pages" / "index.md").read_text(encoding="utf-8")
        # {label: (heading, text, labels of its pages)}
        self.groups = {
            f"group_{links.slug(heading, '_')}": (heading, *rest) for heading, rest in groups(index, self.pages).items()
        }
        self.lessons = [self.pages[path] for chapter in manifest.load().values() for path in chapter.lesson_paths()]

    def lead(self, source: pathlib.Path, target: str, picture: bool) -> str | None:
        """Returns the target on the site of a link in a file, or None if the site has no page for it."""
        path, _, name = target.partition("#")
        there = (source.parent / path).resolve()
        if path in links.OF_THE_SITE:
            return target
        if not there.exists():
            raise SystemExit(f"site: {source.relative_to(ROOT)} links to {target}, which is not there")
        if picture:
            return self.pictures.setdefault(there, "_".join(there.relative_to(ROOT).parts[-2:]))
        if there == DOCS / "decisions":
            return "decisions.html"
        if there.is_dir():
            there /= "README.md"
            if there not in self.pages:
                return None
        label = self.pages.get(there)
        if label:
            return f"{label}.html" + (f"#{name}" if name else "")
        return self.files.setdefault(there, "file_" + re.sub(r"\W", "_", str(there.relative_to(ROOT)))) + ".html"

    def link(self, label: str, words: str = "{}") -> str:
        return f'<a href="{label}.html">{words.format(html.escape(self.titles[label]))}</a>'

    def turn(self, label: str) -> str:
        """Returns the links to the previous and the next lesson; "" if the page isn't a lesson."""
        if label not in self.lessons:
            return ""
        k = self.lessons.index(label)
        before = self.link(self.lessons[k - 1], "&larr; {}") if k else "<span></span>"
        behind = self.link(self.lessons[k + 1], "{} &rarr;") if k + 1 < len(self.lessons) else "<span></span>"
        return f'<div class="turn">{before}{behind}</div>\n'

    def player(self, label: str) -> str:
        """Returns the player of a lesson's kernel as HTML; "" if there is none."""
        return players.html(self.played[label][0]) if label in self.played else ""

    @staticmethod
    def other_figures(text: str) -> str:
        """Returns Markdown for those figures that the page does not name yet, because their records are new."""
        figures = sorted((ROOT / "plots" / "figures").glob("*.svg"))
        new = [path for path in figures if path.name not in text]
        return "\n\n".join(f"![{path.stem.replace('_', ' ')}](../../plots/figures/{path.name})" for path in new)

    def write_page(
        self, label: str, words: str, body: str, below: collections.abc.Iterable[str] = (), listed: bool = True
    ) -> None:
        """Writes a page for Doxygen: its title, the path of its HTML, and the pages below it in the menu. If `listed`,
        the page also shows a list of the pages below it."""
        (self.folder / f"{label}.inc").write_text(body, encoding="utf-8")
        name = "" if label == "index" else f" {{#{label}}}"
        lower = "".join(f"- \\subpage {one}\n" for one in below)
        if not listed:
            lower = f'\\htmlonly<div class="menu-only">\\endhtmlonly\n\n{lower}\n\\htmlonly</div>\\endhtmlonly\n'
        safe = re.sub(r"([@\\#<>&])", r"\\\1", words)
        (self.folder / f"{label}.md").write_text(
            f"# {safe}{name}\n\n\\htmlinclude {label}.inc\n\n{lower}", encoding="utf-8"
        )

    def below(self, label: str) -> list[str]:
        """Returns the pages below a lesson in the menu: its further parts and its hints."""
        return [one for one in self.titles if re.fullmatch(rf"{label}_\w+", one)] if label in self.lessons else []

    def write(self) -> list[str]:
        """Writes all pages. Returns their labels, in reading order."""
        from book import page_html  # only here: it needs Python-Markdown

        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for path, label in self.pages.items():
            text = path.read_text(encoding="utf-8")
            if label == "lessons":
                text = cards.without_table(text)
            text = text.replace("<!-- lessons -->", cards.list_of(cards.cards()))
            text = text.replace("<!-- figures -->", self.other_figures(text))
            text = text.replace("<!-- machine of blocks -->", blocks.html())
            body = page_html.html(text, functools.partial(self.lead, path))
            body = page_html.outline(body) * (label != "index") + body + self.player(label) + self.turn(label)
            if label == "index":
                self.write_page(label, self.titles[label], body, ["lessons", *self.groups], listed=False)
            elif label == "lessons":
                whole = [one for one in self.lessons if re.fullmatch(r"chapter\d+", one)]
                self.write_page(label, self.titles[label], body, whole, listed=False)
            else:
                self.write_page(label, self.titles[label], body, self.below(label))
        for label, (heading, text, labels) in self.groups.items():
            body = page_html.html(text, functools.partial(self.lead, DOCS / "pages" / "index.md"))
            self.write_page(label, heading, body, labels, listed=False)
        for path, label in self.files.items():
            text = f"~~~~~~{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8')}\n~~~~~~\n"
            self.write_page(label, str(path.relative_to(ROOT)), page_html.html(text, lambda target, _: target))
        (self.folder / "code.css").write_text(page_html.highlighting(dark=bool(awesome_sheets())), encoding="utf-8")
        decisions = [label for label in self.titles if label.startswith("decision_")]
        self.write_page("decisions", "Decisions", "", decisions)
        self.write_page("files_shown", "Files that the pages name", "", self.files.values())
        return [*self.pages.values(), *self.groups, "decisions", "files_shown", *self.files.values()]


def awesome_sheets() -> list[pathlib.Path]:
    """Returns the style sheets of doxygen-awesome-css; [] if they are not installed."""
    for place in filter(None, AWESOME):
        found = [pathlib.Path(place) / name for name in AWESOME_SHEETS]
        if all(path.exists() for path in found):
            return found
    return []


def toggle() -> list[pathlib.Path]:
    """Returns the style sheet and the script of the dark/light button; [] if they are not installed."""
    sheets = awesome_sheets()
    found = [sheets[0].with_name(name) for name in (TOGGLE_SHEET, TOGGLE)] if sheets else []
    return found if found and all(path.exists() for path in found) else []


def header_with_scripts(out: pathlib.Path) -> pathlib.Path:
    """Writes the header of this Doxygen version with the scripts of our buttons added, and with the dark/light button
    if it is installed."""
    names = [str(out / name) for name in ("header.html", "unused_footer.html", "unused.css")]
    subprocess.run(["doxygen", "-w", "html", *names], capture_output=True, check=True, cwd=out)
    scripts = f'<script type="text/javascript" src="$relpath^{SCRIPT.name}"></script>\n'
    if toggle():
        scripts += (
            f'<script type="text/javascript" src="$relpath^{TOGGLE}"></script>\n'
            '<script type="text/javascript">DoxygenAwesomeDarkModeToggle.init()</script>\n'
        )
    header = pathlib.Path(names[0])
    header.write_text(header.read_text(encoding="utf-8").replace("</head>", scripts + "</head>", 1), encoding="utf-8")
    return header


def doxyfile(site: Site, labels: list[str], out: pathlib.Path) -> str:
    """Returns Doxygen's settings: docs/Doxyfile.in and the settings that depend on this run."""
    version = subprocess.run(["doxygen", "--version"], capture_output=True, text=True, check=True).stdout
    numbers = [int(part) for part in re.findall(r"\d+", version)[:3]]

    def listed(paths: list[pathlib.Path]) -> str:
        return " ".join(f'"{path}"' for path in paths)

    settings = (DOCS / "Doxyfile.in").read_text(encoding="utf-8")
    settings += f"INPUT += {listed([ROOT / 'common' / part for part in ('emulator', 'reductions', 'workbook')])}\n"
    left_out = [ROOT / "common" / part for part in NOT_IN_REFERENCE]
    settings += f"EXCLUDE += {listed(left_out)}\n"
    button = toggle()
    sheets = [*awesome_sheets(), *button[:1], DOCS / "workbook.css", site.folder / "code.css"]
    settings += f"HTML_EXTRA_STYLESHEET = {listed(sheets)}\n"
    simulator = out / "machine_of_blocks.html"
    simulator.write_text(blocks.page(), encoding="utf-8")
    copied = [simulator, *(out / name for name in site.pictures.values()), *(page for _, page in site.played.values())]
    settings += f"HTML_EXTRA_FILES = {listed([*copied, SCRIPT, *button[1:]])}\n"
    settings += f"HTML_HEADER = {listed([header_with_scripts(out)])}\n"
    if numbers >= [1, 9, 5]:
        settings += "HTML_COLORSTYLE = LIGHT\n"  # doxygen-awesome-css makes it dark if the reader's system is dark
    pages = listed([site.folder / f"{label}.md" for label in labels])
    return (
        settings.replace("@PAGE_FILES@", pages)
        .replace("@PAGES@", str(site.folder))
        .replace("@OUT@", str(out))
        .replace("@ROOT@", str(ROOT))
    )


def with_reference(layout: str) -> str:
    """Returns Doxygen's layout. All of its lists of code are moved into one group of the menu, below the pages."""
    first, end = '    <tab type="modules"', "  </navindex>"
    before, _, rest = layout.partition(first)
    lists, _, after = rest.partition(end)
    if not (lists and after):
        return layout  # for a different version of Doxygen, the menu stays as it is
    group = '    <tab type="usergroup" visible="yes" url="[none]" title="Reference of the code">\n'
    return f"{before}{group}{first}{lists}    </tab>\n{end}{after}"


def run_doxygen(site: Site, labels: list[str], out: pathlib.Path) -> list[str]:
    """Runs Doxygen. Returns its warnings."""
    for path, name in site.pictures.items():
        shutil.copy(path, out / name)
    layout = out / "layout.xml"
    subprocess.run(["doxygen", "-l", str(layout)], capture_output=True, check=True)
    layout.write_text(with_reference(layout.read_text(encoding="utf-8")), encoding="utf-8")
    (out / "Doxyfile").write_text(doxyfile(site, labels, out), encoding="utf-8")
    shutil.rmtree(out / "html", ignore_errors=True)
    done = processes.run_captured(["doxygen", out / "Doxyfile"], cwd=ROOT, env={**os.environ, "TZ": "UTC"})
    log = out / "warnings.txt"
    warnings = log.read_text(encoding="utf-8") if log.exists() else ""
    if done.returncode != 0:
        warnings += done.stderr
    return [line for line in warnings.split("\n") if line.strip()]


def missing() -> str | None:
    """Returns a message about a program that the site needs and this machine lacks, or None."""
    for tool, package in (("doxygen", "doxygen"), ("dot", "graphviz")):
        if shutil.which(tool) is None:
            return f"There is no {tool} here. On Debian and Ubuntu: sudo apt-get install {package}"
    if importlib.util.find_spec("markdown") is None:
        return "Python-Markdown is not installed. On Debian and Ubuntu: sudo apt-get install python3-markdown"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m book.site", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, help="the folder of the chapters' programs")
    given = parser.parse_args()
    out = given.out.resolve()
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 77
    if not awesome_sheets():
        print("doxygen-awesome-css is not installed, so the site has Doxygen's own look.", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    played: dict[int, pathlib.Path] = {}
    if given.programs:
        try:
            played, without = players.make(given.programs.resolve(), out / "play")
        except players.Failed as error:
            print(error, file=sys.stderr)
            return 1
        if without:
            numbers = ", ".join(map(str, without))
            print(
                f"Chapters {numbers} have no player because their programs are "
                "not built: run `make chapterN` for each.",
                file=sys.stderr,
            )
    site = Site(out, played)
    faults = run_doxygen(site, site.write(), out)
    faults += links.faults_of_site(out / "html")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{len(faults)} warnings and broken links", file=sys.stderr)
        return 1
    print(out / "html" / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
