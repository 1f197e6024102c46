"""References that took other times beside one kernel than beside others."""

import math

import pytest

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.references import apart_references, reference_time
from edgekernelbench.records.outcome import Ring, Series


def beside(*times: int, kernel: int = 1000) -> list[Ring]:
    """Measure a kernel in as many sets as there are times of the reference, in microseconds."""

    def series(name: str, us: int) -> Series:
        return Series(name, 1, (Nanoseconds(us * 1000),), 2)

    return [Ring(series("kernel", kernel), (series("default", us),)) for us in times]


def test_the_time_of_the_reference_is_the_mean_over_the_sets() -> None:
    assert reference_time(beside(400, 900), "default") == pytest.approx(600_000)
    assert reference_time(beside(400), "r1") is None
    assert reference_time([], "default") is None


def test_a_reference_that_is_the_faster_of_two_counts_with_its_own_time() -> None:
    (ring,) = beside(400)
    slower = Series("r1", 1, (Nanoseconds(500_000),), 2)
    assert reference_time([Ring(ring.kernel, (*ring.baselines, slower))], "r1") == pytest.approx(400_000)


def test_two_whose_references_differ_are_both_marked() -> None:
    assert apart_references([beside(400), beside(900)], "default") == (True, True)
    # One set says nothing of others: the known spread between processes allows 7.8 %.
    assert apart_references([beside(1000), beside(1070)], "default") == (False, False)
    assert apart_references([beside(1000), beside(1090)], "default") == (True, True)
    assert math.exp(1.96 * 0.027 * math.sqrt(2)) == pytest.approx(1.078, abs=1e-3)


def test_only_the_one_that_stands_apart_is_marked() -> None:
    assert apart_references([beside(400), beside(410), beside(900)], "default") == (False, False, True)
    two_and_two = [beside(us) for us in (400, 405, 900, 905)]
    assert apart_references(two_and_two, "default") == (True,) * 4


def test_several_sets_tell_smaller_differences() -> None:
    quiet, near = beside(1000, 1002, 1001, 999, 1000), beside(1030, 1031, 1029, 1030, 1032)
    assert apart_references([quiet, near], "default") == (True, True)
    restless = beside(1000, 1090, 1050, 960, 1010)
    assert apart_references([restless, near], "default") == (False, False)


def test_the_speed_of_the_kernel_does_not_matter() -> None:
    assert apart_references([beside(400, kernel=10), beside(401, kernel=9000)], "default") == (False, False)


def test_what_was_not_timed_differs_from_nothing() -> None:
    assert apart_references([beside(400), [], beside(900)], "default") == (True, False, True)
    assert apart_references([beside(400)], "default") == (False,)
    assert apart_references([], "default") == ()
