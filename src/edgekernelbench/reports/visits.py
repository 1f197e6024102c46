"""What runs tell of command-line agents: which rows are no part of a comparison, and what else to know."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from edgekernelbench.records.attempt import Attempt, Visit


def barred_agents(attempts: Iterable[Attempt]) -> Mapping[str, str]:
    """Find the agents that are no part of a comparison: what an unconfined one saw is not known.

    Args:
        attempts: Of a run.

    Returns:
        For each such agent, why.
    """
    found = {}
    for agent, visits in _by_agent(attempts).items():
        free = sum(not visit.confined for visit in visits)
        if free:
            found[agent] = f"{free} of {len(visits)} attempts worked unconfined"
    return found


def visit_notes(attempts: Iterable[Attempt]) -> list[str]:
    """Say of command-line agents what a reader must know: what they read, how they ended."""
    notes = []
    for agent, visits in _by_agent(attempts).items():
        read = [name for visit in visits for name in visit.canaries]
        if read:
            count = sum(bool(visit.canaries) for visit in visits)
            notes.append(f"{agent}: {count} attempts opened canaries ({', '.join(sorted(set(read)))})")
        ended = [visit.end for visit in visits if visit.end != "left"]
        if ended:
            each = ", ".join(f"{end} {ended.count(end)}" for end in sorted(set(ended)))
            notes.append(f"{agent}: {len(ended)} attempts were ended: {each}")
    return notes


def _by_agent(attempts: Iterable[Attempt]) -> Mapping[str, list[Visit]]:
    found: dict[str, list[Visit]] = defaultdict(list)
    for attempt in attempts:
        if attempt.visit is not None:
            found[attempt.agent].append(attempt.visit)
    return found
