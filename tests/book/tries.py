"""What students submit: the text of an exercise file for every chapter, right, wrong, or something between."""

import re

from book import exercises, manifest
from book.manifest import ROOT

CHAPTERS = manifest.load()
# The line of a reference that is made wrong, and its replacement. By default, the sum of a block becomes one too large.
WRONG = {
    0: (r"(partials\[0\] = )([^;]+);", r"\1\2 + T{1};"),
    10: (r"(out\[t\] = )([^;]+);", r"\1\2 + T{1};"),
    11: (r"(for \(unsigned k = 0; )k < terms", r"\1k + 1 < terms"),
    13: (r"(out\[c\] = tile\[c\] \* )factor;", r"\1(factor + factor);"),
    14: (r"down\(eight, 3\)", "down(eight, 4)"),
    15: (r"(largest_of\(in, begin)(, end, 1\))", r"\1 + 1\2"),
}


def changed(text, pattern, by):
    done, count = re.subn(pattern, by, text, count=1)
    assert count == 1, f"{pattern} is not there"
    return done


def reference(number):
    return exercises.reference_text(CHAPTERS[number])


def second(number):
    return (ROOT / f"tests/chapters/second_solutions/{number:02d}.cuh").read_text()


def more(number):
    """Returns the right solutions in other forms."""
    return [path.read_text() for path in sorted((ROOT / "tests/chapters/second_solutions").glob(f"{number:02d}_*.cuh"))]


def start(number):
    """Returns the chapter's starting text, with a comment that makes it count as edited. The text uses the previous
    chapter's method."""
    return exercises.start_text(CHAPTERS[number]) + "// looked at\n"


def wrong(number):
    return changed(reference(number), *WRONG.get(number, (r"(partials\[blockIdx\.x\] = )([^;]+);", r"\1\2 + T{1};")))


def racy(number):
    """Returns a solution in which all threads of a block write to one word without any order. The result is right."""
    text = reference(number)
    return changed(
        text,
        r"(__global__ void [\w(), \n]*\w+\(const T\* [^)]*\) \{\n)",
        r"\1  __shared__ volatile T seen;\n  seen = T{};\n",
    )


def two_faced(number):
    """Returns a solution of chapter 14 that declares a different order of summation than the one that it uses."""
    assert number == 14
    text = changed(
        reference(number),
        r"(Value warp_sum\(Value value\) \{\n)",
        r"\1  if constexpr (!requires { value.number(); }) {\n    for (unsigned k = 16; k > 0; k /= 2) "
        r"value += down(value, k);\n    return value;\n  } else {\n",
    )
    return changed(text, r"(return eight [^;]*;\n)", r"\1  }\n")
