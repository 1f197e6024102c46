"""Random legal schedules and memory layers never change a value."""

import random

import pytest
from tests.interp.texts import SMALL
from tests.nest.random_schedules import Growing
from tests.nest.running import TARGETS, assert_right, bare, nest_of, profile_of, text_at

QUICK = (
    "argmax_rows", "biquad_cascade", "conv3x3_bias_relu", "cumsum_blocked", "decode_attention",
    "farthest_point_sampling", "matmul", "nms", "softmax", "softmax_online", "topk",
)  # fmt: skip
STEPS = 25


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", QUICK)
def test_a_random_schedule_computes_the_same(name: str, target: str) -> None:
    assert_random(name, target, seed=1, steps=STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 4))
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SMALL)
def test_a_longer_random_schedule_computes_the_same(name: str, target: str, seed: int) -> None:
    assert_random(name, target, seed=seed, steps=2 * STEPS)


def assert_random(name: str, target: str, *, seed: int, steps: int) -> None:
    """Grow a schedule from nothing and run the nest."""
    rng = random.Random(f"{seed} {name} {target}")  # noqa: S311 - no secret
    growing = Growing(bare(text_at(name, "small")), target, profile_of(target), rng)
    facts = growing.grow(steps)
    assert_right(facts, nest_of(facts, target))
