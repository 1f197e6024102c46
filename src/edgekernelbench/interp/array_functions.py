"""The operations of the language on whole arrays of one declared type."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision, float_type, storage_type
from edgekernelbench.ir.dtype import DType

Array = NDArray[Any]
Elementwise = Callable[..., Any]

_UNARY: dict[str, Elementwise] = {
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "tanh": np.tanh,
}
_BINARY: dict[str, Elementwise] = {"pow": np.power, "atan2": np.arctan2}
_OPERATORS: dict[str, Elementwise] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def array_operator(op: str, dtype: DType) -> Elementwise:
    """Give a binary operator or comparison on operands of one type."""
    if op not in ("<<", ">>"):
        return _OPERATORS[op]
    # A distance outside the type's width is unspecified; machines take it modulo the width.
    mask = storage_type(dtype).type(dtype.bits - 1)
    shift: Elementwise = np.left_shift if op == "<<" else np.right_shift
    return lambda value, distance: shift(value, np.bitwise_and(distance, mask))


def array_unary(op: str, dtype: DType) -> Elementwise:
    """Give `-`, `~` or `not`."""
    if op == "not" or dtype is DType.BOOL:
        return np.logical_not
    if op == "-":
        return np.negative
    if dtype is DType.U4:
        return lambda value: np.bitwise_xor(value, np.uint8(15))
    return np.bitwise_not


def array_function(name: str, args: tuple[DType, ...], result: DType, precision: Precision) -> Elementwise:
    """Give a function of the language on arrays.

    Args:
        name: Its word, such as `exp`.
        args: The types of its arguments.
        result: The type of its value.
        precision: How floats are held.

    Returns:
        The function; it keeps the type that holds `result`.
    """
    match name:
        case "min":
            return _folded(np.minimum)
        case "max":
            return _folded(np.maximum)
        case "clamp":
            return lambda x, low, high: np.minimum(np.maximum(x, low), high)
        case "popcount":
            return _popcount(args[0])
        case "as_i32" | "as_u32" | "as_f32":
            return _reinterpret(args[0], result, precision)
        case "rsqrt" | "sigmoid" | "erf":
            return _composed(name, float_type(result, precision))
        case _ if name in _UNARY:
            return _UNARY[name]
        case _ if name in _BINARY:
            return _BINARY[name]
        case _:
            raise InternalError(f"expected a function of the language, found {name!r}")


def _folded(function: Elementwise) -> Elementwise:
    def fold(first: Any, *rest: Any) -> Any:
        for value in rest:
            first = function(first, value)
        return first

    return fold


def _composed(name: str, held: type[Any]) -> Elementwise:
    one = held(1)
    if name == "rsqrt":
        return lambda x: np.true_divide(one, np.sqrt(x))
    if name == "sigmoid":
        return lambda x: np.true_divide(one, np.add(one, np.exp(np.negative(x))))

    def erf(x: Any) -> Any:
        # math.erf is accurate to the last bit, which no short polynomial is
        flat = np.asarray(x, np.float64).reshape(-1).tolist()
        found = np.fromiter(map(math.erf, flat), np.float64, len(flat))
        return found.reshape(np.shape(x)).astype(held)

    return erf


def _popcount(source: DType) -> Elementwise:
    unsigned = np.dtype(f"uint{max(source.bits, 8)}")
    mask = unsigned.type(2**source.bits - 1)
    return lambda x: np.bitwise_count(np.asarray(x).astype(unsigned) & mask).astype(np.int32)


def _reinterpret(source: DType, to: DType, precision: Precision) -> Elementwise:
    if source.is_float and to.is_float:
        return lambda x: x
    as_bits = np.dtype(np.float32) if source.is_float else storage_type(source)
    seen_as = np.dtype(np.float32) if to.is_float else storage_type(to)
    held = storage_type(to, precision)
    return lambda x: np.asarray(x).astype(as_bits).view(seen_as).astype(held)


def array_cast(source: DType, to: DType, *, saturate: bool, precision: Precision) -> Elementwise:
    """Give a cast of arrays; the meaning is that of `arithmetic.converter`.

    Args:
        source: The type of the elements.
        to: The type of the result.
        saturate: Whether to clamp to the range instead of wrapping.
        precision: How floats are held.

    Returns:
        The cast; it may give its argument where nothing changes.
    """
    held = storage_type(to, precision)
    if to.is_float or to is DType.BOOL:
        return lambda x: np.asarray(x).astype(held, copy=False)
    if source.is_float:
        return lambda x: _truncated(np.asarray(x), to).astype(held)
    low, high = to.bounds
    if saturate:
        return lambda x: _clipped(np.asarray(x), low, high).astype(held)
    if to is DType.I4:
        return lambda x: ((np.asarray(x).astype(np.int64) + 8 & 15) - 8).astype(held)
    if to is DType.U4:
        return lambda x: (np.asarray(x).astype(np.int64) & 15).astype(held)
    return lambda x: np.asarray(x).astype(held, copy=False)


def _clipped(x: Array, low: int, high: int) -> Array:
    if x.dtype == np.bool_:
        return x
    info = np.iinfo(x.dtype)
    clipped: Array = np.clip(x, max(low, info.min), min(high, info.max))
    return clipped


def _truncated(x: Array, to: DType) -> Array:
    low, high = to.bounds
    x = x.astype(np.float64, copy=False)
    if to is not DType.I64:
        inside: Array = np.nan_to_num(np.clip(x, low, high), nan=0.0).astype(np.int64)
        return inside
    # 2**63 - 1 is no float64, so the upper end is set apart
    inside = np.nan_to_num(np.where(np.abs(x) < 2.0**63, x, 0.0), nan=0.0).astype(np.int64)
    return np.where(x >= 2.0**63, np.int64(high), np.where(x <= -(2.0**63), np.int64(low), inside))
