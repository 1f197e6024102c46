"""Baselines that wait, compiled and warm, for the next kernel of their workload."""

from collections.abc import Callable

from edgekernelbench.evaluator.baselines import Baseline
from edgekernelbench.evaluator.exam import Exam
from edgekernelbench.evaluator.marking import first_wrong
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import Lost, Pace, Timed, TimingPlan, calibrate
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.trial import Trial, excuse, post_mortem
from edgekernelbench.records.outcome import Cause, Unjudged

PATIENCE_S = 60.0
"""How long a baseline may hold the token."""

Key = tuple[str, str, tuple[object, ...]]


class Standby:
    """Keeps one worker a baseline, for the workload that was timed last."""

    def __init__(self, supervisor: Callable[[str], Supervisor]) -> None:
        self._supervisor = supervisor
        self._kept: dict[str, tuple[Key, Trial, Pace]] = {}
        self._failed: dict[tuple[str, str], Unjudged] = {}

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
        assignment = baseline.assignment(exam.workload, limits)
        trial = Trial(self._supervisor(baseline.server), assignment, exam, timing)
        pace = _examine(trial, baseline.name, timing)
        if isinstance(pace, Unjudged):
            trial.close()
            self._failed[place] = pace
            return pace
        self._kept[baseline.name] = (key, trial, pace)
        return trial.timed(baseline.name, PATIENCE_S, pace)

    def drop(self, name: str) -> None:
        """End the worker of a baseline."""
        kept = self._kept.pop(name, None)
        if kept is not None:
            kept[1].close()

    def drop_all(self) -> None:
        """End all workers."""
        for name in tuple(self._kept):
            self.drop(name)


def _examine(trial: Trial, name: str, timing: TimingPlan) -> Pace | Unjudged:
    """Put the papers to a baseline as to a kernel, and let it warm up."""
    report = trial.worker.pass_token({"do": "report"})
    if report is None:
        return _why(trial, name)
    wrong = first_wrong(trial.marks())
    if wrong is not None:
        return Unjudged(Cause.WORKER, f"baseline {name} is wrong: {wrong.detail}")
    pace = calibrate(trial.timed(name, PATIENCE_S), timing)
    return _why(trial, name) if isinstance(pace, Lost) else pace


def _why(trial: Trial, name: str) -> Unjudged:
    ended = trial.worker.ended
    if ended is None:
        return Unjudged(Cause.WORKER, f"the answer of baseline {name} could not be read")
    reason = excuse(trial.worker.reply()) or post_mortem(trial.worker, ended)
    return Unjudged(Cause.WORKER, f"baseline {name}: {reason.detail}")
