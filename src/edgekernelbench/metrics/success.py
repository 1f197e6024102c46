"""Accepted@k and Correct@k."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from edgekernelbench.metrics.population import Scored, by_workload
from edgekernelbench.records.outcome import Correct, Outcome, Rejected, Unjudged


def at_k(successes: int, attempts: int, k: int) -> Fraction | None:
    """Estimate the chance that at least one of `k` attempts on one workload succeeds.

    Unbiased over the attempts that were drawn: one minus the share of k-subsets without a success.

    Args:
        successes: Number of successes, `0 <= successes <= attempts`.
        attempts: Number of attempts; refusals, crashes and time-outs are attempts.
        k: Size of the imagined draw, at least 1.

    Returns:
        A probability in [0, 1], exact; None when fewer than `k` attempts were made, for which the
        estimate is undefined (it is not zero).

    Raises:
        ValueError: When the counts contradict each other.

    Source:
        Chen et al. 2021, "Evaluating Large Language Models Trained on Code", section 2.1.
    """
    if not 0 <= successes <= attempts or k < 1:
        raise ValueError(f"impossible counts: {successes=} {attempts=} {k=}")
    if attempts < k:
        return None
    return 1 - Fraction(comb(attempts - successes, k), comb(attempts, k))


def is_accepted(outcome: Outcome) -> bool:
    """Whether a text parsed, verified and fitted the device."""
    return not isinstance(outcome, Rejected)


def is_correct(outcome: Outcome) -> bool:
    """Whether a kernel ran and agreed with the reference."""
    return isinstance(outcome, Correct)


def accepted_at_k(attempts: Sequence[Scored], k: int) -> Fraction | None:
    """Mean over the workloads of the chance that one of `k` attempts is accepted.

    Args:
        attempts: Every planned attempt of one agent.
        k: Size of the draw.

    Returns:
        A share, exact; None when a workload has fewer than `k` attempts, an attempt is unjudged, or
        there is no attempt.
    """
    return _mean_at_k(attempts, k, is_accepted)


def correct_at_k(attempts: Sequence[Scored], k: int) -> Fraction | None:
    """Mean over the workloads of the chance that one of `k` attempts is correct.

    Args:
        attempts: Every planned attempt of one agent.
        k: Size of the draw.

    Returns:
        A share, exact; None when a workload has fewer than `k` attempts, an attempt is unjudged, or
        there is no attempt.
    """
    return _mean_at_k(attempts, k, is_correct)


def _mean_at_k(attempts: Sequence[Scored], k: int, succeeded: Callable[[Outcome], bool]) -> Fraction | None:
    shares = []
    for group in by_workload(attempts).values():
        outcomes = [a.outcome for a in group if not isinstance(a.outcome, Unjudged)]
        share = at_k(sum(map(succeeded, outcomes)), len(outcomes), k) if len(outcomes) == len(group) else None
        if share is None:
            return None
        shares.append(share)
    return sum(shares, Fraction(0)) / len(shares) if shares else None
