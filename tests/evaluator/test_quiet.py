"""Measure until the machine was quiet: workers that follow a script, on fake trees of `/sys` and `/proc`."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.quiet import Measured, crowd, is_hopeless, measure_quietly
from edgekernelbench.evaluator.ring import Lost, Timed, TimingPlan
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.telemetry import read_telemetry
from edgekernelbench.records.outcome import Cause, Ring, Series, Unjudged

PLAN = TimingPlan(batches=4, tries=3, settle_ns=0)
LIMITS = Limits(deadline_s=20.0, memory_bytes=512 << 20, files=64)
CORES = (0, 1)
RATE = "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
COUNT = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"


@dataclass
class Bench:
    """Measures workers that follow scripts, the kernel first, on a machine that shows a tree of files."""

    supervisor: Supervisor
    root: Path

    def show(self, name: str, text: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
        return str(path)

    def measure(self, *scripts: Sequence[dict[str, Any]]) -> Measured | Lost:
        with ExitStack() as stack:
            things = []
            for number, script in enumerate(scripts):
                worker = self.supervisor.start(
                    "follow_a_script", {"script": script}, folder=self.supervisor.folder(), limits=LIMITS
                )
                stack.enter_context(worker)
                things.append(Timed("default" if number else "kernel", worker, patience_s=5.0))
            return measure_quietly(things, PLAN, CORES, lambda: read_telemetry(CORES, self.root))


@pytest.fixture
def bench(supervisor: Supervisor, tmp_path: Path) -> Bench:
    return Bench(supervisor, tmp_path)


def batch(ns: int = 1000, **more: object) -> dict[str, Any]:
    return {"samples": [ns, ns], "threads": 2, "cores": [0, 1], "waited_ns": 0, **more}


QUIET = [batch() for _ in range(PLAN.batches)]


def measured(found: Measured | Lost) -> Measured:
    assert isinstance(found, Measured)
    return found


def test_a_quiet_machine_is_measured_once(bench: Bench) -> None:
    found = measured(bench.measure(QUIET, QUIET))

    assert found.conditions.marks == ()
    assert found.conditions.tries == 1
    assert found.ring.kernel.samples == (Nanoseconds(1000),) * 8


def test_a_clock_that_slows_down_marks_the_measurement(bench: Bench) -> None:
    slower = [batch(1000 + 100 * n) for n in range(PLAN.batches)]

    found = measured(bench.measure(slower * PLAN.tries, slower * PLAN.tries))

    assert found.conditions.marks == ("slowing",)
    assert found.conditions.slowing == pytest.approx(1250 / 1050 - 1)
    assert found.conditions.tries == PLAN.tries


def test_a_kernel_that_alone_slows_down_is_its_own_affair(bench: Bench) -> None:
    slower = [batch(1000 + 100 * n) for n in range(PLAN.batches)]

    assert measured(bench.measure(slower, QUIET)).conditions.marks == ()


def test_what_was_disturbed_is_measured_again_and_the_quiet_try_counts(bench: Bench) -> None:
    loaded = [batch(5000, waited_ns=900) for _ in range(PLAN.batches)]

    found = measured(bench.measure([*loaded, *QUIET], [*QUIET, *QUIET]))

    assert (found.conditions.marks, found.conditions.tries) == ((), 2)
    assert set(found.ring.kernel.samples) == {1000}


def test_of_disturbed_tries_the_one_that_waited_least_counts(bench: Bench) -> None:
    tries = [
        [batch(ns, waited_ns=waited)] * PLAN.batches for ns, waited in ((1000, 900), (1001, 200), (1002, 600))
    ]

    found = measured(bench.measure([b for each in tries for b in each], QUIET * 3))

    assert (found.conditions.marks, found.conditions.tries) == (("load",), 3)
    assert found.conditions.waited == pytest.approx(200 / 2002)
    assert set(found.ring.kernel.samples) == {1001}


def test_a_clock_rate_that_falls_is_seen_where_the_machine_shows_it(bench: Bench) -> None:
    path = bench.show(RATE, "2000000")
    bench.show("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil")
    falling = [batch(files={path: f"{2_000_000 - 200_000 * n}"}) for n in range(PLAN.batches)]

    conditions = measured(bench.measure(falling * PLAN.tries, QUIET * PLAN.tries)).conditions

    assert (conditions.mhz_low, conditions.mhz_high) == (1400.0, 2000.0)
    assert conditions.governor == "schedutil"
    assert conditions.marks == ("clock",)


def test_the_rate_before_the_first_batch_does_not_count(bench: Bench) -> None:
    path = bench.show(RATE, "600000")
    risen = [batch(files={path: "2000000"}), *QUIET[1:]]

    conditions = measured(bench.measure(risen, QUIET)).conditions

    assert (conditions.mhz_low, conditions.marks) == (2000.0, ())


def test_a_count_of_throttling_that_rises_is_seen(bench: Bench) -> None:
    path = bench.show(COUNT, "7")
    hot = [batch(files={path: "9"}), *QUIET[1:]]

    conditions = measured(bench.measure([*hot, *QUIET], QUIET * 2)).conditions

    assert (conditions.throttled, conditions.marks, conditions.tries) == (0, (), 2)


def test_stolen_time_is_seen(bench: Bench) -> None:
    path = bench.show("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0")
    robbed = [batch(files={path: f"cpu0 {100 + 9 * n} 0 0 0 0 0 0 {n} 0 0"}) for n in range(1, 5)]

    conditions = measured(bench.measure([*robbed, *QUIET], QUIET * 2)).conditions

    assert (conditions.stolen, conditions.tries) == (0.0, 2)


def test_time_that_is_stolen_again_and_again_is_stored(bench: Bench) -> None:
    path = bench.show("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0")
    robbed = [batch(files={path: f"cpu0 {100 + 9 * n} 0 0 0 0 0 0 {n} 0 0"}) for n in range(1, 13)]

    conditions = measured(bench.measure(robbed, QUIET * 3)).conditions

    assert conditions.stolen == pytest.approx(0.1)
    assert conditions.marks == ("stolen",)


def test_a_process_on_other_cores_is_named(bench: Bench) -> None:
    pinned = [batch(cores=[0]) for _ in range(PLAN.batches)]

    found = measured(bench.measure(QUIET, pinned))

    assert crowd(found, 2) == Unjudged(Cause.LOAD, "default could use cores 0, 0, 1 were stated")


def test_more_threads_than_stated_are_named(bench: Bench) -> None:
    found = measured(bench.measure(QUIET, QUIET))

    assert crowd(found, 2) is None
    assert crowd(found, 1) == Unjudged(Cause.LOAD, "kernel used 2 threads, 1 were stated")


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"samples": []}, id="no samples"),
        pytest.param({"samples": [0]}, id="no time"),
        pytest.param({"samples": [True]}, id="no number"),
        pytest.param({"threads": "2"}, id="no number of threads"),
        pytest.param({"cores": None}, id="no cores"),
        pytest.param({"waited_ns": None}, id="no time of waiting"),
    ],
)
def test_an_answer_that_no_batch_gives_is_a_loss(bench: Bench, wrong: dict[str, object]) -> None:
    assert isinstance(bench.measure([batch() | wrong], QUIET), Lost)


def ring(kernel: int, **baselines: int) -> Ring:
    def series(name: str, ns: int) -> Series:
        return Series(name, 1, (Nanoseconds(ns),), 1)

    return Ring(series("kernel", kernel), tuple(series(n, ns) for n, ns in baselines.items()))


@pytest.mark.parametrize(
    ("rings", "expected"),
    [
        pytest.param([ring(300, default=100)], False, id="one ring is not enough"),
        pytest.param([ring(300, default=100)] * 2, True, id="three times as slow, twice"),
        pytest.param([ring(300, default=100), ring(190, default=100)], False, id="not sure"),
        pytest.param([ring(300, default=100, vendor=200)] * 2, False, id="near one baseline"),
        pytest.param([ring(300, default=100, vendor=120)] * 2, True, id="far behind both"),
        pytest.param([ring(300)] * 2, False, id="nothing to compare with"),
    ],
)
def test_a_kernel_far_behind_every_baseline_is_measured_no_further(rings: list[Ring], expected: bool) -> None:
    assert is_hopeless(rings) is expected
