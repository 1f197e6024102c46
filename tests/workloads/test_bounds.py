"""Redrawing sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.bounds import Span, redraw_sizes
from edgekernelbench.workloads.stream import Stream


@given(st.integers(1, 4000), st.integers(1, 64), st.integers(0, 10**6))
def test_a_drawn_size_is_allowed_and_near(value: int, step: int, seed: int) -> None:
    low = value % step or step
    span = Span(low, 5000, step)
    drawn = span.near(value, Stream(seed))

    assert isinstance(drawn, int)
    assert span.holds(drawn)
    assert abs(drawn - value) <= value / 4


def test_a_constant_moves_by_a_quarter_at_most_and_has_few_digits() -> None:
    drawn = {Span(-0.5, 0.5, None).near(-0.28, Stream(seed)) for seed in range(50)}

    assert len(drawn) > 40
    assert all(-0.35 <= value <= -0.21 and len(f"{value}") <= 7 for value in drawn)


def test_a_window_of_three_stays() -> None:
    assert {Span(1, 9, 1).near(3, Stream(seed)) for seed in range(20)} == {3}


def test_sizes_follow_from_those_that_are_drawn() -> None:
    sizes = {"T": "f32", "HQ": 40, "HK": 20, "HA": 80, "K": 3}
    bounds = {"HA": "HQ + 2 * HK", "HQ": [4, 60, 4], "HK": [4, 40]}
    drawn = redraw_sizes(sizes, bounds, Stream(3), "a/b")  # type: ignore[arg-type]

    assert drawn["HA"] == int(drawn["HQ"]) + 2 * int(drawn["HK"])
    assert (drawn["T"], drawn["K"]) == ("f32", 3)
    assert drawn != sizes


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"K": [4, 9]}, r"a/b: K: expected a value in \[4, 9\], found 3"),
        ({"K": "2 * Q"}, r"K: '2 \* Q' names a size that the pattern does not have"),
        ({"K": "2 *"}, r"K: expected a number, found '2 \*'"),
        ({"K": "k + 1"}, r"K: expected a number, found 'k \+ 1'"),
    ],
)
def test_wrong_bounds_are_named(bounds: dict[str, list[int | float] | str], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        redraw_sizes({"K": 3}, bounds, Stream(1), "a/b")
