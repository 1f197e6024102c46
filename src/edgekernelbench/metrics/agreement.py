"""Whether two measurements of one kernel, at different times, agree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

from edgekernelbench.metrics.speed import PROCESS_SPREAD, log_ratios
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.records.outcome import Ring

LEAST_SPREAD = 0.007
"""Standard deviation of the log time of one kernel between fresh processes, at the least.

Five sets of processes can happen to lie closer together than the machine repeats itself on another day.

Source: as for `speed.PROCESS_SPREAD`; the smallest is taken.
"""

CONFIDENCE = 0.95
"""Two-sided, over all attempts that are repeated together."""


@dataclass(frozen=True, slots=True)
class SpeedAgreement:
    """Two measurements of the speed of one kernel.

    Attributes:
        stored: How many times as fast as the baseline it was.
        repeated: How many times it is now.
        apart: The natural logarithm of the larger over the smaller.
        allowed: How far apart they may be.
    """

    stored: float
    repeated: float
    apart: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the difference is within what repetition shows anyway."""
        return self.apart <= self.allowed


def speed_agreement(
    stored: Sequence[Ring], repeated: Sequence[Ring], baseline: str, *, together: int = 1
) -> SpeedAgreement | None:
    """Compare two measurements.

    Each is a mean of log ratios over sets of fresh processes. With several sets on both sides, their pooled
    spread gives a t-interval of the difference; one set says nothing of other processes, so that the known
    spread between processes stands in. The confidence is divided among all kernels that are repeated together
    (Bonferroni): of runs that are honest, at most one in twenty shows a disagreement at all.

    Args:
        stored: The measurement on record.
        repeated: The new one.
        baseline: Name of the baseline.
        together: How many kernels are compared, this one included.

    Returns:
        The comparison; None when one side was not measured beside the baseline.
    """
    one, two = log_ratios(stored, baseline), log_ratios(repeated, baseline)
    if not one or not two:
        return None
    tail = 1 - (1 - CONFIDENCE) / (2 * together)
    allowed = allowed_apart([one], [two], processes=2, tail=tail)
    before, after = fmean(one), fmean(two)
    return SpeedAgreement(math.exp(before), math.exp(after), abs(after - before), allowed)


def allowed_apart(
    one: Sequence[Sequence[float]],
    two: Sequence[Sequence[float]],
    *,
    processes: int,
    tail: float = (1 + CONFIDENCE) / 2,
) -> float:
    """Say how far apart two means of logs may lie by what repetition shows anyway.

    Args:
        one: For each kernel of one side, a log for each set of fresh processes; at least one kernel.
        two: The same of the other side.
        processes: How many processes a log comes from: 1 for a time, 2 for a ratio of two.
        tail: The quantile of the interval; that of two-sided 95 % unless it is given.

    Returns:
        The half width of the interval of the difference between the means over the kernels of each side.
        Where every kernel has several sets, it is a t-interval from their pooled spread within kernels, not
        less than `LEAST_SPREAD` a process; else `PROCESS_SPREAD` a process stands in.
    """
    sides = (one, two)
    weight = sum(1 / len(logs) / len(side) ** 2 for side in sides for logs in side)
    kernels = [logs for side in sides for logs in side]
    if all(len(logs) > 1 for logs in kernels):
        freedom = sum(len(logs) - 1 for logs in kernels)
        pooled = sum(variance(logs) * (len(logs) - 1) for logs in kernels) / freedom
        spread, quantile = max(pooled, processes * LEAST_SPREAD**2), t_quantile(tail, freedom)
    else:
        spread, quantile = processes * PROCESS_SPREAD**2, NormalDist().inv_cdf(tail)
    return quantile * math.sqrt(spread * weight)
