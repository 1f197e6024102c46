"""Columns and numbers."""

from edgekernelbench.reports.text import columns, percent


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert columns([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc  d"]
    assert columns([["a", "bb"], ["ccc", "d"]], right=frozenset({1})) == ["a    bb", "ccc   d"]
    assert columns([]) == []


def test_an_undefined_share_is_a_dash_and_not_a_zero() -> None:
    assert (percent(None), percent(0.0), percent(0.125)) == ("–", "0.0 %", "12.5 %")
