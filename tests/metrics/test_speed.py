"""Fast@p, by point and sure."""

import math
from fractions import Fraction

import pytest

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.speed import (
    fast_at_p,
    geometric_mean_speedup,
    log_speedup,
    sure_log_speedup,
)
from edgekernelbench.records.outcome import Cause, Correct, Fault, Outcome, Ring, Series, Unjudged, Wrong


def ring(kernel: int, baseline: int) -> Ring:
    def series(name: str, duration: int) -> Series:
        return Series(name, 10, tuple(Nanoseconds(d) for d in (duration, duration, duration + 1)), 2)

    return Ring(series("kernel", kernel), (series("default", baseline),))


def scored(workload: str, outcome: Outcome | Unjudged) -> Scored:
    return Scored("direct", workload, workload, 0, outcome)


WRONG = Wrong(Fault.VALUES, "output 0", "normal", 1, 2.0, "")


def test_the_speedup_is_the_ratio_of_medians() -> None:
    value = log_speedup([ring(100, 200)], "default")

    assert value == pytest.approx(math.log(2))


def test_a_gain_within_the_spread_of_processes_is_not_sure() -> None:
    attempts = [scored("a", Correct((ring(1000, 1040),)))]

    assert fast_at_p(attempts, 1.0, "default", sure=False) == 1
    assert fast_at_p(attempts, 1.0, "default", sure=True) == 0


def test_a_large_gain_from_one_child_is_sure() -> None:
    assert fast_at_p([scored("a", Correct((ring(1000, 1200),)))], 1.0, "default", sure=True) == 1


def test_five_agreeing_rings_make_a_small_gain_sure() -> None:
    rings = tuple(ring(1000, 1040 + n) for n in range(5))

    bound = sure_log_speedup(rings, "default")

    assert bound is not None
    assert 0 < bound < math.log(1.042)


def test_p_itself_is_not_faster_than_p() -> None:
    assert fast_at_p([scored("a", Correct((ring(1000, 1000),)))], 1.0, "default", sure=False) == 0


def test_wrong_attempts_stay_in_the_denominator() -> None:
    attempts = [scored("a", Correct((ring(100, 300),))), scored("b", WRONG)]

    assert fast_at_p(attempts, 2.0, "default", sure=False) == Fraction(1, 2)


def test_a_correct_attempt_without_times_leaves_fast_undefined() -> None:
    assert fast_at_p([scored("a", Correct(()))], 1.0, "default", sure=False) is None


def test_an_unjudged_attempt_leaves_fast_undefined() -> None:
    attempts = [scored("a", Unjudged(Cause.DEVICE, "lost")), scored("b", WRONG)]

    assert fast_at_p(attempts, 1.0, "default", sure=False) is None


def test_a_ring_without_the_baseline_has_no_ratio() -> None:
    assert log_speedup([ring(1, 1)], "vendor") is None


def test_a_threshold_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        fast_at_p([scored("a", WRONG)], 0.0, "default", sure=False)


def test_the_geometric_mean_says_over_how_many() -> None:
    attempts = [
        scored("a", Correct((ring(1000, 4000),))),
        scored("b", Correct((ring(1000, 1000),))),
        scored("c", WRONG),
    ]

    mean, size = geometric_mean_speedup(attempts, "default") or (0.0, 0)

    assert mean == pytest.approx(2.0)
    assert size == 2
