"""Typed expressions as Python closures over an environment of positions.

An environment is a list of positions, one slot a loop variable, so that evaluating an expression neither
builds nor looks up names. What a read means is the business of the caller.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision, Value, converter, float_type, wrapper
from edgekernelbench.interp.functions import scalar_function
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Power,
    Read,
    Select,
    Unary,
)

Environment = list[Any]
"""Positions by slot; at scattered points, an array of positions."""
Closure = Callable[[Environment], Value]
ReadBuilder = Callable[[Read, tuple[Closure, ...]], Closure]

_COMPARE: dict[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _divide(left: Value, right: Value) -> Value:
    # unlike Python's, NumPy's float64 divides by zero as IEEE 754 says
    return (np.float64(left) if isinstance(left, float) else left) / right


_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean where an expression stands.

    Attributes:
        slots: The place of each loop variable in the environment.
        read: Makes the closure of a read from those of its indices.
        precision: How floats are held.
        lenient: Whether a divisor may be zero, because its value will not be used.
    """

    slots: Mapping[str, int]
    read: ReadBuilder
    precision: Precision
    lenient: bool = False


def typed(node: Expr) -> DType:
    """Give the type of an expression.

    Raises:
        InternalError: When the type checker, or who built the tree, forgot it.
    """
    if node.dtype is None:
        raise InternalError(f"expected a typed expression, found {node!r} without a type")
    return node.dtype


def build_closure(node: Expr, scope: Scope) -> Closure:
    """Turn a typed expression into a function of the environment.

    Args:
        node: The expression.
        scope: What its names mean.

    Returns:
        The function; it evaluates only what the language evaluates.
    """
    match node:
        case Literal():
            value = _literal(node, scope)
            return lambda env: value
        case Axis(name=name):
            return _axis(name, scope)
        case Read(indices=indices):
            return scope.read(node, tuple(build_closure(index, scope) for index in indices))
        case Select(condition=condition, then=then, other=other):
            test, yes, no = (build_closure(part, scope) for part in (condition, then, other))
            return lambda env: yes(env) if test(env) else no(env)
        case Logic(op=op, operands=operands):
            return _logic(op, tuple(build_closure(part, scope) for part in operands))
        case Compare(ops=ops, operands=operands):
            return _compare(ops, tuple(build_closure(part, scope) for part in operands))
        case Cast(to=to, operand=operand, saturate=saturate):
            inner = build_closure(operand, scope)
            cast = converter(typed(operand), to, saturate=saturate, precision=scope.precision)
            return lambda env: cast(inner(env))
        case Call(function=name, args=args):
            return _call(node, name, args, scope)
        case Unary(op=op, operand=operand):
            return _unary(op, typed(node), build_closure(operand, scope))
        case Power(base=base, exponent=exponent):
            return _power(typed(node), build_closure(base, scope), exponent)
        case Binary(op=op, left=left, right=right):
            divides = op in ("//", "%") and scope.lenient
            second = build_closure(right, scope)
            return _binary(
                op, typed(node), build_closure(left, scope), _nonzero(second) if divides else second
            )
        case _:
            assert_never(node)


def _axis(name: str, scope: Scope) -> Closure:
    if name not in scope.slots:
        raise InternalError(f"expected a loop variable in scope, found {name!r} beside {list(scope.slots)}")
    return operator.itemgetter(scope.slots[name])


def _literal(node: Literal, scope: Scope) -> Value:
    dtype = typed(node)
    if dtype.is_float:
        held = float_type(dtype, scope.precision)
        return float(node.value) if held is np.float64 else held(node.value)
    return bool(node.value) if dtype is DType.BOOL else int(node.value)


def _logic(op: str, parts: tuple[Closure, ...]) -> Closure:
    if op == "and":
        return lambda env: all(part(env) for part in parts)
    return lambda env: any(part(env) for part in parts)


def _compare(ops: tuple[str, ...], parts: tuple[Closure, ...]) -> Closure:
    tests = tuple(_COMPARE[op] for op in ops)
    if len(tests) == 1:
        test, (left, right) = tests[0], parts
        return lambda env: bool(test(left(env), right(env)))
    rest = tuple(zip(tests, parts[1:], strict=True))

    def chain(env: Environment) -> bool:
        value = parts[0](env)
        for compare, part in rest:
            following = part(env)
            if not compare(value, following):
                return False
            value = following
        return True

    return chain


def _call(node: Expr, name: str, args: tuple[Expr, ...], scope: Scope) -> Closure:
    function = scalar_function(name, tuple(typed(arg) for arg in args), typed(node), scope.precision)
    parts = tuple(build_closure(arg, scope) for arg in args)
    if len(parts) == 1:
        (only,) = parts
        return lambda env: function(only(env))
    if len(parts) == 2:
        first, second = parts
        return lambda env: function(first(env), second(env))
    return lambda env: function(*(part(env) for part in parts))


def _unary(op: str, dtype: DType, inner: Closure) -> Closure:
    if op == "not" or dtype is DType.BOOL:
        return lambda env: not inner(env)
    if dtype.is_float:
        return lambda env: -inner(env)
    wrap = wrapper(dtype)
    if op == "~":
        return lambda env: wrap(~inner(env))
    return lambda env: wrap(-inner(env))


def _power(dtype: DType, base: Closure, exponent: int) -> Closure:
    wrap = None if dtype.is_float else wrapper(dtype)

    def power(env: Environment) -> Value:
        value = result = base(env)
        for _ in range(exponent - 1):
            result = result * value
        return result if wrap is None else wrap(result)

    return power


def _nonzero(divisor: Closure) -> Closure:
    return lambda env: divisor(env) or 1


def _binary(op: str, dtype: DType, left: Closure, right: Closure) -> Closure:
    if op in ("<<", ">>"):
        return _shift(op, dtype, left, right)
    function = _ARITHMETIC[op]
    if dtype.is_float or dtype is DType.BOOL or op in ("&", "|", "^", "%"):
        return lambda env: function(left(env), right(env))
    low, high = dtype.bounds
    wrap = wrapper(dtype)

    def wrapped(env: Environment) -> int:
        value: int = function(left(env), right(env))
        return value if low <= value <= high else wrap(value)

    return wrapped


def _shift(op: str, dtype: DType, left: Closure, right: Closure) -> Closure:
    # A distance outside the type's width is unspecified; machines take it modulo the width.
    mask, wrap = dtype.bits - 1, wrapper(dtype)
    if op == "<<":
        return lambda env: wrap(left(env) << (right(env) & mask))
    return lambda env: left(env) >> (right(env) & mask)
