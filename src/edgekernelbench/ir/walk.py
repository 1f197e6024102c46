"""Children of an expression, and rebuilding one."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

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
    Reduction,
    Select,
    Unary,
)


def children(node: Expr) -> tuple[Expr, ...]:
    """List the direct parts of an expression, in evaluation order.

    Args:
        node: Any expression.

    Returns:
        Its operands; empty for leaves.
    """
    match node:
        case Literal() | Axis():
            return ()
        case Read(indices=parts) | Call(args=parts) | Compare(operands=parts) | Logic(operands=parts):
            return parts
        case Unary(operand=part) | Cast(operand=part) | Power(base=part):
            return (part,)
        case Binary(left=left, right=right):
            return left, right
        case Select(condition=condition, then=then, other=other):
            return condition, then, other
        case _:
            assert_never(node)


def with_children(node: Expr, parts: tuple[Expr, ...]) -> Expr:
    """Rebuild an expression with other parts.

    Args:
        node: The expression.
        parts: As many as `children(node)` has.

    Returns:
        A node of the same kind, span and type.
    """
    match node:
        case Literal() | Axis():
            return node
        case Read():
            return replace(node, indices=parts)
        case Call():
            return replace(node, args=parts)
        case Compare() | Logic():
            return replace(node, operands=parts)
        case Unary() | Cast():
            return replace(node, operand=parts[0])
        case Power():
            return replace(node, base=parts[0])
        case Binary():
            return replace(node, left=parts[0], right=parts[1])
        case Select():
            return replace(node, condition=parts[0], then=parts[1], other=parts[2])
        case _:
            assert_never(node)


def expressions(value: Expr | Reduction) -> tuple[Expr, ...]:
    """List the expressions of a stage's value.

    Args:
        value: The right side of a stage.

    Returns:
        The conditions of its generators, then the element; an expression alone is just itself.
    """
    if isinstance(value, Reduction):
        return (*(c for over in value.over for c in over.conditions), value.element)
    return (value,)


def walk(node: Expr) -> Iterator[Expr]:
    """Visit an expression and all below it, parents first.

    Args:
        node: The root.

    Yields:
        Every node.
    """
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(children(found)))


def transform(node: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Rewrite an expression from the leaves up.

    Args:
        node: The root.
        change: Gives the replacement of a node whose parts were rewritten already, or None to
            keep it.

    Returns:
        The rewritten tree; the same object where nothing changed.
    """
    parts = children(node)
    fresh = tuple(transform(part, change) for part in parts)
    if any(a is not b for a, b in zip(parts, fresh, strict=True)):
        node = with_children(node, fresh)
    changed = change(node)
    return node if changed is None else changed
