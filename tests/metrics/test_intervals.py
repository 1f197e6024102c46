"""Intervals by weighing whole patterns, and one that nobody saw."""

import random

import pytest

from edgekernelbench.metrics.intervals import clustered_interval, interval_of
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.success import correct_at_k
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged


def test_workloads_of_one_pattern_do_not_narrow_the_interval() -> None:
    few = {f"p{n}": [float(n % 2)] for n in range(10)}
    many = {name: values * 20 for name, values in few.items()}

    one, other = clustered_interval(few), clustered_interval(many)
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize(
    ("good", "patterns", "low", "high"),
    [
        (2, 2, 15.8, 100.0),
        (0, 2, 0.0, 84.2),
        (8, 10, 44.4, 97.5),
        (10, 10, 69.2, 100.0),
        (31, 31, 88.8, 100.0),
    ],
)
def test_one_attempt_a_pattern_gives_the_interval_of_clopper_and_pearson(
    good: int, patterns: int, low: float, high: float
) -> None:
    interval = clustered_interval({f"p{n}": [float(n < good)] for n in range(patterns)})

    assert interval is not None
    assert (100 * interval.low, 100 * interval.high) == pytest.approx((low, high), abs=2.0)


def test_a_better_score_never_has_a_lower_end_below_that_of_a_worse_one() -> None:
    ends = []
    for good in range(12):
        interval = clustered_interval({f"p{n}": [float(n < good)] for n in range(11)})
        assert interval is not None
        ends.append((interval.low, interval.high))
    assert ends == sorted(ends)


def test_no_difference_on_few_patterns_is_not_shown_as_certain() -> None:
    interval = clustered_interval({"p": [0.0], "q": [0.0], "r": [0.0]}, least=-1.0)

    assert interval is not None
    assert interval.low < -0.5
    assert interval.high > 0.5


def test_ninety_five_of_a_hundred_intervals_hold_the_truth_even_near_the_edge() -> None:
    chance = random.Random(5)  # noqa: S311
    held = 0
    for _ in range(200):
        # Workloads of a pattern share its chance of success, 90 % in the mean.
        values = {
            f"p{n}": [float(chance.random() < own) for _ in range(2)]
            for n in range(10)
            for own in [chance.betavariate(0.9, 0.1)]
        }
        interval = clustered_interval(values, resamples=200)
        assert interval is not None
        held += interval.low <= 0.9 <= interval.high
    assert held >= 190


def test_more_patterns_narrow_the_interval() -> None:
    def width(patterns: int) -> float:
        interval = clustered_interval({f"p{n}": [float(n % 2)] for n in range(patterns)})
        assert interval is not None
        return interval.high - interval.low

    assert width(200) < width(20) / 2


def test_the_same_seed_gives_the_same_interval() -> None:
    values = {f"p{n}": [float(n % 3 == 0)] for n in range(12)}

    assert clustered_interval(values, seed=4) == clustered_interval(values, seed=4)


def test_one_pattern_has_no_interval() -> None:
    assert clustered_interval({"p": [0.0, 1.0]}) is None


def test_the_interval_of_a_score_holds_the_score() -> None:
    attempts = [
        Scored("direct", f"w{n}", f"p{n // 2}", 0, Correct(()) if n % 2 else Rejected(())) for n in range(40)
    ]

    interval = interval_of(attempts, lambda group: correct_at_k(group, 1))

    assert interval is not None
    assert interval.low <= 0.5 <= interval.high
    assert interval.clusters == 20


def test_an_unknown_score_has_no_interval() -> None:
    attempts = [Scored("direct", f"w{n}", f"p{n}", 0, Unjudged(Cause.DISK, "")) for n in range(4)]

    assert interval_of(attempts, lambda group: correct_at_k(group, 1)) is None
