"""Questions about the data that several GPUs send to each other."""

from __future__ import annotations

import math

from student.counted import Kernel
from student.reckoning import Question, product, slips, total


def bytes_through_busiest_port(k: Kernel) -> Question:
    """For chapter 16. The ring's steps are equally long, and in each step every link transfers one chunk."""
    gpus = k.row["ports"]["gpus"]
    value = k.row["ports"]["busiest_bytes"]
    vector = k.n * k.element_bytes
    longest = math.ceil(k.n / gpus)
    return Question(
        "several GPUs",
        f"{gpus} GPUs have a vector of {k.n} elements of type {k.type} each, and sum them up as a ring. In each step "
        "one port is the busiest; how many bytes go through it, summed over all steps?",
        value,
        total(product((2 * (gpus - 1), "steps"), (longest, "elements of a chunk"), (k.element_bytes, "bytes each"))),
        slips(
            (value / 2, "that is reduce-scatter; all-gather takes as many steps again"),
            (2 * vector, f"that would be {2 * gpus} steps; each GPU has its own chunk already, and needs {gpus - 1}"),
            (
                2 * (gpus - 1) * vector,
                "that is what would go through the port of one GPU if all sent their vectors to it",
            ),
            (2 * (gpus - 1) * longest, "those are elements, not bytes"),
            (gpus * value, "that is what goes over all links; a port has one of them"),
            (2 * value, "a link has two directions, and what comes in does not share a port with what goes out"),
            (longest * k.element_bytes, "that is one step"),
        ),
        "How many steps are there, and how much of a vector goes over a link in each?",
        r"\bbytes?\b",
        0.01,
    )


def launches_of_ring(k: Kernel) -> Question:
    """For chapter 16. Every GPU runs a kernel in every step."""
    gpus = k.row["ports"]["gpus"]
    value = len(k.launches)
    return Question(
        "several GPUs",
        f"How many kernels does the host launch for the ring, on all {gpus} GPUs together?",
        value,
        total(product((2 * (gpus - 1), "steps"), (gpus, "GPUs"))),
        slips(
            (2 * (gpus - 1), "that is on one GPU"),
            (2 * gpus * gpus, f"reduce-scatter takes {gpus - 1} steps, and so does all-gather"),
            ((2 * gpus - 1) * gpus, f"reduce-scatter takes {gpus - 1} steps, and so does all-gather"),
            (gpus * (gpus - 1), "that is reduce-scatter; all-gather takes as many steps again"),
        ),
        "How many steps are there, and who has something to do in each?",
        r"\b(kernels?|launches)\b",
    )
