"""Baselines that wait, compiled and warm, for the next kernel of their workload.

A baseline of several contenders is, for each workload, the fastest one that is right: all of them are put to
the examination and measured in turn once, and from then on only the fastest is started.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.baselines import Baseline, Contender, UnfitError
from edgekernelbench.evaluator.exam import Exam
from edgekernelbench.evaluator.findings import cost_of
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.marking import first_wrong
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import IDLE_S, Lost, Pace, Timed, TimingPlan, calibrate, measure_ring
from edgekernelbench.evaluator.trial import Trial, excuse, last_words, post_mortem
from edgekernelbench.records.judgement import CostRecord, VendorRecord
from edgekernelbench.records.outcome import Cause, Ring, Series, Unjudged
from edgekernelbench.records.schema import storable
from edgekernelbench.workloads.schema import Workload

PATIENCE_S = 60.0
"""How long a baseline may hold the token."""

CHOICE_BATCHES = 3
"""Batches of each contender when the fastest is looked for."""

REASON_LENGTH = 200

Key = tuple[str, str, tuple[object, ...]]
Place = tuple[str, str]
Ready = tuple[Contender, Trial, Pace]


class Standby:
    """Keeps one worker a baseline, for the workload that was timed last."""

    def __init__(
        self, supervisor: Callable[[str], Hands], hold: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Keep none yet.

        Args:
            supervisor: Gives the fork server of a name.
            hold: Keeps other judges off the device while contenders are measured.
        """
        self._supervisor = supervisor
        self._hold = hold
        self._kept: dict[str, tuple[Key, Trial, Pace]] = {}
        self._failed: dict[Place, Unjudged] = {}
        self._chosen: dict[Place, Contender] = {}
        self._fallen: dict[Place, dict[str, str]] = {}
        self._costs: dict[tuple[str, str], CostRecord] = {}

    def ready(
        self, baseline: Baseline, exam: Exam, timing: TimingPlan, limits: Limits, *, fresh: bool
    ) -> Timed | Unjudged:
        """Give a worker of a baseline whose values were found right, and that waits for the token.

        Args:
            baseline: Which.
            exam: The examination; its papers are put to the baseline too.
            timing: How it will be timed.
            limits: What its worker may use.
            fresh: Whether it must be a new process.

        Returns:
            The worker; `Unjudged` when the baseline fails.

        Raises:
            OSError: When there is no room for its sheets.
            ServerLost: When no worker can be started.
        """
        place = (exam.workload.id, baseline.name)
        if place in self._failed and not baseline.required:
            return self._failed[place]
        key = (*place, (exam.timed.choice if exam.timed else None, timing))
        kept = self._kept.get(baseline.name)
        if kept is not None and kept[0] == key and not fresh and kept[1].worker.ended is None:
            return kept[1].timed(baseline.name, PATIENCE_S, kept[2])
        self.drop(baseline.name)
        found = self._find(baseline, exam, timing, limits)
        if isinstance(found, Unjudged):
            self._failed[place] = found
            return found
        contender, trial, pace = found
        self._chosen[place] = contender
        self._kept[baseline.name] = (key, trial, pace)
        return trial.timed(baseline.name, PATIENCE_S, pace)

    def choice(self, baseline: Baseline, workload: Workload) -> VendorRecord:
        """Say which contender a baseline is for a workload, and why the others are not."""
        place = (workload.id, baseline.name)
        chosen = self._chosen.get(place)
        return VendorRecord(
            name=None if chosen is None else chosen.name,
            loop=chosen is not None and chosen.loops(workload),
            fallen=dict(self._fallen.get(place, {})),
        )

    def costs(self, baseline: Baseline, workload: Workload) -> dict[str, CostRecord]:
        """Say what a baseline costs, under its name; nothing when it is a library, or was not started yet."""
        chosen = self._chosen.get((workload.id, baseline.name))
        cost = None if chosen is None else self._costs.get((workload.id, chosen.name))
        return {} if cost is None else {baseline.name: cost}

    def _find(self, baseline: Baseline, exam: Exam, timing: TimingPlan, limits: Limits) -> Ready | Unjudged:
        """Start the contender that was chosen before, or all of them, and keep the fastest."""
        place = (exam.workload.id, baseline.name)
        chosen = self._chosen.pop(place, None)
        if chosen is not None:
            again = self._start(chosen, exam, timing, limits)
            if not isinstance(again, Unjudged):
                return again
            self._fallen.setdefault(place, {})[chosen.name] = _short(again.detail)
            if len(baseline.contenders) == 1:
                return again
        fallen: dict[str, str] = {}
        reason = Unjudged(Cause.WORKER, f"baseline {baseline.name} has no contender")
        with ExitStack() as stack:
            fit: list[Ready] = []
            for contender in baseline.contenders:
                if contender is chosen:
                    continue
                found = self._start(contender, exam, timing, limits)
                if isinstance(found, Unjudged):
                    reason = found
                    fallen[contender.name] = _short(found.detail)
                else:
                    fit.append(found)
                    stack.callback(found[1].close)
            best = self._fastest(fit, timing, fallen)
            if best is not None:
                stack.pop_all()
                for other in fit:
                    if other is not best:
                        other[1].close()
        self._fallen.setdefault(place, {}).update(fallen)
        return reason if best is None else best

    def _fastest(self, fit: list[Ready], timing: TimingPlan, fallen: dict[str, str]) -> Ready | None:
        """Measure those that are right in turn; note by how much the others are slower."""
        if len(fit) < 2:
            return fit[0] if fit else None
        things = [trial.timed(contender.name, PATIENCE_S, pace) for contender, trial, pace in fit]
        with self._hold():
            ring = measure_ring(things, replace(timing, batches=CHOICE_BATCHES))
        if isinstance(ring, Lost):
            fallen[ring.name] = "lost while it was timed"
            return self._fastest([r for r in fit if r[0].name != ring.name], timing, fallen)
        times = _times(ring)
        best = min(fit, key=lambda ready: times[ready[0].name])
        for contender, _, _ in fit:
            if contender is not best[0]:
                more = times[contender.name] / times[best[0].name]
                fallen[contender.name] = f"slower: {more:.2f} times the duration"
        return best

    def _start(
        self, contender: Contender, exam: Exam, timing: TimingPlan, limits: Limits
    ) -> Ready | Unjudged:
        try:
            assignment = contender.assignment(exam.workload, limits, self._supervisor)
            trial = Trial(self._supervisor(contender.server), assignment, exam, timing)
        except (UnfitError, PrerequisiteError) as error:
            return Unjudged(Cause.WORKER, str(error))
        pace = self._examine(trial, contender.name, timing, exam.workload.id)
        if isinstance(pace, Unjudged):
            trial.close()
            return pace
        return contender, trial, pace

    def _examine(self, trial: Trial, name: str, timing: TimingPlan, workload: str) -> Pace | Unjudged:
        """Put the papers to a contender as to a kernel, and let it warm up."""
        report = trial.worker.pass_token({"do": "report"})
        if report is None:
            return _why(trial, name)
        wrong = first_wrong(trial.marks())
        if wrong is not None:
            return Unjudged(Cause.WORKER, f"baseline {name} is wrong: {wrong.detail}")
        if report["cost"]["workspace_bytes"]:
            self._costs[workload, name] = cost_of(report)
        trial.worker.extend(IDLE_S)  # another judge may be at work on the device
        with self._hold():
            pace = calibrate(trial.timed(name, PATIENCE_S), timing)
        return _why(trial, name) if isinstance(pace, Lost) else pace

    def drop(self, name: str) -> None:
        """End the worker of a baseline."""
        kept = self._kept.pop(name, None)
        if kept is not None:
            kept[1].close()

    def drop_all(self) -> None:
        """End all workers."""
        for name in tuple(self._kept):
            self.drop(name)


def _times(ring: Ring) -> dict[str, float]:
    """Give the shortest run of each: of a few batches that is the steadiest figure."""
    series: tuple[Series, ...] = (ring.kernel, *ring.baselines)
    return {each.name: min(each.samples) / each.runs for each in series}


def _why(trial: Trial, name: str) -> Unjudged:
    ended = trial.worker.ended
    if ended is None:
        return Unjudged(Cause.WORKER, f"the answer of baseline {name} could not be read")
    reason = excuse(trial.worker.reply()) or post_mortem(trial.worker, ended)
    return Unjudged(Cause.WORKER, f"baseline {name}: {last_words(reason.detail) or reason.detail}")


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return storable(line if len(line) <= REASON_LENGTH else line[: REASON_LENGTH - 1] + "…")
