"""A still picture of a student's kernel, made from the player's recording, for a page that doesn't load or run
anything: SVG panels that are side by side if there is room, a text alternative, and a caption that explains which step
it is and why.

Text from the student's file, such as names of arrays, is escaped and shortened. The numbers are computed here."""

from __future__ import annotations

import itertools
import typing
from html import escape

from course.grade import html_page, words
from course.grade.formats.entries import Data
from course.grade.moment import several

CELL, TALL, ACROSS = 44, 27, 8  # a cell's width and height, and the number of cells in a line
WIDTH = ACROSS * CELL
WORD = 4  # bytes of a bank in each row
LONGEST_LINE = 200  # characters of a source line that are shown

STYLE = """
.moment { margin: 1rem 0; }
.moment .panels { display: grid; gap: .6rem 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.moment svg { width: 100%; max-width: 33rem; }
.moment svg text { font: 10px system-ui, sans-serif; }
.moment svg .head { font-weight: 600; font-size: 12px; }
.moment svg .few { fill: var(--dim); font-size: 9px; }
.moment svg .who { font-weight: 700; font-size: 9px; text-anchor: end; }
.moment svg .value { text-anchor: middle; font-family: ui-monospace, monospace; }
.moment svg .long { font-size: 8.5px; }
.moment rect { fill: var(--page); stroke: var(--edge); }
.moment rect.on { fill: var(--mark); stroke: var(--text); }
.moment rect.met { stroke: var(--bad); stroke-width: 3; }
.moment pre { white-space: pre; }
"""

SIGNS = {"A": "active", "W": "at a barrier", "x": "left the kernel", "·": "idle"}


def short(said: typing.Any, most: int = 40) -> str:
    """Returns untrusted text in one short line, as inert HTML."""
    return escape(words.cut(words.visible(str(said)), most))


def cell(k: int, top: int, width: int, css: str, texts: tuple[str, str, str]) -> str:
    """Draws the k-th cell of its panel. Its number and the lane that touches it are at the top, in small letters, and
    its value is below."""
    x, y = k % ACROSS * CELL, top + k // ACROSS * TALL
    index, who, value = texts
    drawn = f'<rect x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{TALL - 2}"{f" class={css!r}" if css else ""}/>'
    if index:
        drawn += f'<text class="few" x="{x + 3}" y="{y + 10}">{short(index, 8)}</text>'
    if who:
        drawn += f'<text class="who" x="{x + width - 3}" y="{y + 10}">{escape(who)}</text>'
    if value:
        size = " long" if len(value) > 7 and width == CELL else ""
        drawn += f'<text class="value{size}" x="{x + width // 2}" y="{y + 22}">{escape(value)}</text>'
    return drawn


def panel(heads: list[str], cells: list[str], rows: int) -> str:
    """Draws a panel. `heads` are HTML, one line each. The panel is hidden from screen readers, because the figure has a
    text alternative."""
    drawn = [
        f'<text class="{"few" if k else "head"}" x="1" y="{12 + 13 * k}">{one}</text>' for k, one in enumerate(heads)
    ]
    height = 13 * len(heads) + 5 + rows * TALL + 1
    return f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true">{"".join([*drawn, *cells])}</svg>'


