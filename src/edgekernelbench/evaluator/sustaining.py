"""How speed holds while a device heats: the kernel runs on end, batch after batch, timed all the while."""

import time
from statistics import median

from edgekernelbench.evaluator.ring import NS_PER_SECOND, Lost, Timed, TimingPlan, calibrate, measure_batch
from edgekernelbench.evaluator.watch import Sense
from edgekernelbench.records.judgement import Moment

NS_PER_MS = 1_000_000
MOMENTS = 30
"""How many moments are stored of a sustained run."""


def sustain(thing: Timed, plan: TimingPlan, sense: Sense) -> tuple[Moment, ...] | None:
    """Run a kernel without a pause but for the sensors.

    Args:
        thing: The process, measured before.
        plan: How long, and how.
        sense: Reads what the device's machine shows.

    Returns:
        How fast it was, moment by moment; None when the process was lost.

    Raises:
        ServerLost: When the fork server is gone.
    """
    pace = calibrate(thing, plan)
    if isinstance(pace, Lost):
        return None
    begin = time.monotonic_ns()
    every = int(plan.sustain_s * NS_PER_SECOND) // MOMENTS
    moments: list[Moment] = []
    samples: list[int] = []
    while len(moments) < MOMENTS:
        found = measure_batch(thing, plan)
        if isinstance(found, Lost):
            return None
        samples += found.samples
        passed = time.monotonic_ns() - begin
        if passed >= every * (len(moments) + 1):
            reading = sense()
            moments.append(
                Moment(
                    at_ms=passed // NS_PER_MS,
                    per_run_ns=round(median(samples) / pace.runs),
                    mhz=min(reading.mhz, default=None),
                    celsius=reading.celsius,
                    held_back=reading.held_back,
                )
            )
            samples = []
            if passed >= plan.sustain_s * NS_PER_SECOND:
                break
    return tuple(moments)
