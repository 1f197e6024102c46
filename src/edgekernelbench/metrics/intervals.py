"""Intervals of means over workloads, by weighing whole patterns: those of one fail and succeed together."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

from edgekernelbench.metrics.population import Scored

RESAMPLES = 2000
"""Draws of weights: the ends of a 95 % interval then move by under a tenth of its width between seeds."""


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
    least: float = 0.0,
    most: float = 1.0,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """Give the interval of a mean over workloads from drawn weights of whole patterns.

    One pattern more, which nobody has seen, is weighed with the others: at the lower end with the least
    value that there can be, at the upper end with the most. It has as many workloads as patterns have in the
    mean. A bootstrap of what was seen alone would be sure of patterns that happen to agree: two that succeed
    would give [1, 1].

    Args:
        values: For each pattern, one value a workload.
        least: The least value that a workload can have.
        most: The most.
        confidence: Two-sided.
        seed: Of the draws, so that a report can be remade.
        resamples: Number of draws.

    Returns:
        The interval; None when there are fewer than two patterns, for which there is no spread to see. Where
        each pattern has one workload that succeeds or not, it is that of Clopper and Pearson 1934.

    Source:
        Weights: Rubin, "The Bayesian Bootstrap", 1981. The pattern that nobody saw: Gaffke, "Three test
        statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable", 2005;
        that it covers as it says: Learned-Miller and Thomas, "A new confidence interval for the mean of a
        bounded random variable", 2020. Clusters as in Field and Welsh, "Bootstrapping clustered data", 2007.
    """
    groups = Counter((fsum(v), len(v)) for v in values.values() if v)
    patterns = groups.total()
    if patterns < 2:
        return None
    # Weights of patterns are exponential; those of equal ones only matter as a sum, which is of a gamma law.
    alike = [(total, size, float(many)) for (total, size), many in sorted(groups.items())]
    unseen = sum(size for _, size in groups.elements()) / patterns
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, no secret
    lows, highs = [], []
    for _ in range(resamples):
        last = chance.expovariate(1.0) * unseen
        total, size = 0.0, last
        for one, of, many in alike:
            weight = chance.gammavariate(many, 1.0)
            total += weight * one
            size += weight * of
        lows.append((total + last * least) / size)
        highs.append((total + last * most) / size)
    tail = int((1 - confidence) / 2 * (resamples - 1))
    low, high = sorted(lows)[tail], sorted(highs)[resamples - 1 - tail]
    return Interval(max(low, least), min(high, most), patterns)


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
