"""Outputs against the reference: two comparisons, both derived, none typed into a row.

**Elementwise.** An element may differ from the float64 reference `r` by

    4 u_out |r|  +  max(8 u_acc sqrt(1 + n) s,  min(32 e, s / 256),  4 e)

with `u` the unit roundoff of the output's and of the accumulation type, `n` the longest chain of additions
that reaches the element, `s` the root mean square of the output, and `e` the largest error, rounding of the
output left out, of the canonical text evaluated serially in the declared types on the same inputs. The
first term is the rounding of the output. The first member of the maximum is how rounding of a sum of `n`
terms grows when the signs of its errors are independent (Higham, "Accuracy and Stability of Numerical
Algorithms", 2002, section 2.6), eightfold; the others let a computation that amplifies errors, or that keeps
intermediate values in a narrow type, do so here too: 32 times as much up to a 256th of the output's size,
4 times as much beyond. So the declared arithmetic itself is always right.

**RMS ratio.** The root mean square of all errors is at most 16 times that of the declared evaluation, or of a
quarter of the roundoff of the output, whichever is larger. It catches what no single element shows, such as
arithmetic in a narrower type. Where the output has 16 bits, its own rounding is most of the declared error,
and sixteen times that would hide a sum that leaves out every thirtieth term: there it is 3 times the declared
error, and what rounding of a sum may add.

Integers are exact, or within the steps that the workload declares; then their RMS error too is bounded, so
that steps are for ties and not for another rounding. NaN and infinities stand exactly where the reference
has them.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from edgekernelbench.ir.dtype import DType
from edgekernelbench.records.outcome import Fault
from edgekernelbench.workloads.limits import RMS_RATIO, ROUNDOFF
from edgekernelbench.workloads.reference import OutputFacts

Array = NDArray[np.generic]
Floats = NDArray[np.float64]

NARROW_BITS = 16

LARGEST = {
    DType.F64: float(np.finfo(np.float64).max),
    DType.F32: float(np.finfo(np.float32).max),
    DType.F16: float(np.finfo(np.float16).max),
    DType.BF16: float(ml_dtypes.finfo(ml_dtypes.bfloat16).max),
}

CHAIN_FACTOR = 8.0
AMPLIFIED_FACTOR = 32.0
AMPLIFIED_SHARE = 1 / 256
LARGE_FACTOR = 4.0
OUTPUT_FACTOR = 4.0

NARROW_FACTOR = 3.0
"""How much larger an RMS error may be where the output has 16 bits, beside the growth of rounding in a sum.

Source: tried. Honest rewrites are at 1.0 to 1.2, two roundings more at 1.7; one term in 576 that is forgotten
in a mean is at 4.1, every thirty-third that is left out at 4.4.
"""

STEP_RMS = 0.15
"""RMS error of an integer output with declared steps that is always allowed: one element in 44 off by one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What one output must be, and how far from it it may be.

    Attributes:
        name: Name of the output in the canonical text.
        dtype: Its type.
        reference: In float64; for integers, and `bool`, exact.
        allowed: Largest error of each element: an array for floats, a number for integers.
        rms: Largest RMS error; None where integers are exact.
        rms_declared: RMS error of the declared arithmetic, floored: the unit of `Closeness.rms_ratio`.
    """

    name: str
    dtype: DType
    reference: Array
    allowed: Floats | float
    rms: float | None
    rms_declared: float


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why an output is wrong."""

    fault: Fault
    mismatched: int
    worst: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Closeness:
    """How far an output is from its limits.

    Attributes:
        elementwise: Largest error over what is allowed there; infinite where a value should be finite and
            is not.
        rms_ratio: RMS error over that of the declared arithmetic; None for exact integers.
        mismatch: What is wrong; None when nothing is.
    """

    elementwise: float
    rms_ratio: float | None
    mismatch: Mismatch | None


