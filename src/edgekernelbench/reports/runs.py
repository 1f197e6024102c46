"""From a run folder to scores: a pure function of its records."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.headline import Headline, Withheld, headline
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Cause, Unjudged
from edgekernelbench.records.store import RunFolder

BASELINE = "default"


@dataclass(frozen=True, slots=True)
class RunScores:
    """One run, scored.

    Attributes:
        folder: Path of the run folder, as given.
        manifest: What the run was.
        rows: One line an agent, in the order of the plan.
        flags: How many judgements carry each flag, such as `one-child`.
    """

    folder: str
    manifest: Manifest
    rows: tuple[Headline | Withheld, ...]
    flags: dict[str, int]

    def setting(self, name: str) -> str:
        """Give a setting as text; empty when the run has none of that name."""
        value = self.manifest.settings.get(name)
        return "" if value is None else str(value)


def read_run(folder: Path) -> RunScores:
    """Score a run folder.

    Args:
        folder: A run folder, finished or not.

    Returns:
        The scores, over all planned attempts.

    Raises:
        RecordError: When it is no run folder, or a record cannot be read.
    """
    run = RunFolder(folder)
    manifest = run.manifest()
    judgements = run.judgements()
    missing = Unjudged(Cause.MISSING, "the run has not come to it")
    groups: dict[str, list[Scored]] = defaultdict(list)
    flags: dict[str, int] = defaultdict(int)
    if len(set(manifest.planned)) < len(manifest.planned):
        raise RecordError(f"{folder.name}/manifest.json: planned: an attempt is there twice")
    for name in manifest.planned:
        judged = judgements.get(name)
        agent, workload, number = split_id(name)
        outcome = judged.outcome if judged is not None else missing
        groups[agent].append(Scored(agent, workload, workload.partition("@")[0], number, outcome))
        for flag in judged.flags if judged is not None else ():
            flags[flag] += 1
    rows = tuple(headline(attempts, baseline=BASELINE) for attempts in groups.values())
    return RunScores(str(folder), manifest, rows, dict(sorted(flags.items())))


def split_id(attempt: str) -> tuple[str, str, int]:
    """Take the id of an attempt apart.

    Args:
        attempt: `agent/family/pattern@sizes-dtype/number`; the agent's name may have slashes.

    Returns:
        Agent, workload and number.

    Raises:
        RecordError: When it is no such id.
    """
    match attempt.rsplit("/", 3):
        case [agent, family, rest, number] if number.isdecimal():
            return agent, f"{family}/{rest}", int(number)
        case _:
            raise RecordError(f"manifest.json: planned: {attempt!r} is no id of an attempt")
