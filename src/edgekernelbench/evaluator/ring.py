"""The judge's side of timing: a token goes round between processes, and only who holds it works."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.evaluator.hands import Hand
from edgekernelbench.evaluator.timing import Batch
from edgekernelbench.evaluator.watch import Watch
from edgekernelbench.records.outcome import Ring, Series

NS_PER_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class TimingPlan:
    """How a kernel is timed.

    Attributes:
        rings: Sets of fresh processes: 1 inside a search, at least 5 for a final verdict.
        batches: Batches of each timed thing in a ring.
        batch_ns: Least duration of a batch.
        budget_ns: A thing that has taken longer than this in a ring is measured no further, once it has two
            batches.
        settle_ns: Pause before the token is passed on, in which the last holder is stopped.
        tries: How often a ring is measured at most, until the machine was quiet.
        tries_ns: A ring whose tries have taken longer than this is not tried again.
        sustain_s: How long the kernel runs on end after it was measured in the first ring; 0 for not at all.
    """

    rings: int = 1
    batches: int = 6
    batch_ns: int = 10_000_000
    budget_ns: int = 250_000_000
    settle_ns: int = 2_000_000
    tries: int = 3
    tries_ns: int = 1_000_000_000
    sustain_s: float = 0.0


LEAST_BATCHES = 2

IDLE_S = 3600.0
"""How long a process waits for its next turn before the server ends it."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A process that takes part.

    Attributes:
        name: `"kernel"`, or the name of the baseline.
        worker: The process.
        patience_s: Its deadline each time it gets the token.
        pace: What its calibration showed; None when it is still to be calibrated.
    """

    name: str
    worker: Hand
    patience_s: float
    pace: "Pace | None" = None


@dataclass(frozen=True, slots=True)
class Pace:
    """What a calibration shows.

    Attributes:
        runs: Kernel runs in each sample.
        single_ns: Duration of one run, roughly.
    """

    runs: int
    single_ns: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A process that did not give the token back as it should.

    Attributes:
        name: Which.
        answer: What came back; None when nothing that can be read did.
    """

    name: str
    answer: dict[str, Any] | None


class _Tally:
    """What was measured of one thing until now."""

    def __init__(self, thing: Timed, pace: Pace, plan: TimingPlan) -> None:
        self.thing = thing
        self._pace = pace
        self._plan = plan
        self._samples: list[int] = []
        self._threads = 0
        self._spent = 0

    def is_enough(self, batch: int) -> bool:
        """Whether it is so slow that no further batch is measured."""
        return batch >= LEAST_BATCHES and self._spent > self._plan.budget_ns

    def measure(self, watch: Watch | None) -> Lost | None:
        """Measure one batch."""
        start = time.monotonic_ns()
        found = measure_batch(self.thing, self._plan)
        spent = time.monotonic_ns() - start - self._plan.settle_ns
        if isinstance(found, Lost):
            return found
        if watch is not None:
            watch.note(self.thing.name, found)
        self._spent += spent
        self._samples += found.samples
        self._threads = max(self._threads, found.threads)
        return None

    def series(self) -> Series:
        """Give what is stored."""
        samples = tuple(Nanoseconds(s) for s in self._samples)
        return Series(self.thing.name, self._pace.runs, samples, self._threads)


def measure_ring(things: Sequence[Timed], plan: TimingPlan, watch: Watch | None = None) -> Ring | Lost:
    """Measure some processes in turn.

    Args:
        things: The kernel first, then its baselines; each waits for the token.
        plan: How long.
        watch: Looks at the machine after each batch.

    Returns:
        The samples of all; `Lost` when one of them failed.

    Raises:
        ServerLost: When the fork server is gone.
    """
    tallies = []
    for thing in things:
        pace = thing.pace or calibrate(thing, plan)
        if isinstance(pace, Lost):
            return pace
        tallies.append(_Tally(thing, pace, plan))
    for batch in range(plan.batches):
        for tally in tallies if batch % 2 == 0 else reversed(tallies):
            lost = None if tally.is_enough(batch) else tally.measure(watch)
            if lost is not None:
                return lost
    kernel, *baselines = (tally.series() for tally in tallies)
    return Ring(kernel, tuple(baselines))


def measure_batch(thing: Timed, plan: TimingPlan) -> Batch | Lost:
    """Let a process measure one batch.

    Raises:
        ServerLost: When the fork server is gone.
    """
    answer = _turn(thing, {"do": "batch"}, plan)
    found = _batch(answer)
    return Lost(thing.name, answer) if found is None else found


def calibrate(thing: Timed, plan: TimingPlan) -> Pace | Lost:
    """Let a process warm up and settle how long its batches are.

    Raises:
        ServerLost: When the fork server is gone.
    """
    answer = _turn(thing, {"do": "calibrate"}, plan)
    if answer is None or not _is_count(answer.get("runs")) or not _is_count(answer.get("single_ns")):
        return Lost(thing.name, answer)
    return Pace(answer["runs"], answer["single_ns"])


def _turn(thing: Timed, message: dict[str, object], plan: TimingPlan) -> dict[str, Any] | None:
    time.sleep(plan.settle_ns / NS_PER_SECOND)
    thing.worker.extend(thing.patience_s)
    answer = thing.worker.pass_token(message)
    if thing.worker.ended is None:
        thing.worker.extend(IDLE_S)  # now others work, however long they take
    return answer


def _batch(answer: dict[str, Any] | None) -> Batch | None:
    """Read the answer of a worker; None when it is not what a batch can have shown."""
    match answer:
        case {
            "samples": [*samples],
            "threads": int(threads),
            "cores": [*cores],
            "waited_ns": int(waited),
        } if samples and all(map(_is_count, samples)) and all(isinstance(core, int) for core in cores):
            return Batch(tuple(samples), threads, tuple(cores), max(0, waited))
        case _:
            return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
