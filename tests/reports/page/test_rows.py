"""The rows of the page."""

import math

import pytest
from tests.reports.support import CRASHED, WRONG, correct, judgement, rejected

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.judgement import Judgement, Moment, RooflineRecord
from edgekernelbench.records.outcome import Correct, Outcome, Ring, Series
from edgekernelbench.reports.page.rows import NOT_YET, Known, drift, reason, row_of


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (rejected("C14"), "C14: no"),
        (WRONG, "output 0 on inputs 'normal': 3 wrong; at [0]: expected 1, found 2"),
        (CRASHED, "passed its deadline in phase run"),
        (correct(1, 2), ""),
        (NOT_YET, "the run has not come to it"),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_reason_is_one_sentence(outcome: Outcome, words: str) -> None:
    assert reason(outcome) == words


def test_a_device_that_slows_down_drifts() -> None:
    slow = Series("kernel", 1, tuple(Nanoseconds(n) for n in (100, 100, 110, 120, 130, 140)), 1)
    steady = Series("default", 1, tuple(Nanoseconds(n) for n in (50,) * 6), 1)
    assert drift((Ring(slow, ()),)) == pytest.approx(1.35)
    assert drift((Ring(slow, (steady,)),)) == pytest.approx(1.35**0.5)
    assert drift((Ring(steady, ()),)) == 1.0


def test_the_time_and_the_spread_of_the_reference_are_in_the_row() -> None:
    def timed(*references: int) -> Correct:
        rings = [ring for ns in references for ring in correct(50, ns).rings]
        return Correct(tuple(rings))

    def judged(outcome: Outcome) -> Known:
        made = judgement("a/conv/p@s-f32/0", "conv/p@s-f32", outcome)
        return Known(made.attempt, None, made, 0)

    row = row_of(judged(timed(100, 110)), {"a": 0}, "default", is_apart=True)
    assert row["reference_ns"] == pytest.approx((100 * 110) ** 0.5, rel=1e-4)
    assert row["spread"] == pytest.approx(math.log(1.1) / math.sqrt(2), rel=1e-3)
    assert row["apart"] is True
    alone = row_of(judged(timed(100)), {"a": 0}, "default")
    assert not {"spread", "apart"} & alone.keys()
    assert "reference_ns" not in row_of(judged(timed(100)), {"a": 0}, "r1")


def conditions(mhz: float, celsius: float, marks: tuple[str, ...]) -> Conditions:
    return Conditions(
        cores=(0,), mhz_low=mhz, mhz_high=3000.0, governor=None, celsius=celsius, throttled=None,
        stolen=None, load=None, waited=0.0, slowing=0.0, marks=marks, tries=1,
    )  # fmt: skip


def test_bounds_conditions_and_endurance_are_in_the_row() -> None:
    sets = (conditions(2000.0, 61.0, ()), conditions(1500.0, 75.5, ("clock",)))
    judgement = Judgement(
        attempt="a/conv/p@s-f32/0", workload="conv/p@s-f32", device="llvm", device_class="edge",
        compiler="tvm", threads=1, text=None, outcome=correct(50, 100), conditions=sets,
        roofline=RooflineRecord(memory_ns=10.0, compute_ns=20.0, launch_ns=1.0, working_set_bytes=64),
        sustained=tuple(
            Moment(at_ms=ms, per_run_ns=ns, mhz=None, celsius=None, held_back=None)
            for ms, ns in ((1000, 50), (60000, 100))
        ),
    )  # fmt: skip
    row = row_of(Known(judgement.attempt, None, judgement, 0), {"a": 0}, "default")
    assert (row["bound_ns"], row["bound_by"]) == (20.0, "arithmetic")
    assert (row["celsius"], row["mhz"], row["marks"]) == (75.5, 1500.0, ["clock"])
    assert row["held"] == [[1000, 1.0], [60000, 0.5]]
