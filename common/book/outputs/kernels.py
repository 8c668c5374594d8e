"""A whole kernel, with the lines that a chapter changes marked. The marker specifies which:

<!-- kernel:start begin 3 -->          what chapter 3 starts from: the lines that will change begin with an !
<!-- kernel:start begin 9 Reduce -->   the same, with marks only in phases whose comment begins with that word
<!-- kernel:region begin 12 -->        the start's head, its marked lines and those around them, with … for the rest
<!-- kernel:solution begin 3 -->       its reference: the lines that are new begin with a +
For the start of a ladder chapter, only the kernel is shown. References, and the starts of chapters that compare
kernels, are shown with everything else in the namespace. The block is of the kind `diff`, because Markdown viewers
colour its lines that begin with ! and +. The marks can also be seen without colours.
"""

from __future__ import annotations

import difflib
import re

from book import exercises, manifest, markers
from book.outputs import Failure, Setting, diffs

# The comment that is shown in a gap that contains nothing.
NOTHING_YET = "// Nothing here yet."
# The number of lines that a region of a long kernel shows around its marked lines, and what it shows instead of others.
LINES_BEFORE, LINES_AFTER, REST = 4, 1, "   …"


def inside(text: str) -> list[str]:
    """Returns the lines in the chapter's namespace. Raises Failure."""
    match = re.search(r"^namespace chapter\d+::\w+ \{\n\n?(.*?)\n*^\}  // namespace", text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise Failure("a kernel's file needs `namespace chapterN::… {`, and its end")
    return match[1].split("\n")


def kernel_of(lines: list[str]) -> range:
    """Returns the line indices of the first kernel, from its `template` to its last brace. Raises Failure."""
    at = next((k for k, line in enumerate(lines) if "__global__" in line), None)
    if at is None:
        raise Failure("there is no kernel to show")
    first = at - 1 if at > 0 and lines[at - 1].startswith("template") else at
    last = next(k for k in range(at, len(lines)) if lines[k] == "}")
    return range(first, last + 1)


def without_tasks(text: str) -> str:
    """Returns the exercise with its tasks replaced by a short comment."""
    return diffs.TASK.sub(lambda task: task[0][: task[0].index("//")] + NOTHING_YET + "\n", text)


def changed(one: list[str], other: list[str]) -> set[int]:
    """Returns the indices of the lines of `one` that `other` does not have."""
    blocks = difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    same = {k for block in blocks for k in range(block.a, block.a + block.size)}
    return {k for k, line in enumerate(one) if k not in same and line.strip()}


def renamed(lines: list[str], old: str | None, new: str | None) -> list[str]:
    """Returns the lines with the kernel renamed, because a new name alone doesn't count as a change."""
    return [re.sub(rf"\b{old}\b", new, line) for line in lines] if old and new else lines


def code(lines: list[str]) -> list[str]:
    """Returns the lines with their comments removed."""
    return [re.sub(r"\s*//.*", "", line) for line in lines]


def in_phases(lines: list[str], words: list[str]) -> set[int]:
    """Returns the lines of the phases whose comment begins with one of these words. Raises Failure."""
    found, inside_one = set(), False
    for k, line in enumerate(lines):
        if comment := re.match(r"  // (\w+)", line):
            inside_one = comment[1] in words
        if inside_one:
            found.add(k)
    if not found:
        raise Failure(f"no phase of the kernel begins with {' or '.join(words)}")
    return found


def fenced(lines: list[str], marked: set[int], mark: str) -> str:
    shown = [(mark if k in marked else " ") + line for k, line in enumerate(lines)]
    return "\n".join(["```diff", *(line.rstrip() for line in shown), "```", ""])


def start(chapter: manifest.Chapter, phases: list[str]) -> str:
    """Returns what the chapter starts from. Comments are not marked, because they need no change."""
    text, end = exercises.start_text(chapter), inside(exercises.reference_text(chapter))
    lines = inside(without_tasks(text))
    compared = renamed(lines, diffs.kernel_name(text), diffs.kernel_name("\n".join(end)))
    marked = changed(code(compared), code(end))
    marked |= {k for k in range(len(lines) - 1) if lines[k].startswith("template") and k + 1 in marked}
    if phases:
        marked &= in_phases(lines, phases)
    gaps = {k for k, line in enumerate(lines) if line.strip() == NOTHING_YET}
    # If lines of the exercise have to be replaced, they are marked, and the gap above them is not shown.
    filled = {k for k in gaps if chapter.task_above is not None or marked & set(range(k + 1, k + 4))}
    kept = [k for k in (kernel_of(lines) if chapter.kind == "ladder" else range(len(lines))) if k not in filled]
    marks = {place for place, k in enumerate(kept) if k in marked | gaps}
    if not marks:
        raise Failure(f"chapter {chapter.number} starts from a kernel of which no line changes")
    return fenced([lines[k] for k in kept], marks, "!")


def region(whole: str) -> str:
    """Returns the result of `start`, reduced to the kernel's head, its marked lines and the lines around them. Raises
    Failure."""
    fence, *lines, _, _ = whole.split("\n")
    head = next((k for k, line in enumerate(lines) if line.endswith("{")), None)
    if head is None:
        raise Failure("the kernel has no head that ends with a brace")
    marked = [k for k, line in enumerate(lines) if line.startswith("!")]
    near = {n for k in marked for n in range(k - LINES_BEFORE, k + LINES_AFTER + 1)}
    kept = [k for k in range(len(lines)) if k <= head or k in near or k == len(lines) - 1]
    shown: list[str] = []
    for k, following in zip(kept, [*kept[1:], len(lines)], strict=True):
        cut_off = not lines[k] and (k - 1 not in kept or following != k + 1)  # an empty line next to a gap
        shown += [] if cut_off else [lines[k]]
        shown += [REST] if following > k + 1 else []
    return "\n".join([fence, *shown, "```", ""])


def solution(chapter: manifest.Chapter) -> str:
    """Returns everything in the namespace of the chapter's reference."""
    begin, end = diffs.TASK.sub("", exercises.start_text(chapter)), exercises.reference_text(chapter)
    lines = inside(end)
    return fenced(lines, changed(lines, renamed(inside(begin), diffs.kernel_name(begin), diffs.kernel_name(end))), "+")


def made(part: markers.Part, setting: Setting) -> str:
    chapters = manifest.load()
    number, *phases = part.arguments.split() or [""]
    if number.isdigit() and int(number) in chapters:
        if part.detail == "start":
            return start(chapters[int(number)], phases)
        if part.detail == "region":
            return region(start(chapters[int(number)], phases))
        if part.detail == "solution" and not phases:
            return solution(chapters[int(number)])
    raise Failure(
        f"{setting.page}: `kernel:{part.detail} begin {part.arguments}`: it is `kernel:start` or `kernel:region` "
        "with a chapter and, if only some phases are marked, their first words, or `kernel:solution` with a chapter"
    )
