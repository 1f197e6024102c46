"""Rewrites of the compute layer keep values: exactly on integers."""

from collections.abc import Iterator

import numpy as np
import pytest
from tests.agents.policy.device import (
    CELL,
    CONV8,
    CONV16,
    DENSE8,
    DEVICE,
    NORM,
    assert_same_values,
    facts_of,
    values,
)
from tests.interp.texts import random_inputs

from edgekernelbench.agents.policy.rewrites.dots import dot_form, factor_of
from edgekernelbench.agents.policy.rewrites.widening import widened
from edgekernelbench.agents.policy.rewrites.windows import windows_apart
from edgekernelbench.agents.policy.writing import REWRITES, Rewritten, again
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Reduction
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload


def rewritten(text: str, name: str) -> Facts:
    made = REWRITES[name](Rewritten(facts_of(text)), DEVICE)
    assert made is not None
    return made.facts


@pytest.mark.parametrize("text", [DENSE8, CONV8], ids=["dense8", "conv8"])
def test_zero_points_are_taken_out_exactly(text: str) -> None:
    before, after = facts_of(text), rewritten(text, "dots")
    inputs = random_inputs(before.kernel, 3)
    for one, other in zip(values(before, inputs), values(after, inputs), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_sum_is_a_product_of_two_bare_reads_then() -> None:
    after = rewritten(DENSE8, "dots")
    acc = next(p.stage for p in placed_stages(after.kernel.compute) if p.stage.name == "acc")
    assert isinstance(acc.value, Reduction)
    product = acc.value.element
    assert isinstance(product, Binary)
    sides = [factor_of(product.left), factor_of(product.right)]
    assert [side is not None and side.zero for side in sides] == [0, 0]
    assert "acc_zero[n]: i32[32] = sum(w[n, k] * 3 for k in range(12))" in print_kernel(after.kernel)


def test_axes_are_padded_to_the_width_of_the_instruction() -> None:
    text = print_kernel(rewritten(CONV8, "dots").kernel)
    assert "acc[k, i, j]: i32[32, 4, 4]" in text
    assert "for c in range(4)" in text


def test_what_is_no_such_sum_stays() -> None:
    assert dot_form(facts_of(NORM), 16) is None
    assert dot_form(facts_of(DENSE8.replace("w: const[i8[32, 12]]", "w: i8[32, 12]")), 16) is None


def test_narrow_factors_are_widened_once() -> None:
    after = rewritten(CONV16, "widen")
    assert_same_values(facts_of(CONV16), after)
    text = print_kernel(after.kernel)
    assert "pad[c, i, j]: f32[4, 6, 6]" in text
    assert "pad[c, i + r, j + s] * w_f[k, c, r, s]" in text
    pad = next(p.stage for p in placed_stages(after.kernel.compute) if p.stage.name == "pad")
    assert pad.dtype is DType.F32


def test_what_is_read_seldom_is_not_widened() -> None:
    assert widened(facts_of(NORM)) is None


def test_what_is_new_stands_before_the_steps_that_read_it() -> None:
    after = rewritten(CELL, "widen")
    assert_same_values(facts_of(CELL), after)
    text = print_kernel(after.kernel)
    assert text.index("w_f[") < text.index("for t in range")


POOL = '''def pool(x: f32[2, 9, 11]):
    """Windows of 3 by 3, stride 2, nothing taken from outside."""

    with compute:
        out[c, i, j]: f32[2, 5, 6] = max(
            x[c, 2 * i + r - 1, 2 * j + s - 1] for r in range(3) for s in range(3)
            if 0 <= 2 * i + r - 1 < 9 and 0 <= 2 * j + s - 1 < 11)
        return out
'''
LONG = '''def long(x: i32[3, 60]):
    """Sums and maxima of windows of 17 and of 11."""

    with compute:
        total[c, i]: i32[3, 44] = sum(x[c, i + k] for k in range(17))
        top[c, i]: i32[3, 60] = max(x[c, i + k - 5] for k in range(11) if 0 <= i + k - 5 < 60)
        return total, top
'''
HALF = POOL.replace("f32", "f16").replace("max(", "min(")


@pytest.mark.parametrize("text", [POOL, LONG, HALF], ids=["pool", "long", "half"])
def test_windows_are_taken_apart_exactly(text: str) -> None:
    before, after = facts_of(text), rewritten(text, "windows")
    inputs = random_inputs(before.kernel, 4)
    for one, other in zip(values(before, inputs), values(after, inputs), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_window_of_two_axes_becomes_two_stages_and_a_long_one_two_steps() -> None:
    text = print_kernel(rewritten(POOL, "windows").kernel)
    assert "out_pad[" in text
    assert "out_row[" in text
    assert "for r in range(3) for s" not in text
    long = print_kernel(rewritten(LONG, "windows").kernel)
    assert "for total_u in range(4)" in long
    assert "total[c, i]: i32[3, 44] = total_part[c, i + 0]" in long


def test_rows_and_weighted_windows_are_left_alone() -> None:
    assert windows_apart(facts_of(NORM)) is None
    assert windows_apart(facts_of(CONV16)) is None


def applicable(name: str) -> Iterator[Workload]:
    """List workloads, one of each pattern, to which a rewrite applies."""
    seen: set[str] = set()
    for workload in load_catalogue().workloads:
        pattern = workload.id.partition("@")[0]
        narrow = any(kind in workload.id for kind in ("-i8", "-f16", "-bf16", "q8", "w8", "pool", "isp/"))
        if pattern not in seen and narrow:
            seen.add(pattern)
            made = REWRITES[name](Rewritten(verify(workload)), DEVICE)
            if made is not None:
                yield workload


def verify(workload: Workload) -> Facts:
    return again(workload.kernel())


@pytest.mark.parametrize("name", sorted(REWRITES))
def test_many_patterns_are_rewritten_and_proven(name: str) -> None:
    assert sum(1 for _ in applicable(name)) >= {"dots": 8, "widen": 20, "windows": 4}[name]
