"""The tables of "What can be told apart" are computed, and by the test of `ekb compare`."""

from types import ModuleType

import numpy as np
import pytest
from tests.docs.pages import DOCS
from tests.programs import load_benchmark

from edgekernelbench.metrics.randomization import flip_p_value
from edgekernelbench.metrics.speed import PROCESS_SPREAD

PAGE = (DOCS / "explanation" / "power.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def power() -> ModuleType:
    return load_benchmark("power")


def test_rows_of_both_tables_are_what_is_computed(power: ModuleType) -> None:
    assert power.agent_row("quick", 0, 1) in PAGE
    assert power.agent_row("agent", 0, 3) in PAGE
    assert power.speed_row(PROCESS_SPREAD, 5) in PAGE


def test_every_row_is_there(power: ModuleType) -> None:
    rows = [line for line in PAGE.splitlines() if line.endswith(" % |")]
    assert len(rows) == len(power.SUBSETS) * len(power.ATTEMPTS) + len(power.SPREADS) * len(power.SETS)


def test_its_p_values_are_those_of_compare(power: ModuleType) -> None:
    random = np.random.default_rng(1)
    sums = random.integers(-3, 5, (20, 30))

    found = power.p_values(sums, random)

    for row, value in zip(sums, found, strict=True):
        exact = flip_p_value([int(v) for v in row])
        assert value == pytest.approx(exact, abs=4 * (exact * (1 - exact) / power.FLIPS) ** 0.5 + 0.004)


def test_the_spreads_of_the_page_are_those_of_the_program(power: ModuleType) -> None:
    text = " ".join(PAGE.split())
    assert f"(standard deviation {power.PATTERN_SD})" in text
    assert f"workloads of a pattern ({power.WORKLOAD_SD}), the same" in text
    assert f"this pattern ({power.AGENT_SD})" in text
