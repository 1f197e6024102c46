"""From a run folder to scores: a pure function of its records."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.headline import Headline, Withheld, headline
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.attempt import Attempt, attempt_id
from edgekernelbench.records.integrity import UNSEALED, has_seals, run_digest, run_flaws
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Cause, Unjudged
from edgekernelbench.records.reference import PLAIN, ReferenceKey, one_reference
from edgekernelbench.records.seals import Flaw
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.apart import apart_attempts
from edgekernelbench.reports.costs import Costs, VendorSpeed, costs_of, vendor_speed
from edgekernelbench.reports.visits import barred_agents, token_notes, visit_notes


@dataclass(frozen=True, slots=True)
class RunAttempts:
    """One run, read: its plan and what is known of each attempt.

    Attributes:
        folder: Path of the run folder, as given.
        manifest: What the run was.
        agents: Every planned attempt, by agent, in the order of the plan.
        attempts: What is stored of each attempt that was made, by its id.
        judgements: What is stored of each attempt that was judged, by its id.
        digest: One hash for all its records.
        flaws: Where they are not as they were written.
        barred: For each agent that is no part of a comparison, why.
    """

    folder: str
    manifest: Manifest
    agents: Mapping[str, tuple[Scored, ...]]
    attempts: Mapping[str, Attempt]
    judgements: Mapping[str, Judgement]
    digest: str
    flaws: tuple[Flaw, ...] = ()
    barred: Mapping[str, str] = field(default_factory=dict)

    def setting(self, name: str) -> str:
        """Give a setting as text; empty when the run has none of that name."""
        value = self.manifest.settings.get(name)
        return "" if value is None else str(value)

    def judgements_of(self, agent: str) -> tuple[Judgement, ...]:
        """Give the judgements of one agent's attempts, in the order of the plan."""
        names = (attempt_id(a.agent, a.workload, a.number) for a in self.agents[agent])
        return tuple(self.judgements[name] for name in names if name in self.judgements)


@dataclass(frozen=True, slots=True)
class RunScores:
    """One run, scored.

    Attributes:
        folder: Path of the run folder, as given.
        manifest: What the run was.
        rows: One line an agent, in the order of the plan.
        costs: What its correct kernels cost, by agent, where that is known.
        vendors: How fast they are beside the vendor's library, by agent, where that was timed.
        flags: How many judgements carry each flag, such as `one-child`.
        digest: One hash for all its records.
        flaws: Where they are not as they were written.
        reference: What speed is counted against.
        notes: What else a reader must know of its records and its agents.
        apart: How many timed attempts have a reference that took another time than those of the others on
            their workload.
    """

    folder: str
    manifest: Manifest
    rows: tuple[Headline | Withheld, ...]
    costs: Mapping[str, Costs]
    vendors: Mapping[str, VendorSpeed]
    flags: dict[str, int]
    digest: str
    flaws: tuple[Flaw, ...] = ()
    reference: ReferenceKey = PLAIN
    notes: tuple[str, ...] = ()
    apart: int = 0

    def setting(self, name: str) -> str:
        """Give a setting as text; empty when the run has none of that name."""
        value = self.manifest.settings.get(name)
        return "" if value is None else str(value)


def read_attempts(folder: Path) -> RunAttempts:
    """Read a run folder.

    Args:
        folder: A run folder, finished or not.

    Returns:
        All planned attempts; what the run has not come to is unjudged.

    Raises:
        RecordError: When it is no run folder, or a record cannot be read.
    """
    run = RunFolder(folder)
    manifest = run.manifest()
    judgements = run.judgements()
    missing = Unjudged(Cause.MISSING, "the run has not come to it")
    if len(set(manifest.planned)) < len(manifest.planned):
        raise RecordError(f"{folder.name}/manifest.json: planned: an attempt is there twice")
    agents: dict[str, list[Scored]] = defaultdict(list)
    for name in manifest.planned:
        agent, workload, number = split_id(name)
        outcome = judgements[name].outcome if name in judgements else missing
        agents[agent].append(Scored(agent, workload, workload.partition("@")[0], number, outcome))
    planned = frozenset(manifest.planned)
    known = {name: judgement for name, judgement in judgements.items() if name in planned}
    attempts = run.attempts()
    return RunAttempts(
        str(folder),
        manifest,
        {name: tuple(attempts) for name, attempts in agents.items()},
        attempts,
        known,
        run_digest(run),
        run_flaws(run),
        barred_agents(attempts.values()),
    )


def read_run(folder: Path) -> RunScores:
    """Score a run folder.

    Args:
        folder: A run folder, finished or not.

    Returns:
        The scores, over all planned attempts.

    Raises:
        RecordError: When it is no run folder, a record cannot be read, or speeds are counted against two
            references.
    """
    return score_run(read_attempts(folder))


def score_run(run: RunAttempts) -> RunScores:
    """Score a run that was read.

    Raises:
        RecordError: When its speeds are counted against two references.
    """
    reference = reference_of(run)
    rows = tuple(
        headline(attempts, baseline=reference.baseline, barred=run.barred.get(agent, ""))
        for agent, attempts in run.agents.items()
    )
    flags = Counter(flag for judgement in run.judgements.values() for flag in judgement.flags)
    judged = {name: run.judgements_of(name) for name in run.agents if name not in run.barred}
    costs = {name: found for name, own in judged.items() if (found := costs_of(own)) is not None}
    vendors = {name: speed for name, own in judged.items() if (speed := vendor_speed(own)) is not None}
    return RunScores(
        run.folder, run.manifest, rows, costs, vendors, dict(sorted(flags.items())), run.digest, run.flaws,
        reference,
        (
            *_seal_notes(run.manifest),
            *visit_notes(run.attempts.values()),
            *token_notes(run.attempts.values()),
        ),
        len(apart_attempts(run.judgements, reference.baseline)),
    )  # fmt: skip


def _seal_notes(manifest: Manifest) -> tuple[str, ...]:
    return () if has_seals(manifest) else (UNSEALED,)


def reference_of(run: RunAttempts) -> ReferenceKey:
    """Give what the speeds of a run are counted against.

    Raises:
        RecordError: When they are counted against two references.
    """
    return one_reference((j.reference for j in run.judgements.values()), run.folder)


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
