"""How many times as fast one agent's kernels are as another's, workload by workload."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from edgekernelbench.metrics.agreement import allowed_apart
from edgekernelbench.metrics.difference import shared_workloads
from edgekernelbench.metrics.population import Scored, unjudged
from edgekernelbench.metrics.randomization import flip_p_value
from edgekernelbench.metrics.speed import CONFIDENCE, log_ratios
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.records.outcome import Correct

UNIT = 1e-9
"""Logs are counted in this unit where signs are turned, so that sums are exact."""


@dataclass(frozen=True, slots=True)
class SpeedDifference:
    """Speeds of two agents on the workloads that both did right.

    It is no score: what both did right is another set for each pair.

    Attributes:
        ratio: How many times as fast the second is as the first: geometric mean over workloads.
        low: Lower end of its 95 % interval; None with fewer than two patterns.
        high: Upper end.
        p_value: How likely chance alone shows as much; None with fewer than two patterns.
        workloads: On how many workloads it rests.
        patterns: Of how many patterns they are.
        faster: On how many the second is faster by more than its measurement's 95 % interval.
        slower: On how many it is slower by more than that.
    """

    ratio: float
    low: float | None
    high: float | None
    p_value: float | None
    workloads: int
    patterns: int
    faster: int
    slower: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One workload that both did right.

    Attributes:
        pattern: Its pattern.
        log: The log of how many times as fast the second is.
        allowed: How far from zero that may lie by what repetition shows anyway.
    """

    pattern: str
    log: float
    allowed: float


def paired_speed(
    first: Sequence[Scored], second: Sequence[Scored], baseline: str, *, seed: int = 0
) -> SpeedDifference | None:
    """Compare the speeds of two agents.

    On a workload counts the geometric mean over the attempts of an agent that are correct and were timed,
    each as many times as fast as the reference that was timed in turn with it.

    Args:
        first: Every planned attempt of one agent.
        second: Every planned attempt of the other.
        baseline: Name of the reference.
        seed: Of the draws of the p-value.

    Returns:
        The difference; None when there is no workload that both did right and that was timed for both, or
        an attempt on one that both were given is unjudged.

    Source:
        The interval: t with one degree of freedom less than there are patterns, from the spread of the sums
        of patterns (Cameron, Gelbach and Miller, "Bootstrap-based improvements for inference with clustered
        errors", 2008, section 2). The spread is not taken as less than that of the
        measurements themselves. The p-value: `randomization.flip_p_value`.
    """
    shared = shared_workloads(first, second)
    if any(attempt.workload in shared for attempt in unjudged([*first, *second])):
        return None
    ours, theirs = _timed(first, baseline), _timed(second, baseline)
    pairs = [
        Pair(ours[name][0], _mean(theirs[name][1]) - _mean(ours[name][1]), _allowed(ours[name], theirs[name]))
        for name in sorted(ours.keys() & theirs.keys())
    ]
    if not pairs:
        return None
    sums: dict[str, float] = defaultdict(float)
    for pair in pairs:
        sums[pair.pattern] += pair.log
    several = len(sums) > 1
    mean = fmean(pair.log for pair in pairs)
    half = _half_width(pairs, mean) if several else None
    return SpeedDifference(
        ratio=math.exp(mean),
        low=None if half is None else math.exp(mean - half),
        high=None if half is None else math.exp(mean + half),
        p_value=flip_p_value([round(s / UNIT) for _, s in sorted(sums.items())], seed=seed)
        if several
        else None,
        workloads=len(pairs),
        patterns=len(sums),
        faster=sum(pair.log > pair.allowed for pair in pairs),
        slower=sum(-pair.log > pair.allowed for pair in pairs),
    )


_Timed = tuple[str, list[list[float]]]


def _timed(attempts: Sequence[Scored], baseline: str) -> Mapping[str, _Timed]:
    """Give, for each workload, its pattern and the log ratios of each kernel that was timed."""
    found: dict[str, _Timed] = {}
    for attempt in attempts:
        if isinstance(attempt.outcome, Correct):
            logs = log_ratios(attempt.outcome.rings, baseline)
            if logs:
                found.setdefault(attempt.workload, (attempt.pattern, []))[1].append(logs)
    return found


def _mean(kernels: Sequence[Sequence[float]]) -> float:
    return fmean(fmean(logs) for logs in kernels)


def _allowed(one: _Timed, two: _Timed) -> float:
    return allowed_apart(one[1], two[1], processes=2)


def _half_width(pairs: Sequence[Pair], mean: float) -> float:
    """Give half the width of the interval of the mean log, from the spread of whole patterns."""
    apart: dict[str, float] = defaultdict(float)
    for pair in pairs:
        apart[pair.pattern] += pair.log - mean
    patterns, workloads = len(apart), len(pairs)
    seen = patterns / (patterns - 1) * math.fsum(a * a for a in apart.values()) / workloads**2
    least = math.fsum((pair.allowed / _NORMAL_QUANTILE) ** 2 for pair in pairs) / workloads**2
    return t_quantile(CONFIDENCE, patterns - 1) * math.sqrt(max(seen, least))


_NORMAL_QUANTILE = NormalDist().inv_cdf(CONFIDENCE)
