"""Intervals by a bootstrap over patterns: workloads of one pattern fail and succeed together."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from edgekernelbench.metrics.population import Scored

RESAMPLES = 2000
"""Draws of a bootstrap: the ends of a 95 % interval then move by under a tenth of its width between seeds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        clusters: How many patterns it rests on.
    """

    low: float
    high: float
    clusters: int


def clustered_interval(
    values: Mapping[str, Sequence[float]],
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """Bootstrap the mean over workloads, drawing whole patterns.

    Args:
        values: For each pattern, one value a workload.
        confidence: Two-sided.
        seed: Of the draws, so that a report can be remade.
        resamples: Number of draws.

    Returns:
        The percentile interval; None when there are fewer than two patterns, for which there is no
        spread to see.

    Source:
        Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, sections 8 and 13; clusters as in
        Field and Welsh, "Bootstrapping clustered data", 2007.
    """
    clusters = [(sum(v), len(v)) for _, v in sorted(values.items()) if v]
    if len(clusters) < 2:
        return None
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, no secret
    means = []
    for _ in range(resamples):
        drawn = chance.choices(clusters, k=len(clusters))
        means.append(sum(s for s, _ in drawn) / sum(n for _, n in drawn))
    means.sort()
    tail = (1 - confidence) / 2
    low = means[int(tail * (resamples - 1))]
    high = means[resamples - 1 - int(tail * (resamples - 1))]
    return Interval(low, high, len(clusters))


def interval_of(
    attempts: Sequence[Scored],
    score: Callable[[Sequence[Scored]], Fraction | float | None],
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """Give the interval of a score that is a mean over workloads.

    Args:
        attempts: Every planned attempt of one agent.
        score: Gives the score of the attempts on one workload; None when it is unknown.
        confidence: Two-sided.
        seed: Of the draws.

    Returns:
        The interval; None when a workload's score is unknown, or there are fewer than two patterns.
    """
    groups: dict[tuple[str, str], list[Scored]] = defaultdict(list)
    for attempt in attempts:
        groups[attempt.pattern, attempt.workload].append(attempt)
    values: dict[str, list[float]] = defaultdict(list)
    for (pattern, _), group in sorted(groups.items()):
        value = score(group)
        if value is None:
            return None
        values[pattern].append(float(value))
    return clustered_interval(values, confidence=confidence, seed=seed)
