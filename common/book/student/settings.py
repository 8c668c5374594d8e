"""At which size, block size and type the questions of a chapter are asked: never the lesson's, and others each time."""

from __future__ import annotations

import dataclasses
import itertools
import random

from book.student.notebook import Notebook


@dataclasses.dataclass(frozen=True)
class Setting:
    """Words for a chapter's program."""

    count: int
    block_size: int
    type: str
    gpus: int = 0  # how many, where the chapter is about several

    def words(self) -> list[str]:
        return ["--count", str(self.count), "--block-size", str(self.block_size), "--type", self.type] + (
            ["--gpus", str(self.gpus)] if self.gpus else []
        )


@dataclasses.dataclass(frozen=True)
class Pool:
    """What a setting is chosen from. All of it runs on the emulator in a second or two."""

    counts: tuple[int, ...] = (2**13, 2**14, 2**15, 2**16)
    block_sizes: tuple[int, ...] = (64, 128, 512)
    types: tuple[str, ...] = ("int",)
    gpus: tuple[int, ...] = (0,)

    def settings(self) -> list[Setting]:
        return [Setting(*one) for one in itertools.product(self.counts, self.block_sizes, self.types, self.gpus)]


# Any chapter that is not here takes the pool as it is: a chapter of the ladder, whose lesson has blocks of 256 threads.
POOLS = {
    # Never as many blocks as a warp has lanes: the exercise speaks of these.
    4: Pool(counts=(2**14, 2**16)),
    # More than one step before the last warp's.
    5: Pool(block_sizes=(512, 1024)),
    6: Pool(counts=(2**14, 2**15, 2**16), block_sizes=(512, 1024)),
    # So many elements that the grid has as many blocks as the device holds.
    7: Pool(counts=(2**20, 3 * 2**19), block_sizes=(128, 512)),
    8: Pool(counts=(2**15, 2**16, 2**17), block_sizes=(64, 128), types=("int", "double")),
    # Sums of integers take no shuffles here; a block of 128 has as many accesses as a warp has shuffles.
    9: Pool(block_sizes=(64, 96, 192, 512), types=("float",)),
    10: Pool(counts=(2**11, 2**12), block_sizes=(64, 128), types=("float", "double")),
    # The lesson has blocks of 512 threads, and the kernel takes no larger ones.
    11: Pool(counts=(2**11, 2**13), block_sizes=(64, 128, 256), types=("float", "double")),
    # Ten kernels stand beside this one.
    12: Pool(counts=(2**14, 3 * 2**13), block_sizes=(64, 128), types=("int", "float")),
    # The lesson has the bytes of floats.
    13: Pool(counts=(2**13, 2**14, 2**15), block_sizes=(128,), types=("longlong", "double")),
    # The lesson has blocks of 1024 threads.
    14: Pool(counts=(2**15, 2**16, 2**17), block_sizes=(128, 256, 512)),
    # The lesson has four GPUs.
    16: Pool(counts=(2**12, 2**13), block_sizes=(128,), types=("int", "double"), gpus=(2, 3, 5, 8)),
}


def pool_of(number: int) -> Pool:
    return POOLS.get(number, Pool())


def seed_of(notebook: Notebook) -> int:
    """The student's own number, drawn once; it comes along when the notebook is copied."""
    page = notebook.of("student")
    if not isinstance(page.get("seed"), int):
        page["seed"] = random.SystemRandom().randrange(10**6)
    return int(page["seed"])


def choose(number: int, seed: int, times: int, last: list[list[object]]) -> Setting:
    """The setting for the time after `times` others; none of those in `last`, as far as there is another."""
    found = pool_of(number).settings()
    random.Random(f"{seed} {number}").shuffle(found)
    found = found[times % len(found) :] + found[: times % len(found)]
    return next((one for one in found if [one.count, one.block_size, one.type] not in last), found[0])
