"""Portable@1: runs of the same answers on several devices, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.failures import failures_by_kind
from edgekernelbench.metrics.headline import Score, Withheld
from edgekernelbench.metrics.intervals import interval_of
from edgekernelbench.metrics.measures import Measure, correct
from edgekernelbench.metrics.population import Scored, unjudged
from edgekernelbench.metrics.portable import joined
from edgekernelbench.records.attempt import attempt_id
from edgekernelbench.reports.runs import RunAttempts

PORTABLE = "Portable@1"
PORTABLE_MEASURE = Measure(PORTABLE, correct().score)
"""The score of what `join_run` makes."""


@dataclass(frozen=True, slots=True)
class Portable:
    """What one text is worth on several devices.

    Attributes:
        devices: The devices, the one that the agent measured on first.
        classes: The class of each: `edge`, `server` or `stand-in`.
        folders: The runs, in the same order.
        rows: The score of each agent, or why there is none yet.
        workloads: How many workloads each is over.
    """

    devices: tuple[str, ...]
    classes: tuple[str, ...]
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
    return tuple(_score(found) for found in runs_together(runs))


def runs_together(runs: Sequence[RunAttempts]) -> tuple[dict[str, RunAttempts], ...]:
    """Find runs that judge the same answers on several devices.

    Args:
        runs: Any runs.

    Returns:
        The runs by device, of each set of which all are there.
    """
    sets: dict[tuple[Path, frozenset[str]], dict[str, RunAttempts]] = {}
    for run in runs:
        others = run.manifest.settings.get("also")
        if isinstance(others, list) and others:
            device = run.setting("profile")
            devices = frozenset({device, *map(str, others)})
            sets.setdefault((Path(run.folder).resolve().parent, devices), {})[device] = run
    return tuple(found for (_, devices), found in sets.items() if devices == set(found))


def _score(found: dict[str, RunAttempts]) -> Portable:
    runs = _ordered(found)
    joined_run = join_run(found)
    agents = joined_run.agents
    barred = joined_run.barred
    rows = tuple((agent, _row(agent, a, barred.get(agent, ""))) for agent, a in agents.items())
    workloads = len({a.workload for attempts in agents.values() for a in attempts})
    classes = tuple(run.manifest.device.device_class for run in runs.values())
    folders = tuple(run.folder for run in runs.values())
    return Portable(tuple(runs), classes, folders, rows, workloads)


def join_run(found: Mapping[str, RunAttempts]) -> RunAttempts:
    """Make one run of the same answers' runs on several devices: correct is what is correct on all.

    Args:
        found: The runs by device.

    Returns:
        A run whose attempts have no times and whose device is all of them.

    Raises:
        RecordError: When the runs do not judge the same texts.
    """
    runs = _ordered(found)
    first = next(iter(runs.values()))
    agents = {}
    for agent in first.agents:
        _hold_same_texts(agent, runs)
        try:
            agents[agent] = joined({device: run.agents.get(agent, ()) for device, run in runs.items()})
        except ValueError as error:
            raise RecordError(f"{first.folder}: {error}") from None
    classes = dict.fromkeys(run.manifest.device.device_class for run in runs.values())
    device = first.manifest.device.model_copy(
        update={"profile": ", ".join(runs), "device_class": ", ".join(classes)}
    )
    manifest = first.manifest.model_copy(update={"device": device})
    return replace(first, folder=str(Path(first.folder).parent), manifest=manifest, agents=agents)


def _ordered(found: Mapping[str, RunAttempts]) -> dict[str, RunAttempts]:
    """Put the run first that asked the agents: it names nobody whose answers it judges."""
    order = sorted(found, key=lambda device: bool(found[device].setting("answers_of")))
    return {device: found[device] for device in order}


def _row(agent: str, attempts: Sequence[Scored], barred: str) -> Score | Withheld:
    missing = unjudged(attempts)
    if missing or barred:
        judged = len(attempts) - len(missing)
        return Withheld(agent, judged, len(attempts), failures_by_kind(attempts), barred)
    score = PORTABLE_MEASURE.score
    return Score(PORTABLE, score(attempts), interval_of(attempts, score))


def _hold_same_texts(agent: str, runs: Mapping[str, RunAttempts]) -> None:
    """Refuse judgements of different texts: Portable@1 is about one."""
    first, *others = runs.values()
    for plan in first.agents[agent]:
        name = attempt_id(plan.agent, plan.workload, plan.number)
        texts = {run.judgements[name].text for run in (first, *others) if name in run.judgements}
        if len(texts) > 1:
            folders = ", ".join(run.folder for run in runs.values())
            raise RecordError(f"{name} is another text in some of {folders}: there is no {PORTABLE} of them")
