"""What runs tell of agents from elsewhere: which rows are no part of a comparison, and what else to know."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from edgekernelbench.records.attempt import Attempt, Visit
from edgekernelbench.reports.text import counted


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
            names = ", ".join(sorted(set(read)))
            notes.append(f"{agent}: {counted(count, 'attempt')} opened canaries ({names})")
        ended = [visit.end for visit in visits if visit.end != "left"]
        if ended:
            each = ", ".join(f"{end} {ended.count(end)}" for end in sorted(set(ended)))
            were = f"{counted(len(ended), 'attempt')} {'was' if len(ended) == 1 else 'were'} ended"
            notes.append(f"{agent}: {were}: {each}")
    return notes


def token_notes(attempts: Iterable[Attempt]) -> list[str]:
    """Say whose tokens are not all counted: some endpoints tell none, and some calls were broken off."""
    own: dict[str, list[bool]] = defaultdict(list)
    for attempt in attempts:
        own[attempt.agent].append(attempt.usage.estimated)
    return [
        f"{agent}: tokens of {sum(guessed)} of {counted(len(guessed), 'attempt')} are estimated, "
        "at least in part"
        for agent, guessed in own.items()
        if any(guessed)
    ]


def _by_agent(attempts: Iterable[Attempt]) -> Mapping[str, list[Visit]]:
    found: dict[str, list[Visit]] = defaultdict(list)
    for attempt in attempts:
        if attempt.visit is not None:
            found[attempt.agent].append(attempt.visit)
    return found
