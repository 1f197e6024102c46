"""How likely chance alone shows a difference: whole patterns change sides, and so do all their workloads."""

import random
from collections.abc import Iterator, Sequence

DRAWS = 9_999
"""Draws where there are too many ways to try them all: a p-value of 0.05 is then known within 0.004."""


def flip_p_value(sums: Sequence[int], *, seed: int = 0, draws: int = DRAWS) -> float:
    """Test whether the sum of paired differences is zero.

    If it did not matter which of two agents gave which answers, each pattern's difference could as well have
    the other sign. The p-value is the share of ways to choose the signs whose total is as far from zero as
    the one that was seen. A pattern is turned as a whole, since its workloads fail and succeed together.
    With up to 13 patterns that differ, all ways are tried and the value is exact.

    Args:
        sums: The difference of each pattern, in any whole unit; patterns without a difference change nothing.
        seed: Of the draws.
        draws: How many, where not all ways are tried.

    Returns:
        A two-sided p-value in (0, 1].

    Source:
        Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 3rd edition 2005, sections 3.2 and
        3.6; the observed way counts among the drawn ones, as in Phipson and Smyth 2010.
    """
    moved = [s for s in sums if s]
    seen = abs(sum(moved))
    every = 1 << len(moved)
    if every <= draws:
        return sum(_turned(moved, signs) >= seen for signs in range(every)) / every
    extreme = sum(_turned(moved, signs) >= seen for signs in _drawn(len(moved), draws, seed))
    return (1 + extreme) / (1 + draws)


def _turned(sums: Sequence[int], signs: int) -> int:
    """Give the distance from zero after some patterns, by the bits of `signs`, have changed sides."""
    total = 0
    for value in sums:
        total += -value if signs & 1 else value
        signs >>= 1
    return abs(total)


def _drawn(bits: int, draws: int, seed: int) -> Iterator[int]:
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, no secret
    return (chance.getrandbits(bits) for _ in range(draws))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Correct p-values for their number: the chance that any of them is below by accident stays what it says.

    Args:
        p_values: Of all comparisons that are made together.

    Returns:
        As many, in the same order, each at least as large.

    Source:
        Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected = [0.0] * len(p_values)
    least = 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = least
    return tuple(corrected)
