"""Whether a kernel is one for its workload."""

import pytest

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.evaluator.signature import verify_arithmetic, verify_signature, verify_sums
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.verify.compute import verify_compute

CANONICAL = """
def gather_scale(x: f32[8, 4], w: const[f32[4]], idx: i32[3] in range(8)):
    with compute:
        out[i, j]: f32[3, 4] = x[idx[i], j] * w[j]
        total[i]: f32[3] = sum(x[idx[i], j] for j in range(4))
        return out, total
"""


def problems(old: str, new: str) -> tuple[Diagnostic, ...]:
    assert old in CANONICAL
    return verify_signature(parse(CANONICAL.replace(old, new)), parse(CANONICAL))


def test_the_same_signature_under_other_names_fits() -> None:
    other = (
        CANONICAL.replace("idx", "places").replace("x[", "data[").replace("x:", "data:").replace("out", "y")
    )

    assert verify_signature(parse(other), parse(CANONICAL)) == ()


def test_const_may_be_dropped() -> None:
    assert problems("const[f32[4]]", "f32[4]") == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "x: f32[8, 4]",
            "x: const[f32[8, 4]]",
            "the task has x: f32[8, 4] here, the kernel has x: const[f32[8, 4]]",
            id="const that the task does not give",
        ),
        pytest.param(
            "f32[8, 4]",
            "f32[9, 4]",
            "the task has x: f32[8, 4] here, the kernel has x: f32[9, 4]",
            id="a size",
        ),
        pytest.param(
            "idx: i32[3] in range(8)",
            "idx: i32[3] in range(7)",
            "the task has idx: i32[3] in range(8) here, the kernel has idx: i32[3] in range(7)",
            id="a range",
        ),
        pytest.param(
            "return out, total",
            "return total, out",
            "output 0 of the task is f32[3, 4], total is f32[3]",
            id="the order of outputs",
        ),
    ],
)
def test_a_difference_is_named_with_both_sides(old: str, new: str, message: str) -> None:
    first = problems(old, new)[0]

    assert first.code == "C09"
    assert first.message == message
    assert first.span.line > 0


def test_a_missing_parameter_shows_the_whole_signature() -> None:
    text = "def k(x: f32[8]):\n    with compute:\n        out[i]: f32[8] = x[i]\n        return out\n"

    (count, outputs) = verify_signature(parse(text), parse(CANONICAL))

    assert count.message == "the task has 3 parameters, the kernel has 1"
    assert count.hint == "def k(x: f32[8, 4], w: const[f32[4]], idx: i32[3] in range(8)):"
    assert outputs.message == "the task returns 2 outputs (f32[3, 4], f32[3]), the kernel returns 1"


SUM = """
def row_sum(x: {param}[8, 16]):
    with compute:
        out[i]: {stage}[8] = sum({element} for j in range(16))
        return out
"""


def arithmetic(text: str, canonical: str, accumulate: DType) -> list[str]:
    kernels = [verify_compute(parse(t)).kernel for t in (text, canonical)]
    return [d.message for d in verify_arithmetic(kernels[0], kernels[1], accumulate)]


CANONICAL_SUM = SUM.format(param="f32", stage="f32", element="x[i, j]")


def test_the_canonical_arithmetic_and_a_wider_one_are_free() -> None:
    wider = """
def row_sum(x: f32[8, 16]):
    with compute:
        wide[i]: f64[8] = sum(f64(x[i, j]) for j in range(16))
        out[i]: f32[8] = f32(wide[i])
        return out
"""
    assert arithmetic(CANONICAL_SUM, CANONICAL_SUM, DType.F32) == []
    assert arithmetic(wider, CANONICAL_SUM, DType.F32) == []


def test_a_narrower_cast_is_refused() -> None:
    text = SUM.format(param="f32", stage="f32", element="f32(f16(x[i, j]))")

    assert arithmetic(text, CANONICAL_SUM, DType.F32) == ["out computes in f16, the task declares f32"]


def test_a_narrower_sum_is_refused_even_where_the_type_occurs() -> None:
    canonical = SUM.format(param="f16", stage="f32", element="f32(x[i, j])")
    text = """
def row_sum(x: f16[8, 16]):
    with compute:
        part[i]: f16[8] = sum(x[i, j] for j in range(16))
        out[i]: f32[8] = f32(part[i])
        return out
"""

    assert arithmetic(text, canonical, DType.F32) == ["part sums in f16, the task declares f32"]


def test_integer_workloads_declare_no_float_arithmetic() -> None:
    canonical = SUM.format(param="i8", stage="i32", element="x[i, j]")

    assert arithmetic(canonical, canonical, DType.I32) == []


def sums(text: str, canonical: str, accumulate: DType) -> list[str]:
    facts = [verify_compute(parse(t)) for t in (text, canonical)]
    return [d.message for d in verify_sums(facts[0], facts[1], accumulate)]


WHOLE = SUM.format(param="i8", stage="i32", element="x[i, j]")


def test_a_narrow_sum_of_integers_is_refused_where_it_may_not_fit() -> None:
    """Signs that cancel never show it: 300 of the largest i8 are more than i16 holds."""
    text = """
def row_sum(x: i8[8, 300]):
    with compute:
        part[i]: i16[8] = sum(i16(x[i, j]) for j in range(300))
        out[i]: i32[8] = i32(part[i])
        return out
"""

    assert sums(text, WHOLE, DType.I32) == [
        "part sums in i16, the task declares i32, and it is not proven to fit"
    ]


def test_a_narrow_sum_of_integers_that_is_proven_to_fit_is_free() -> None:
    text = """
def row_sum(x: i8[8, 16]):
    with compute:
        part[i]: i16[8] = sum(i16(x[i, j]) for j in range(16))
        out[i]: i32[8] = i32(part[i])
        return out
"""
    assert sums(text, WHOLE, DType.I32) == []


def test_a_type_in_which_the_task_sums_itself_is_free() -> None:
    own = SUM.format(param="i32", stage="i32", element="x[i, j]")

    assert sums(own, own, DType.I64) == []
