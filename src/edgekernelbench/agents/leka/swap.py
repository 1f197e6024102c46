"""Swap: the best layers of different candidates in one kernel. Only a layered text can be put together so."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from edgekernelbench.agents.leka.state import LAYERS, Candidate, Part, State
from edgekernelbench.ir.kernel import Kernel

WIDTH = 3
"""Versions of each layer that are combined."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Three layers that never stood together.

    Attributes:
        kernel: The kernel; whether its layers fit is for the gate.
        parts: The layers.
        parent: The best candidate that has its compute layer: what it is held against.
    """

    kernel: Kernel
    parts: tuple[Part, Part, Part]
    parent: Candidate


def combinations(state: State) -> Iterator[Combination]:
    """Put layers of different candidates together, the most promising first.

    Args:
        state: The archive.

    Yields:
        Combinations that are no candidate, ordered by how well their layers did elsewhere.
    """
    archives = [state.archive(layer)[:WIDTH] for layer in LAYERS]
    known = {tuple(part.digest for part in candidate.parts) for candidate in state.candidates}
    triples = sorted(product(*archives), key=lambda triple: -min(ratio for _, ratio in triple))
    for (compute, _), (schedule, _), (memory, _) in triples:
        parts = (compute, schedule, memory)
        if tuple(part.digest for part in parts) in known:
            continue
        first = _holder(state, compute)
        kernel = replace(
            first.kernel,
            schedules=_holder(state, schedule).kernel.schedules,
            memories=_holder(state, memory).kernel.memories,
        )
        yield Combination(kernel, parts, first)


def _holder(state: State, part: Part) -> Candidate:
    """Find the fastest candidate with a layer."""
    at = LAYERS.index(part.layer)
    return max((c for c in state.candidates if c.parts[at].digest == part.digest), key=lambda c: c.ratio)
