"""Makes the index of the site's own search, which needs no network: title, address and words of each page."""

import html.parser
import json
import re


class Text(html.parser.HTMLParser):
    """Title, headings with their names, and the text of a page's contents."""

    def __init__(self, text):
        super().__init__()
        self.title, self.parts, self.headings = "", [], []
        self._inside, self._skipped, self._heading, self._anchor = None, 0, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("script", "style", "header", "footer"):
            self._skipped += 1
        if tag == "title":
            self._inside = "title"
        if tag == "a" and "anchor" in (attributes.get("class") or ""):
            self._anchor = attributes.get("id")
        if tag in ("h1", "h2"):
            self._heading, self._anchor = [], None

    def handle_endtag(self, tag):
        if tag in ("script", "style", "header", "footer"):
            self._skipped -= 1
        if tag == "title":
            self._inside = None
        if tag in ("h1", "h2") and self._heading is not None:
            if self._anchor:
                self.headings.append((" ".join("".join(self._heading).split()), self._anchor))
            self._heading = None

    def handle_data(self, data):
        if self._inside == "title":
            self.title += data
        elif not self._skipped:
            self.parts.append(data)
            if self._heading is not None:
                self._heading.append(data)


def write(folder, guides):
    """Writes FOLDER/search_index.js. `guides` are the addresses of lessons and guides; all else is reference."""
    entries = []
    for path in sorted(folder.glob("*.html")):
        if path.name.endswith("_source.html") or path.name.endswith("_8md.html") or path.name.startswith("dir_"):
            continue
        page = Text(path.read_text(encoding="utf-8", errors="replace"))
        title = page.title.split(" - The Reduction Workbook")[0]
        title = title.replace("The Reduction Workbook: ", "").strip() or path.stem
        words = sorted(set(re.findall(r"[\w'₂·-]{2,}", " ".join(page.parts))))
        entries.append({"t": title, "u": path.name, "x": " ".join(words), "g": int(path.name in guides)})
        if path.name == "glossary.html":
            entries += [{"t": f"{words} (glossary)", "u": f"{path.name}#{anchor}", "x": "", "g": 1}
                        for words, anchor in page.headings]
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (folder / "search_index.js").write_text(f"window.searchIndex = {text};\n", encoding="utf-8")
    return len(entries)
