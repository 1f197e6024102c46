"""Outputs against the reference."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from edgekernelbench.evaluator.compare import compare, expect
from edgekernelbench.ir.dtype import DType
from edgekernelbench.records.outcome import Fault
from edgekernelbench.workloads.limits import RMS_RATIO
from edgekernelbench.workloads.reference import OutputFacts

Array = NDArray[Any]

RANDOM = np.random.default_rng(3)
TERMS = 256
LEFT = RANDOM.standard_normal((64, TERMS)).astype(np.float32)
RIGHT = RANDOM.standard_normal((TERMS, 48)).astype(np.float32)
EXACT = LEFT.astype(np.float64) @ RIGHT.astype(np.float64)


def serial(left: Array, right: Array) -> Array:
    total = np.zeros((left.shape[0], right.shape[1]), left.dtype)
    for k in range(left.shape[1]):
        total = total + left[:, k : k + 1] * right[k : k + 1]
    return total


DECLARED = serial(LEFT, RIGHT)


def facts(
    dtype: DType = DType.F32,
    *,
    scale: float = 1.0,
    additions: int = 0,
    lsb: int = 0,
    accumulate: DType = DType.F32,
) -> OutputFacts:
    return OutputFacts("out", dtype, accumulate, additions, scale, lsb)


EXPECTED = expect(facts(scale=float(np.sqrt(np.mean(EXACT**2))), additions=TERMS), EXACT, DECLARED)


@pytest.mark.parametrize(
    "actual",
    [
        pytest.param(DECLARED, id="serial sums"),
        pytest.param(LEFT @ RIGHT, id="blocked sums of a library"),
        pytest.param(EXACT.astype(np.float32), id="wider sums"),
        pytest.param(
            (serial(LEFT[:, ::2], RIGHT[::2]) + serial(LEFT[:, 1::2], RIGHT[1::2])), id="two partial sums"
        ),
        pytest.param(serial(LEFT[:, ::-1], RIGHT[::-1]), id="backwards"),
    ],
)
def test_honest_orders_of_summation_are_close(actual: Array) -> None:
    assert compare(actual, EXPECTED).mismatch is None


def rounded(values: Array, bits: int) -> Array:
    kept = values.view(np.uint32) + np.uint32(1 << (22 - bits))
    return (kept & np.uint32(0xFFFFFFFF << (23 - bits) & 0xFFFFFFFF)).view(np.float32)


@pytest.mark.parametrize(
    "actual",
    [
        pytest.param(serial(rounded(LEFT, 10), rounded(RIGHT, 10)), id="ten bits of mantissa"),
        pytest.param(serial(LEFT[:, 1:], RIGHT[1:]), id="a dropped term"),
        pytest.param(
            serial(LEFT.astype(np.float16), RIGHT.astype(np.float16)).astype(np.float32), id="half precision"
        ),
        pytest.param(np.zeros_like(DECLARED), id="nothing"),
        pytest.param(np.full_like(DECLARED, EXACT.mean()), id="the mean"),
        pytest.param(DECLARED.T.copy().reshape(DECLARED.shape), id="another order of elements"),
        pytest.param(DECLARED * np.float32(1 + 1e-4), id="a scale of 1.0001"),
    ],
)
def test_what_is_not_the_declared_arithmetic_is_wrong(actual: Array) -> None:
    assert compare(actual, EXPECTED).mismatch is not None


def test_one_bad_element_among_many_is_wrong() -> None:
    actual = DECLARED.copy()
    actual[5, 7] += np.float32(0.01)

    mismatch = compare(actual, EXPECTED).mismatch

    assert mismatch is not None
    assert (mismatch.fault, mismatch.mismatched) == (Fault.VALUES, 1)
    assert mismatch.detail.startswith("out, element 247: expected")


def test_a_small_error_everywhere_shows_in_the_ratio() -> None:
    unit = EXPECTED.rms_declared
    actual = EXACT + np.where(np.indices(EXACT.shape).sum(0) % 2, 1, -1) * unit * RMS_RATIO * 1.2

    closeness = compare(actual, EXPECTED)

    assert closeness.mismatch is not None
    assert closeness.rms_ratio == pytest.approx(RMS_RATIO * 1.2)


@pytest.mark.parametrize(("share", "right"), [(0.5, True), (2.0, False)])
def test_the_verdict_flips_at_the_elementwise_limit(share: float, right: bool) -> None:
    actual = EXACT.copy().reshape(-1)
    actual[3] += share * np.asarray(EXPECTED.allowed)[3]

    assert (compare(actual, EXPECTED).mismatch is None) is right


@pytest.mark.parametrize(("share", "right"), [(0.5, True), (2.0, False)])
def test_the_verdict_flips_at_the_limit_of_the_ratio(share: float, right: bool) -> None:
    expected = expect(facts(scale=1.0), np.ones(100), np.ones(100) + 1e-7)
    error = share * RMS_RATIO * expected.rms_declared

    closeness = compare(np.ones(100) + error, expected)

    assert (closeness.mismatch is None) is right


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_no_number_is_wrong_where_the_reference_has_one(value: float) -> None:
    actual = DECLARED.copy()
    actual[0, 0] = value

    closeness = compare(actual, EXPECTED)

    assert closeness.mismatch is not None
    assert closeness.mismatch.worst is None


def test_infinities_and_nans_are_right_where_the_reference_has_them() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 1.0])
    expected = expect(facts(), values, values)

    assert compare(values.astype(np.float32), expected).mismatch is None
    for place in range(3):
        other = values.astype(np.float32)
        other[place] = 0.0
        assert compare(other, expected).mismatch is not None
    assert compare(-values.astype(np.float32), expected).mismatch is not None


def test_what_overflows_the_type_of_the_output_is_infinite() -> None:
    expected = expect(
        facts(DType.F16, accumulate=DType.F32), np.array([70000.0, 1.0]), np.array([np.inf, 1.0])
    )

    assert compare(np.array([np.inf, 1.0], np.float16), expected).mismatch is None


def test_a_declared_arithmetic_that_overflows_does_not_widen_the_limits() -> None:
    declared = np.array([np.inf, 1.0, 1.0])
    expected = expect(facts(), np.ones(3), declared)

    assert compare(np.array([1.1, 1.0, 1.0], np.float32), expected).mismatch is not None


def test_exact_copies_may_not_differ() -> None:
    values = np.linspace(-1, 1, 50).astype(np.float32)
    expected = expect(facts(scale=0.6), values.astype(np.float64), values)

    assert compare(values, expected).mismatch is None
    assert compare(values + np.float32(1e-5), expected).mismatch is not None


INTEGERS = np.arange(-60, 60).astype(np.int64)


def test_integers_are_exact() -> None:
    expected = expect(facts(DType.I8), INTEGERS, INTEGERS)
    actual = INTEGERS.astype(np.int8)

    assert compare(actual, expected).mismatch is None
    actual[9] += 1
    mismatch = compare(actual, expected).mismatch
    assert mismatch is not None
    assert mismatch.detail == "out, element 9: expected -51, found -50"


def test_a_declared_step_is_for_ties_and_not_for_another_rounding() -> None:
    expected = expect(facts(DType.I8, lsb=1), INTEGERS, INTEGERS)
    tie, other = INTEGERS.astype(np.int8), INTEGERS.astype(np.int8)
    tie[4] += 1
    other[::2] += 1

    assert compare(tie, expected).mismatch is None
    mismatch = compare(other, expected).mismatch
    assert mismatch is not None
    assert mismatch.fault is Fault.ERROR_RATIO


def test_two_steps_are_wrong_where_one_is_declared() -> None:
    expected = expect(facts(DType.I8, lsb=1), INTEGERS, INTEGERS)
    actual = INTEGERS.astype(np.int8)
    actual[4] += 2

    assert compare(actual, expected).mismatch is not None


def test_a_byte_that_is_no_bool_is_wrong() -> None:
    truth = np.array([True, False, True])
    expected = expect(facts(DType.BOOL), truth, truth)

    assert compare(truth, expected).mismatch is None
    assert compare(np.array([1, 0, 0xA5], np.uint8).view(np.bool_), expected).mismatch is not None


def test_the_ends_of_64_bits_differ() -> None:
    ends = np.array([-(2**63), 2**63 - 1], np.int64)
    expected = expect(facts(DType.I64), ends, ends)

    assert compare(ends, expected).mismatch is None
    assert compare(ends[::-1], expected).mismatch is not None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=40))
def test_the_reference_itself_is_always_right(values: list[float]) -> None:
    exact = np.array(values, np.float64)
    scale = float(np.sqrt(np.mean(exact**2)))
    expected = expect(facts(scale=scale), exact, exact.astype(np.float32))

    assert compare(exact.astype(np.float32), expected).mismatch is None


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 2))
def test_the_declared_arithmetic_is_always_right(seed: int, noise: float) -> None:
    chance = np.random.default_rng(seed)
    exact = chance.standard_normal(64)
    declared = (exact + noise * chance.standard_normal(64) * (chance.random(64) < 0.2)).astype(np.float16)
    scale = float(np.sqrt(np.mean(exact**2)))
    expected = expect(facts(DType.F16, scale=scale, accumulate=DType.F32), exact, declared)

    assert compare(declared, expected).mismatch is None


@pytest.mark.parametrize(("scale", "right"), [(1.0, True), (1.0002, True), (1.0011, False)])
def test_in_16_bits_a_scale_that_no_element_shows_is_seen_in_all(scale: float, right: bool) -> None:
    """Rounding is most of the error there, and sixteen times that would hide a sum of most terms."""
    exact = np.linspace(0.5, 1.0, 4001)
    declared = exact.astype(np.float16)
    expected = expect(facts(dtype=DType.F16, additions=100, scale=0.76), exact, declared)
    actual = (exact * scale).astype(np.float16)

    closeness = compare(actual, expected)

    assert closeness.elementwise < 1
    assert (closeness.mismatch is None) is right
