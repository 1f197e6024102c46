"""Groups taken apart, and groups computed along slanted lines."""

import pytest
from tests.interp.comparing import assert_same
from tests.interp.texts import facts_of, random_inputs, verified

from edgekernelbench.interp.arithmetic import Precision
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.groups import stages_in, taken_apart
from edgekernelbench.interp.scalar import evaluate_scalar
from edgekernelbench.interp.wavefront import slant_of
from edgekernelbench.ir.compute import Ordered, Stage
from edgekernelbench.verify.facts import Facts


def group_of(facts: Facts) -> Ordered:
    return next(item for item in facts.kernel.compute.items if isinstance(item, Ordered))


def apart(name: str) -> list[list[str]]:
    return [[stage.name for stage in stages_in(item)] for item in taken_apart(group_of(facts_of(name)))]


def test_only_stages_that_need_each_other_stay_together() -> None:
    assert apart("lstm") == [["ph", "z", "c", "h"]]
    assert apart("biquad_cascade") == [["y"], ["out"]]
    assert apart("topk") == [["taken", "idx"], ["val"]]
    assert apart("softmax_online") == [["bmax"], ["top"], ["bsum"], ["den"]]


def test_what_stands_alone_is_an_ordinary_stage() -> None:
    items = taken_apart(group_of(facts_of("softmax_online")))
    assert [isinstance(item, Stage) for item in items] == [True, False, True, False]


def nested(*stages: str) -> Facts:
    body = "".join(f"                {stage}\n" for stage in stages)
    return verified(
        "def k(x: f32[20, 20], c: i32[20] in range(20)):\n    with compute:\n        for i in range(20):\n"
        f"            for j in range(20):\n{body}        return d\n"
    )


D = "d[i, j]: f32[20, 20] = x[i, j] + "
LEFT, UP = "(d[i, j - 1] if j > 0 else 0.5)", "(d[i - 1, j] if i > 0 else 0.25)"
UP_LEFT = "(d[i - 1, j - 1] if i > 0 and j > 0 else 2.0)"
UP_RIGHT = "(d[i - 1, j + 1] if i > 0 and j < 19 else 1.0)"


@pytest.mark.parametrize(
    ("stage", "factor"),
    [
        (f"{D}min({LEFT}, {UP}, {UP_LEFT})", 1),
        (f"{D}x[19 - i, c[i]] + 0.5 * {LEFT} - 0.5 * {UP}", 1),
        (f"{D}min({LEFT}, {UP_RIGHT})", 2),
        (f"{D}min({LEFT}, {UP_LEFT})", 0),
        ("d[j, i]: f32[20, 20] = min(d[j - 1, i] if j > 0 else 1.0, d[j, i - 1] if i > 0 else x[i, j])", 1),
        (
            "d[i, n, j]: f32[20, 3, 20] = x[i, j] * f32(n) + 0.5 * (d[i, 2 - n, j - 1] if j > 0 else 1.0)"
            " + (d[i - 1, n, j] if i > 0 else 0.0)",
            1,
        ),
    ],
)
def test_neighbours_at_fixed_distances_are_computed_along_lines(stage: str, factor: int) -> None:
    facts = nested(stage)
    slant = slant_of(group_of(facts))
    assert slant is not None
    assert slant.factor == factor
    assert_right(facts)


def test_stages_of_one_group_share_their_lines() -> None:
    facts = nested(
        f"e[i, j]: f32[20, 20] = x[i, j] + 0.5 * {UP}",
        f"d[i, j]: f32[20, 20] = e[i, j] - 0.25 * {LEFT} + (e[i - 1, j] if i > 0 else 0.0)",
    )
    slant = slant_of(group_of(facts))
    assert slant is not None
    assert slant.lines == 39
    assert_right(facts)


def assert_right(facts: Facts) -> None:
    inputs = random_inputs(facts.kernel)
    precisions: tuple[Precision, ...] = ("reference", "declared")
    for precision in precisions:
        (found,), (expected,) = evaluate(facts, inputs, precision), evaluate_scalar(facts, inputs, precision)
        assert_same(found, expected)


@pytest.mark.parametrize(
    "value",
    [
        "(d[i - 1, c[i]] if i > 0 else 0.0)",
        "(d[i - 1, j // 2] if i > 0 else 0.0)",
        "(d[i - 1, 19 - j] if i > 0 else 0.0)",
    ],
)
def test_other_reads_are_computed_step_by_step(value: str) -> None:
    facts = nested(f"{D}{LEFT} + {value}")
    assert slant_of(group_of(facts)) is None
    assert_right(facts)


def test_texts_with_neighbours_have_lines() -> None:
    dtw = slant_of(group_of(facts_of("dtw", full=True)))
    assert dtw is not None
    assert dtw.lines == 511
    assert slant_of(group_of(facts_of("dtw"))) is None, "a few elements do not pay"
