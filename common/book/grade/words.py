"""Words of strangers on screens and in files for others: names of folders, what a compiler says. Nothing of them may do
anything where they are shown or opened."""

from __future__ import annotations

# What makes a spreadsheet take a cell for a formula, the wide forms of East Asian keyboards included.
FORMULA = tuple("=+-@＝＋－＠\t\r")
BYTES = range(0xDC80, 0xDD00)  # bytes of a file's name that are no UTF-8, as Python keeps them


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code in BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Returns the text in one line, with everything written out that would not be seen: control characters, marks that
    turn the direction of writing, bytes that are no letters."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(visible(line) for line in text.replace("\t", "  ").split("\n"))


def cut(text: str, most: int, mark: str = "…") -> str:
    """Returns the text in so many letters at most; a mark stands where it was cut."""
    return text if len(text) <= most else text[: most - 1] + mark


def cell(text: str) -> str:
    """Returns the text for a cell of a spreadsheet. One that could be taken for a formula begins with an apostrophe."""
    shown = lines(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown
