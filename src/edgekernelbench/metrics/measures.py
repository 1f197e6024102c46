"""The scores by name: what a person may ask for, and the function that gives it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.speed import fast_at_p
from edgekernelbench.metrics.success import accepted_at_k, correct_at_k

_NAME = re.compile(r"(accepted|correct|fast|sure-fast)(?:@([0-9]+(?:\.[0-9]+)?))?")


@dataclass(frozen=True, slots=True)
class Measure:
    """One score.

    Attributes:
        name: As tables show it, such as `"Correct@1"` or `"sure Fast@1.0"`.
        score: Gives it for attempts of one agent; None when it is undefined or unknown for them.
        is_speed: Whether it rests on times.
    """

    name: str
    score: Callable[[Sequence[Scored]], Fraction | None]
    is_speed: bool = False


def accepted(k: int = 1) -> Measure:
    """Give Accepted@k."""
    return Measure(f"Accepted@{k}", partial(accepted_at_k, k=k))


def correct(k: int = 1) -> Measure:
    """Give Correct@k."""
    return Measure(f"Correct@{k}", partial(correct_at_k, k=k))


def fast(p: float, *, baseline: str, sure: bool) -> Measure:
    """Give Fast@p, by the point ratio or sure."""
    name = f"{'sure ' if sure else ''}Fast@{_ratio(p)}"
    return Measure(name, partial(fast_at_p, p=p, baseline=baseline, sure=sure), is_speed=True)


def find_measure(word: str, *, baseline: str) -> Measure | None:
    """Find the score that a word names.

    Args:
        word: `accepted`, `correct`, `fast` or `sure-fast`, with `@k` or `@p` where it is not 1.
        baseline: What speed is counted against.

    Returns:
        The score; None when the word names none.
    """
    match = _NAME.fullmatch(word.lower())
    if match is None:
        return None
    kind, number = match[1], match[2] or "1"
    if kind in ("accepted", "correct"):
        if not number.isdecimal() or int(number) < 1:
            return None
        return accepted(int(number)) if kind == "accepted" else correct(int(number))
    p = float(number)
    return fast(p, baseline=baseline, sure=kind == "sure-fast") if p > 0 else None


def _ratio(p: float) -> str:
    """Write a ratio with one decimal at least, and no digit lost."""
    return f"{p:.1f}" if round(p, 1) == p else f"{p:g}"
