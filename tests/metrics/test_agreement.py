"""Two measurements of one kernel."""

import math
import random

import pytest

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.agreement import LEAST_SPREAD, speed_agreement
from edgekernelbench.metrics.speed import PROCESS_SPREAD
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.records.outcome import Ring, Series


def rings(*ratios: float) -> list[Ring]:
    def series(name: str, ns: float) -> Series:
        return Series(name, 1, (Nanoseconds(round(ns)),), 2)

    return [Ring(series("kernel", 1_000_000_000), (series("default", 1_000_000_000 * r),)) for r in ratios]


def test_one_set_is_held_to_the_known_spread_between_processes() -> None:
    found = speed_agreement(rings(2.0), rings(2.1), "default")

    assert found is not None
    assert (found.stored, found.repeated) == pytest.approx((2.0, 2.1))
    assert found.apart == pytest.approx(math.log(1.05))
    assert found.allowed == pytest.approx(1.95996 * 2 * PROCESS_SPREAD, rel=1e-4)
    assert found.agrees


def test_several_sets_give_an_interval_of_their_own() -> None:
    one, two = (1.0, 1.05, 0.95, 1.02, 0.98), (1.1, 1.15, 1.05, 1.12, 1.08)
    found = speed_agreement(rings(*one), rings(*two), "default")

    assert found is not None
    logs = [[math.log(r) for r in side] for side in (one, two)]
    means = [sum(side) / 5 for side in logs]
    squares = sum((v - m) ** 2 for side, m in zip(logs, means, strict=True) for v in side)
    assert found.allowed == pytest.approx(t_quantile(0.975, 8) * math.sqrt(squares / 8 * 2 / 5), rel=1e-6)
    assert not found.agrees


def test_sets_that_happen_to_agree_are_held_to_the_least_known_spread() -> None:
    found = speed_agreement(rings(*[1.0] * 5), rings(*[1.01] * 5), "default")

    assert found is not None
    assert found.allowed == pytest.approx(t_quantile(0.975, 8) * LEAST_SPREAD * math.sqrt(2 * 2 / 5))
    assert found.agrees


def test_the_more_are_compared_the_more_is_allowed() -> None:
    alone, many = (speed_agreement(rings(1), rings(1), "default", together=n) for n in (1, 650))
    assert alone is not None
    assert many is not None
    assert 1.5 * alone.allowed < many.allowed < 3 * alone.allowed


def test_of_honest_runs_one_in_twenty_disagrees_anywhere() -> None:
    chance = random.Random(3)  # noqa: S311
    sd = 0.02 * math.sqrt(2)

    def measured() -> list[Ring]:
        return rings(*(math.exp(chance.gauss(0, sd)) for _ in range(5)))

    runs = 200
    disagreeing = 0
    for _ in range(runs):
        found = [speed_agreement(measured(), measured(), "default", together=10) for _ in range(10)]
        disagreeing += any(f is not None and not f.agrees for f in found)

    # 10 are expected, with a standard deviation of 3.1.
    assert disagreeing <= 10 + 3 * 3.1


@pytest.mark.parametrize(("stored", "repeated"), [([], rings(1)), (rings(1), [])])
def test_what_was_not_timed_is_not_compared(stored: list[Ring], repeated: list[Ring]) -> None:
    assert speed_agreement(stored, repeated, "default") is None
    assert speed_agreement(rings(1), rings(1), "vendor") is None
