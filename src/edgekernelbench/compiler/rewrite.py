"""Taking statements apart and putting them together again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.walk import transform, walk
from edgekernelbench.nest.indices import simplify
from edgekernelbench.nest.linear import Ranges
from edgekernelbench.nest.tree import Allocate, Guard, Let, Loop, Stmt, Store, Update, walk_stmts


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """List the expressions of a statement, without those of its body."""
    match stmt:
        case Store(indices=indices, value=value):
            return (*indices, value)
        case Update(indices=indices, value=value, position=position):
            return (*indices, value) if position is None else (*indices, value, position)
        case Let(value=value):
            return (value,)
        case Guard(condition=condition):
            return (condition,)
        case Loop() | Allocate():
            return ()
        case _:
            assert_never(stmt)


def with_expressions(stmt: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    """Change the expressions of a statement, without those of its body."""
    match stmt:
        case Store(indices=indices, value=value):
            return replace(stmt, indices=tuple(map(change, indices)), value=change(value))
        case Update(indices=indices, value=value, position=position):
            fresh = None if position is None else change(position)
            return replace(stmt, indices=tuple(map(change, indices)), value=change(value), position=fresh)
        case Let(value=value):
            return replace(stmt, value=change(value))
        case Guard(condition=condition):
            return replace(stmt, condition=change(condition))
        case Loop() | Allocate():
            return stmt
        case _:
            assert_never(stmt)


def with_body(stmt: Stmt, body: tuple[Stmt, ...]) -> Stmt:
    """Give a statement another body; one without a body stays."""
    match stmt:
        case Loop() | Let() | Guard() | Allocate():
            return replace(stmt, body=body)
        case Store() | Update():
            return stmt
        case _:
            assert_never(stmt)


def touched(stmt: Stmt) -> Iterator[str]:
    """Name the buffers that a statement reads or writes, without those of its body."""
    for expr in expressions(stmt):
        yield from (node.tensor for node in walk(expr) if isinstance(node, Read))
    if isinstance(stmt, Store | Update):
        yield stmt.buffer
    if isinstance(stmt, Update) and stmt.best:
        yield stmt.best


def written(body: tuple[Stmt, ...]) -> set[str]:
    """Name the buffers that statements write."""
    names = set()
    for stmt in walk_stmts(body):
        if isinstance(stmt, Store | Update):
            names.add(stmt.buffer)
        if isinstance(stmt, Update) and stmt.best:
            names.add(stmt.best)
    return names


def axes_of(node: Expr) -> frozenset[str]:
    """Name the loop variables in an expression."""
    return frozenset(one.name for one in walk(node) if isinstance(one, Axis))


def reads_of(node: Expr) -> frozenset[str]:
    """Name the buffers that an expression reads."""
    return frozenset(one.tensor for one in walk(node) if isinstance(one, Read))


def replaced(node: Expr, values: Mapping[str, Expr], ranges: Ranges) -> Expr:
    """Put values in the place of loop variables, and simplify."""
    fresh = transform(node, lambda one: values.get(one.name) if isinstance(one, Axis) else None)
    return node if fresh is node else simplify(fresh, ranges)


def substituted(body: tuple[Stmt, ...], values: Mapping[str, Expr], ranges: Ranges) -> tuple[Stmt, ...]:
    """Put values in the place of loop variables throughout statements.

    Args:
        body: The statements.
        values: An expression for each variable that goes.
        ranges: Ranges of the variables in the values and round the statements.

    Returns:
        The changed statements; loops inside add to the ranges.
    """
    return tuple(_substituted(stmt, values, dict(ranges)) for stmt in body)


def _substituted(stmt: Stmt, values: Mapping[str, Expr], ranges: dict[str, tuple[int, int]]) -> Stmt:
    fresh = with_expressions(stmt, lambda node: replaced(node, values, ranges))
    match fresh:
        case Loop(var=var, extent=extent, body=body):
            inside = {**ranges, var: (0, extent - 1)}
            return replace(fresh, body=tuple(_substituted(s, values, inside) for s in body))
        case Let(body=body) | Guard(body=body) | Allocate(body=body):
            return with_body(fresh, tuple(_substituted(s, values, ranges) for s in body))
        case Store() | Update():
            return fresh
        case _:
            assert_never(fresh)
