"""Judging stored texts once more, and saying whether the answer is the same."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.names import nearest
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.progress import Watcher
from edgekernelbench.bench.provenance import device_facts, package_versions
from edgekernelbench.bench.run import baselines_of, hold_release
from edgekernelbench.bench.trust import require_trust
from edgekernelbench.bench.verdicts import TIMING_PLANS
from edgekernelbench.evaluator.devices import Device, find_device, open_judges
from edgekernelbench.evaluator.exam import InputChoice, choose_inputs
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.agreement import SpeedAgreement, speed_agreement
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Correct, Outcome, Rejected, Unjudged
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import Catalogue, find_catalogue
from edgekernelbench.workloads.schema import Workload

BASELINE = "default"


class Agreement(StrEnum):
    """What came of judging an attempt once more."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNKNOWN = "unknown"
    """Nothing was learnt this time: the machine failed, or it was not quiet enough to measure a speed."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """One attempt, judged once more.

    Attributes:
        stored: The judgement on record.
        repeated: The judgement of now.
        speed: Both speeds; None when the kernel was not correct and timed both times.
        speed_counts: Whether speeds must agree: on another machine they need not.
    """

    stored: Judgement
    repeated: Judgement
    speed: SpeedAgreement | None
    speed_counts: bool

    @property
    def agreement(self) -> Agreement:
        """Whether outcome and, where it counts, speed are the same."""
        if isinstance(self.repeated.outcome, Unjudged):
            return Agreement.UNKNOWN
        if _answer(self.stored.outcome) != _answer(self.repeated.outcome):
            return Agreement.DIFFERS
        if self.speed is None or not self.speed_counts or self.speed.agrees:
            return Agreement.AGREES
        # What was stored from a restless machine still has to hold; what is measured on one proves nothing.
        return Agreement.UNKNOWN if self.disturbed else Agreement.DIFFERS

    @property
    def disturbed(self) -> tuple[str, ...]:
        """What was wrong with the machine while the kernel was measured again, such as `load`."""
        return tuple(dict.fromkeys(m for c in self.repeated.conditions for m in c.marks))


def _answer(outcome: Outcome | Unjudged) -> str:
    """Say what must be the same: refusals by their code; of what ran, which outcome it was."""
    return failure_kind(outcome) if isinstance(outcome, Rejected) else outcome.kind


@dataclass(frozen=True, slots=True)
class Plan:
    """What is judged once more, and how.

    Attributes:
        attempts: Ids, with a stored outcome and a text each.
        fresh: Whether inputs are drawn anew; otherwise they are the stored ones, bit by bit.
        timed: Whether correct kernels are timed as the run did.
        trusted: Whether programs of others that the run's settings name were read.
    """

    attempts: tuple[str, ...]
    fresh: bool = False
    timed: bool = True
    trusted: bool = False


def repeatable(folder: RunFolder, names: Sequence[str] = ()) -> tuple[str, ...]:
    """List the attempts of a run that can be judged once more, in the order of its plan.

    Args:
        folder: The run.
        names: Ids of attempts, workloads or agents; empty means all.

    Returns:
        Ids of attempts with a text and an outcome.

    Raises:
        RecordError: When a name is unknown, or a named attempt has no text or no outcome.
    """
    planned = folder.manifest().planned
    stored = folder.judgements()
    can = [
        name
        for name in planned
        if name in stored and stored[name].text and not isinstance(stored[name].outcome, Unjudged)
    ]
    attempts = folder.attempts()
    known = {name: {name} for name in planned}
    for attempt in attempts.values():
        for key in (attempt.workload, attempt.agent):
            known.setdefault(key, set()).add(attempt.id)
    wanted: set[str] = set()
    for name in names:
        if name not in known:
            close = nearest(name, known)
            guess = f"did you mean {close}?" if close else "name an attempt, a workload or an agent"
            raise RecordError(f"{folder.root.name} has no attempt {name!r}; {guess}")
        if not known[name] & set(can):
            raise RecordError(f"{name} has no judged text in {folder.root.name}: there is nothing to repeat")
        wanted |= known[name]
    return tuple(name for name in can if not names or name in wanted)


def reproduce(
    folder: RunFolder, plan: Plan, watcher: Watcher, catalogue: Catalogue | None = None
) -> tuple[Repetition, ...]:
    """Judge attempts once more, as their run judged them.

    Args:
        folder: The run; it is only read.
        plan: What, and how.
        watcher: Is told of each.
        catalogue: Where the workloads are; None for the one that comes with the package.

    Returns:
        One repetition an attempt, in the order of the plan.

    Raises:
        RecordError: When the run is of another release, or a text was changed.
        CatalogueError: When it would run programs of others that nobody has read.
    """
    manifest = folder.manifest()
    experiment = Experiment.from_settings(manifest.settings, folder.root.name)
    require_trust(experiment, trusted=plan.trusted)
    known = catalogue or find_catalogue(experiment.catalogue)
    hold_release(folder, known, "reproduce it")
    device = find_device(experiment.profile)
    stored = folder.judgements()
    counts = same_machine(manifest, device)
    drawn: dict[str, tuple[InputChoice, ...]] = {}
    watcher.begin("judging again", len(plan.attempts), 0)
    repetitions = []
    baselines = partial(baselines_of, experiment)
    with open_judges(experiment.profile, experiment.compiler, baselines) as judge:
        for name in plan.attempts:
            workload = known.workload(stored[name].workload)
            inputs = _inputs(stored[name], workload, drawn, fresh=plan.fresh)
            submission = Submission(
                workload=workload,
                text=folder.artifact(stored[name].text or ""),
                inputs=inputs,
                timing=TIMING_PLANS[experiment.timing] if plan.timed else None,
                attempt=name,
                text_hash=stored[name].text,
                reveal=True,
                language=experiment.language,
            )
            repetition = _compare(stored[name], judge.judge(submission), len(plan.attempts), counts=counts)
            repetitions.append(repetition)
            watcher.advance(repetition.agreement)
    return tuple(repetitions)


def _inputs(
    stored: Judgement, workload: Workload, drawn: dict[str, tuple[InputChoice, ...]], *, fresh: bool
) -> tuple[InputChoice, ...]:
    """Give the inputs on record, or new ones that are the same for all attempts on a workload."""
    if stored.inputs and not fresh:
        return tuple(InputChoice(row.name, row.distribution, row.seed) for row in stored.inputs)
    if workload.id not in drawn:
        drawn[workload.id] = choose_inputs(secrets.token_bytes(16), workload)
    return drawn[workload.id]


def _compare(stored: Judgement, repeated: Judgement, together: int, *, counts: bool) -> Repetition:
    speed = None
    if isinstance(stored.outcome, Correct) and isinstance(repeated.outcome, Correct):
        speed = speed_agreement(stored.outcome.rings, repeated.outcome.rings, BASELINE, together=together)
    return Repetition(stored, repeated, speed, counts)


def same_machine(manifest: Manifest, device: Device) -> bool:
    """Whether a device has the processor and the threads that a run had."""
    now = device_facts(device)
    then = manifest.device
    return (now.cpu, now.machine, now.cores, now.threads) == (
        then.cpu,
        then.machine,
        then.cores,
        then.threads,
    )


def other_versions(manifest: Manifest) -> Mapping[str, tuple[str, str]]:
    """Name packages whose version is not that of the run, each with then and now."""
    now = package_versions()
    names = sorted({*now, *manifest.versions})
    pairs = {name: (manifest.versions.get(name, "none"), now.get(name, "none")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
