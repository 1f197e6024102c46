"""Guards moved outwards, and loops cut short where a guard says that the rest does nothing."""

from dataclasses import replace
from typing import assert_never

from edgekernelbench.compiler.rewrite import axes_of, entered, reads_of, with_body
from edgekernelbench.ir.expr import Axis, Compare, Expr, Literal, Logic
from edgekernelbench.nest.indices import FALSE, TRUE, conjunction, simplify
from edgekernelbench.nest.linear import Ranges, linear
from edgekernelbench.nest.tree import Allocate, Guard, Let, Loop, Stmt, Store, Update


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """List the conditions that `and` joins; chains of comparisons are taken apart too."""
    match condition:
        case Logic(op="and", operands=operands):
            return tuple(c for part in operands for c in conjuncts(part))
        case Compare(ops=ops, operands=operands) if len(ops) > 1:
            pairs = zip(ops, operands, operands[1:], strict=False)
            return tuple(Compare((op,), (a, b), dtype=condition.dtype) for op, a, b in pairs)
        case _:
            return (condition,)


def tidy_guards(body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
    """Decide guards where ranges do, move them out of loops, and cut loops short.

    Args:
        body: A program.
        ranges: Ranges of the variables round it.

    Returns:
        An equal program.
    """
    return tuple(fresh for stmt in body for fresh in _tidy(stmt, ranges))


def _tidy(stmt: Stmt, ranges: Ranges) -> tuple[Stmt, ...]:
    match stmt:
        case Loop(body=body):
            return _tidy_loop(replace(stmt, body=tidy_guards(body, entered(stmt, ranges))))
        case Guard(condition=condition, body=body):
            return _guarded(conjuncts(simplify(condition, ranges)), tidy_guards(body, ranges))
        case Allocate(body=body):
            inner = tidy_guards(body, ranges)
            first = inner[0] if len(inner) == 1 else stmt
            if isinstance(first, Guard) and not reads_of(first.condition):
                return (replace(first, body=(replace(stmt, body=first.body),)),)
            return (replace(stmt, body=inner),) if inner else ()
        case Let(body=body):
            inner = tidy_guards(body, entered(stmt, ranges))
            return (with_body(stmt, inner),) if inner else ()
        case Store() | Update():
            return (stmt,)
        case _:
            assert_never(stmt)


def _guarded(conditions: tuple[Expr, ...], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Put conditions round statements, joined with a guard that stands there already."""
    if FALSE in conditions or not body:
        return ()
    first = body[0]
    if len(body) == 1 and isinstance(first, Guard):
        conditions, body = (*conditions, *conjuncts(first.condition)), first.body
    whole = conjunction(conditions)
    return body if whole == TRUE else (Guard(whole, body),)


def _tidy_loop(loop: Loop) -> tuple[Stmt, ...]:
    if not loop.body:
        return ()
    guard = loop.body[0]
    if len(loop.body) != 1 or not isinstance(guard, Guard):
        return (loop,)
    outside, inside, stop = [], [], loop.extent
    for condition in conjuncts(guard.condition):
        limit = _upper_limit(condition, loop.var)
        if limit is not None:
            stop = min(stop, limit)
        elif loop.var in axes_of(condition) or reads_of(condition):
            inside.append(condition)
        else:
            outside.append(condition)
    if stop < 1:
        return ()
    kept = _guarded(tuple(inside), guard.body)
    return _guarded(tuple(outside), (replace(loop, extent=stop, body=kept),))


def _upper_limit(condition: Expr, var: str) -> int | None:
    """Give the number that `var < number` or `var <= number - 1` names; None for any other condition."""
    match condition:
        case Compare(ops=("<" | "<=" as op,), operands=(left, Literal(value=int() as value))):
            total = linear(left)
            if [(_name(t), k) for t, k in total.terms] != [(var, 1)]:
                return None
            return int(value) - total.constant + (op == "<=")
        case _:
            return None


def _name(node: Expr) -> str:
    return node.name if isinstance(node, Axis) else ""
