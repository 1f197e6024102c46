"""Constructors of index expressions and conditions that fold what is known.

Each takes the ranges of the loop variables, and gives the simplest expression it can prove equal.
Overflow of `i32` is unspecified in the language, so sums may be reordered.
"""

from collections.abc import Iterable
from typing import assert_never

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
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.nest.linear import I32, Linear, Ranges, linear, number

BOOL = DType.BOOL
TRUE = Literal(True, dtype=BOOL)  # noqa: FBT003 - the literal of the language
FALSE = Literal(False, dtype=BOOL)  # noqa: FBT003 - the literal of the language

Span = tuple[int, int]


def add(a: Expr, b: Expr) -> Expr:
    """Write `a + b`."""
    return linear(a).plus(linear(b)).expr()


def subtract(a: Expr, b: Expr) -> Expr:
    """Write `a - b`."""
    return linear(a).plus(linear(b), -1).expr()


def scale(a: Expr, factor: int) -> Expr:
    """Write `a * factor`."""
    return linear(a).times(factor).expr()


def floordiv(a: Expr, divisor: int, ranges: Ranges) -> Expr:
    """Write `a // divisor`, with whole multiples of the divisor taken out."""
    if divisor == 1:
        return a
    whole, rest = linear(a).split_by(divisor)
    low, high = span_of_sum(rest, ranges)
    if low is not None and high is not None and low // divisor == high // divisor:
        return Linear(whole.terms, whole.constant + low // divisor).expr()
    inner = rest.expr()
    match inner:
        case Binary(op="//", left=left, right=Literal(value=int() as first)) if first > 0:
            quotient: Expr = Binary("//", left, number(first * divisor), dtype=I32)
        case _:
            quotient = Binary("//", inner, number(divisor), dtype=I32)
    return whole.plus(Linear(((quotient, 1),), 0)).expr()


def modulo(a: Expr, divisor: int, ranges: Ranges) -> Expr:
    """Write `a % divisor`, whole multiples of the divisor left out."""
    if divisor == 1:
        return number(0)
    _, rest = linear(a).split_by(divisor)
    low, high = span_of_sum(rest, ranges)
    if low is not None and high is not None and low // divisor == high // divisor:
        return Linear(rest.terms, rest.constant - low // divisor * divisor).expr()
    return Binary("%", rest.expr(), number(divisor), dtype=I32)


def clamp(a: Expr, low: int, high: int, ranges: Ranges) -> Expr:
    """Write `a` held between two numbers."""
    least, most = span_of(a, ranges)
    inside_low = least is not None and least >= low
    inside_high = most is not None and most <= high
    if inside_low and inside_high:
        return a
    if inside_low:
        return Call("min", (a, number(high)), dtype=I32)
    if inside_high:
        return Call("max", (a, number(low)), dtype=I32)
    return Call("clamp", (a, number(low), number(high)), dtype=I32)


def at_least(a: Expr, low: int, ranges: Ranges) -> Expr:
    """Write the condition `a >= low`."""
    return compare(">=", a, number(low), ranges)


def below(a: Expr, high: int, ranges: Ranges) -> Expr:
    """Write the condition `a < high`."""
    return compare("<", a, number(high), ranges)


def compare(op: str, a: Expr, b: Expr, ranges: Ranges) -> Expr:
    """Write a comparison of two `i32`, a truth value where it is known."""
    known = _decided(op, *span_of_sum(linear(a).plus(linear(b), -1), ranges))
    if known is not None:
        return TRUE if known else FALSE
    return Compare((op,), (a, b), dtype=BOOL)


def _decided(op: str, low: int | None, high: int | None) -> bool | None:
    """Decide `difference op 0` from the range of the difference."""
    positive, negative = low is not None and low > 0, high is not None and high < 0
    not_negative, not_positive = low is not None and low >= 0, high is not None and high <= 0
    zero = not_negative and not_positive
    match op:
        case "<":
            return True if negative else False if not_negative else None
        case "<=":
            return True if not_positive else False if positive else None
        case ">":
            return True if positive else False if not_positive else None
        case ">=":
            return True if not_negative else False if negative else None
        case "==":
            return True if zero else False if positive or negative else None
        case _:
            return False if zero else True if positive or negative else None


def conjunction(conditions: Iterable[Expr]) -> Expr:
    """Join conditions by `and`, tested left to right."""
    kept: list[Expr] = []
    for condition in conditions:
        if condition == FALSE:
            kept.append(condition)
            break
        if condition != TRUE:
            kept.append(condition)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Logic("and", tuple(kept), dtype=BOOL)


def negate(condition: Expr) -> Expr:
    """Write `not condition`."""
    if condition in (TRUE, FALSE):
        return FALSE if condition == TRUE else TRUE
    return Unary("not", condition, dtype=BOOL)


def span_of_sum(total: Linear, ranges: Ranges) -> tuple[int | None, int | None]:
    """Bound a sum; None where it is unbounded."""
    low: int | None = total.constant
    high: int | None = total.constant
    for term, times in total.terms:
        least, most = span_of(term, ranges)
        if times < 0:
            least, most = most, least
        low = None if low is None or least is None else low + times * least
        high = None if high is None or most is None else high + times * most
    return low, high


def span_of(node: Expr, ranges: Ranges) -> tuple[int | None, int | None]:
    """Bound an integer expression from the ranges of its variables; None where it is unbounded."""
    match node:
        case Literal(value=value) if isinstance(value, int):
            return int(value), int(value)
        case Axis(name=name):
            return ranges.get(name, (None, None))
        case Binary(op="+" | "-" | "*") | Unary(op="-"):
            total = linear(node)
            return _limited(node) if total.terms == ((node, 1),) else span_of_sum(total, ranges)
        case Binary(op="//", left=left, right=Literal(value=int() as divisor)) if divisor > 0:
            low, high = span_of(left, ranges)
            return (None if low is None else low // divisor, None if high is None else high // divisor)
        case Binary(op="%", left=left, right=Literal(value=int() as divisor)) if divisor > 0:
            low, high = span_of(left, ranges)
            if low is not None and high is not None and low // divisor == high // divisor:
                return low % divisor, high % divisor
            return 0, divisor - 1
        case Call(function="min" | "max" | "clamp" as function, args=args):
            return _span_of_choice(function, [span_of(arg, ranges) for arg in args])
        case Select(then=then, other=other):
            return _hull(span_of(then, ranges), span_of(other, ranges))
        case Cast(to=to, operand=operand) if to is I32 and operand.dtype is not None and operand.dtype.is_int:
            return span_of(operand, ranges)
        case _:
            return _limited(node)


def _limited(node: Expr) -> tuple[int | None, int | None]:
    """Bound a node by its type alone, when that is narrow."""
    if node.dtype is not None and node.dtype.is_int and node.dtype.bits < 32:
        return node.dtype.bounds
    return None, None


def _hull(
    a: tuple[int | None, int | None], b: tuple[int | None, int | None]
) -> tuple[int | None, int | None]:
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return low, high


def _span_of_choice(
    function: str, spans: list[tuple[int | None, int | None]]
) -> tuple[int | None, int | None]:
    if function == "clamp":
        upper = _span_of_choice("min", [spans[0], spans[2]])
        return _span_of_choice("max", [upper, spans[1]])
    lows, highs = [s[0] for s in spans], [s[1] for s in spans]
    known_lows, known_highs = [v for v in lows if v is not None], [v for v in highs if v is not None]
    if function == "min":
        low = None if None in lows else min(known_lows)
        return low, min(known_highs, default=None)
    high = None if None in highs else max(known_highs)
    return max(known_lows, default=None), high


def simplify(node: Expr, ranges: Ranges) -> Expr:
    """Simplify the integer arithmetic and the conditions of an expression.

    Args:
        node: Any typed expression.
        ranges: The ranges of the variables in it.

    Returns:
        An equal expression; the same object where nothing could be done.
    """
    parts = children(node)
    fresh = tuple(simplify(part, ranges) for part in parts)
    if any(a is not b for a, b in zip(parts, fresh, strict=True)):
        node = with_children(node, fresh)
    match node:
        case Binary(op="+" | "-" | "*", dtype=DType.I32) | Unary(op="-", dtype=DType.I32):
            return linear(node).recombined().expr()
        case Binary(op="//", left=left, right=Literal(value=int() as divisor), dtype=DType.I32) if (
            divisor > 0
        ):
            return floordiv(left, divisor, ranges)
        case Binary(op="%", left=left, right=Literal(value=int() as divisor), dtype=DType.I32) if divisor > 0:
            return modulo(left, divisor, ranges)
        case Compare():
            return _simple_compare(node, ranges)
        case Logic(op=op, operands=operands):
            return _simple_logic(op, operands)
        case Unary(op="not", operand=operand):
            return negate(operand)
        case Select(condition=condition, then=then, other=other):
            return then if condition == TRUE else other if condition == FALSE else node
        case Call(function="min" | "max", args=args, dtype=DType.I32):
            return _simple_choice(node, args, ranges)
        case Literal() | Axis() | Read() | Unary() | Binary() | Power() | Call() | Cast():
            return node
        case _:
            assert_never(node)


def _simple_choice(node: Call, args: tuple[Expr, ...], ranges: Ranges) -> Expr:
    if len(args) != 2:
        return node
    op = "<=" if node.function == "min" else ">="
    known = compare(op, args[0], args[1], ranges)
    return args[0] if known == TRUE else args[1] if known == FALSE else node


def _simple_compare(node: Compare, ranges: Ranges) -> Expr:
    if any(part.dtype is not I32 for part in node.operands):
        return node
    pairs = zip(node.ops, node.operands, node.operands[1:], strict=False)
    tests = [compare(op, a, b, ranges) for op, a, b in pairs]
    if all(isinstance(test, Compare) for test in tests):
        return node
    return conjunction(tests)


def _simple_logic(op: str, operands: tuple[Expr, ...]) -> Expr:
    if op == "and":
        return conjunction(operands)
    kept: list[Expr] = []
    for operand in operands:
        if operand == TRUE:
            kept.append(operand)
            break
        if operand != FALSE:
            kept.append(operand)
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Logic("or", tuple(kept), dtype=BOOL)
