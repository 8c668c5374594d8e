#!/usr/bin/env python3
"""Checks that every lesson has the manifest's title, and has the parts that readers know from other lessons, in order:

lesson_form.py ROOT
"""

import pathlib
import re
import sys

from book import manifest, markers, reading

PARTS = [
    "Where we are",
    "The idea",
    "Predict",
    "What changes",
    "Your task",
    "Look inside",
    "Measure",
    "What limits it now",
    "What changed since",
    "Questions",
    "Solution",
    "Source",
    "Next",
]
# A lesson's further parts have no task of their own, and therefore no goal.
PARTS_OF_A_PART = ["Where we are", "The idea", "Predict", "Next"]
SEEN = ("<!-- output:chapter{number} begin", "<!-- recorded:")  # one of these, for the emulator or a GPU
HAS = {
    "an output of its program": r"^<!-- output:chapter\d+ begin",
    "a diff": r"^<!-- diff begin",
    "links to the glossary": r"^New words: .*glossary\.md#",
    "its hints": r"`make hint\d+`.*\(hints\.md\)",
    "its predictions": r"`make predict\d+`",
    "a recorded figure": r"<!--=|<!-- recorded:",
}
# In a chapter whose kernel follows a previous chapter's, this section follows `Measure`. The chapter that explains the
# experiments, and all later ones, show their table here. Earlier chapters show a figure from it.
LIMITS = "What limits it now"
LIMITS_TABLE = "<!-- recorded:limits begin ablations_h200.json 2^29 {kernel} -->"
LIMITS_FIGURE = "<!--=ablations_h200.json "
FIRST_WITH_TABLE = 3
# A mistake to make on purpose: what to change, and what the program then prints. Not every lesson has one yet.
MISTAKE = "A mistake to make"
PRINTED = re.compile(r"^```text$", re.MULTILINE)
# Answers to the questions at the end: each after its question, or all after the list. Not every lesson has them yet.
ANSWER = re.compile(r"<details>\s*<summary>Answer(s?)</summary>\n(.*?)</details>", re.DOTALL)
QUESTION = re.compile(r"^(?:- |\d+\. )", re.MULTILINE)
# In chapters before FIRST_UNFOLDED, this section is folded, because readers don't know machine code yet.
MACHINE_CODE = "In the machine code"
FOLDED = re.compile(r"\n<details>\n<summary>What you would see: [^`\n]+</summary>\n.*\n</details>\n*", re.DOTALL)
FIRST_UNFOLDED = 6
SHORTEST, LONGEST = 80, 200  # visible lines written by hand; generated parts and folds are not counted
# Limit of the reading time of all visible text, by the rule of the student's guide.
MAX_MINUTES = 15
MAX_SENTENCES = 4
KERNEL_OF_SOLUTION = "<!-- kernel:solution begin "
# Everything that a reader sees before being asked for a prediction: the text above it, and the words in the drawing.
DRAWING = re.compile(r"^!\[.+\]\((drawing\.svg)\)$", re.MULTILINE)
DRAWN = re.compile(r"<text[^>]*>([^<]*)</text>")
# A small number can mean many things, so it answers a prediction only if the question's noun follows it.
SMALL = 100
COUNTED = re.compile(r"[Hh]ow many ((?:[\w-]+ ){0,2}[\w-]+)")
SHORTEST_NOUN = 4
NUMBER = r"(?<![\w.^/])\d+(?:\.\d+)?(?![\w^/])"


def lines_in_sight(text):
    """Returns the number of lines written by hand that a reader sees without opening a fold."""
    return re.sub(r"<details>.*?</details>", "", markers.without_blocks(text), flags=re.DOTALL).count("\n")


def section_of(text, heading):
    """Returns the text of a section, without its heading."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def without_limits(text, chapter, headings):
    """Yields what the section about the kernel's limits lacks in a lesson of the ladder."""
    measure = next(k for k, heading in enumerate(headings) if heading.startswith("Measure"))
    if headings[measure + 1] != LIMITS:
        yield f"has no section `{LIMITS}` directly behind `Measure`"
        return
    section = section_of(text, LIMITS)
    table = LIMITS_TABLE.format(kernel=chapter.kernel)
    for wanted in (table, "docs/pages/limits.md") if chapter.number >= FIRST_WITH_TABLE else (LIMITS_FIGURE,):
        if wanted not in section:
            yield f"has no `{wanted}` in its section `{LIMITS}`"


def opening(text):
    """Returns the first paragraph of the lesson, as a reader sees it."""
    return " ".join(markers.without_markers(section_of(text, "Where we are")).strip().split("\n\n")[0].split())


def sentences(paragraph):
    """Returns the sentences of a paragraph with numbers replaced, because a sentence is not new if only a number
    differs."""
    return [re.sub(r"[\d.]*\d", "#", one) for one in re.split(r"(?<=[.?!])\s+", paragraph)]


