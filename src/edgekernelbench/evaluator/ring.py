"""The judge's side of timing: a token goes round between processes, and only who holds it works."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.evaluator.supervisor import Worker
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
        settle_ns: Pause before the token is passed on, in which thread pools of the last holder go to sleep.
    """

    rings: int = 1
    batches: int = 6
    batch_ns: int = 10_000_000
    budget_ns: int = 250_000_000
    settle_ns: int = 3_000_000


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
    worker: Worker
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


def measure_ring(things: Sequence[Timed], plan: TimingPlan) -> Ring | Lost:
    """Measure some processes in turn.

    Args:
        things: The kernel first, then its baselines; each waits for the token.
        plan: How long.

    Returns:
        The samples of all; `Lost` when one of them failed.

    Raises:
        ServerLost: When the fork server is gone.
    """
    runs: list[int] = []
    for thing in things:
        pace = thing.pace or calibrate(thing, plan)
        if isinstance(pace, Lost):
            return pace
        runs.append(pace.runs)
    samples: list[list[int]] = [[] for _ in things]
    threads = [0] * len(things)
    spent = [0] * len(things)
    for batch in range(plan.batches):
        order = range(len(things)) if batch % 2 == 0 else reversed(range(len(things)))
        for place in order:
            if batch >= LEAST_BATCHES and spent[place] > plan.budget_ns:
                continue
            start = time.monotonic_ns()
            answer = _turn(things[place], {"do": "batch"}, plan)
            spent[place] += time.monotonic_ns() - start
            found = _samples(answer)
            if answer is None or not found:
                return Lost(things[place].name, answer)
            samples[place].extend(found)
            threads[place] = max(threads[place], answer["threads"])
    series = [
        Series(thing.name, runs[n], tuple(Nanoseconds(s) for s in samples[n]), threads[n])
        for n, thing in enumerate(things)
    ]
    return Ring(series[0], tuple(series[1:]))


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


def _samples(answer: dict[str, Any] | None) -> list[int]:
    if answer is None or not isinstance(answer.get("threads"), int):
        return []
    samples = answer.get("samples")
    proper = isinstance(samples, list) and all(_is_count(s) for s in samples)
    return list(samples) if proper and isinstance(samples, list) else []


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
