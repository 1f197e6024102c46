"""Columns and numbers."""

import pytest

from edgekernelbench.reports.text import bytes_text, columns, counted, duration_text, percent, wrapped


@pytest.mark.parametrize(("count", "text"), [(0, "0 speeds"), (1, "1 speed"), (2, "2 speeds")])
def test_one_is_no_plural(count: int, text: str) -> None:
    assert counted(count, "speed") == text


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert columns([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc  d"]
    assert columns([["a", "bb"], ["ccc", "d"]], right=frozenset({1})) == ["a    bb", "ccc   d"]
    assert columns([]) == []


def test_an_undefined_share_is_a_dash_and_not_a_zero() -> None:
    assert (percent(None), percent(0.0), percent(0.125)) == ("–", "0.0 %", "12.5 %")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (300_000, "293 KiB"),
        (5 << 20, "5.00 MiB"),
        (3 << 30, "3.00 GiB"),
    ],
)
def test_sizes_have_three_digits(size: float, text: str) -> None:
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [(12, "12.0 ns"), (1_500, "1.50 µs"), (999_600, "1000 µs"), (21e6, "21.0 ms"), (3e9, "3.00 s")],
)
def test_durations_have_three_digits(ns: float, text: str) -> None:
    assert duration_text(ns) == text


def test_sentences_are_broken_at_80_and_indented() -> None:
    lines = wrapped("word " * 30)
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  word") for line in lines[1:])
    assert wrapped("x" * 100) == ["x" * 100]
