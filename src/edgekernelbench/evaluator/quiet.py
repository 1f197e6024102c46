"""Measuring until the machine was quiet, a bounded number of times."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgekernelbench.evaluator.ring import Lost, Timed, TimingPlan, calibrate, measure_ring
from edgekernelbench.evaluator.watch import Sense, Watch
from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.outcome import Cause, Ring, Unjudged

HOPELESS = math.log(2)
"""A kernel that takes twice as long as every baseline is not measured to the last digit."""

SURE_RINGS = 2
"""So many rings must agree about that: from two, a bound can be computed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the quietest try gave.

    Attributes:
        ring: The samples.
        conditions: What the machine was like.
        elsewhere: Processes that ran on other cores than they should, with those cores.
    """

    ring: Ring
    conditions: Conditions
    elsewhere: dict[str, tuple[int, ...]]


def measure_quietly(
    things: Sequence[Timed], plan: TimingPlan, cores: Sequence[int], sense: Sense
) -> Measured | Lost:
    """Measure some processes in turn; again when the machine was disturbed.

    Args:
        things: The kernel first, then its baselines; each waits for the token.
        plan: How long, and how often at most.
        cores: Those that the processes may use.
        sense: Reads what the machine shows that measures.

    Returns:
        The quietest try; `Lost` when a process failed.

    Raises:
        ServerLost: When the fork server is gone.
    """
    start = time.monotonic_ns()
    ready = []
    for thing in things:
        pace = thing.pace or calibrate(thing, plan)
        if isinstance(pace, Lost):
            return pace
        ready.append(replace(thing, pace=pace))
    found: list[Measured] = []
    while not found or _is_worth_a_try(found, plan, time.monotonic_ns() - start):
        watch = Watch(cores, sense)
        ring = measure_ring(ready, plan, watch)
        if isinstance(ring, Lost):
            return ring
        found.append(Measured(ring, watch.conditions(ring), watch.elsewhere()))
    best = min(found, key=_disturbance)
    return replace(best, conditions=best.conditions.model_copy(update={"tries": len(found)}))


def _is_worth_a_try(found: Sequence[Measured], plan: TimingPlan, spent_ns: int) -> bool:
    is_quiet = not found[-1].conditions.marks
    return not is_quiet and len(found) < plan.tries and spent_ns < plan.tries_ns


def _disturbance(measured: Measured) -> tuple[int, float]:
    return len(measured.conditions.marks), measured.conditions.waited


def crowd(measured: Measured, threads: int) -> Unjudged | None:
    """Say which process took more threads, or other cores, than were stated; None when all kept to them."""
    for series in (measured.ring.kernel, *measured.ring.baselines):
        if series.threads > threads:
            detail = f"{series.name} used {series.threads} threads, {threads} were stated"
            return Unjudged(Cause.LOAD, detail)
    for name, cores in measured.elsewhere.items():
        stated = measured.conditions.cores
        return Unjudged(Cause.LOAD, f"{name} could use cores {_list(cores)}, {_list(stated)} were stated")
    return None


def _list(cores: Sequence[int]) -> str:
    return ", ".join(map(str, cores)) or "none"


def is_hopeless(rings: Sequence[Ring]) -> bool:
    """Whether a kernel is so much slower than every baseline that more rings would change nothing."""
    if len(rings) < SURE_RINGS:
        return False
    names = {series.name for ring in rings for series in ring.baselines}
    ratios = [ring.log_ratio(name) for ring in rings for name in names]
    known = [ratio for ratio in ratios if ratio is not None]
    return bool(known) and len(known) == len(ratios) and max(known) < -HOPELESS
