"""Self-contained HTML pages: no scripts, no requests to other hosts, light and dark themes, readable on a phone."""

from __future__ import annotations

import collections.abc
from html import escape

from course.grade import words

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --dim: #55606b; --page: #ffffff; --box: #f3f5f7; --edge: #c9d1d9;
  --good: #1a6b37; --bad: #a3231a; --mark: #fff0c2; --one: #1a6b37; --two: #2f6fb3; --three: #b7791f; --four: #c9d1d9; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ec; --dim: #a3adb8; --page: #14181c; --box: #1f252b; --edge: #3a434c; --good: #6fd08c;
    --bad: #f5a19a; --mark: #43390f; --one: #3f9a5c; --two: #5b9bd8; --three: #d9a441; --four: #3a434c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; line-height: 1.3; }
h3 { font-size: 1.05rem; margin-bottom: .3rem; }
p.dim, .dim, figcaption, caption { color: var(--dim); }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; margin: .6rem 0; } caption { text-align: left; padding-bottom: .3rem; }
th, td { border-bottom: 1px solid var(--edge); padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top;
  overflow-wrap: normal; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td.n, time { white-space: nowrap; }
@media (max-width: 32rem) { table { font-size: .85rem; } th, td { padding-right: .4rem; } }
.good { color: var(--good); } .bad { color: var(--bad); }
pre { background: var(--box); padding: .6rem; overflow-x: auto; font-size: .9rem; line-height: 1.4; margin: .5rem 0; }
pre.words { white-space: pre-wrap; }
pre .at { display: block; background: var(--mark); } pre .line { display: block; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; display: block; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .grid { stroke: var(--edge); }
ul { padding-left: 1.2rem; }
"""

# The policy forbids loading or running anything, even if a name contains HTML that was not escaped.
N_CLASS = ' class="n"'
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def text(said: str) -> str:
    """Returns untrusted text as inert HTML."""
    return escape(words.lines(said))


def name(said: str) -> str:
    """Returns an untrusted name as HTML. Its writing direction does not affect the text around it."""
    return f"<bdi>{escape(words.visible(said))}</bdi>"


def day(said: str) -> str:
    return f"<time>{escape(said)}</time>"


def page(title: str, body: collections.abc.Iterable[str]) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(words.visible(title))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def table(
    caption: str,
    heads: collections.abc.Sequence[str],
    rows: collections.abc.Iterable[collections.abc.Sequence[str]],
    numbers: collections.abc.Container[int] = (),
) -> str:
    """Returns a table. `heads` and `caption` are plain text, and cells are HTML. `numbers` lists the columns that
    contain numbers."""

    def cells(tag: str, row: collections.abc.Sequence[str], more: str = "") -> str:
        return "".join(f"<{tag}{more}{N_CLASS if k in numbers else ''}>{cell}</{tag}>" for k, cell in enumerate(row))

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = cells("th", [escape(one) for one in heads], ' scope="col"')
    return (
        f'<div class="scroll" role="group" tabindex="0" aria-label="{escape(caption)}"><table>\n'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
