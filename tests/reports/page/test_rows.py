"""The rows of the page."""

import pytest
from tests.reports.support import CRASHED, WRONG, correct, rejected

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.outcome import Outcome, Ring, Series
from edgekernelbench.reports.page.rows import NOT_YET, drift, reason


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
