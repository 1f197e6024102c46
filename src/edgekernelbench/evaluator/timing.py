"""The worker's side of timing: rotating buffers, batches long enough for the clock, threads counted.

A *round* runs the kernel once on each of several sets of buffers, so that what a run reads is not what the
run before left in the cache; tensors that are constant stay where they are. A *sample* is the duration of
one round, a *batch* is what is done while the token is held: one round untimed, to wake what slept, then a
fixed number of samples.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import aligned_zeros

Array = NDArray[np.generic]

MAX_SETS = 256
"""Kernels with tiny buffers stay inside the cache however many sets there are room for in a worker."""

MAX_SET_BYTES = 256 << 20
"""Memory for all sets together."""

SLOW_RUN_NS = 20_000_000
"""A run that takes longer than this reads far more than any cache holds: one set is enough."""

SHORTEST_SAMPLE_NS = 100_000
"""A sample is at least so long: reading the clock (tens of nanoseconds) is then under a thousandth of it."""

MAX_REPEATS = 1000

WORKING_SHARE = 0.05
"""A thread worked when it used at least this share of the processor time of the busiest one."""


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """What a thread did since it started.

    Attributes:
        ran_ns: Processor time.
        waited_ns: How long it waited for a core while it could have run.
    """

    ran_ns: int
    waited_ns: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch shows.

    Attributes:
        samples: Durations of its samples, in nanoseconds.
        threads: How many threads worked.
        cores: On which cores they were allowed to.
        waited_ns: How long threads waited for a core, all together.
    """

    samples: tuple[int, ...]
    threads: int
    cores: tuple[int, ...]
    waited_ns: int


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """How one process measures.

    Attributes:
        batch_ns: Least duration of the timed part of a batch.
        cache_bytes: What the sets of buffers must exceed together.
    """

    batch_ns: int
    cache_bytes: int


RunRound = Callable[[int, int], Sequence[int]]
"""Runs so many times, going round the sets, for a number of rounds; gives the duration of each round."""


def set_count(set_bytes: int, cache_bytes: int) -> int:
    """Say how many sets of buffers are needed to leave the cache behind.

    Args:
        set_bytes: Bytes of one set, constants left out.
        cache_bytes: What all sets together must exceed.

    Returns:
        At least 2 where memory allows it, at most `MAX_SETS`.
    """
    size = max(1, set_bytes)
    wanted = max(2, -(-2 * cache_bytes // size))
    return max(1, min(wanted, MAX_SETS, MAX_SET_BYTES // size))


def copy_sets(arrays: Sequence[Array], rotated: Sequence[bool], count: int) -> list[list[Array]]:
    """Copy buffers for each set; those that are not rotated are shared by all.

    Args:
        arrays: The buffers of one set.
        rotated: Whether each of them gets a copy a set.
        count: Number of sets.

    Returns:
        The sets, aligned.
    """
    shared = [_copy(array) for array in arrays]
    return [
        [held if number == 0 or not turn else _copy(held) for held, turn in zip(shared, rotated, strict=True)]
        for number in range(count)
    ]


def _copy(array: Array) -> Array:
    held = aligned_zeros(array.shape, array.dtype)
    held[...] = array
    return held


class Batches:
    """Measures in batches.

    Attributes:
        runs: Kernel runs in each sample; known after `calibrate`.
    """

    def __init__(self, run_round: RunRound, sets: int, plan: BatchPlan) -> None:
        self.runs = sets
        self._run = run_round
        self._sets = sets
        self._plan = plan
        self._repeats = 1
        self._slow = False

    def calibrate(self) -> int:
        """Warm up, and settle how long a batch is.

        Returns:
            The duration of a single run, roughly.

        Raises:
            InternalError: When the clock does not move.
        """
        self._run(1, 1)
        single = self._run(1, 1)[0]
        if single < 1:
            raise InternalError(f"expected the duration of a run, found {single} ns")
        if single > SLOW_RUN_NS:
            # It does not gain from finding its small buffers in the cache, and needs no more warming up.
            self._slow = True
            self._sets = self.runs = 1
            return single
        self._sets = min(self._sets, max(2, self._plan.batch_ns // single))
        self._run(self._sets, 1)
        round_ns = max(1, min(self._run(self._sets, 3)))
        self.runs = self._sets * min(MAX_REPEATS, max(1, -(-SHORTEST_SAMPLE_NS // round_ns)))
        sample_ns = round_ns * self.runs // self._sets
        self._repeats = min(MAX_REPEATS, max(1, -(-self._plan.batch_ns // sample_ns)))
        return round_ns // self._sets

    def batch(self) -> Batch:
        """Measure one batch."""
        if not self._slow:
            self._run(self._sets, 1)  # what slept wakes up; beside a slow run that takes no time
        before = thread_uses()
        samples = tuple(int(ns) for ns in self._run(self.runs, self._repeats))
        after = thread_uses()
        working = working_threads(before, after)
        return Batch(samples, len(working), allowed_cores(working), waiting_time(before, after))


def call_rounds(call: Callable[[int], object], sets: int) -> RunRound:
    """Make a `RunRound` of a Python call for each set.

    Args:
        call: Runs on the set of a number.
        sets: How many sets there are.
    """

    def run(count: int, repeats: int) -> list[int]:
        samples = []
        for _ in range(repeats):
            start = time.perf_counter_ns()
            for number in range(count):
                call(number % sets)
            samples.append(time.perf_counter_ns() - start)
        return samples

    return run


def thread_uses(pid: int | str = "self") -> dict[int, ThreadUse]:
    """Give what each thread of a process has done.

    Args:
        pid: Which process; this one where nothing is said.
    """
    uses = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            text = (task / "schedstat").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):  # the thread ended meanwhile
            continue
        ran, waited, _ = text.split()
        uses[int(task.name)] = ThreadUse(int(ran), int(waited))
    return uses


def working_threads(before: Mapping[int, ThreadUse], after: Mapping[int, ThreadUse]) -> tuple[int, ...]:
    """List the threads that worked between two readings of `thread_uses`; at least one did."""
    idle = ThreadUse(0, 0)
    spent = {thread: use.ran_ns - before.get(thread, idle).ran_ns for thread, use in after.items()}
    most = max(spent.values(), default=0)
    working = tuple(t for t, used in spent.items() if used >= WORKING_SHARE * most and used > 0)
    return working or (os.getpid(),)


def waiting_time(before: Mapping[int, ThreadUse], after: Mapping[int, ThreadUse]) -> int:
    """Add up how long threads waited for a core between two readings of `thread_uses`."""
    idle = ThreadUse(0, 0)
    return sum(use.waited_ns - before.get(thread, idle).waited_ns for thread, use in after.items())


def allowed_cores(threads: Sequence[int]) -> tuple[int, ...]:
    """List the cores on which at least one of some threads may run."""
    cores: set[int] = set()
    for thread in threads:
        with suppress(ProcessLookupError):
            cores |= os.sched_getaffinity(thread)
    return tuple(sorted(cores))
