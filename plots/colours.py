"""The colours of plots and drawings: (on light paper, on dark paper).

Contrast with the paper is above 4.5 to 1 for text (ink, faint) and above 3 to 1 for the series, on both.
"""

COLOURS = {
    "paper": ("#ffffff", "#14181d"),
    "ink": ("#1c2126", "#e4e9ee"),
    "faint": ("#636c75", "#9aa5b0"),
    "grid": ("#dfe3e8", "#30363d"),
    "blue": ("#2166ac", "#6fb1ee"),
    "orange": ("#c2571a", "#f0935a"),
    "green": ("#2f7d4a", "#66c489"),
    "red": ("#b2283a", "#f27483"),
    "purple": ("#7248a0", "#bb98e6"),
    "brown": ("#7f6019", "#d3b260"),
    "cyan": ("#1b7f8c", "#5cc8d6"),
    "pink": ("#b0408a", "#ee8fcb"),
}
SERIES = ["blue", "orange", "green", "red", "purple", "brown", "cyan", "pink"]


def sheet() -> str:
    """The style of an SVG file: its colours follow the reader's theme."""
    light, dark = ("".join(f"--{name}:{pair[k]};" for name, pair in COLOURS.items()) for k in (0, 1))
    return (
        f"<style>:root{{{light}}}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}"
        "text{font-family:'DejaVu Sans',Verdana,sans-serif}</style>"
    )
