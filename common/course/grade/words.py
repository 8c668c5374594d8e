"""Makes untrusted text, such as folder names and compiler output, safe to print on screens and to write into files for
others: it must not have any effect where it is shown or opened."""

from __future__ import annotations

# Characters that make a spreadsheet treat a cell as a formula, including the full-width forms of East Asian keyboards.
FORMULA = tuple("=+-@＝＋－＠\t\r")
BYTES = range(0xDC80, 0xDD00)  # how Python represents bytes of a file name that are not UTF-8


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code in BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Returns the text in one line, with every invisible character written as an escape: control characters, characters
    that change the writing direction, and bytes that aren't characters."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def lines(text: str) -> str:
    """As `visible`, but for text of several lines."""
    return "\n".join(visible(line) for line in text.replace("\t", "  ").split("\n"))


def cut(text: str, most: int, mark: str = "…") -> str:
    """Returns at most `most` characters of the text. If it was cut, the last one is `mark`."""
    return text if len(text) <= most else text[: most - 1] + mark


def cell(text: str) -> str:
    """Returns the text for a cell of a spreadsheet, with an apostrophe in front if it could be taken for a formula."""
    shown = lines(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown
