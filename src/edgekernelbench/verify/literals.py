"""Numbers that have no type yet: they take the type of the other operand, else of the stage.

An expression is *flexible* while its `dtype` is None: a literal, or an operation on flexible parts only.
"""

import math
from collections.abc import Iterator

from edgekernelbench.base.span import Span
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Expr, Literal
from edgekernelbench.ir.walk import children
from edgekernelbench.verify.functions import NUMBERS

INTEGER_OPS = frozenset(("//", "%", "<<", ">>", "&", "|", "^"))
"""Operators that floats do not have."""

_MAX_SHIFT = 63
_MAX_BITS = 1024


def _flexible_parts(node: Expr) -> Iterator[Expr]:
    """Visit a flexible expression; typed parts, such as conditions, are left out."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.dtype is None:
            yield found
            waiting.extend(children(found))


def is_fractional(node: Expr) -> bool:
    """Whether a flexible expression is a float: by a literal, a division or a function."""
    if isinstance(node, Literal):
        return isinstance(node.value, float)
    return any(
        (isinstance(part, Literal) and isinstance(part.value, float))
        or (isinstance(part, Binary) and part.op == "/")
        or (isinstance(part, Call) and part.function not in NUMBERS)
        for part in _flexible_parts(node)
    )


def fold_unary(op: str, value: float, span: Span) -> Literal | None:
    """Compute `-` or `~` of a number; None when that has no value."""
    if op == "-":
        return Literal(-value, span=span)
    return Literal(~value, span=span) if isinstance(value, int) else None


def fold_power(base: float, exponent: int, span: Span) -> Literal | None:
    """Compute a whole power of a number; None when it is too large."""
    try:
        value = base**exponent
    except OverflowError:
        return None
    return _literal(value, span)


def fold_binary(op: str, left: float, right: float, span: Span) -> Literal | None:
    """Compute an operation on two numbers as Python does; None when that has no value.

    `/` of whole numbers that divide gives a float, as in Python.
    """
    try:
        value = _arithmetic(op, left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return None if value is None else _literal(value, span)


def _literal(value: float, span: Span) -> Literal | None:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return None
    return Literal(value, span=span)


def _arithmetic(op: str, left: float, right: float) -> int | float | None:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            return _integer(op, left, right)


def _integer(op: str, left: float, right: float) -> int | None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    match op:
        case "//":
            return left // right
        case "%":
            return left % right
        case "<<" if 0 <= right <= _MAX_SHIFT:
            return left << right
        case ">>" if 0 <= right <= _MAX_SHIFT:
            return left >> right
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case _:
            return None


def typed_literal(value: float, wanted: DType, span: Span) -> Literal | None:
    """Give a number a type.

    Args:
        value: The number; not a truth value.
        wanted: The type of the other operand, or of the stage.
        span: Where it stands.

    Returns:
        The literal in `wanted`, or in `i32` when `wanted` is too narrow; None when it fits neither.
    """
    if wanted.is_float:
        return Literal(_as_float(value), span=span, dtype=wanted)
    if not isinstance(value, int) or wanted is DType.BOOL:
        return None
    for dtype in (wanted, DType.I32) if wanted.bits < DType.I32.bits else (wanted,):
        low, high = dtype.bounds
        if low <= value <= high:
            return Literal(value, span=span, dtype=dtype)
    return None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def natural_type(node: Expr) -> DType:
    """Give a flexible expression that nothing gives a type its own: `i32`, `i64` or `f32`."""
    if is_fractional(node):
        return DType.F32
    low, high = DType.I32.bounds
    numbers = (part.value for part in _flexible_parts(node) if isinstance(part, Literal))
    wide = any(not low <= value <= high for value in numbers)
    return DType.I64 if wide else DType.I32
