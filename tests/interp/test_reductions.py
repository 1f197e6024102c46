"""Reductions of nothing, of equals, under conditions; and each way to compute one."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.interp.comparing import assert_same
from tests.interp.texts import facts_of, random_inputs, verified

from edgekernelbench.interp import contracting, scattering, sparse
from edgekernelbench.interp.evaluate import BLOCK, evaluate
from edgekernelbench.interp.frame import make_frame
from edgekernelbench.interp.memory import Memory
from edgekernelbench.interp.scalar import evaluate_scalar
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.verify.facts import Facts

INF = float("inf")


def one_stage(signature: str, stage: str) -> Facts:
    name = stage.split("[", maxsplit=1)[0].split(":", maxsplit=1)[0]
    return verified(f"def k({signature}):\n    with compute:\n        {stage}\n        return {name}\n")


def everywhere(facts: Facts, **inputs: NDArray[Any]) -> NDArray[Any]:
    """Evaluate in one block and in many, in both precisions, beside the literal evaluator."""
    results = []
    for precision in ("reference", "declared"):
        (expected,) = evaluate_scalar(facts, inputs, precision)
        for block in (BLOCK, 40, 1):
            (found,) = evaluate(facts, inputs, precision, block=block)
            assert_same(found, expected)
            results.append(found)
    return results[0]


@pytest.mark.parametrize(
    ("kind", "dtype", "expected"),
    [
        ("sum", "f32", 0),
        ("prod", "f32", 1),
        ("max", "f32", -INF),
        ("min", "f32", INF),
        ("sum", "i32", 0),
        ("prod", "i32", 1),
        ("max", "i32", -(2**31)),
        ("min", "i32", 2**31 - 1),
        ("max", "u8", 0),
        ("min", "u8", 255),
        ("any", "bool", False),
        ("all", "bool", True),
        ("argmax", "i32", -1),
        ("argmin", "i32", -1),
    ],
)
def test_a_reduction_of_nothing(kind: str, dtype: str, expected: float) -> None:
    element = "x[j] > 0" if dtype == "bool" else "x[j]"
    facts = one_stage(
        f"x: {'f32' if dtype == 'bool' else dtype}[3], c: bool[3]",
        f"out[i]: {dtype}[3] = {kind}({element} for j in range(3) if c[i])",
    )
    x = np.zeros(3, {"bool": "float32", "f32": "float32", "i32": "int32", "u8": "uint8"}[dtype])
    found = everywhere(facts, x=x, c=np.array([False, True, False]))
    assert found[0] == expected
    assert found[2] == expected


@pytest.mark.parametrize(("kind", "expected"), [("argmax", [1, 0, 4]), ("argmin", [0, 0, 0])])
def test_the_first_of_equals_wins(kind: str, expected: list[int]) -> None:
    x = np.array([[1, 5, 5, 1, 5], [2, 2, 2, 2, 2], [0, 1, 2, 3, 4]], np.float32)
    facts = one_stage("x: f32[3, 5]", f"out[i]: i32[3] = {kind}(x[i, j] for j in range(5))")
    assert everywhere(facts, x=x).tolist() == expected


def test_the_place_counts_row_by_row_over_all_fors() -> None:
    x = np.zeros((2, 3, 4), np.float32)
    x[0, 2, 1], x[1, 1, 3] = 1, 1
    facts = one_stage(
        "x: f32[2, 3, 4]", "out[i]: i32[2] = argmax(x[i, j, k] for j in range(3) for k in range(4))"
    )
    assert everywhere(facts, x=x).tolist() == [9, 7]


def test_what_is_not_allowed_never_wins_not_even_against_the_worst() -> None:
    x = np.array([[3, -INF, -INF], [3, 2, 1], [-INF, 5, 5]], np.float32)
    c = np.array([[False, True, True], [False, False, False], [True, False, False]])
    facts = one_stage(
        "x: f32[3, 3], c: bool[3, 3]", "out[i]: i32[3] = argmax(x[i, j] for j in range(3) if c[i, j])"
    )
    assert everywhere(facts, x=x, c=c).tolist() == [1, -1, 0]


def test_a_range_need_not_start_at_zero() -> None:
    facts = one_stage("x: i32[9]", "out: i32 = sum(x[k] * k for k in range(3, 7))")
    x = np.arange(9, dtype=np.int32)
    assert everywhere(facts, x=x) == sum(k * k for k in range(3, 7))


def test_conditions_guard_what_stands_behind_them() -> None:
    facts = one_stage(
        "x: f32[5]",
        "out[i]: f32[5] = sum(x[i - k] for k in range(4) if k <= i if x[i - k] > 0.0)",
    )
    x = np.array([1, -2, 3, -4, 5], np.float32)
    expected = [sum(max(float(x[i - k]), 0) for k in range(4) if k <= i) for i in range(5)]
    assert everywhere(facts, x=x).tolist() == expected


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i8", "u32", "i64"])
@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min", "argmax", "argmin"])
def test_every_type_reduces(kind: str, dtype: str) -> None:
    out = "i32" if kind.startswith("arg") or (dtype == "i8" and kind in ("sum", "prod")) else dtype
    for rows in (2, 80):  # with few and with many elements the fold runs along different dimensions
        facts = one_stage(
            f"x: {dtype}[{rows}, 6]", f"out[i]: {out}[{rows}] = {kind}(x[i, j] for j in range(6))"
        )
        everywhere(facts, **random_inputs(facts.kernel))


def chosen(facts: Facts, name: str, precision: str = "reference", block: int = BLOCK) -> str:
    """Say which way a stage is computed."""
    memory = Memory("reference" if precision == "reference" else "declared", block)
    stage = next(p.stage for p in placed_stages(facts.kernel.compute) if p.stage.name == name)
    for placed in placed_stages(facts.kernel.compute):
        memory.declare(placed.stage, growing=False)
    frame = make_frame(stage, {}, memory)
    assert isinstance(stage.value, Reduction)
    if scattering.scatter_run(frame, stage.value):
        return "scatter"
    if contracting.contraction_run(frame, stage.value):
        return "product"
    return "sparse" if sparse.sparse_run(frame, stage.value) else "fold"


def test_large_products_go_to_blas_where_their_order_is_free() -> None:
    assert chosen(facts_of("matmul", full=True), "c") == "product"
    assert chosen(facts_of("matmul", full=True), "c", "declared") == "fold"
    assert chosen(facts_of("matmul_tensorcore", full=True), "acc") == "product"
    assert chosen(facts_of("conv3x3_bias_relu", full=True), "conv") == "product"
    assert chosen(facts_of("conv3x3_q8", full=True), "acc", "declared") == "product"
    assert chosen(facts_of("depthwise5x5_s2", full=True), "dw") == "fold"
    assert chosen(facts_of("histogram", full=True), "hist", "declared") == "scatter"


PRODUCT = "out[i, j]: {0}[6, 5] = sum({1} for k in range(7){2})"


@pytest.mark.parametrize("condition", ["", " if k <= i", " if a[i, k] > 0.0", " if c[j]"])
def test_a_product_with_conditions(condition: str) -> None:
    facts = one_stage(
        "a: f32[6, 7], b: f32[7, 5], c: bool[5]", PRODUCT.format("f32", "a[i, k] * b[k, j]", condition)
    )
    assert chosen(facts, "out", block=8) == "product"
    everywhere(facts, **random_inputs(facts.kernel))


def test_a_condition_keeps_infinity_out_of_a_product() -> None:
    facts = one_stage("a: f32[6, 7], b: f32[7, 5]", PRODUCT.format("f32", "a[i, k] * b[k, j]", " if k <= i"))
    inputs = random_inputs(facts.kernel)
    inputs["b"][6, 2] = INF
    found = everywhere(facts, **inputs)
    assert np.isfinite(found).all()


def test_products_of_three_factors_and_of_factors_without_some_axes() -> None:
    for element in (
        "a[i, k] * b[k, j] * s[k]",
        "a[i, k] * (b[k, j] * s[2])",
        "a[i, k] * b[2, j]",
        "a[i, 1] * b[2, j]",
    ):
        facts = one_stage("a: f32[6, 7], b: f32[7, 5], s: f32[7]", PRODUCT.format("f32", element, ""))
        everywhere(facts, **random_inputs(facts.kernel))


def test_batches_and_windows_in_products() -> None:
    facts = one_stage(
        "a: f32[3, 9, 8], w: f32[3, 4, 3, 2]",
        "out[g, k, i, j]: f32[3, 4, 4, 6] = sum("
        "a[g, 2 * i + r, j + s] * w[g, k, r, s] for r in range(3) for s in range(2))",
    )
    assert chosen(facts, "out", block=8) == "product"
    everywhere(facts, **random_inputs(facts.kernel))


@pytest.mark.parametrize(
    ("dtype", "low", "high"), [("i32", -(2**30), 2**30), ("u32", 0, 2**32), ("i64", -(2**60), 2**60)]
)
def test_products_too_large_for_float64_stay_exact(dtype: str, low: int, high: int) -> None:
    facts = one_stage(f"a: {dtype}[6, 7], b: {dtype}[7, 5]", PRODUCT.format(dtype, "a[i, k] * b[k, j]", ""))
    rng = np.random.default_rng(0)
    held = f"{'u' if dtype[0] == 'u' else ''}int{dtype[1:]}"
    inputs = {p.name: rng.integers(low, high, p.shape).astype(held) for p in facts.kernel.params}
    everywhere(facts, **inputs)


@pytest.mark.parametrize(
    ("dtype", "stage"),
    [
        ("f32", "sum(y[i, g] for i in range(9) if at[i] == v)"),
        ("f32", "sum(y[i, g] for i in range(9) if y[i, g] > 0.0 and v == at[i])"),
        ("f32", "sum(y[i, g] for i in range(9) if at[i] + 3 == v)"),
        ("f32", "sum(y[i, g] for i in range(9) for k in range(2) if at[i] - k == v)"),
        ("f32", "max(y[i, g] for i in range(9) if at[i] == v)"),
        ("i32", "sum(1 for i in range(9) if at[i] == v)"),
        ("i32", "prod(i + 1 for i in range(2, 9) if i >= 3 if at[i - 3] == v)"),
        ("bool", "any(y[i, g] > 0.5 for i in range(9) if at[i] == v)"),
        ("f16", "sum(f16(y[i, g]) for i in range(9) if at[i] == v)"),
        ("bf16", "sum(bf16(y[i, g]) for i in range(9) if at[i] == v)"),
    ],
)
def test_a_scattered_reduction(dtype: str, stage: str) -> None:
    facts = one_stage("y: f32[9, 3], at: i32[9] in range(4)", f"out[g, v]: {dtype}[3, 4] = {stage}")
    assert chosen(facts, "out") == "scatter"
    everywhere(facts, **random_inputs(facts.kernel))


@pytest.mark.parametrize(
    ("dtype", "stage"),
    [
        ("f32", "sum(y[i - k, g] for k in range(9) if k <= i and k % 4 == 0)"),
        ("f32", "sum(y[(i - k) // 4, g] for k in range(9) if (i - k) % 4 == 0 if 0 <= (i - k) // 4 < 3)"),
        ("f16", "sum(f16(y[k, g]) * f16(y[i, g]) for k in range(2, 9) for l in range(2) if k + l == i + 3)"),
        ("f32", "max(y[k, g] for k in range(9) if k + 2 <= i - 3)"),
        ("i32", "sum(k for k in range(9) if at[k] > 2)"),
        ("bool", "any(y[k, g] > 0.5 for k in range(9) if at[k] > 2)"),
        (
            "f32",
            "sum(y[k, g] * y[m, g] for m in range(1, 4) for k in range(9) for l in range(2) if k + 5 < i)",
        ),
        (
            "f16",
            "sum(f16(y[k, g]) * f16(m) for k in range(9) for m in range(3) for l in range(2) if k > i + l)",
        ),
        ("f32", "sum(y[at[k], g] for k in range(9) if at[k] > at[i])"),
    ],
)
def test_a_reduction_whose_conditions_seldom_hold(dtype: str, stage: str) -> None:
    facts = one_stage("y: f32[9, 3], at: i32[9] in range(4)", f"out[g, i]: {dtype}[3, 9] = {stage}")
    assert chosen(facts, "out", "declared", block=40) == "sparse"
    inputs = random_inputs(facts.kernel)
    everywhere(facts, **inputs)
    inputs["at"][:] = [0, 0, 3, 0, 0, 0, 0, 0, 0]
    everywhere(facts, **inputs)


def test_what_uses_the_axis_elsewhere_is_not_scattered() -> None:
    facts = one_stage(
        "y: f32[9, 4], at: i32[9] in range(4)",
        "out[v]: f32[4] = sum(y[i, v] for i in range(9) if at[i] == v)",
    )
    assert chosen(facts, "out") == "fold"
    everywhere(facts, **random_inputs(facts.kernel))