def lanes_panel(moment: Data) -> str:
    """Draws the lanes of the warp that executes the step: each lane's sign, and the value that it moves."""
    position = {lane: k for k, lane in enumerate(moment["lanes"])}
    cells = []
    heads = [f"Warp {moment['warp']}: {several(len(position), 'lane')} of {sum(map(bool, moment['signs']))} active"]
    keys = [f"{sign} {told}" for sign, told in SIGNS.items() if sign in moment["signs"]]
    heads.append(" · ".join(["number: lane", *keys]) + (" · < from lane" if moment["from"] else ""))
    top = 13 * len(heads) + 4
    for lane, sign in enumerate(moment["signs"]):
        if not sign:
            continue
        k = position.get(lane)
        value = words.cut(" ".join(moment["values"][k]), 8) if k is not None and moment["values"] else ""
        giver = f"<{moment['from'][k]}" if k is not None and moment["from"] else sign
        cells.append(cell(lane, top, CELL, "on" if k is not None else "", (str(lane), giver, value)))
    rows = -(-len(moment["signs"]) // ACROSS)
    return panel(heads, cells, rows)


def who_of(lanes: list[int]) -> str:
    """Returns which lanes touch a word, shortened to fit into its cell."""
    return "" if not lanes else f"L{lanes[0]}" + ("+" if len(lanes) > 1 else "")


def row_panel(moment: Data, row: Data) -> str:
    """Draws a row of the 32 banks of shared memory."""
    arrays = " and ".join(short(name) for name in row["arrays"][:2]) or "no named array"
    does = "written" if moment["what"] in ("store", "atomic") else "read"
    heads = [f"Shared memory, row {row['row']}: {arrays}"]
    keys = f" · L5: {does} by lane 5 · L5+: by more" if any(one["lanes"] for one in row["cells"]) else ""
    heads.append(f"8 of the 32 banks a line{keys}")
    top, cells = 13 * len(heads) + 4, []
    # A word may contain several values.
    for k, within in itertools.groupby(row["cells"], lambda one: one["at"] // WORD):
        some = list(within)
        lanes = sorted({lane for one in some for lane in one["lanes"]})
        css = " ".join(["on"] * bool(lanes) + ["met"] * any(one["met"] for one in some))
        wide = min(max(1, some[0]["bytes"] // WORD), ACROSS - k % ACROSS)
        value = words.cut(" ".join(one["value"] for one in some), 8)
        cells.append(cell(k, top, wide * CELL, css, (str(some[0]["index"]), who_of(lanes), value)))
    return panel(heads, cells, 32 // ACROSS)


def alternative(moment: Data) -> str:
    """Returns the picture as text, for readers who cannot see it."""
    said = [f"Step {moment['step']} of {moment['steps']}, {moment['words']}."]
    for k, lane in enumerate(moment["lanes"]):
        parts = [f"lane {lane}"]
        if moment["from"]:
            parts.append(f"from lane {moment['from'][k]}")
        if moment["names"]:
            parts.append(str(moment["names"][k]))
        if moment["values"]:
            parts.append("value " + " ".join(moment["values"][k]))
        if len(parts) > 1:
            said.append(" ".join(parts) + ".")
    said += [f"{one}." for one in moment["others"]]
    return " ".join(short(one, 200) for one in said)


def chosen_by(moment: Data) -> str:
    """Returns, as HTML, why this step was chosen and what was found at it."""
    said = f"Chosen: {escape(moment['rule'])}"
    if not moment["found"]:
        return said + "."
    said += f", {short(moment['found'])}"
    other = moment["other"]
    if "thread" in other and moment["thread"] is not None:
        said += f" of thread {int(moment['thread'])} with thread {int(other['thread'])}"
        said += f" in step {int(other['step']) + 1}" if "step" in other else ""
        said += f", line {int(other['line'])}" if other.get("line") else ""
    return said + "."


def sentence(said: str) -> str:
    return f"{short(said[:1].upper() + said[1:], 200)}."


def caption(moment: Data, number: int) -> str:
    """Returns the caption, as HTML."""
    at = f"line {moment['line']}"
    if not moment["own"]:
        at += f" of {short(moment['file'] or 'another file', 60)}"
        at += f", after line {moment['own_line']} of your file" if moment["own_line"] else ""
    more = f" ({moment['left_out']} more were not recorded)" if moment["left_out"] else ""
    launch = f" Launch {moment['launch']}." if moment["launch"] > 1 else ""
    said = [
        f"<strong>Step {moment['step']} of {moment['steps']}</strong>{more}, {at}. {sentence(moment['words'])}{launch}",
        chosen_by(moment),
        *map(sentence, moment["others"]),
    ]
    if moment["more_rows"]:
        said.append(f"{several(moment['more_rows'], 'more row')} of shared memory not shown.")
    problem = " ".join(moment["problem"])
    said.append(f"To watch the whole recording, run <code>make play{number} ARGS=&quot;{escape(problem)}&quot;</code>.")
    return " ".join(said)


def of(moment: Data, number: int, source: list[str]) -> str:
    """Returns the figure that shows a moment of chapter `number`, as HTML."""
    panels = [lanes_panel(moment)] if moment["signs"] else []
    panels += [row_panel(moment, row) for row in moment["rows"]]
    line = ""
    at = moment["line"]
    if moment["own"] and 0 < at <= len(source):
        text = words.cut(words.visible(source[at - 1].replace("\t", "  ")).rstrip(), LONGEST_LINE)
        named = f'role="group" tabindex="0" aria-label="line {at} of the file"'
        line = f'<pre {named}><span class="at">{at:>4}  {escape(text)}</span></pre>'
    drawn = f'<div class="panels" role="img" aria-label="{alternative(moment)}">{"".join(panels)}</div>'
    return f'<figure class="moment">{line}{drawn}<figcaption>{caption(moment, number)}</figcaption></figure>'


def said_instead(why: str) -> str:
    """Returns the sentence that replaces a missing picture."""
    return f'<p class="dim">No picture of your kernel: {html_page.text(why)}.</p>'