def without_a_question(text, leads_on):
    """Yields what is wrong with the lesson's beginning and end. It must begin with a question, and end with one that
    links to the next lesson."""
    first = opening(text)
    if not first.endswith("?") or len(sentences(first)) > MAX_SENTENCES:
        yield f"does not open with a question of at most {MAX_SENTENCES} sentences, but with `{first}`"
    last = section_of(text, "Next")
    if "?" not in last or leads_on not in last:
        yield f"has in its last section, `Next`, no question with a link on: `{leads_on[1:]}`"


def without_kernels(text, chapter):
    """Yields what is missing from the kernel that the lesson starts from, and from its reference. Both must be complete
    and have marks."""
    shown = {part.detail: part for part in markers.parts(text) if part.kind == "kernel"}
    for detail, section, mark in (("start", "Where we are", "!"), ("solution", "Solution", "+")):
        part = shown.get(detail)
        begin = f"<!-- kernel:{detail} begin {chapter.number}"
        if part is None or part.arguments.split()[0] != str(chapter.number) or begin not in section_of(text, section):
            yield f"has no `{begin} -->` in its section `{section}`"
        elif not re.search(rf"^{re.escape(mark)}", part.body, re.MULTILINE):
            yield f"marks no line with {mark} in its kernel `{detail}`"
    folds = re.findall(r"<details>.*?</details>", section_of(text, "Solution"), re.DOTALL)
    if not any(KERNEL_OF_SOLUTION in fold for fold in folds):
        yield "shows the whole reference unfolded, for all who have not tried yet"


def given_away(question, answer, above):
    """Returns the part of the text above a question that answers it, such as `8 barriers` or `4 of 4 warps`, or None if
    there is none."""
    asked = [word for words in COUNTED.findall(question) for word in re.split(r"[ -]", words)]
    nouns = "|".join(word for word in asked if len(word) >= SHORTEST_NOUN)
    generated = re.findall(r"lesson_counts\.json value [^>]*-->([\d.]+)<", answer)
    for count in [*re.findall(NUMBER, markers.without_markers(answer))[:1], *generated]:
        if not re.search(rf"\b{re.escape(count)}\b", markers.without_markers(question)):
            behind = rf" (?:of \d+ )?(?:[\w-]+[ -])?(?:{nouns})" if nouns else r"(?!)"
            large = generated and count in generated and float(count) >= SMALL
            if found := re.search(rf"\b{re.escape(count)}{'' if large else behind}\b", above):
                return found[0]
    return None


def visible_answers(text, drawing=""):
    """Yields the predictions that the lesson answers before the question or next to it. `drawing` is the text in its
    SVG."""
    asked, fold, answers = section_of(text, "Predict").partition("<details>\n<summary>Answers</summary>\n")
    if not fold:
        yield "has no fold `Answers` in its section `Predict`"
        return
    items = [re.split(r"^- ", part, flags=re.MULTILINE)[1:] for part in (asked, answers.split("</details>")[0])]
    if len(items[0]) != len(items[1]):
        yield f"asks {len(items[0])} predictions and folds {len(items[1])} answers"
        return
    for bracket in re.findall(r"\(([^()]*)\)", re.sub(r"`[^`]*`", "", asked)):
        if re.search(r"\d", bracket) and not bracket.endswith("?"):
            yield f"answers a prediction in brackets: `({bracket})`"
    above = markers.without_markers(markers.without_blocks(text.split("\n## Predict\n", 1)[0]))
    if DRAWING.search(above):
        above = " | ".join([above, *DRAWN.findall(drawing)])
    for question, answer in zip(*items, strict=True):
        if words := given_away(question, answer, above):
            yield f"says `{words}` before it has that predicted"


def unanswered(text):
    """Yields what is wrong with the answers to the lesson's last questions, if it has any."""
    section = section_of(text, "Questions")
    folds = ANSWER.findall(section)
    if not folds:
        return
    asked = len(QUESTION.findall(ANSWER.sub("", section)))
    answers = sum(len(QUESTION.findall(body)) if several else 1 for several, body in folds)
    if asked != answers:
        yield f"asks {asked} questions at its end and answers {answers}"


def without_a_mistake(text, headings):
    """Yields what is missing from the section about the mistake, if the lesson has one."""
    if MISTAKE not in headings:
        return
    if headings.index(MISTAKE) < headings.index("Your task"):
        yield f"has its section `{MISTAKE}` before `Your task`"
    if not PRINTED.search(section_of(text, MISTAKE)):
        yield f"does not show in its section `{MISTAKE}` what the program then prints"


def repeated(texts):
    """Yields (sentence, chapters) for each sentence that is in the first paragraph of several lessons. `texts`:
    {folder: lesson}."""
    places: dict[str, list[str]] = {}
    for folder, text in texts.items():
        for sentence in sentences(opening(text)):
            places.setdefault(sentence, []).append(folder)
    yield from ((sentence, folders) for sentence, folders in places.items() if len(folders) > 1)


