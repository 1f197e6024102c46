"""How many judges there are of a device of this machine."""

import os

from edgekernelbench.evaluator.devices import open_judges


def test_where_nothing_is_timed_each_core_has_a_judge() -> None:
    with open_judges("llvm", "null", timed=False) as judges:
        assert judges.size == len(os.sched_getaffinity(0))
    with open_judges("llvm", "null", timed=False, at_most=1) as judges:
        assert judges.size == 1


def test_what_is_timed_has_the_device_for_itself() -> None:
    with open_judges("llvm", "null") as judges:
        assert judges.size == 1
