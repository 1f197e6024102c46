"""What scores are counted over: every planned attempt on every workload of the device, judged or not."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from edgekernelbench.records.outcome import Outcome, Unjudged


@dataclass(frozen=True, slots=True)
class Scored:
    """One planned attempt with what came of it.

    Attributes:
        agent: Name of the agent.
        workload: Id of the workload.
        pattern: The pattern of the workload: the cluster of intervals.
        number: Which of the k attempts, from 0.
        outcome: What came of it; `Unjudged` when nothing is known.
    """

    agent: str
    workload: str
    pattern: str
    number: int
    outcome: Outcome | Unjudged


def unjudged(attempts: Iterable[Scored]) -> tuple[Scored, ...]:
    """List the attempts without an outcome: while there is one, a run has no headline."""
    return tuple(a for a in attempts if isinstance(a.outcome, Unjudged))


def by_workload(attempts: Iterable[Scored]) -> Mapping[str, tuple[Scored, ...]]:
    """Group attempts by workload, in order of number.

    Raises:
        ValueError: When an attempt occurs twice, or attempts of several agents are mixed.
    """
    groups: dict[str, list[Scored]] = defaultdict(list)
    seen: set[tuple[str, int]] = set()
    agents: set[str] = set()
    for attempt in attempts:
        key = (attempt.workload, attempt.number)
        if key in seen:
            raise ValueError(f"attempt {attempt.number} on {attempt.workload} occurs twice")
        seen.add(key)
        agents.add(attempt.agent)
        groups[attempt.workload].append(attempt)
    if len(agents) > 1:
        raise ValueError(f"attempts of several agents are mixed: {', '.join(sorted(agents))}")
    return {name: tuple(sorted(g, key=lambda a: a.number)) for name, g in sorted(groups.items())}
