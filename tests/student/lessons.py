"""What a lesson has taught its reader before it asks a question: terms and numbers."""

import re

from book import markers
from student.reckoning import number_in

WORDS = {
    "no": 0,
    "none": 0,
    "zero": 0,
    "one": 1,
    "once": 1,
    "two": 2,
    "twice": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
# Words in the glossary's headings that often have another meaning.
PLAIN = {
    "operation",
    "memory",
    "shared",
    "start",
    "result",
    "load",
    "loop",
    "flight",
    "law",
    "theorem",
    "unit",
    "bytes",
    "in",
    "cold",
    "warm",
    "idle",
    "cost",
    "roundoff",
    "brent's",
    "little's",
    "member",
}


# Numbers that are part of a name and are not counts.
NAMES = re.compile(
    r"\bchapters? \d+( (and|to) \d+)?|\bblocks? of \d+( threads)?|\bstrides? \d+( to \d+)?"
    r"|(\d+,? (and )?)+threads per block|\bsm_\d+",
    re.I,
)


def comments_of(source):
    """Returns the comments of a source file."""
    return "\n\n".join(re.findall(r"^ *///? ?(.*)$", source, re.M))


def said_beside(kernel):
    """Returns the comments of a kernel that a page shows, without the code fence and the markers."""
    return comments_of("\n".join(line[1:] for line in kernel.body.split("\n")[1:-2])) + "\n"


def before_the_questions(lesson):
    """Returns the part of the page that a reader has seen when `make predictN` asks: everything before `Look inside`,
    without folded parts, and with only the comments of kernels."""
    lesson = markers.renewed(lesson, lambda part: said_beside(part) if part.kind == "kernel" else part.body)
    seen = lesson.split("\n## Look inside", 1)[0]
    seen = re.sub(r"<details>.*?</details>", "", seen, flags=re.S)
    return markers.without_markers(seen)


def sentences(text):
    """Yields sentences, list items and rows of tables."""
    text = NAMES.sub("", re.sub(r"!?\[([^\]]+)\]\([^)]+\)", r"\1", text))
    for paragraph in re.split(r"\n\s*\n|\n(?=- |\| |#)", text):
        yield from re.split(r"(?<=[.!?])\s+(?=[A-Z`(])", " ".join(paragraph.split()))


def numbers_in(sentence):
    """Yields the numbers in a sentence, whether written in digits or as words."""
    for token in re.findall(r"(?<![\w.^])\d[\d,]*(?:\.\d+)?(?![\w^]|\.\d)|\b2\^\d+\b", sentence):
        number = number_in(token.rstrip(","))
        if number is not None:
            yield number
    for word in re.findall(r"[a-z]+", sentence.lower()):
        if word in WORDS:
            yield float(WORDS[word])


def given_away(text, question):
    """Returns the sentences that are about the subject of the question and contain its answer."""
    return [
        sentence
        for sentence in sentences(text)
        if re.search(question.about, sentence, re.I) and any(map(question.is_right, numbers_in(sentence)))
    ]


def taught(root):
    """Returns {term: first chapter that teaches it} for the terms of the glossary. This is the chapter that the
    glossary names, or an earlier chapter that lists the term among its new words."""
    first = {}
    for part in (root / "docs/pages/glossary.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        found = re.search(r"\[Chapter (\d+)\]\(\S+/chapters/", part)
        if found:
            first[part.split("\n", 1)[0].strip().lower()] = int(found[1])
    for path in sorted((root / "chapters").glob("[0-9][0-9]_*/README.md")):
        line = re.search(r"^New words: (.*)$", path.read_text(encoding="utf-8"), re.M)
        for word in re.findall(r"\[([^\]]+)\]", line[1]) if line else ():
            first[word.lower()] = min(int(path.parent.name[:2]), first.get(word.lower(), 99))
    return first


def patterns(first):
    """Returns for each term the pattern that recognises it: the whole term, and those of its words that no other term
    has and that are not plain English."""
    found = {}
    for term in first:
        words = [word for word in term.split() if word not in PLAIN and (word == term or word not in first)]
        shared = {word for other in first if other != term for word in other.split()}
        keys = [term, *(word for word in words if word not in shared)]
        found[term] = re.compile(r"\b(" + "|".join(re.escape(key) for key in keys) + r")(s|es)?\b", re.I)
    return found


def untaught(text, chapter, first):
    """Returns the terms in a text that a reader of this chapter doesn't know yet."""
    return sorted(term for term, pattern in patterns(first).items() if first[term] > chapter and pattern.search(text))
