"""Attempts on one workload whose references took different times: the machine was not the same for them."""

import math
from collections.abc import Sequence
from statistics import fmean

from edgekernelbench.metrics.agreement import allowed_apart
from edgekernelbench.records.outcome import Ring


def reference_logs(rings: Sequence[Ring], baseline: str) -> list[float]:
    """Give the log of the reference's time of one run beside one kernel, in nanoseconds, for each set.

    Args:
        rings: The measurements of the kernel.
        baseline: Name of the reference.

    Returns:
        Natural logarithms; nothing when a set lacks the reference, or there is no set.
    """
    found = [
        ratio + math.log(ring.kernel.per_run)
        for ring in rings
        if (ratio := ring.log_ratio(baseline)) is not None
    ]
    return found if len(found) == len(rings) else []


def reference_time(rings: Sequence[Ring], baseline: str) -> float | None:
    """Give the time of one run of the reference beside one kernel, in nanoseconds: geometric mean over sets.

    Args:
        rings: The measurements of the kernel.
        baseline: Name of the reference.

    Returns:
        The time that the kernel's speed was counted against; None when it was not measured.
    """
    logs = reference_logs(rings, baseline)
    return math.exp(fmean(logs)) if logs else None


def apart_references(measured: Sequence[Sequence[Ring]], baseline: str) -> tuple[bool, ...]:
    """Find kernels for one workload that were judged by another reference time than the others.

    Every kernel is timed beside a reference of its own, in turn with it. On a quiet machine those references
    take the same time. Where they do not, times of kernels say nothing against each other, and ratios only as
    far as what disturbed the machine slowed kernel and reference alike.

    Args:
        measured: The measurements of each kernel that was timed, all on one device.
        baseline: Name of the reference.

    Returns:
        For each, whether its reference's time differs from those of more than half of the others by more than
        the 95 % interval of the difference (`agreement.allowed_apart`). One that is alone differs from none.
    """
    logs = [reference_logs(rings, baseline) for rings in measured]
    known = [at for at, own in enumerate(logs) if own]
    against = dict.fromkeys(known, 0)
    for place, at in enumerate(known):
        for other in known[place + 1 :]:
            distance = abs(fmean(logs[at]) - fmean(logs[other]))
            if distance > allowed_apart([logs[at]], [logs[other]], processes=1):
                against[at] += 1
                against[other] += 1
    return tuple(2 * against.get(at, 0) > len(known) - 1 for at in range(len(logs)))
