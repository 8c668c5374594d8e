"""The question of what limits a kernel. The answer is what the model of time predicts from the counts for a large
input."""

from __future__ import annotations

from student.choice import Choice, Option
from student.counted import Kernel

COUNT = 2**24  # large enough that launch overhead does not dominate
GPU = "h200"  # the GPU that has been measured

LIMITS = (
    Option("block starts", "blocks begin one after the other, each some time after the one before"),
    Option("latency", "warps wait: for their loads, for each other at barriers, each addition for the one before"),
    Option("memory", "a lot of bytes are read and written"),
    Option("instructions", "warps execute a lot of instructions"),
    Option("L1 cache", "warps look up a lot of lines of the cache"),
    Option("shared memory", "warps access shared memory a lot"),
    Option("launches", "the launches have a cost of their own, whatever the kernel does"),
)


def words_of(block_size: int) -> list[str]:
    """Returns the arguments with which a chapter's program makes the report for the question `limit`."""
    return [
        *("--device", "emulator", "--gpu", GPU, "--profile", "reference"),
        *("--count", str(COUNT), "--block-size", str(block_size)),
    ]


def limit(k: Kernel) -> Choice | None:
    """Returns the question, or None if the model predicts no time."""
    predicted = k.row.get("predicted", {})
    if "limits" not in predicted:
        return None
    alone = {**predicted["terms"], "launches": predicted["launch_us"]}
    return Choice(
        "what limits the time",
        f"Now {k.name} gets 2^{k.n.bit_length() - 1} ints, in blocks of {k.threads} threads. What takes most of its "
        f"time on an {predicted['gpu']}?",
        predicted["limits"][0],
        LIMITS,
        {name: float(us) for name, us in alone.items()},
        float(predicted["us"]),
    )
