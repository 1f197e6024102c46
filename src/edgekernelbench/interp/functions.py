"""The functions of the language on single values."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision, Value, float_type, wrapper
from edgekernelbench.ir.dtype import DType

_UNARY: dict[str, Callable[[Any], Any]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
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
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "erf": math.erf,
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {"pow": np.power, "atan2": np.arctan2}


def scalar_function(
    name: str, args: tuple[DType, ...], result: DType, precision: Precision
) -> Callable[..., Value]:
    """Give a function of the language on values of one type.

    Args:
        name: Its word, such as `exp`.
        args: The types of its arguments.
        result: The type of its value.
        precision: How floats are held.

    Returns:
        The function; mathematics is done in float64 and rounded once.
    """
    match name:
        case "min":
            return min
        case "max":
            return max
        case "clamp":
            return lambda x, low, high: min(max(x, low), high)
        case "abs" if not result.is_float:
            wrap = wrapper(result)
            return lambda x: wrap(abs(x))
        case "abs":
            return abs
        case "popcount":
            mask = 2 ** args[0].bits - 1
            return lambda x: (x & mask).bit_count()
        case "as_i32" | "as_u32" | "as_f32":
            return _reinterpret(args[0], result, precision)
        case _:
            return _mathematics(name, float_type(result, precision))


def _mathematics(name: str, rounded: type[Any]) -> Callable[..., Value]:
    if name in _UNARY:
        unary = _UNARY[name]
        return lambda x: rounded(unary(np.float64(x)))
    if name in _BINARY:
        binary = _BINARY[name]
        return lambda x, y: rounded(binary(np.float64(x), np.float64(y)))
    raise InternalError(f"expected a function of the language, found {name!r}")


def _reinterpret(source: DType, to: DType, precision: Precision) -> Callable[[Value], Value]:
    if source.is_float == to.is_float:
        return _same if source.is_float else wrapper(to)
    if source.is_float:
        kind = np.int32 if to is DType.I32 else np.uint32
        return lambda x: int(np.float32(x).view(kind))
    held = float_type(to, precision)
    return lambda x: held(np.uint32(x & 0xFFFFFFFF).view(np.float32))


def _same(value: Value) -> Value:
    return value
