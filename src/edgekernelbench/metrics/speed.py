"""Fast@p, by the point ratio and *sure*, and the geometric mean of speedups."""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean, stdev

from edgekernelbench.metrics.population import Scored, by_workload, unjudged
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.records.outcome import Correct, Outcome, Ring, Unjudged

CONFIDENCE = 0.975
"""One-sided confidence of a *sure* claim: the lower end of a two-sided 95 % interval.

At 0.95, a kernel beside its own copy would be "surely faster" in one of twenty final verdicts; at most one of
twenty-five is what this judge promises.
"""

PROCESS_SPREAD = 0.027
"""Standard deviation of the log time of one kernel between fresh processes, where only one was used.

Source: the repository's notes on timing (placement of code and pages: 0.7 to 2.7 %); the largest is taken.
"""


def log_speedup(rings: Sequence[Ring], baseline: str) -> float | None:
    """Give the log of how many times as fast as a baseline a kernel is: the mean over process sets.

    Args:
        rings: The measurements of one kernel.
        baseline: Name of the baseline.

    Returns:
        A natural logarithm; None when a set lacks the baseline, or there is none.
    """
    ratios = log_ratios(rings, baseline)
    return fmean(ratios) if ratios else None


def sure_log_speedup(rings: Sequence[Ring], baseline: str) -> float | None:
    """Give the lower confidence bound of `log_speedup`.

    The process is the unit of repetition: from several sets it is a t-interval on their log ratios; from
    one, whose own samples say nothing about other processes, the known spread between processes is
    assumed for kernel and baseline.

    Args:
        rings: The measurements of one kernel.
        baseline: Name of the baseline.

    Returns:
        A natural logarithm, at most `log_speedup`; None when that is.
    """
    ratios = log_ratios(rings, baseline)
    if not ratios:
        return None
    if len(ratios) == 1:
        return ratios[0] - _NORMAL_QUANTILE * PROCESS_SPREAD * math.sqrt(2)
    half = t_quantile(CONFIDENCE, len(ratios) - 1) * stdev(ratios) / math.sqrt(len(ratios))
    return fmean(ratios) - half


_NORMAL_QUANTILE = 1.959963984540054


def log_ratios(rings: Sequence[Ring], baseline: str) -> list[float]:
    """Give the log ratio of each set of processes; nothing when one lacks the baseline."""
    ratios = [ring.log_ratio(baseline) for ring in rings]
    known = [r for r in ratios if r is not None]
    return known if len(known) == len(ratios) else []


def fast_at_p(attempts: Sequence[Scored], p: float, baseline: str, *, sure: bool) -> Fraction | None:
    """Share of all attempts that are correct and more than `p` times as fast as the baseline.

    Args:
        attempts: Every planned attempt of one agent, whatever it came to.
        p: Least speedup; 1.0 means "faster at all".
        baseline: Name of the baseline.
        sure: Whether the lower confidence bound must exceed `p`, or just the point ratio.

    Returns:
        The mean over the workloads of the share of their attempts, exact; None when an attempt is
        unjudged, a correct one was not measured beside the baseline, or there is no attempt.

    Raises:
        ValueError: When `p` is not positive.
    """
    if p <= 0:
        raise ValueError(f"p must be positive, found {p}")
    if unjudged(attempts):
        return None
    shares = []
    for group in by_workload(attempts).values():
        fast = [is_fast(a.outcome, p, baseline, sure=sure) for a in group]
        known = [f for f in fast if f is not None]
        if len(known) < len(fast):
            return None
        shares.append(Fraction(sum(known), len(group)))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def is_fast(outcome: Outcome | Unjudged, p: float, baseline: str, *, sure: bool) -> bool | None:
    """Whether one attempt is correct and more than `p` times as fast as the baseline.

    Args:
        outcome: What came of it.
        p: Least speedup.
        baseline: Name of the baseline.
        sure: Whether the lower confidence bound must exceed `p`.

    Returns:
        None when that is not known: unjudged, or correct and not measured beside the baseline.
    """
    match outcome:
        case Correct(rings=rings):
            value = sure_log_speedup(rings, baseline) if sure else log_speedup(rings, baseline)
            return None if value is None else value > math.log(p)
        case Unjudged():
            return None
        case _:
            return False


def geometric_mean_speedup(attempts: Sequence[Scored], baseline: str) -> tuple[float, int] | None:
    """Geometric mean of the speedups of correct attempts.

    Not a score: its population is what happened to be correct. It is shown with its size.

    Args:
        attempts: Attempts of one agent.
        baseline: Name of the baseline.

    Returns:
        The mean, and over how many attempts it is; None when no correct attempt was measured.
    """
    logs = [log_speedup(a.outcome.rings, baseline) for a in attempts if isinstance(a.outcome, Correct)]
    known = [value for value in logs if value is not None]
    return (math.exp(fmean(known)), len(known)) if known else None
