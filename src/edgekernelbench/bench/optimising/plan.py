"""Where the budget goes: to each function by what a perfect kernel of it would save."""

from collections.abc import Sequence

from edgekernelbench.bench.optimising.record import Part
from edgekernelbench.imports.profiling import WORTH

LEAST_S = 5.0
"""A search of less time comes to nothing: starting it costs a second."""


def next_part(parts: Sequence[Part], left_s: float) -> tuple[Part, float] | None:
    """Choose the function that is searched next, and for how long.

    The most promising comes first. What is left is shared out among those that remain, so what one does not
    use goes to the others.

    Args:
        parts: All functions.
        left_s: Time that is left.

    Returns:
        The function with its time; None when nothing is worth it any more.
    """
    worth = [part for part in worthwhile(parts) if not part.searched]
    if not worth or left_s < LEAST_S:
        return None
    first = max(worth, key=lambda part: part.gain_ns)
    total = sum(part.gain_ns for part in worth)
    return first, min(left_s, max(LEAST_S, left_s * first.gain_ns / total))


def worthwhile(parts: Sequence[Part]) -> list[Part]:
    """List the functions that are worth a search, searched or not."""
    whole = sum(part.runs * part.start_ns for part in parts)
    return [part for part in parts if part.gain_ns >= WORTH * whole]


def shares(parts: Sequence[Part]) -> dict[str, float]:
    """Give each function's part of the time of all, by the default lowering."""
    whole = sum(part.runs * part.start_ns for part in parts) or 1.0
    return {part.name: part.runs * part.start_ns / whole for part in parts}
