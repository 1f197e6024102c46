"""The difference of one score between two agents, workload by workload."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from edgekernelbench.metrics.intervals import Interval, clustered_interval
from edgekernelbench.metrics.measures import Measure
from edgekernelbench.metrics.population import Scored, by_workload
from edgekernelbench.metrics.randomization import flip_p_value


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two agents on the workloads that both were given.

    Attributes:
        measure: Name of the score.
        first: The score of the first.
        second: The score of the second.
        interval: Of second minus first, 95 %, whole patterns weighed; None with fewer than two patterns.
        p_value: How likely chance alone shows a difference as large; None with fewer than two patterns.
        workloads: On how many workloads it rests.
        patterns: Of how many patterns they are.
        better: On how many of them the second is better.
        worse: On how many it is worse.
    """

    measure: str
    first: Fraction
    second: Fraction
    interval: Interval | None
    p_value: float | None
    workloads: int
    patterns: int
    better: int
    worse: int

    @property
    def value(self) -> Fraction:
        """Second minus first."""
        return self.second - self.first


def shared_workloads(first: Sequence[Scored], second: Sequence[Scored]) -> frozenset[str]:
    """Give the workloads on which both were to make attempts."""
    return frozenset(a.workload for a in first) & frozenset(a.workload for a in second)


def paired_difference(
    first: Sequence[Scored], second: Sequence[Scored], measure: Measure, *, seed: int = 0
) -> Difference | None:
    """Compare two agents by one score, on the workloads that both were given.

    Args:
        first: Every planned attempt of one agent.
        second: Every planned attempt of the other.
        measure: The score.
        seed: Of the draws.

    Returns:
        The difference; None when they share no workload, or the score of one is unknown on one of them: an
        attempt is unjudged, was not measured, or there are fewer than k.

    Source:
        The interval: `intervals.clustered_interval`. The p-value: `randomization.flip_p_value`.
    """
    pairs = _pairs(first, second, measure)
    if not pairs:
        return None
    both = [pair for of_pattern in pairs.values() for pair in of_pattern]
    unit = lcm(*(value.denominator for pair in both for value in pair))
    sums = [sum(int((b - a) * unit) for a, b in of_pattern) for of_pattern in pairs.values()]
    several = len(pairs) > 1
    return Difference(
        measure=measure.name,
        first=sum((a for a, _ in both), Fraction(0)) / len(both),
        second=sum((b for _, b in both), Fraction(0)) / len(both),
        interval=clustered_interval(
            {pattern: [float(b - a) for a, b in of_pattern] for pattern, of_pattern in pairs.items()},
            least=-1.0,
            seed=seed,
        ),
        p_value=flip_p_value(sums, seed=seed) if several else None,
        workloads=len(both),
        patterns=len(pairs),
        better=sum(b > a for a, b in both),
        worse=sum(b < a for a, b in both),
    )


def _pairs(
    first: Sequence[Scored], second: Sequence[Scored], measure: Measure
) -> Mapping[str, list[tuple[Fraction, Fraction]]] | None:
    """Give the scores of both on each shared workload, by pattern; None when one is unknown."""
    shared = shared_workloads(first, second)
    ours, theirs = by_workload(first), by_workload(second)
    pairs: dict[str, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for workload in sorted(shared):
        a, b = measure.score(ours[workload]), measure.score(theirs[workload])
        if a is None or b is None:
            return None
        pairs[ours[workload][0].pattern].append((a, b))
    return dict(sorted(pairs.items()))
