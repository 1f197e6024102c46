"""Portable@1: runs of the same answers on several devices, put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.failures import failures_by_kind
from edgekernelbench.metrics.headline import Score, Withheld
from edgekernelbench.metrics.intervals import interval_of
from edgekernelbench.metrics.measures import correct
from edgekernelbench.metrics.population import Scored, unjudged
from edgekernelbench.metrics.portable import joined
from edgekernelbench.records.attempt import attempt_id
from edgekernelbench.reports.runs import RunAttempts

PORTABLE = "Portable@1"


@dataclass(frozen=True, slots=True)
class Portable:
    """What one text is worth on several devices.

    Attributes:
        devices: The devices, the one that the agent measured on first.
        folders: The runs, in the same order.
        rows: The score of each agent, or why there is none yet.
        workloads: How many workloads each is over.
    """

    devices: tuple[str, ...]
    folders: tuple[str, ...]
    rows: tuple[tuple[str, Score | Withheld], ...]
    workloads: int


def portable_scores(runs: Sequence[RunAttempts]) -> tuple[Portable, ...]:
    """Find runs that judge the same answers on several devices, and score them together.

    Args:
        runs: Any runs. Those of one run on several devices name each other's devices in their settings.

    Returns:
        One entry for each such set of which all runs are there.

    Raises:
        RecordError: When the runs of a set do not judge the same texts.
    """
    sets: dict[tuple[Path, frozenset[str]], dict[str, RunAttempts]] = {}
    for run in runs:
        others = run.manifest.settings.get("also")
        if isinstance(others, list) and others:
            device = run.setting("profile")
            devices = frozenset({device, *map(str, others)})
            sets.setdefault((Path(run.folder).resolve().parent, devices), {})[device] = run
    return tuple(_score(found) for (_, devices), found in sets.items() if devices == set(found))


def _score(found: dict[str, RunAttempts]) -> Portable:
    # The run that asked the agents names nobody whose answers it judges.
    order = sorted(found, key=lambda device: bool(found[device].setting("answers_of")))
    runs = {device: found[device] for device in order}
    first = runs[order[0]]
    rows = []
    for agent in first.agents:
        _hold_same_texts(agent, runs)
        try:
            attempts = joined({device: run.agents.get(agent, ()) for device, run in runs.items()})
        except ValueError as error:
            raise RecordError(f"{first.folder}: {error}") from None
        rows.append((agent, _row(agent, attempts)))
    workloads = len({a.workload for attempts in first.agents.values() for a in attempts})
    return Portable(tuple(order), tuple(run.folder for run in runs.values()), tuple(rows), workloads)


def _row(agent: str, attempts: Sequence[Scored]) -> Score | Withheld:
    missing = unjudged(attempts)
    if missing:
        return Withheld(agent, len(attempts) - len(missing), len(attempts), failures_by_kind(attempts))
    measure = correct()
    return Score(PORTABLE, measure.score(attempts), interval_of(attempts, measure.score))


def _hold_same_texts(agent: str, runs: dict[str, RunAttempts]) -> None:
    """Refuse judgements of different texts: Portable@1 is about one."""
    first, *others = runs.values()
    for plan in first.agents[agent]:
        name = attempt_id(plan.agent, plan.workload, plan.number)
        texts = {run.judgements[name].text for run in (first, *others) if name in run.judgements}
        if len(texts) > 1:
            folders = ", ".join(run.folder for run in runs.values())
            raise RecordError(f"{name} is another text in some of {folders}: there is no {PORTABLE} of them")
