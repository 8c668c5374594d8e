"""Which files are alike beyond what the exercise gave them: fingerprints of tokens, chosen by winnowing.

Tokens are compared by kind: all names of the author's are one token, all numbers another, and layout and comments are
none; so a copy with other names is a copy still. Of every K tokens in a row a hash is made, and of every WINDOW hashes
in a row the least is kept (S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: local algorithms for document
fingerprinting, SIGMOD 2003, doi.org/10.1145/872757.872770). A run of K + WINDOW - 1 equal tokens is therefore always
found. What the exercise's start holds is taken away from both; what the book's solution holds is told apart, since two
right files of few lines are both like it.

Debian's similarity-tester normalises names, too, but cannot take the exercise's own text away, and copydetect needs a
mathematics library on the machine that grades; hence these lines."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
import typing

K, WINDOW = 10, 4
LEAST = 8  # fingerprints of its own; a file with fewer is too short to be told from others
ALIKE = 0.6

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\"'])|"
    r"(?P<name>[A-Za-z_]\w*|[^\W\d_])|(?P<number>\.?\d[\w.']*)|"
    r"[<>]{3}|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|->|::|<<|>>|\S",
    re.DOTALL,
)
# Words that say what a program does, whoever wrote it; every other word is a name.
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
    """Returns a file's tokens by kind."""
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
    """Two files that are alike: by how much of what is their own, and how much of that the book's solution has, too."""

    one: str
    other: str
    share: float
    in_solution: float


class Group(typing.NamedTuple):
    """Files that hang together by pairs, and how alike the least alike of these pairs is."""

    members: list[str]
    share: float


@dataclasses.dataclass
class Bench:
    """The files of one chapter, to be compared."""

    chapter: int
    start: Prints
    solution: Prints
    files: dict[str, Prints] = dataclasses.field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        self.files[name] = fingerprints(text) - self.start

    def _long_enough(self) -> dict[str, Prints]:
        return {name: prints for name, prints in sorted(self.files.items()) if len(prints) >= LEAST}

    def pairs(self) -> list[Pair]:
        """Returns the pairs that are alike, the most alike first. Files with too little of their own are left out."""
        found = []
        for (one, mine), (other, others) in itertools.combinations(self._long_enough().items(), 2):
            common = mine & others
            share = len(common) / min(len(mine), len(others))
            if share >= ALIKE:
                known = len(common & self.solution) / len(common) if common else 0.0
                found.append(Pair(one, other, share, known))
        return sorted(found, key=lambda pair: (-pair.share, pair.one, pair.other))

    def groups(self) -> list[Group]:
        """Returns the files that are alike in more than the book's solution, as groups."""
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
        """Returns the files whose own part is mostly the book's solution."""
        return [
            name for name, prints in self._long_enough().items() if len(prints & self.solution) >= ALIKE * len(prints)
        ]
