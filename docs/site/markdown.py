"""Turns the tree's Markdown into what Doxygen takes: names for headings, links, pictures, folded parts."""

import re

FENCE = re.compile(r"^(```+|~~~+)(.*)$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#{1,4}) +(.*?) *$")


def slug(heading):
    """The name that a heading has in a link, as Markdown viewers make it."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", text))


def headings(text):
    """(level, words) of the headings outside of code."""
    fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and (match := HEADING.match(line)):
            yield len(match[1]), match[2]


def anchor(label, name):
    """The name of a heading on the site: Doxygen wants them to be unique in the whole of it."""
    return f"{label}_{name.replace('-', '_')}" if name else ""


def title(text, otherwise):
    """The first heading, without its mark-up."""
    return next((re.sub(r"`", "", words) for _, words in headings(text)), otherwise)


def links(text):
    """(is a picture, target) of the links outside of code."""
    for line in prose(text):
        for picture, _, target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            yield bool(picture), target
        for target in re.findall(r'<img[^>]*\bsrc="([^"]+)"', line):
            yield True, target


def prose(text, inside=False):
    """The lines outside of code blocks."""
    fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif fenced == inside:
            yield line


def code(text):
    """The lines inside of code blocks."""
    return prose(text, inside=True)


class Page:
    """One Markdown file on its way to the site. `place` says where a link leads: (target, is a picture)."""

    def __init__(self, label, text, place):
        self.label, self.text, self.place = label, text, place

    def _link(self, match):
        picture, words, target = match.groups()
        if picture:
            address = self.place(target, True)
            return f'<div class="wide"><img class="figure" src="{address}" alt="{words}"/></div>'
        if re.match(r"\w+://", target):
            return match[0]
        if target.startswith("#"):
            return f'<a href="{self.label}.html#{anchor(self.label, target[1:])}">{self._words(words)}</a>'
        address = self.place(target, False)
        return f'<a href="{address}">{self._words(words)}</a>' if address else self._words(words)

    @staticmethod
    def _words(words):
        return re.sub(r"`([^`]*)`", r"<code>\1</code>", words)

    def _prose(self, line):
        line = re.sub(r"<details>|</details>|<summary>.*?</summary>",
                      lambda m: f"\n\\htmlonly\n{m[0]}\n\\endhtmlonly\n", line)
        if match := HEADING.match(line):
            name = anchor(self.label, slug(match[2]))
            return f"{match[1]} {self._words(match[2])} {{#{name}}}"
        parts = re.split(r"(`[^`]*`)", line)
        # A link may have code in its words, so the line is taken as a whole where it has one.
        if LINK.search(line):
            line = LINK.sub(self._link, line)
            parts = re.split(r"(`[^`]*`)", line)
        for k, part in enumerate(parts):
            if k % 2 == 0:
                parts[k] = re.sub(r"(?<!\\)@", r"\\@", part)
            elif "::" in part or "#" in part or "\\" in part or "<" in part or "&" in part:
                inner = part[1:-1].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\\", "\\\\")
                parts[k] = "<code>" + inner.replace("#", "\\#").replace("::", "\\::").replace("|", "&#124;") + "</code>"
        return "".join(parts)

    def doxygen(self, head="", foot=""):
        """The text for Doxygen: `head` below the title, `foot` at the end."""
        out, fenced, titled = [], False, False
        for line in re.sub(r"<!--.*?-->", "", self.text, flags=re.DOTALL).split("\n"):
            if match := FENCE.match(line):
                fenced = not fenced
                language = {"cpp": "{.cpp}", "cuda": "{.cpp}"}.get(match[2].strip(), "{.unparsed}")
                out.append(match[1] + (language if fenced else ""))
            elif fenced:
                out.append(line)
            elif not titled and line.startswith("# "):
                titled = True
                out += [f"# {self._words(line[2:])} {{#{self.label}}}", "", head, ""]
            else:
                out.append(self._prose(line))
        return "\n".join([*out, "", foot, ""])
