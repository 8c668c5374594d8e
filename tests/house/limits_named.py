#!/usr/bin/env python3
"""Checks that statements about what limits a kernel are based on a record:

limits_named.py ROOT [FILE…]

In lessons, pages and decisions, a sentence that names a limit must contain a figure from a record of `limits`,
`machine` or `ladder` (<!--=ablations_h200.json limit 2^29 128 reduce_unrolled-->…<!--/-->), which `book.outputs` keeps
up to date. If a sentence cannot be based on a record, because it is about a different machine, a different year or the
meaning of a word, a comment directly after it must give the reason: <!-- not measured here: REASON -->. After a
heading, such a comment applies to everything below the heading.

Questions, headings, tables, code, titles of pages and generated text are exempt. The check knows the usual words for a
limit, but not all. If a sentence gives a reason in other words, its author has to prove it.
"""

import pathlib
import re
import sys

from book import markers

PLACES = ["chapters/*/*.md", "docs/pages/*.md", "docs/decisions/*.md"]
THING = (
    r"(?:(?:its|the|all|these|those|global|shared) )*"
    r"(?:memory|bandwidth|loads?|latency|block starts|barriers?|launches)"
)
NAMES_A_LIMIT = re.compile(
    r"\b(?:limited by|limiting factor|(?:what|that|which) limits?|limits (?:this|the|it|them|these)\b"
    r"|limits?(?: of [^.,;]{1,30})?,?(?: again,)? (?:is|are|was|were)\b|limits?:"
    r"|(?:is|are|was|were) (?:the|its|their) limits?\b"
    r"|bottlenecks?|bound by|(?:memory|latency|compute|bandwidth|instruction)[- ](?:bound|limited)"
    rf"|wait(?:s|ed|ing)? (?:for|on) {THING}\b|{THING} (?:is|are) what [^.]{{0,30}}waits? for"
    r"|stall(?:s|ed|ing)? (?:on|for|at)"
    r"|(?:latency|bandwidth|memory|barriers?|conflicts?|loads?|instructions?|tail) dominates?|dominated by"
    r"|time (?:\w+ )?(?:goes|went|is spent|is lost) (?:into|in|on)|most of (?:the|its) time (?:is|goes)"
    r"|(?:cost|take)s? most of the time|accounts? for (?:most|nearly all)"
    r"|(?:slowed(?: down)?|held back|throttled) by|saturat(?:es?|ed|ing)|memory wall"
    r"|holds? (?:it|them|this kernel) back|(?:instructions?|loads?|barriers?) limits? it|dominates?[.,]"
    r"|slows? (?:the kernel|it|them) down|slower because|slowness|(?:why|makes) it (?:is )?slow\b|the kernel is slow\b"
    r"|speed (?:is set by|of the memory)|sits? idle while|spends? its time|eats? the"
    r"|(?:is|are) what it costs|what costs the time|time is due to"
    r"|(?:reason|cause) is (?:the )?(?:latency|occupancy|bandwidth|memory))",
    re.IGNORECASE,
)
# Titles of pages, in the form that links have.
TITLES = re.compile(
    r"\[(?:\*\*)?(?:What limits [^\]]*|what limits it|How the experiments work)(?:\*\*)?\](?=\()", re.IGNORECASE
)
# A limit in bold letters must come from the record.
CAUSES = "block starts|launches|memory bandwidth|latency|loads|instructions|barriers|bank conflicts"
BOLD_LIMIT = re.compile(rf"\*\*(?:{CAUSES})(?: and [a-z ]+)?\*\*")
RECORDED = re.compile(r"<!--=(?:ablations|machine|ladder)_\w+\.json ")
# Marks the end of a sentence after which a comment gives a reason for the exemption. The reason must not be empty.
EXEMPT = "\x00"
EXEMPTION = re.compile(r"\s*<!-- not measured here: \S+ [^>]*?-->")
SENTENCE_END = re.compile(r"(?<=[.!?\x00])\s+|(?<=[.!?][\"”)*])\s+")
HEADING = re.compile(r"^(#+) ")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")
FENCE = re.compile(r"^\s*```")
BLOCK_BEGIN, BLOCK_END = re.compile(r"^<!-- \w+(?::[\w-]+)? begin\b"), re.compile(r"^<!-- \w+(?::[\w-]+)? end -->$")


def paragraphs(text):
    """Yields (number of the first line, lines) for each paragraph, item and heading that was written by hand."""
    lines: list[str] = []
    start, fenced, generated = 0, False, False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        generated = generated or bool(BLOCK_BEGIN.match(line))
        skipped = generated or fenced or bool(FENCE.match(line)) or line.startswith("|")
        if BLOCK_END.match(line):
            generated = False
        elif not generated and FENCE.match(line):
            fenced = not fenced
        ends = skipped or not line.strip()
        if lines and (ends or ITEM.match(line) or HEADING.match(line) or HEADING.match(lines[0])):
            yield start, lines
            lines = []
        if not ends:
            start = start if lines else number
            lines.append(line)


def sentences(start, lines):
    """Yields (line number, sentence) for each sentence of a paragraph."""
    text = EXEMPTION.sub(lambda match: EXEMPT + "\n" * match[0].count("\n"), "\n".join(lines))
    at = 0
    for end in [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]:
        yield start + text[:at].count("\n"), " ".join(text[at:end].split())
        at = end


def is_unproved(sentence):
    if EXEMPT in sentence or re.search(r"^[^,]*\?\W*$", sentence):
        return False
    by_hand = re.sub(r"<!--=.*?<!--/-->", "", sentence)
    if BOLD_LIMIT.search(by_hand):
        return True
    if RECORDED.search(sentence):
        return False
    plain = TITLES.sub("", markers.without_markers(sentence)).replace("*", "").replace("_", " ")
    return bool(NAMES_A_LIMIT.search(plain))


def unproved(text):
    """Yields (line number, sentence) for sentences that name a limit without a record."""
    level, exempt_below, behind_heading = 0, 0, False  # `exempt_below`: the level of the heading of an exempt section.
    for start, lines in paragraphs(text):
        heading = HEADING.match(lines[0])
        if heading:
            level = len(heading[1])
            exempt_below = 0 if level <= exempt_below else exempt_below
            behind_heading = True
            continue
        if level and behind_heading and EXEMPTION.fullmatch(" ".join(lines)):
            exempt_below = exempt_below or level
        behind_heading = False
        if not exempt_below:
            yield from (found for found in sentences(start, lines) if is_unproved(found[1]))


def main():
    root = pathlib.Path(sys.argv[1])
    files = [pathlib.Path(name) for name in sys.argv[2:]] or sorted(p for place in PLACES for p in root.glob(place))
    found = 0
    for path in files:
        for number, sentence in unproved(path.read_text(encoding="utf-8")):
            words = markers.without_markers(sentence)
            name = path.relative_to(root) if path.is_relative_to(root) else path
            print(f"{name}:{number}: names a limit, and no record says so: {words}")
            found += 1
    if not files:
        print("found no page to check", file=sys.stderr)
    print(f"{len(files)} pages, {found} limits without a record")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
