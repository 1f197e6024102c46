"""Reductions whose steps several threads share: what they accumulate apart, and how it is put together."""

from collections.abc import Iterator
from dataclasses import dataclass

from edgekernelbench.compiler.rewrite import axes_of, reads_of
from edgekernelbench.ir.expr import Expr, Logic
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import (
    Allocate,
    Guard,
    Kind,
    Let,
    Loop,
    Mark,
    Stmt,
    Update,
    inner,
    walk_stmts,
)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A loop over threads that share the steps of reductions.

    Attributes:
        loop: The outermost such loop.
        updates: The updates that it is round.
        axes: The axes of threads whose partial results are combined.
        data: The data loops inside, which each thread has an accumulator for, outermost first.
        exists: What decides whether an element exists at all.
        lets: Variables on the way that no step decides, outermost first.
    """

    loop: Loop
    updates: tuple[Update, ...]
    axes: tuple[Mark, ...]
    data: tuple[Loop, ...]
    exists: tuple[Expr, ...]
    lets: tuple[Let, ...]


def find_crossing(loop: Loop) -> Crossing | None:
    """Find what a loop over threads reduces; None when it does not.

    Atomic updates go to memory at once: they cross nothing.
    """
    if loop.mark not in THREADS or loop.kind is not Kind.REDUCTION:
        return None
    own = {b.name for s in walk_stmts((loop,)) if isinstance(s, Allocate) for b in s.buffers}
    found = [
        (path, update)
        for path, update in _updates(loop, ())
        if update.buffer not in own and not update.atomic
    ]
    if not found:
        return None
    path = found[0][0]
    loops = [one for one in path if isinstance(one, Loop)]
    steps = frozenset(one.var for one in loops if one.kind is Kind.REDUCTION)
    axes = tuple(dict.fromkeys(o.mark for o in loops if o.mark in THREADS and o.kind is Kind.REDUCTION))
    used = frozenset(axis for _, update in found for index in update.indices for axis in axes_of(index))
    data = tuple(o for o in loops if o.kind is not Kind.REDUCTION and o.var in used)
    lets: list[Let] = []
    for one in path:
        if isinstance(one, Let):
            if axes_of(one.value) & steps or reads_of(one.value):
                steps |= {one.var}
            else:
                lets.append(one)
    exists = tuple(
        part
        for one in path
        if isinstance(one, Guard)
        for part in conjuncts(one.condition)
        if not axes_of(part) & steps and not reads_of(part)
    )
    return Crossing(loop, tuple(update for _, update in found), axes, data, exists, tuple(lets))


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """Take a conjunction apart."""
    if isinstance(condition, Logic) and condition.op == "and":
        return tuple(c for part in condition.operands for c in conjuncts(part))
    return (condition,)


def _updates(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[tuple[Stmt, ...], Update]]:
    if isinstance(stmt, Update):
        yield path, stmt
    for one in inner(stmt):
        yield from _updates(one, (*path, stmt))
