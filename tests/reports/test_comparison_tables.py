"""Comparisons as people and programs read them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import Golden
from tests.reports.support import make_rows
from tests.reports.test_comparisons import CORRECT, FAST, row

from edgekernelbench.reports.comparison_tables import (
    comparison_lines,
    comparisons_as_json,
    p_text,
    points,
)
from edgekernelbench.reports.comparisons import Comparison, compare_rows, pair_rows, rows_of
from edgekernelbench.reports.runs import read_attempts


@pytest.fixture
def compared(tmp_path: Path) -> tuple[Comparison, ...]:
    rows = {"one": ("direct-a", 1, {}), "two": ("direct-b", 8, {"k": 2}), "three": ("direct-c", 2, {})}
    runs = [
        replace(
            read_attempts(make_rows(tmp_path / name, {agent: row(good)}, settings=dict(settings))),
            folder=f"runs/{name}",
        )
        for name, (agent, good, settings) in rows.items()
    ]
    return compare_rows(pair_rows(rows_of(runs)), [CORRECT, FAST], speed_against="default")


def test_the_tables_are_golden(compared: tuple[Comparison, ...], golden: Golden) -> None:
    lines = comparison_lines(compared, seed=0)

    assert all(len(line) <= 80 for line in lines)
    golden("\n".join(lines))


def test_the_json_is_golden(compared: tuple[Comparison, ...], golden: Golden) -> None:
    golden(json.dumps(comparisons_as_json(compared, seed=0), indent=1, ensure_ascii=False))


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0"), (0.0667, "+6.7"), (-0.2, "-20.0")])
def test_points_have_a_sign(share: float, text: str) -> None:
    assert points(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0001, "<0.001"), (0.0312, "0.031"), (0.5, "0.50"), (1, "1.00")]
)
def test_p_values_are_short(value: float, text: str) -> None:
    assert p_text(value) == text
