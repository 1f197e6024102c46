"""Speeds of two agents, workload by workload."""

import math
from collections.abc import Sequence

import pytest

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.speed_difference import paired_speed
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Ring, Series, Unjudged


def timed(*ratios: float) -> Correct:
    """Make a kernel that is so many times as fast as the reference, in a set for each ratio."""

    def series(name: str, ns: float) -> Series:
        return Series(name, 1, (Nanoseconds(round(ns)),), 2)

    return Correct(tuple(Ring(series("kernel", 1e9), (series("default", 1e9 * r),)) for r in ratios))


def row(agent: str, **speeds: Sequence[Correct | Rejected]) -> list[Scored]:
    """Make attempts; `p_1` is workload 1 of pattern p."""
    return [
        Scored(agent, name, name.partition("_")[0], number, outcome)
        for name, outcomes in speeds.items()
        for number, outcome in enumerate(outcomes)
    ]


NO = Rejected(())


def test_the_ratio_is_the_geometric_mean_over_what_both_did_right() -> None:
    first = row("a", p_1=[timed(1.0)], p_2=[timed(2.0)], q_1=[NO], r_1=[timed(5.0)])
    second = row("b", p_1=[timed(2.0)], p_2=[timed(1.0)], q_1=[timed(9.0)], r_1=[timed(20.0)])
    found = paired_speed(first, second, "default")

    assert found is not None
    assert found.ratio == pytest.approx((2 * 0.5 * 4) ** (1 / 3))
    assert (found.workloads, found.patterns, found.faster, found.slower) == (3, 2, 2, 1)


def test_several_attempts_are_a_geometric_mean_and_not_the_best_of_them() -> None:
    first = row("a", p_1=[timed(1.0), timed(4.0), NO])
    found = paired_speed(first, row("b", p_1=[timed(3.0)]), "default")

    assert found is not None
    assert found.ratio == pytest.approx(1.5)


def test_the_interval_is_t_over_patterns() -> None:
    first = row("a", **{f"p{n}_1": [timed(1.0)] for n in range(3)})
    ratios = (1.5, 2.0, 3.0)
    second = row("b", **{f"p{n}_1": [timed(r)] for n, r in enumerate(ratios)})
    found = paired_speed(first, second, "default")

    logs = [math.log(r) for r in ratios]
    mean = sum(logs) / 3
    error = math.sqrt(sum((v - mean) ** 2 for v in logs) / 2 / 3)
    half = t_quantile(0.975, 2) * error
    assert found is not None
    assert (found.low, found.high) == pytest.approx((math.exp(mean - half), math.exp(mean + half)))
    assert found.p_value == 2 / 8


def test_workloads_of_one_pattern_are_no_further_evidence() -> None:
    def compared(each: int) -> tuple[float, float]:
        names = [f"p{n}_{w}" for n in range(6) for w in range(each)]
        second = {name: [timed(1.2 if int(name[1]) % 2 else 1.6)] for name in names}
        found = paired_speed(
            row("a", **{name: [timed(1.0)] for name in names}), row("b", **second), "default"
        )
        assert found is not None
        assert found.low is not None
        assert found.p_value is not None
        return found.low, found.p_value

    assert compared(1) == pytest.approx(compared(20))


def test_equal_differences_are_no_surer_than_their_measurement() -> None:
    first = row("a", **{f"p{n}_1": [timed(1.0)] for n in range(4)})
    second = row("b", **{f"p{n}_1": [timed(1.01)] for n in range(4)})
    found = paired_speed(first, second, "default")

    assert found is not None
    assert found.low is not None
    assert found.high is not None
    # Four processes a workload, four workloads: an error of 2.7 %, and t with three degrees of freedom.
    half = t_quantile(0.975, 3) * 0.027
    assert (found.low, found.high) == pytest.approx((1.01 * math.exp(-half), 1.01 * math.exp(half)))
    assert (found.faster, found.slower) == (0, 0)


def test_one_pattern_says_nothing_of_others_but_of_its_own_measurement() -> None:
    found = paired_speed(row("a", p_1=[timed(1.0)]), row("b", p_1=[timed(1.5)]), "default")

    assert found is not None
    assert (found.low, found.high, found.p_value) == (None, None, None)
    assert (found.faster, found.slower) == (1, 0)


def test_a_final_verdict_tells_small_differences_on_a_workload() -> None:
    one, two = timed(1.0, 1.001, 0.999, 1.0, 1.002), timed(1.03, 1.031, 1.029, 1.03, 1.032)
    found = paired_speed(row("a", p_1=[one]), row("b", p_1=[two]), "default")
    assert found is not None
    assert found.faster == 1
    found = paired_speed(row("a", p_1=[timed(1.0)]), row("b", p_1=[timed(1.03)]), "default")
    assert found is not None
    assert found.faster == 0


def test_turned_round_it_is_the_inverse() -> None:
    first = row("a", p_1=[timed(1.0)], q_1=[timed(2.0)], r_1=[timed(1.0)])
    second = row("b", p_1=[timed(1.5)], q_1=[timed(2.1)], r_1=[timed(0.5)])
    one, other = paired_speed(first, second, "default"), paired_speed(second, first, "default")

    assert one is not None
    assert other is not None
    assert one.low is not None
    assert other.high is not None
    assert one.ratio * other.ratio == pytest.approx(1)
    assert one.low * other.high == pytest.approx(1)
    assert one.p_value == other.p_value
    assert (one.faster, one.slower) == (other.slower, other.faster)


def test_while_an_attempt_is_unjudged_nothing_is_said() -> None:
    second = [
        *row("b", p_1=[timed(2.0)]),
        Scored("b", "p_1", "p", 1, Unjudged(Cause.MODEL, "")),
    ]
    assert paired_speed(row("a", p_1=[timed(1.0)]), second, "default") is None


@pytest.mark.parametrize("outcome", [NO, Correct(())], ids=["refused", "not timed"])
def test_nothing_that_both_did_right_is_no_difference(outcome: Correct | Rejected) -> None:
    assert paired_speed(row("a", p_1=[outcome]), row("b", p_1=[timed(2.0)]), "default") is None
    assert paired_speed(row("a", p_1=[timed(1.0)]), row("b", q_1=[timed(2.0)]), "default") is None