def expect(facts: OutputFacts, reference: Array, declared: Array) -> Expected:
    """Derive the limits of one output.

    Args:
        facts: What they are derived from.
        reference: In float64, exact for integers.
        declared: The canonical text evaluated serially in the declared types.

    Returns:
        The output with its limits.
    """
    if not facts.dtype.is_float:
        return _expect_integers(facts, reference, declared)
    wanted = _overflowing(reference.astype(np.float64).reshape(-1), facts.dtype)
    finite = np.isfinite(wanted)
    rounding = ROUNDOFF[facts.dtype] * np.abs(np.where(finite, wanted, 0.0))
    errors = _errors(declared.astype(np.float64).reshape(-1), wanted, finite)
    known = np.isfinite(errors)  # where the declared arithmetic overflows, it says nothing
    amplified = float(np.max((errors - rounding)[known], initial=0.0))
    grown = CHAIN_FACTOR * ROUNDOFF[facts.accumulation] if facts.accumulation.is_float else 0.0
    chain = grown * float(np.sqrt(1 + facts.additions)) * facts.scale
    small = min(AMPLIFIED_FACTOR * amplified, AMPLIFIED_SHARE * facts.scale)
    slack = max(chain, small, LARGE_FACTOR * amplified)
    unit = max(_rms(errors[known]), ROUNDOFF[facts.dtype] * facts.scale / 4)
    allowed = OUTPUT_FACTOR * rounding + slack
    limit = RMS_RATIO * unit
    if facts.dtype.bits == NARROW_BITS:
        limit = min(limit, NARROW_FACTOR * unit + chain)
    return Expected(facts.name, facts.dtype, wanted, allowed, limit, unit)


def _expect_integers(facts: OutputFacts, reference: Array, declared: Array) -> Expected:
    wanted = reference.reshape(-1)
    if not facts.tolerance_lsb:
        return Expected(facts.name, facts.dtype, wanted, 0.0, None, 0.0)
    steps = _steps(declared.reshape(-1), wanted)
    unit = max(_rms(steps), STEP_RMS / RMS_RATIO)
    return Expected(facts.name, facts.dtype, wanted, float(facts.tolerance_lsb), RMS_RATIO * unit, unit)


def compare(actual: Array, expected: Expected) -> Closeness:
    """Compare an output with what it must be.

    Args:
        actual: The output as the kernel left it.
        expected: The reference with its limits.

    Returns:
        How close it is, and what is wrong with it.
    """
    found = actual.reshape(-1)
    if expected.dtype is DType.BOOL:
        # As bytes: a byte that is neither 0 nor 1 is no bool.
        found = found.view(np.uint8)
    if not expected.dtype.is_float:
        errors = _steps(found, expected.reference.astype(np.int64))
    else:
        wanted = expected.reference.astype(np.float64)
        errors = _errors(found.astype(np.float64), wanted, np.isfinite(wanted))
    wrong = errors > expected.allowed
    ratios = _ratios(errors, expected.allowed)
    worst = float(np.max(ratios, initial=0.0))
    rms_ratio = None if expected.rms is None else _ratio(_rms(errors), expected.rms_declared)
    mismatch = None
    if wrong.any():
        place = int(np.argmax(wrong))
        mismatch = Mismatch(
            Fault.VALUES,
            int(wrong.sum()),
            worst if np.isfinite(worst) else None,
            f"{expected.name}, element {place}: expected {expected.reference[place]}, found {found[place]}",
        )
    elif expected.rms is not None and _rms(errors) > expected.rms:
        mismatch = Mismatch(
            Fault.ERROR_RATIO,
            errors.size,
            _rms(errors) / expected.rms if expected.rms else None,
            f"{expected.name}: the RMS error is {rms_ratio:.0f} times that of the declared arithmetic, "
            f"allowed are {expected.rms / expected.rms_declared:.0f}",
        )
    return Closeness(worst, rms_ratio, mismatch)


def _errors(actual: Floats, wanted: Floats, finite: NDArray[np.bool_]) -> Floats:
    """Give absolute errors; 0 where both are the same NaN or infinity, infinite where only one is."""
    same = (actual == wanted) | (np.isnan(actual) & np.isnan(wanted))
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(actual - wanted)
    proper = finite & np.isfinite(actual)
    return np.where(same, 0.0, np.where(proper, distance, np.inf))


def _steps(actual: Array, wanted: Array) -> Floats:
    # Differences of 64-bit integers need not fit 64 bits; what matters is zero, small, or large.
    a, b = actual.astype(np.int64), wanted.astype(np.int64)
    near = np.where(
        a >= b, a.astype(np.uint64) - b.astype(np.uint64), b.astype(np.uint64) - a.astype(np.uint64)
    )
    return near.astype(np.float64)


def _overflowing(wanted: Floats, dtype: DType) -> Floats:
    """Make infinite what rounds to infinity in the output's type."""
    limit = LARGEST[dtype] * (1 + ROUNDOFF[dtype])
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(wanted) >= limit, np.copysign(np.inf, wanted), wanted)


def _ratios(errors: Floats, allowed: Floats | float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(errors == 0.0, 0.0, errors / allowed)


def _ratio(value: float, unit: float) -> float:
    if value == 0.0:
        return 0.0
    return value / unit if unit > 0.0 else float("inf")


def _rms(values: Floats) -> float:
    if not values.size:
        return 0.0
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean(np.square(values))))
