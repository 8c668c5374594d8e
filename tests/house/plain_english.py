#!/usr/bin/env python3
"""Checks that comments, messages and prose stay in plain English: plain_english.py TREE.

Two things are checked. Words of a private vocabulary must not be used at all, because the field has a term for each of
them; the complaint names that term. Ratios are symptoms: the share of a few words in all comments and in all messages,
and of a few kinds of sentences in lessons and pages. Messages are the strings with a blank in the code of `common` and
`chapters`. If a ratio is outside its limits, the files that contribute most are listed. Don't
change single words to satisfy a ratio, but rewrite the sentences.

Exits with 1 if anything is found.
"""

import ast
import collections
import pathlib
import re
import sys
import tokenize

import house_rules

# Expressions that must not be used, each with what to use instead. They match whole words in any case.
TERMS = {
    r"standstills?": "deadlock",
    r"meeting points?": "reconvergence point",
    r"mend(?:s|ed|ing)?": "fix",
    r"whoever": "the passive voice, or a noun such as 'the caller'",
    r"multiprocessors? places": "resident blocks per SM",
    r"where there (?:is|are|was|were)": "if there is",
    r"where nothing (?:is|was|has|does)": "if nothing is",
    r"where nobody": "if no caller, if no thread, ...",
    r"is none of (?:its|their|the|these|ours)": "isn't one of",
    r"so many as": "up to, the number of",
    r"on (?:its|their) way": "in flight",
}
# Words per 1000 words of all comments, and of all messages: at least and at most. The lower limit is for comments only,
# because a message is often a single clause.
RATIOS = {
    "if": (r"if", 3.0, None),
    "where there, where it, where nothing ...": (
        r"where (?:there|it|that|nothing|one|they|no|he|its|this|a|the|we|is|an)",
        None,
        1.0,
    ),
    "behind": (r"behind", None, 0.2),
    "stand, stands": (r"stands?", None, 0.5),
    "nobody, somebody, whoever": (r"nobody|somebody|whoever", None, 0.1),
}
# Percent of the sentences of lessons and pages: at least and at most.
SHARES = {
    "contractions": (r"\w(?:n't|'re|'ve|'ll|'m)\b|\b(?:it|that|there|here|what|let|who|she|he|where|how)'s\b", 5, None),
    "we, us, our": (r"\b(?:we|us|our|ours)\b", 15, None),
    "connectives": (r"\b(?:because|since|so|but|however|instead|for example|which means)\b", 20, None),
    "semicolons": (r";", None, 4),
}
C_FAMILY = {".cpp", ".hpp", ".cu", ".cuh", ".js"}
HASH_FAMILY = {".sh", ".cmake"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
PROSE = ["README.md", "chapters/*/*.md", "docs/pages/*.md"]
# A C++ string, a character, or a comment, whichever begins first.
C_TOKEN = re.compile(
    r'R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\''
    r"|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/",
    re.DOTALL,
)
WORD = re.compile(r"[A-Za-z']+")


def texts_of(path, source):
    """Yields (line number, text) for each comment in a code file."""
    if path.suffix in C_FAMILY:
        for token in C_TOKEN.finditer(source):
            line = source.count("\n", 0, token.start()) + 1
            if token["line"] is not None or token["block"] is not None:
                yield line, (token["line"] or token["block"] or "").lstrip("/!< ")
    elif path.suffix == ".py":
        yield from texts_of_python(source)
    elif path.suffix in HASH_FAMILY or path.name in ("CMakeLists.txt", "Makefile"):
        for number, line in enumerate(source.splitlines(), 1):
            comment = re.search(r"(?:^|\s)#\s(.*)", line)
            if comment:
                yield number, comment[1]


def texts_of_python(source):
    documented = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            documented.add(node.body[0].lineno)
    with_lines = iter(source.splitlines(keepends=True))
    for token in tokenize.generate_tokens(lambda: next(with_lines, "")):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
        elif token.type == tokenize.STRING and token.start[0] in documented:
            yield token.start[0], token.string


def messages_of(path, source):
    """Yields (line number, text) for each string with a blank, except docstrings."""
    if path.suffix == ".py":
        docstrings = set(texts_of_python(source))
        with_lines = iter(source.splitlines(keepends=True))
        for token in tokenize.generate_tokens(lambda: next(with_lines, "")):
            # Since Python 3.12, an f-string is several tokens.
            is_string = tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE")
            if is_string and " " in token.string and (token.start[0], token.string) not in docstrings:
                yield token.start[0], token.string
    elif path.suffix in C_FAMILY - {".js"}:
        for found in C_TOKEN.finditer(source):
            if found["line"] is None and found["block"] is None and " " in found[0]:
                yield source.count("\n", 0, found.start()) + 1, found[0]


def sentences_of(page):
    """Yields the sentences of a Markdown page that were written by hand: no code, tables, headings or generated
    parts."""
    page = re.sub(r"<!-- (\S+?)(?::\S+)? begin\b.*?<!-- \1\S* end -->", "", page, flags=re.DOTALL)
    page = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    page = re.sub(r"<!--.*?-->|<[^>]+>", "", page, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", page):
        if paragraph.lstrip().startswith(("#", "|", "!")):
            continue
        for sentence in re.split(r"(?<=[.!?:])[\"”)*]*\s+", " ".join(paragraph.split())):
            if len(sentence.split()) > 2:
                yield sentence


def pieces_of(tree, path):
    """Yields (line number, text, "comments", "messages" or "prose") for each text of a file."""
    text = (tree / path).read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        if any(path.match(place) for place in PROSE):
            yield from ((1, sentence, "prose") for sentence in sentences_of(text))
        return
    yield from ((number, comment, "comments") for number, comment in texts_of(path, text))
    if path.parts[0] in ("common", "chapters"):
        yield from ((number, message, "messages") for number, message in messages_of(path, text))


def complaints(tree):
    words: collections.Counter[str] = collections.Counter()
    prose: collections.Counter[str] = collections.Counter()
    uses: dict[tuple[str, str], collections.Counter[str]] = {
        (what, name): collections.Counter() for what in ("comments", "messages") for name in RATIOS
    }
    # A match that is part of a name or of a path doesn't count.
    banned = {re.compile(rf"(?<![\w/:`])(?:{bad})(?![\w(]|\.\w|::)", re.I): good for bad, good in TERMS.items()}
    shares = {name: re.compile(pattern, re.IGNORECASE) for name, (pattern, _, _) in SHARES.items()}
    counted = {name: re.compile(rf"\b(?:{pattern})\b") for name, (pattern, _, _) in RATIOS.items()}
    for path in house_rules.files_of(tree):
        if path.name in ("plain_english.py", "test_plain_english.py"):
            continue
        for number, text, what in pieces_of(tree, path):
            if what == "prose":
                prose["sentences"] += 1
                prose.update(name for name, share in shares.items() if share.search(text))
            if re.match(r"(?:wrong|finding|says|covers|expect):", text):
                continue  # a marker that a test reads
            for bad, good in banned.items():
                for found in bad.finditer(text):
                    yield f"{path}:{number}: '{found[0]}': write {good}"
            if what != "prose":
                words[what] += len(WORD.findall(text))
                for name, word in counted.items():
                    uses[what, name][str(path)] += len(word.findall(text))
    yield from wrong_ratios(words, uses)
    yield from wrong_shares(prose)


def wrong_ratios(words, uses):
    """Yields a complaint for each word that comments or messages use too often or not often enough. `words`: the number
    of words of each kind of text."""
    for (what, name), used in uses.items():
        least, most = RATIOS[name][1] if what == "comments" else None, RATIOS[name][2]
        ratio = used.total() * 1000 / max(words[what], 1)
        print(f"{what}: {ratio:.2f} of 1000 words are '{name}'")
        if (least is not None and ratio < least) or (most is not None and ratio > most):
            limit = f"at least {least}" if most is None else f"at most {most}"
            yield f"{what}: '{name}' has {ratio:.2f} of 1000 words, {limit} is wanted; see {where(used, most)}"


def wrong_shares(prose):
    """Yields a complaint for each kind of sentence of which the prose has too many or not enough."""
    for name, (_, least, most) in SHARES.items():
        share = prose[name] * 100 / max(prose["sentences"], 1)
        print(f"prose: {share:.1f} % of {prose['sentences']} sentences have {name}")
        if (least is not None and share < least) or (most is not None and share > most):
            limit = f"at least {least}" if most is None else f"at most {most}"
            yield f"prose: {share:.1f} % of the sentences have {name}, {limit} % are wanted"


def where(uses, most):
    """Returns where to look: the files that use a word most often, or the rules if the word isn't used often enough."""
    if most is None:
        return "the rules for comments in CONTRIBUTING.md"
    return ", ".join(f"{path} ({number})" for path, number in uses.most_common(5))


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    print(f"{len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
