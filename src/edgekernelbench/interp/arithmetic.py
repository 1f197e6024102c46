"""Arithmetic on single values, exactly as language part A3 says.

A value is a Python `int` or `bool`, or a NumPy float of its declared type. In the *reference* precision
every float is a float64, whatever was declared.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, assert_never

import ml_dtypes
import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.dtype import DType

Precision = Literal["reference", "declared"]
"""Whether floats are float64 throughout, or rounded to the declared type after each operation."""

Value = Any
"""An `int`, a `bool`, a NumPy float or, for float64, a `float`; only the declared type knows which."""

Converter = Callable[[Value], Value]

_FLOATS: dict[DType, type[Any]] = {
    DType.F16: np.float16,
    DType.BF16: ml_dtypes.bfloat16,
    DType.F32: np.float32,
    DType.F64: np.float64,
}


def float_type(dtype: DType, precision: Precision) -> type[Any]:
    """Give the NumPy type that holds a declared float type."""
    return np.float64 if precision == "reference" else _FLOATS[dtype]


def storage_type(dtype: DType, precision: Precision = "declared") -> np.dtype[Any]:
    """Give the NumPy type of an array of a declared type; `i4` and `u4` take one byte each."""
    match dtype:
        case DType.F16 | DType.BF16 | DType.F32 | DType.F64:
            return np.dtype(float_type(dtype, precision))
        case DType.BOOL:
            return np.dtype(np.bool_)
        case DType.I4:
            return np.dtype(np.int8)
        case DType.U4:
            return np.dtype(np.uint8)
        case DType.I8 | DType.I16 | DType.I32 | DType.I64:
            return np.dtype(f"int{dtype.bits}")
        case DType.U8 | DType.U16 | DType.U32:
            return np.dtype(f"uint{dtype.bits}")
        case _:
            assert_never(dtype)


def wrapper(dtype: DType) -> Callable[[int], int]:
    """Give the function that wraps an exact integer to a type, in two's complement."""
    low, high = dtype.bounds
    mask = 2**dtype.bits - 1

    def wrap(value: int) -> int:
        return value if low <= value <= high else ((value - low) & mask) + low

    return wrap


def converter(source: DType, to: DType, *, saturate: bool, precision: Precision) -> Converter:
    """Give the function that casts one value.

    Args:
        source: The type of the value.
        to: The type of the result.
        saturate: Whether to clamp to the range instead of wrapping.
        precision: How floats are held.

    Returns:
        The cast. A float outside the range of an integer is unspecified in the language; here it
        saturates, and NaN gives 0.
    """
    if to.is_float:
        return float_type(to, precision)
    if source.is_float:
        low, high = to.bounds
        return lambda value: _truncated(float(value), low, high)
    if to is DType.BOOL:
        return bool
    if saturate:
        low, high = to.bounds
        return lambda value: min(max(int(value), low), high)
    wrap = wrapper(to)
    return lambda value: wrap(int(value))


def _truncated(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    return low if value <= low else high if value >= high else int(value)


def identity(kind: str, dtype: DType, precision: Precision) -> Value:
    """Give what a reduction of nothing is."""
    match kind:
        case "sum" | "prod":
            start = 0 if kind == "sum" else 1
            return float_type(dtype, precision)(start) if dtype.is_float else start
        case "max" | "min":
            sign = -1 if kind == "max" else 1
            if dtype.is_float:
                return float_type(dtype, precision)(sign * math.inf)
            return dtype.bounds[0 if kind == "max" else 1]
        case "any" | "all":
            return kind == "all"
        case "argmax" | "argmin":
            return -1
        case _:
            raise InternalError(f"expected a kind of reduction, found {kind!r}")


def combiner(kind: str, dtype: DType) -> Callable[[Value, Value], Value]:
    """Give one step of a reduction other than `argmax` and `argmin`."""
    wrap = _keep if dtype.is_float or dtype is DType.BOOL else wrapper(dtype)
    match kind:
        case "sum":
            return lambda a, b: wrap(a + b)
        case "prod":
            return lambda a, b: wrap(a * b)
        case "max":
            return max
        case "min":
            return min
        case "any":
            return lambda a, b: a or b
        case "all":
            return lambda a, b: a and b
        case _:
            raise InternalError(f"expected a reduction with one result, found {kind!r}")


def _keep(value: Value) -> Value:
    return value
