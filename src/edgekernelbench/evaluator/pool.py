"""Several judges of one kind of device: who is free takes the next text, and a lost board is put aside."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Condition
from types import TracebackType
from typing import Protocol, Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import ServerLost
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Cause, Unjudged
from edgekernelbench.workloads.schema import Workload

MOST_LOSSES = 2
"""A text on which so many boards were lost is left unjudged: it could take all of them along."""

FindAnother = Callable[[], Judge]
"""Waits a moment for a board that is free; raises `PrerequisiteError` when there is none."""


class Judging(Protocol):
    """What judges: one judge, or a pool of them."""

    @property
    def profile(self) -> Profile:
        """The device."""
        ...

    @property
    def compiler(self) -> str:
        """Name of the compiler."""
        ...

    def judge(self, submission: Submission) -> Judgement:
        """Judge one text."""
        ...

    def ready(self, submission: Submission) -> None:
        """Do ahead what needs no device."""
        ...

    def baseline_texts(self, workload: Workload) -> dict[str, str]:
        """Give the texts of the baselines that are kernel texts, by name."""
        ...


@dataclass(frozen=True, slots=True)
class Share:
    """How busy a device was.

    Attributes:
        judging_ns: Time in which a text was judged on it.
        asked_ns: Time of it in which the device itself was asked something; 0 where that is not counted.
        whole_ns: Time since it was taken.
    """

    judging_ns: int
    asked_ns: int
    whole_ns: int


class Readier(Protocol):
    """Does ahead what needs no device."""

    def ready(self, submission: Submission) -> None:
        """Make a text ready."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class JudgePool:
    """Judges that share their work; may be called from several threads.

    Attributes:
        profile: The device.
        compiler: Name of the compiler.
        first: The first judge, for what works with its fork servers.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        another: FindAnother | None = None,
        readier: Readier | None = None,
    ) -> None:
        """Take judges, which are closed with the pool.

        Args:
            judges: At least one.
            another: Finds another one when one was lost; None when there can be none.
            readier: Does ahead what needs no device, closed with the pool; None does nothing ahead.
        """
        self.profile: Profile = judges[0].profile
        self.compiler: str = judges[0].compiler
        self.first = judges[0]
        self._free = list(judges)
        self._all = list(judges)
        self._another = another
        self.readier = readier
        self._held: dict[int, int] = {}
        self._start = time.monotonic_ns()
        # Before, boards were asked what they are, and tried.
        self._before = {id(judge): judge.busy_ns for judge in judges}
        self._changed = Condition()

    @property
    def size(self) -> int:
        """How many judges are left."""
        with self._changed:
            return len(self._all)

    def judge(self, submission: Submission) -> Judgement:
        """Judge one text on whichever device is free.

        A board that is lost is put aside and the text judged on another one. The kernel is not to blame:
        where no board is left, or a second one is lost with it, the text is unjudged.
        """
        losses = 0
        while True:
            judge = self._take()
            if judge is None:
                return self._unjudged(submission, "no board is left")
            begun = time.monotonic_ns()
            try:
                judgement = judge.judge(submission)
            finally:
                self._note_held(judge, time.monotonic_ns() - begun)
                lost = judge.lost
                self._put_aside(judge) if lost else self._give_back(judge)
            if not lost:
                return judgement
            losses += 1
            if losses == MOST_LOSSES:
                return self._named(judgement, f"{losses} boards were lost while it was judged")

    def ready(self, submission: Submission) -> None:
        """Do ahead what needs no device; nothing where nobody does."""
        if self.readier is not None:
            self.readier.ready(submission)

    def shares(self) -> tuple[Share, ...]:
        """Say how busy each device that is left was since the pool was made."""
        whole = time.monotonic_ns() - self._start
        with self._changed:
            return tuple(
                Share(self._held.get(id(j), 0), j.busy_ns - self._before.get(id(j), 0), whole)
                for j in self._all
            )

    def _note_held(self, judge: Judge, nanoseconds: int) -> None:
        with self._changed:
            self._held[id(judge)] = self._held.get(id(judge), 0) + nanoseconds

    def baseline_texts(self, workload: Workload) -> dict[str, str]:
        """Give the texts of the baselines that are kernel texts, by name: the same for all judges."""
        return self.first.baseline_texts(workload)

    def _take(self) -> Judge | None:
        with self._changed:
            while not self._free and self._all:
                self._changed.wait()
            if self._free:
                return self._free.pop()
        found = self._find_another()
        if found is not None:
            with self._changed:
                self._all.append(found)
        return found

    def _find_another(self) -> Judge | None:
        if self._another is None:
            return None
        try:
            return self._another()
        except (PrerequisiteError, ServerLost):
            return None

    def _give_back(self, judge: Judge) -> None:
        with self._changed:
            self._free.append(judge)
            self._changed.notify()

    def _put_aside(self, judge: Judge) -> None:
        with self._changed:
            self._all.remove(judge)
            self._changed.notify_all()
        judge.close()

    def _unjudged(self, submission: Submission, why: str) -> Judgement:
        return Judgement(
            attempt=submission.attempt,
            workload=submission.workload.id,
            device=self.profile.name,
            device_class=str(self.profile.device_class),
            compiler=self.compiler,
            threads=self.profile.threads,
            text=submission.text_hash,
            outcome=Unjudged(Cause.DEVICE, why),
        )

    def _named(self, judgement: Judgement, why: str) -> Judgement:
        outcome = judgement.outcome
        if not isinstance(outcome, Unjudged):
            return judgement
        detail = f"{why}: {outcome.detail}"
        return judgement.model_copy(update={"outcome": replace(outcome, cause=Cause.DEVICE, detail=detail)})

    def close(self) -> None:
        """Close all judges."""
        with self._changed:
            judges, self._all, self._free = self._all, [], []
            self._changed.notify_all()
        for judge in judges:
            judge.close()
        if self.readier is not None:
            self.readier.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
