"""Taking statements apart and putting them together again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.walk import transform, walk
from edgekernelbench.nest.indices import simplify, span_of
from edgekernelbench.nest.linear import Ranges, linear
from edgekernelbench.nest.tree import Allocate, Guard, Let, Loop, Stmt, Store, Update, inner, walk_stmts


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


def entered(stmt: Stmt, ranges: Ranges) -> Ranges:
    """Give the ranges of variables inside a statement."""
    match stmt:
        case Loop(var=var, extent=extent):
            return {**ranges, var: (0, extent - 1)}
        case Let(var=var, value=value):
            low, high = span_of(value, ranges)
            return ranges if low is None or high is None else {**ranges, var: (low, high)}
        case Guard() | Allocate() | Store() | Update():
            return ranges
        case _:
            assert_never(stmt)


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
    return tuple(_substituted(stmt, values, ranges) for stmt in body)


def _substituted(stmt: Stmt, values: Mapping[str, Expr], ranges: Ranges) -> Stmt:
    fresh = with_expressions(stmt, lambda node: replaced(node, values, ranges))
    inside = entered(fresh, ranges)
    return with_body(fresh, tuple(_substituted(s, values, inside) for s in inner(fresh)))


def with_plain_lets(body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
    """Put the values of `Let`s that are sums of loop variables in their place."""
    return tuple(fresh for stmt in body for fresh in _with_plain_lets(stmt, ranges))


def _with_plain_lets(stmt: Stmt, ranges: Ranges) -> tuple[Stmt, ...]:
    if isinstance(stmt, Let) and all(isinstance(term, Axis) for term, _ in linear(stmt.value).terms):
        return with_plain_lets(substituted(stmt.body, {stmt.var: stmt.value}, ranges), ranges)
    return (with_body(stmt, with_plain_lets(inner(stmt), entered(stmt, ranges))),)


def renamed(body: tuple[Stmt, ...], names: Mapping[str, str]) -> tuple[Stmt, ...]:
    """Give buffers other names throughout statements, where they are allocated too."""

    def other(node: Expr) -> Expr | None:
        if isinstance(node, Read) and node.tensor in names:
            return replace(node, tensor=names[node.tensor])
        return None

    def one(stmt: Stmt) -> Stmt:
        fresh = with_expressions(stmt, lambda node: transform(node, other))
        match fresh:
            case Store(buffer=buffer):
                return replace(fresh, buffer=names.get(buffer, buffer))
            case Update(buffer=buffer, best=best):
                return replace(fresh, buffer=names.get(buffer, buffer), best=names.get(best, best))
            case Allocate(buffers=buffers):
                held = tuple(replace(b, name=names.get(b.name, b.name)) for b in buffers)
                return Allocate(held, tuple(one(s) for s in fresh.body))
            case Loop() | Let() | Guard():
                return with_body(fresh, tuple(one(s) for s in fresh.body))
            case _:
                assert_never(fresh)

    return tuple(one(stmt) for stmt in body) if names else body
