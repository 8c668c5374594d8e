"""Finds files that are similar beyond the text that the exercise gave them. It compares fingerprints of their tokens,
which are chosen by winnowing.

Tokens are compared by kind: all names that an author chooses are the same token, and so are all numbers, and layout and
comments are ignored. So a copy with different names is still found. Every K consecutive tokens are hashed, and the
smallest of every WINDOW consecutive hashes is kept (S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: local
algorithms for document fingerprinting, SIGMOD 2003, doi.org/10.1145/872757.872770). So a sequence of K + WINDOW - 1
equal tokens is always found. The fingerprints of the exercise's starting text are subtracted from both files. Those of
the book's solution are reported separately, because two correct files of a few lines both resemble it.

Debian's similarity-tester normalises names, too, but it cannot subtract the exercise's own text, and copydetect would
require a mathematics library on the machine that grades. That is why this module exists."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
import typing

K, WINDOW = 10, 4
LEAST = 8  # a file with fewer fingerprints of its own is too short to be compared
ALIKE = 0.6

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\"'])|"
    r"(?P<name>[A-Za-z_]\w*|[^\W\d_])|(?P<number>\.?\d[\w.']*)|"
    r"[<>]{3}|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|->|::|<<|>>|\S",
    re.DOTALL,
)
# The words that mean the same in every author's program. Every other word is a name.
KEPT_WORDS = """
alignas auto bool break case char class const constexpr consteval continue default do double else enum extern
float for if inline int long namespace nullptr operator private public requires return short signed sizeof
static static_cast reinterpret_cast struct switch template this true false typedef typename unsigned using
void volatile while __global__ __device__ __host__ __shared__ __launch_bounds__ __syncthreads __syncwarp
__shfl_down_sync __shfl_xor_sync __shfl_sync __threadfence atomicAdd atomicInc threadIdx blockIdx blockDim
gridDim warpSize
"""
KEPT = set(KEPT_WORDS.split())

Prints = frozenset[int]


def tokens(text: str) -> list[str]:
    """Returns a file's tokens without comments; names, numbers and literals are replaced by their kind."""
    return [
        match[0] if match[0] in KEPT else match.lastgroup or match[0]
        for match in TOKEN.finditer(text)
        if match.lastgroup != "comment"
    ]


def fingerprints(text: str) -> Prints:
    """Returns the fingerprints that winnowing chooses."""
    given = tokens(text)
    hashes = [
        int.from_bytes(hashlib.blake2b("\0".join(given[k : k + K]).encode(), digest_size=8).digest(), "big")
        for k in range(len(given) - K + 1)
    ]
    if len(hashes) <= WINDOW:
        return frozenset([min(hashes)]) if hashes else frozenset()
    return frozenset(min(hashes[k : k + WINDOW]) for k in range(len(hashes) - WINDOW + 1))


class Pair(typing.NamedTuple):
    """Two files that are similar: the share of their own fingerprints that they have in common, and the part of these
    fingerprints that the book's solution also contains."""

    one: str
    other: str
    share: float
    in_solution: float


class Group(typing.NamedTuple):
    """A group of files that are connected by similar pairs, and the share of the least similar of these pairs."""

    members: list[str]
    share: float


@dataclasses.dataclass
class Bench:
    """Compares the files of one chapter."""

    chapter: int
    start: Prints
    solution: Prints
    files: dict[str, Prints] = dataclasses.field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        self.files[name] = fingerprints(text) - self.start

    def _long_enough(self) -> dict[str, Prints]:
        return {name: prints for name, prints in sorted(self.files.items()) if len(prints) >= LEAST}

    def pairs(self) -> list[Pair]:
        """Returns the similar pairs, the most similar pair first. Leaves out files that have too few fingerprints of
        their own."""
        found = []
        for (one, mine), (other, others) in itertools.combinations(self._long_enough().items(), 2):
            common = mine & others
            share = len(common) / min(len(mine), len(others))
            if share >= ALIKE:
                known = len(common & self.solution) / len(common) if common else 0.0
                found.append(Pair(one, other, share, known))
        return sorted(found, key=lambda pair: (-pair.share, pair.one, pair.other))

    def groups(self) -> list[Group]:
        """Returns groups of files that have more in common than what the book's solution contains."""
        found: list[Group] = []
        for pair in self.pairs():
            if pair.in_solution > ALIKE:
                continue
            near = [group for group in found if pair.one in group.members or pair.other in group.members]
            found = [group for group in found if group not in near]
            members = {pair.one, pair.other}.union(*(group.members for group in near))
            found.append(Group(sorted(members), min([pair.share, *(group.share for group in near)])))
        return sorted(found, key=lambda group: (-group.share, group.members))

    def near_solution(self) -> list[str]:
        """Returns the files that share at least ALIKE of their own fingerprints with the book's solution."""
        return [
            name for name, prints in self._long_enough().items() if len(prints & self.solution) >= ALIKE * len(prints)
        ]