def after(chapter, following=None):
    """Yields the links to the next page that the lesson and each of its parts must have."""
    yield from (f"]({name})" for name in chapter.parts)
    yield f"](../{following.folder}/README.md)" if following else "](../../docs/pages/"


def missing_section(headings, wanted):
    """Returns a message about the first section that is missing or misplaced, or None if there is no such section."""
    at = -1
    for part in wanted:
        places = [k for k, heading in enumerate(headings) if heading.startswith(part) and k > at]
        if not places:
            return f"has no section `{part}` behind `{headings[at] if at >= 0 else 'its title'}`"
        at = places[0]
    return None


def too_long(text):
    """Yields what is wrong with a lesson, or a part of one, if it takes too long to read."""
    if (minutes := reading.minutes(text)) > MAX_MINUTES:
        yield f"takes {minutes:.1f} minutes to read; {MAX_MINUTES} are enough"


def complaints_of_a_part(text, chapter, number, leads_on):
    """Yields what a further part of the lesson lacks. `number` is 2 for the first further part."""
    title = f"# Chapter {chapter.number}, part {number}: "
    if not text.startswith(title):
        yield f"does not begin with `{title}`"
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if lacking := missing_section(headings, PARTS_OF_A_PART):
        yield lacking
        return
    yield from without_a_question(text, leads_on)
    yield from visible_answers(text)
    if not any(seen.format(number=chapter.number) in text for seen in SEEN):
        yield "shows neither what the program prints nor what was recorded"
    yield from too_long(text)
    if (lines := lines_in_sight(text)) > LONGEST:
        yield f"has {lines} lines beside what is generated or folded; {LONGEST} are enough"


def complaints(text, chapter, following=None, drawing=""):
    """Yields what the lesson lacks. `following` is the next chapter, if any. `drawing` is the text in the lesson's
    SVG."""
    title = f"# Chapter {chapter.number}: {chapter.title}"
    if text.split("\n", 1)[0] != title:
        yield f"does not begin with the manifest's title, `{title}`"
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if lacking := missing_section(headings, PARTS):
        yield lacking
        return
    if chapter.kind == "ladder" and chapter.parent is not None:
        yield from without_limits(text, chapter, headings)
    folds = chapter.number < FIRST_UNFOLDED and MACHINE_CODE in headings
    if folds and not FOLDED.fullmatch(section_of(text, MACHINE_CODE)):
        yield f"has a section `{MACHINE_CODE}` that is not one fold, whose summary says what one would see"
    yield from without_a_question(text, next(after(chapter, following)))
    yield from without_kernels(text, chapter)
    yield from visible_answers(text, drawing)
    yield from unanswered(text)
    yield from without_a_mistake(text, headings)
    if not DRAWING.search(section_of(text, "The idea")):
        yield "has no drawing in its section `The idea`"
    for what, pattern in HAS.items():
        if not re.search(pattern, text, re.MULTILINE):
            yield f"has not {what}"
    yield from too_long(text)
    lines = lines_in_sight(text)
    if not SHORTEST <= lines <= LONGEST:
        yield f"has {lines} lines beside what is generated or folded; {SHORTEST} to {LONGEST} are wanted"


def main():
    root = pathlib.Path(sys.argv[1])
    chapters = list(manifest.load(root).values())
    texts = {chapter.folder: chapter.lesson_path(root).read_text(encoding="utf-8") for chapter in chapters}
    found = []
    for chapter, following in zip(chapters, [*chapters[1:], None], strict=True):
        drawing = chapter.lesson_path(root).with_name("drawing.svg").read_text(encoding="utf-8")
        of_it = complaints(texts[chapter.folder], chapter, following, drawing)
        found += [f"{chapter.folder}: {words}" for words in of_it]
        links = list(after(chapter, following))[1:]
        for number, (path, leads_on) in enumerate(zip(chapter.lesson_paths(root)[1:], links, strict=True), 2):
            place = f"{chapter.folder}/{path.name}"
            if not path.exists():
                found.append(f"{place}: chapters.json names it, and it is not there")
                continue
            texts[place] = path.read_text(encoding="utf-8")
            found += [f"{place}: {words}" for words in complaints_of_a_part(texts[place], chapter, number, leads_on)]
        known = {"README.md", "hints.md", *chapter.parts}
        here = sorted({path.name for path in (root / "chapters" / chapter.folder).glob("*.md")} - known)
        found += [f"{chapter.folder}/{name}: chapters.json has it not among the chapter's parts" for name in here]
    found += [f"{', '.join(folders)}: open alike, with `{sentence}`" for sentence, folders in repeated(texts)]
    folders = {path.name for path in root.glob("chapters/[0-9][0-9]_*")}
    found += [f"{name}: has no entry in chapters.json" for name in sorted(folders - {c.folder for c in chapters})]
    print("\n".join(found) or f"{len(chapters)} lessons have the form")
    return 1 if found or not chapters else 0


if __name__ == "__main__":
    sys.exit(main())
