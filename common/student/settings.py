"""The size, block size and type for which the questions of a chapter are asked. They are never those of the lesson, and
they differ from one time to the next."""

from __future__ import annotations

import dataclasses
import itertools
import random

from student.notebook import Notebook


@dataclasses.dataclass(frozen=True)
class Setting:
    """The options of a chapter's program."""

    count: int
    block_size: int
    type: str
    gpus: int = 0  # the number of GPUs, if the chapter is about several

    def words(self) -> list[str]:
        return ["--count", str(self.count), "--block-size", str(self.block_size), "--type", self.type] + (
            ["--gpus", str(self.gpus)] if self.gpus else []
        )


@dataclasses.dataclass(frozen=True)
class Pool:
    """The values from which a setting is chosen. With each of them, the emulator takes only a second or two."""

    counts: tuple[int, ...] = (2**13, 2**14, 2**15, 2**16)
    block_sizes: tuple[int, ...] = (64, 128, 512)
    types: tuple[str, ...] = ("int",)
    gpus: tuple[int, ...] = (0,)

    def settings(self) -> list[Setting]:
        return [Setting(*one) for one in itertools.product(self.counts, self.block_sizes, self.types, self.gpus)]


# A chapter that is not listed uses the default pool. These are chapters of the ladder, whose lessons have blocks of 256
# threads.
POOLS = {
    # Not 32 blocks, because 32 is also the number of lanes in a warp, which the exercise mentions.
    4: Pool(counts=(2**14, 2**16)),
    # Only block sizes with more than one step before the steps of the last warp.
    5: Pool(block_sizes=(512, 1024)),
    6: Pool(counts=(2**14, 2**15, 2**16), block_sizes=(512, 1024)),
    # Enough elements for a grid with as many blocks as the device can hold at once.
    7: Pool(counts=(2**20, 3 * 2**19), block_sizes=(128, 512)),
    8: Pool(counts=(2**15, 2**16, 2**17), block_sizes=(64, 128), types=("int", "double")),
    # Floats, because sums of integers use no shuffles here. Not 128 threads per block, because the number of accesses
    # would equal the number of a warp's shuffles.
    9: Pool(block_sizes=(64, 96, 192, 512), types=("float",)),
    10: Pool(counts=(2**11, 2**12), block_sizes=(64, 128), types=("float", "double")),
    # The lesson has blocks of 512 threads, and the kernel supports no larger ones.
    11: Pool(counts=(2**11, 2**13), block_sizes=(64, 128, 256), types=("float", "double")),
    # The chapter runs ten other kernels, too.
    12: Pool(counts=(2**14, 3 * 2**13), block_sizes=(64, 128), types=("int", "float")),
    # The lesson counts the bytes of floats.
    13: Pool(counts=(2**13, 2**14, 2**15), block_sizes=(128,), types=("longlong", "double")),
    # The lesson has blocks of 1024 threads.
    14: Pool(counts=(2**15, 2**16, 2**17), block_sizes=(128, 256, 512)),
    # The lesson has four GPUs.
    16: Pool(counts=(2**12, 2**13), block_sizes=(128,), types=("int", "double"), gpus=(2, 3, 5, 8)),
}


def pool_of(number: int) -> Pool:
    return POOLS.get(number, Pool())


def seed_of(notebook: Notebook) -> int:
    """Returns the student's own seed, which is drawn once and copied together with the notebook."""
    page = notebook.of("student")
    if not isinstance(page.get("seed"), int):
        page["seed"] = random.SystemRandom().randrange(10**6)
    return int(page["seed"])


def choose(number: int, seed: int, times: int, last: list[list[object]]) -> Setting:
    """Returns the setting that follows `times` earlier ones. If possible, it differs from those in `last`."""
    found = pool_of(number).settings()
    random.Random(f"{seed} {number}").shuffle(found)
    found = found[times % len(found) :] + found[: times % len(found)]
    return next((one for one in found if [one.count, one.block_size, one.type] not in last), found[0])
