"""P-values by turning patterns round."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgekernelbench.metrics.randomization import DRAWS, flip_p_value, holm


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        ((), 1.0),
        ((0, 0, 0), 1.0),
        ((1,), 1.0),
        ((1, 1, 1), 2 / 8),
        ((1, 1, 1, 1, 1), 2 / 32),
        ((3, 1, 1), 2 / 8),
        ((3, -1, 1), 6 / 8),
        ((1, -1), 1.0),
    ],
)
def test_a_few_patterns_are_tried_in_every_way(sums: tuple[int, ...], expected: float) -> None:
    assert flip_p_value(sums) == expected


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=8))
def test_it_is_the_share_of_all_choices_of_signs(sums: list[int]) -> None:
    ways = list(product((1, -1), repeat=len(sums)))
    far = sum(abs(sum(s * v for s, v in zip(w, sums, strict=True))) >= abs(sum(sums)) for w in ways)

    assert flip_p_value(sums) == pytest.approx(far / len(ways))
    assert flip_p_value(sums) == flip_p_value([-v for v in sums])


def test_many_patterns_are_drawn_and_the_seed_decides() -> None:
    chance = random.Random(1)  # noqa: S311
    sums = [chance.choice((-1, 0, 1, 1)) for _ in range(60)]

    values = {flip_p_value(sums, seed=seed) for seed in range(3)}

    assert flip_p_value(sums, seed=1) == flip_p_value(sums, seed=1)
    assert max(values) - min(values) < 0.02
    assert flip_p_value([1] * 60) == 1 / (1 + DRAWS)


def test_where_nothing_differs_one_in_twenty_is_below_a_twentieth() -> None:
    chance = random.Random(2)  # noqa: S311
    trials = 200
    below = sum(
        flip_p_value([chance.choice((-2, -1, 1, 2)) for _ in range(10)]) < 0.05 for _ in range(trials)
    )

    # 10 are expected, with a standard deviation of 3.1.
    assert below <= 10 + 3 * 3.1


@pytest.mark.parametrize(
    ("given_values", "expected"),
    [
        ((), ()),
        ((0.04,), (0.04,)),
        ((0.01, 0.04), (0.02, 0.04)),
        ((0.04, 0.03), (0.06, 0.06)),
        ((0.9, 0.5, 0.001), (1.0, 1.0, 0.003)),
    ],
)
def test_several_p_values_are_corrected_for_their_number(
    given_values: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    assert holm(given_values) == pytest.approx(expected)
