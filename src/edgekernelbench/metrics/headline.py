"""The line of a table: one agent's scores, or why there are none yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from edgekernelbench.metrics.failures import failures_by_kind
from edgekernelbench.metrics.intervals import Interval, interval_of
from edgekernelbench.metrics.measures import accepted, correct, fast
from edgekernelbench.metrics.population import Scored, by_workload, unjudged
from edgekernelbench.metrics.speed import geometric_mean_speedup


@dataclass(frozen=True, slots=True)
class Score:
    """One score.

    Attributes:
        name: Such as `"Correct@1"`.
        value: A share; None when it is undefined for these attempts.
        interval: 95 %, clustered by pattern; None when undefined.
    """

    name: str
    value: Fraction | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Headline:
    """One agent's scores over the fixed denominator.

    Attributes:
        agent: Name of the agent.
        workloads: How many workloads.
        patterns: Of how many patterns they are.
        attempts: How many attempts.
        scores: Accepted@1, Correct@1, Correct@k when there are k attempts, Fast@p by point and sure.
        speedup: Geometric mean over the correct attempts that were measured, with their number.
        kinds: What the attempts came to.
    """

    agent: str
    workloads: int
    patterns: int
    attempts: int
    scores: tuple[Score, ...]
    speedup: tuple[float, int] | None
    kinds: dict[str, int]


@dataclass(frozen=True, slots=True)
class Withheld:
    """No headline: some attempts are unjudged, and a share over the others would be another score; or barred.

    Attributes:
        agent: Name of the agent.
        judged: How many attempts have an outcome.
        attempts: How many were planned.
        kinds: What the attempts came to so far.
        barred: Why the agent is no part of a comparison, whatever is judged; empty when it is one.
    """

    agent: str
    judged: int
    attempts: int
    kinds: dict[str, int]
    barred: str = ""

    @property
    def reason(self) -> str:
        """Why there is no headline."""
        return self.barred or f"{self.attempts - self.judged} of {self.attempts} attempts are unjudged"


def headline(
    attempts: Sequence[Scored],
    *,
    baseline: str = "default",
    thresholds: Sequence[float] = (1.0,),
    seed: int = 0,
    barred: str = "",
) -> Headline | Withheld:
    """Score one agent.

    Args:
        attempts: Every planned attempt of one agent, unjudged ones included; at least one.
        baseline: What speed is counted against.
        thresholds: The p of Fast@p.
        seed: Of the bootstrap.
        barred: Why the agent is no part of a comparison; empty when it is one.

    Returns:
        The scores; `Withheld` while an attempt is unjudged, and for a barred agent.

    Raises:
        ValueError: When there is no attempt.
    """
    groups = by_workload(attempts)
    if not groups:
        raise ValueError("no attempts to score")
    agent = attempts[0].agent
    missing = unjudged(attempts)
    if missing or barred:
        judged = len(attempts) - len(missing)
        return Withheld(agent, judged, len(attempts), failures_by_kind(attempts), barred)
    k = min(len(group) for group in groups.values())
    measures = [accepted(), correct(), *([correct(k)] if k > 1 else [])]
    for p in thresholds:
        measures += [fast(p, baseline=baseline, sure=sure) for sure in (False, True)]
    scores = tuple(
        Score(m.name, m.score(attempts), interval_of(attempts, m.score, seed=seed)) for m in measures
    )
    speedup = geometric_mean_speedup(attempts, baseline)
    patterns = len({a.pattern for a in attempts})
    return Headline(agent, len(groups), patterns, len(attempts), scores, speedup, failures_by_kind(attempts))
