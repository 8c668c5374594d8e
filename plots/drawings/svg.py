"""A small SVG writer for the lessons' drawings: text, boxes, lines and arrows in the colours of the plots."""

from __future__ import annotations

import typing
from xml.sax.saxutils import escape

from plots import colours

# The name of the language. It isn't an address to visit, so it is written in two pieces.
NAMESPACE = "http:" + "//www.w3.org/2000/svg"


def number(x: float) -> str:
    """Returns a coordinate with as few characters as possible."""
    return f"{x:.1f}".rstrip("0").rstrip(".")


class Canvas:
    """A drawing of boxes and text, in pixels from the top left corner. Its height depends on its contents."""

    def __init__(self, title: str, width: int) -> None:
        self.title, self.width, self.height = title, width, 0.0
        self.items: list[str] = []

    def _reach(self, y: float) -> None:
        self.height = max(self.height, y)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str | None = None,
        stroke: str | None = None,
        opacity: float | None = None,
    ) -> None:
        look = f'fill="var(--{fill})"' if fill else 'fill="none"'
        if stroke:
            look += f' stroke="var(--{stroke})"'
        if opacity is not None:
            look += f' fill-opacity="{opacity}"'
        self.items.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" {look}/>'
        )
        self._reach(y + height)

    def text(
        self,
        x: float,
        y: float,
        words: object,
        size: float = 12,
        colour: str = "ink",
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self.items.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="var(--{colour})" '
            f'text-anchor="{anchor}"{weight}>{escape(str(words))}</text>'
        )
        self._reach(y + size * 0.4)

    def labelled(
        self, x: float, y: float, width: float, height: float, words: object, size: float, fill: str, *look: typing.Any
    ) -> None:
        """Draws a box with text in its middle. `look`: the stroke and the opacity of the box."""
        self.box(x, y, width, height, fill, *look)
        self.text(x + width / 2, y + height / 2 + 4, words, size, "ink" if fill == "grid" else "paper", "middle")

    def heading(self, y: float, words: str) -> None:
        """Draws the title of a part of the drawing, at its left edge."""
        self.text(10, y, words, 12, bold=True)

    def caption(self, x: float, y: float, words: str) -> None:
        """Draws text next to other things, in a faint colour."""
        self.text(x, y, words, 11, "faint")

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = "faint", width: float = 1.0) -> None:
        self.items.append(
            f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
            f'stroke="var(--{colour})" stroke-width="{width}"/>'
        )
        self._reach(max(y1, y2))

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str = "faint", width: float = 1.2) -> None:
        """Draws a line with a small head at its end."""
        self.line(x1, y1, x2, y2, colour, width)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        points = [
            (x2, y2),
            (x2 - 5 * ux + 2.5 * uy, y2 - 5 * uy - 2.5 * ux),
            (x2 - 5 * ux - 2.5 * uy, y2 - 5 * uy + 2.5 * ux),
        ]
        self.items.append(
            f'<polygon points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}" fill="var(--{colour})"/>'
        )

    def text_of(self) -> str:
        """Returns the contents of the file."""
        height = number(self.height + 14)
        size = f'width="{self.width}" height="{height}"'
        head = f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {self.width} {height}" {size} role="img">'
        paper = f'<rect {size} fill="var(--paper)"/>'
        return "\n".join(
            [head, f"<title>{escape(self.title)}</title>", colours.sheet(), paper, *self.items, "</svg>", ""]
        )
