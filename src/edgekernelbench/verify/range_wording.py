"""The sentences about indices and divisors, with the guard that would prove them."""

from collections.abc import Sequence
from typing import NamedTuple

from edgekernelbench.base.span import Span
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Compare, Expr, Literal, Logic, Read, Select
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.verify.linear import Sum
from edgekernelbench.verify.names import Names

Words = tuple[str, Span, str | None]
"""A message, its place, and a hint."""


class Outside(NamedTuple):
    """An index that is not proven.

    Attributes:
        place: Its number among the indices of the read.
        node: The index.
        found: What is known of it.
        size: The size of the axis.
    """

    place: int
    node: Expr
    found: Sum
    size: int

    @property
    def unbounded(self) -> bool:
        """Whether nothing is known but its type."""
        low, high = DType.I32.bounds
        return self.found.low <= low and self.found.high >= high


def index(read: Read, outside: Sequence[Outside], names: Names) -> list[Words]:
    """Word R01.

    Args:
        read: The read.
        outside: Its indices that are not proven.
        names: What can be read.

    Returns:
        A sentence for each of them; the hint proves all of them.
    """
    hint = _guarded(read, outside)
    return [_loose(read, part, names) if part.unbounded else _reaching(read, part, hint) for part in outside]


def _reaching(read: Read, part: Outside, hint: str) -> Words:
    reach = f"index {part.place} reaches {part.found.low}..{part.found.high}"
    text = f"{print_expr(read)}: {reach}, the axis has 0..{part.size - 1}; indices do not wrap"
    return text, part.node.span, hint


def _loose(read: Read, part: Outside, names: Names) -> Words:
    shown = print_expr(part.node)
    text = f"{print_expr(read)}: {shown} is not bounded, the axis has 0..{part.size - 1}"
    clamped = print_expr(Call("clamp", (part.node, Literal(0), Literal(part.size - 1))))
    if isinstance(part.node, Read) and names.tensors[part.node.tensor].kind == "parameter":
        name = part.node.tensor
        given = f"if the task gives {name} in range({part.size}), keep it in the signature"
        return text, part.node.span, f"{given}; else {clamped}"
    return text, part.node.span, clamped


def _guarded(read: Read, outside: Sequence[Outside]) -> str:
    """Print the read with a condition that proves it, and a zero beside it."""
    conditions = tuple(condition for part in outside for condition in _conditions(part))
    whole = conditions[0] if len(conditions) == 1 else Logic("and", conditions)
    return f"({print_expr(Select(whole, read, zero(read.dtype)))})"


def zero(dtype: DType | None) -> Literal:
    """Give the plainest number of a type."""
    if dtype is DType.BOOL:
        return Literal(value=False)
    return Literal(0) if dtype is not None and dtype.is_int else Literal(0.0)


def _conditions(part: Outside) -> tuple[Expr, ...]:
    node, offset, last = part.node, 0, part.size - 1
    axes = [key for key in part.found.factors if isinstance(key, str)]
    if len(axes) == len(part.found.factors) == 1 and part.found.factors[axes[0]] == 1:
        node, offset = Axis(axes[0]), part.found.constant
    low, high = part.found.low < 0, part.found.high > last
    if low and high and offset:
        return (Compare(("<=", "<="), (Literal(-offset), node, Literal(last - offset))),)
    if low and high:
        return (Compare(("<=", "<"), (Literal(0), node, Literal(part.size))),)
    if high:
        return (Compare(("<",), (node, Literal(last - offset + 1))),)
    if offset == -1:
        return (Compare((">",), (node, Literal(0))),)
    return (Compare((">=",), (node, Literal(-offset))),)


def divisor(node: Binary, found: Sum) -> Words:
    """Word R02."""
    by, shown = print_expr(node.right), print_expr(node)
    if found.low == found.high:
        return f"{shown}: the divisor {by} is 0", node.right.span, None
    reach = f"{by} reaches {found.low}..{found.high}"
    if Outside(0, node.right, found, 0).unbounded:
        reach = f"{by} is not bounded"
    text = f"{shown}: {reach}, a divisor is not 0"
    if found.low >= 0:
        hint = print_expr(Binary(node.op, node.left, Call("max", (node.right, Literal(1)))))
        return text, node.right.span, hint
    guard = Compare(("!=",), (node.right, Literal(0)))
    return text, node.right.span, f"({print_expr(Select(guard, node, zero(node.dtype)))})"
