"""A small SVG writer for the lessons' drawings: text, boxes, lines, arrows, in the colours of the plots."""

import pathlib
import sys
from xml.sax.saxutils import escape

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import colours  # noqa: E402  (in the folder above)

# The name of the language; no address to visit, so it stands here in two pieces.
NAMESPACE = "http:" "//www.w3.org/2000/svg"


def number(x):
    """A coordinate, as short as it can be."""
    return f"{x:.1f}".rstrip("0").rstrip(".")


class Canvas:
    """Boxes and words, from the top left corner, in pixels. The height follows from what is on it."""

    def __init__(self, title, width):
        self.title, self.width, self.height, self.items = title, width, 0, []

    def _reach(self, y):
        self.height = max(self.height, y)

    def box(self, x, y, width, height, fill=None, stroke=None, opacity=None):
        look = f'fill="var(--{fill})"' if fill else 'fill="none"'
        if stroke:
            look += f' stroke="var(--{stroke})"'
        if opacity is not None:
            look += f' fill-opacity="{opacity}"'
        self.items.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" {look}/>')
        self._reach(y + height)

    def text(self, x, y, words, size=12, colour="ink", anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.items.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="var(--{colour})" '
                          f'text-anchor="{anchor}"{weight}>{escape(str(words))}</text>')
        self._reach(y + size * 0.4)

    def line(self, x1, y1, x2, y2, colour="faint", width=1.0, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.items.append(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
                          f'stroke="var(--{colour})" stroke-width="{width}"{dash}/>')
        self._reach(max(y1, y2))

    def arrow(self, x1, y1, x2, y2, colour="faint", width=1.2):
        """A line with a small head at its end, which points down or sideways."""
        self.line(x1, y1, x2, y2, colour, width)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        points = [(x2, y2), (x2 - 5 * ux + 2.5 * uy, y2 - 5 * uy - 2.5 * ux),
                  (x2 - 5 * ux - 2.5 * uy, y2 - 5 * uy + 2.5 * ux)]
        self.items.append(f'<polygon points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}" '
                          f'fill="var(--{colour})"/>')

    def text_of(self):
        """The whole file."""
        height = number(self.height + 14)
        return "\n".join([
            f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {self.width} {height}" width="{self.width}" '
            f'height="{height}" role="img">',
            f"<title>{escape(self.title)}</title>", colours.sheet(),
            f'<rect width="{self.width}" height="{height}" fill="var(--paper)"/>', *self.items, "</svg>", ""])
