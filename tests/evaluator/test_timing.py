"""The worker's side of timing."""

import os
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from edgekernelbench.evaluator.timing import (
    MAX_SET_BYTES,
    MAX_SETS,
    SHORTEST_SAMPLE_NS,
    Batches,
    BatchPlan,
    ThreadUse,
    call_rounds,
    copy_sets,
    set_count,
    thread_uses,
    waiting_time,
    working_threads,
)

CACHE = 2 << 20
PLAN = BatchPlan(batch_ns=1_000_000, cache_bytes=CACHE)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        pytest.param(1, MAX_SETS, id="tiny buffers"),
        pytest.param(64 << 10, 64, id="twice the cache"),
        pytest.param(8 << 20, 2, id="one set exceeds the cache"),
        pytest.param(MAX_SET_BYTES, 1, id="as much as there may be"),
    ],
)
def test_sets_of_buffers_leave_the_cache_behind(size: int, expected: int) -> None:
    assert set_count(size, CACHE) == expected


def test_constants_are_shared_and_everything_else_has_a_copy_a_set() -> None:
    x, w = np.arange(3), np.arange(4)

    sets = copy_sets([x, w], [True, False], 3)

    assert len({each[0].ctypes.data for each in sets}) == 3
    assert len({each[1].ctypes.data for each in sets}) == 1
    assert all(each[0].tolist() == [0, 1, 2] and each[0].ctypes.data % 64 == 0 for each in sets)


class Machine:
    """A kernel that takes a fixed time a run, by a clock of its own."""

    def __init__(self, run_ns: int) -> None:
        self.run_ns = run_ns
        self.calls: list[tuple[int, int]] = []

    def __call__(self, count: int, repeats: int) -> Sequence[int]:
        self.calls.append((count, repeats))
        return [self.run_ns * count] * repeats


def test_a_sample_is_long_enough_for_the_clock() -> None:
    batches = Batches(Machine(10), 256, PLAN)

    single = batches.calibrate()
    samples = batches.batch().samples

    assert single == 10
    assert all(s >= SHORTEST_SAMPLE_NS for s in samples)
    assert sum(samples) >= PLAN.batch_ns
    assert batches.runs % 256 == 0


def test_every_batch_starts_with_a_round_that_is_not_timed() -> None:
    machine = Machine(1000)
    batches = Batches(machine, 8, PLAN)
    batches.calibrate()
    machine.calls.clear()

    samples = batches.batch().samples

    assert machine.calls == [(8, 1), (batches.runs, len(samples))]


def test_a_slow_kernel_runs_on_one_set() -> None:
    machine = Machine(50_000_000)
    batches = Batches(machine, 8, PLAN)

    batches.calibrate()

    assert batches.runs == 1
    assert machine.calls == [(1, 1), (1, 1)]
    assert batches.batch().samples == (50_000_000,)


def test_calls_are_timed_on_every_set_in_turn() -> None:
    seen: list[int] = []

    samples = call_rounds(seen.append, 2)(3, 2)

    assert seen == [0, 1, 0, 0, 1, 0]
    assert len(samples) == 2


def test_threads_that_work_are_counted() -> None:
    stop = threading.Event()
    ready = threading.Barrier(3)

    def work() -> None:
        ready.wait()
        end = time.thread_time_ns() + 30_000_000
        while time.thread_time_ns() < end:
            pass
        stop.wait()

    threads = [threading.Thread(target=work) for _ in range(2)]
    idle = threading.Thread(target=stop.wait)
    for thread in (*threads, idle):
        thread.start()
    before = thread_uses()
    ready.wait()
    end = time.monotonic() + 10
    while len(working_threads(before, thread_uses())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    found = working_threads(before, thread_uses())
    stop.set()
    for thread in (*threads, idle):
        thread.join()

    assert len(found) in (2, 3)  # the waiting thread itself may have used a twentieth of the others' time


def test_time_spent_waiting_for_a_core_is_added_up_over_threads() -> None:
    before = {1: ThreadUse(100, 10), 2: ThreadUse(100, 10)}
    after = {1: ThreadUse(200, 15), 2: ThreadUse(100, 10), 3: ThreadUse(50, 7)}

    assert waiting_time(before, after) == 12


def test_a_batch_says_on_which_cores_it_could_run() -> None:
    batches = Batches(Machine(1000), 8, PLAN)
    batches.calibrate()

    assert set(batches.batch().cores) == os.sched_getaffinity(0)
