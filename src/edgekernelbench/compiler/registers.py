"""Accumulators of inner loops as small buffers of their own, which become registers.

A reduction whose innermost data loops are unrolled or vectors keeps its partial results in one buffer. Read
and written at every step they stay in memory, unless each is a variable by itself: so each gets a buffer of
one vector.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import assert_never

from edgekernelbench.compiler.rewrite import axes_of, entered, reads_of, substituted, with_body
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Expr, Logic, Read
from edgekernelbench.nest.indices import conjunction
from edgekernelbench.nest.linear import Linear, Ranges, linear, number, variable
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Kind,
    Let,
    Loop,
    Mark,
    Role,
    Stmt,
    Store,
    Update,
    walk_stmts,
)

_WIDER = {DType.F16: DType.F32, DType.BF16: DType.F32}


def keep_in_registers(body: tuple[Stmt, ...], buffers: tuple[Buffer, ...], most: int) -> tuple[Stmt, ...]:
    """Give the accumulators of innermost reductions buffers of their own.

    Args:
        body: A program whose vector loops were lowered.
        buffers: The buffers outside it.
        most: The most accumulators of one reduction; one with more stays as it is.

    Returns:
        A program that is equal, `f16` and `bf16` sums apart, which are kept in `f32` and rounded once.
    """
    return _Promotion(most, {b.name: b for b in buffers}).block(body, {})


@dataclass(slots=True)
class _Accumulators:
    """What was found in one reduction: the key is buffer and indices."""

    loop_vars: frozenset[str]
    found: dict[tuple[str, tuple[Expr, ...]], "_Accumulator"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Accumulator:
    """One vector, or one number, of a buffer, with the conditions under which it exists."""

    register: Buffer
    buffer: Buffer
    indices: tuple[Expr, ...]
    lanes: Loop | None
    conditions: tuple[Expr, ...]


class _Unfit(Exception):  # noqa: N818 - no error: the reduction stays as it is
    """This reduction has no accumulators that could be registers."""


class _Promotion:
    def __init__(self, most: int, buffers: dict[str, Buffer]) -> None:
        self._most = most
        self._buffers = buffers
        self._count = 0

    def block(self, body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
        return tuple(self._statement(stmt, ranges) for stmt in body)

    def _statement(self, stmt: Stmt, ranges: Ranges) -> Stmt:
        match stmt:
            case Loop(kind=Kind.REDUCTION) if _is_joint(stmt):
                return stmt
            case Loop(mark=Mark.TENSOR):
                return stmt  # the loops of an instruction stay as they are
            case Loop(body=body, kind=kind):
                if kind is Kind.REDUCTION and not _crosses(stmt) and _updates(body):
                    try:
                        return self._promote(stmt, ranges)
                    except _Unfit:
                        pass
                return replace(stmt, body=self.block(body, entered(stmt, ranges)))
            case Allocate(buffers=buffers, body=body):
                self._buffers.update({b.name: b for b in buffers})
                return replace(stmt, body=self.block(body, ranges))
            case Let(body=body) | Guard(body=body):
                return with_body(stmt, self.block(body, entered(stmt, ranges)))
            case Store() | Update():
                return stmt
            case _:
                assert_never(stmt)

    def _promote(self, loop: Loop, ranges: Ranges) -> Stmt:
        (flat,) = _unrolled((loop,), ranges)
        inside = frozenset(s.var for s in walk_stmts((flat,)) if isinstance(s, Loop | Let))
        group = _Accumulators(inside)
        fresh = self._inside(flat, group, None, ())
        found = list(group.found.values())
        if any(_meet(a, b) for a, b in combinations(found, 2)):
            raise _Unfit
        names = {a.buffer.name for a in found}
        if any(names & reads_of(e) for s in walk_stmts((flat,)) for e in _values(s)):
            raise _Unfit
        before = tuple(_wrapped(a, _load(a)) for a in found)
        after = tuple(_wrapped(a, _save(a)) for a in found)
        return Allocate(tuple(a.register for a in found), (*before, fresh, *after))

    def _inside(
        self, stmt: Stmt, group: _Accumulators, lanes: Loop | None, conditions: tuple[Expr, ...]
    ) -> Stmt:
        match stmt:
            case Loop(mark=mark, kind=kind, body=body):
                if mark is Mark.VECTOR or (mark is Mark.TENSOR and kind is Kind.DATA):
                    lanes = stmt
                elif kind is not Kind.REDUCTION:
                    raise _Unfit
                return replace(stmt, body=tuple(self._inside(s, group, lanes, conditions) for s in body))
            case Guard(condition=condition, body=body):
                parts = (
                    condition.operands
                    if isinstance(condition, Logic) and condition.op == "and"
                    else (condition,)
                )
                met = (*conditions, *parts)
                return replace(stmt, body=tuple(self._inside(s, group, lanes, met) for s in body))
            case Let(body=body):
                return replace(stmt, body=tuple(self._inside(s, group, lanes, conditions) for s in body))
            case Update():
                return self._update(stmt, group, lanes, conditions)
            case Store() | Allocate():
                raise _Unfit
            case _:
                assert_never(stmt)

    def _update(
        self, update: Update, group: _Accumulators, lanes: Loop | None, conditions: tuple[Expr, ...]
    ) -> Stmt:
        own = frozenset() if lanes is None else frozenset({lanes.var})
        steps = group.loop_vars - own
        if update.best or update.atomic or any(steps & axes_of(i) or reads_of(i) for i in update.indices):
            raise _Unfit
        key = (update.buffer, update.indices)
        if key not in group.found:
            if len(group.found) >= self._most:
                raise _Unfit
            # Conditions on the step decide whether to add; the others, whether the element exists.
            exists = tuple(c for c in conditions if not steps & axes_of(c) and not reads_of(c))
            group.found[key] = self._register(update, lanes, exists)
        register = group.found[key].register
        if group.found[key].lanes != lanes and not _same_lanes(group.found[key].lanes, lanes):
            raise _Unfit
        value = update.value
        if value.dtype is not register.dtype:
            value = Cast(register.dtype, value, implicit=True, dtype=register.dtype)
        return replace(update, buffer=register.name, indices=_lane(lanes), value=value)

    def _register(self, update: Update, lanes: Loop | None, exists: tuple[Expr, ...]) -> _Accumulator:
        buffer = self._buffers[update.buffer]
        self._count += 1
        shape = (1,) if lanes is None else (lanes.extent,)
        dtype = _WIDER.get(buffer.dtype, buffer.dtype)
        register = Buffer(f"{buffer.name}.r{self._count}", dtype, shape, Role.WORK, "local")
        return _Accumulator(register, buffer, update.indices, lanes, exists)


def _meet(a: _Accumulator, b: _Accumulator) -> bool:
    """Say whether two accumulators have an element in common, as a vector and the one lane of its tail do.

    Each would be held by itself, and what one adds would be lost when the other is stored.
    """
    if a.buffer.name != b.buffer.name:
        return False
    (first, step_a), (second, step_b) = _extent(a), _extent(b)
    apart = second.plus(first, -1)
    if apart.terms:
        return (a.lanes is None) != (b.lanes is None)
    if step_a == step_b > 1 and apart.constant % step_a:
        return False
    return -_length(b, step_b) < apart.constant < _length(a, step_a)


def _extent(a: _Accumulator) -> tuple[Linear, int]:
    """Give where an accumulator begins in its buffer, and how far apart its lanes lie."""
    total, stride = Linear((), 0), 1
    for index, size in zip(reversed(a.indices), reversed(a.buffer.shape), strict=True):
        total = total.plus(linear(index), stride)
        stride *= size
    own = None if a.lanes is None else variable(a.lanes.var)
    step = next((times for term, times in total.terms if term == own), 0)
    return Linear(tuple((t, k) for t, k in total.terms if t != own), total.constant), step


def _length(a: _Accumulator, step: int) -> int:
    return 1 if a.lanes is None else abs(step) * (a.lanes.extent - 1) + 1


def _updates(body: tuple[Stmt, ...]) -> bool:
    return any(isinstance(s, Update) for s in walk_stmts(body))


def _crosses(loop: Loop) -> bool:
    """Whether threads of a GPU share steps inside: their partial results have to meet in memory."""
    return any(isinstance(s, Loop) and _is_joint(s) for s in walk_stmts((loop,)))


def _is_joint(loop: Loop) -> bool:
    """Whether threads of a GPU work on a loop together, one by one or as a matrix unit."""
    return loop.mark in THREADS or loop.instruction.startswith("wmma")


def _same_lanes(a: Loop | None, b: Loop | None) -> bool:
    return a is not None and b is not None and (a.var, a.extent) == (b.var, b.extent)


def _lane(lanes: Loop | None) -> tuple[Expr, ...]:
    return (number(0),) if lanes is None else (variable(lanes.var),)


def _load(a: _Accumulator) -> Store:
    value: Expr = Read(a.buffer.name, a.indices, dtype=a.buffer.dtype)
    if a.register.dtype is not a.buffer.dtype:
        value = Cast(a.register.dtype, value, implicit=True, dtype=a.register.dtype)
    return Store(a.register.name, _lane(a.lanes), value)


def _save(a: _Accumulator) -> Store:
    value: Expr = Read(a.register.name, _lane(a.lanes), dtype=a.register.dtype)
    if a.register.dtype is not a.buffer.dtype:
        value = Cast(a.buffer.dtype, value, dtype=a.buffer.dtype)
    return Store(a.buffer.name, a.indices, value)


def _wrapped(a: _Accumulator, stmt: Stmt) -> Stmt:
    """Put a load or a store under the conditions and lanes of its accumulator."""
    if a.conditions:
        stmt = Guard(conjunction(a.conditions), (stmt,))
    if a.lanes is None:
        return stmt
    return replace(a.lanes, body=(stmt,), kind=Kind.DATA, mark=Mark.VECTOR, instruction="")


def _values(stmt: Stmt) -> Iterator[Expr]:
    match stmt:
        case Store(value=value) | Update(value=value) | Let(value=value):
            yield value
        case Guard(condition=condition):
            yield condition
        case Loop() | Allocate():
            return


def _unrolled(body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
    """Write out the data loops that are marked so."""
    return tuple(fresh for stmt in body for fresh in _unrolled_one(stmt, ranges))


def _unrolled_one(stmt: Stmt, ranges: Ranges) -> Iterator[Stmt]:
    match stmt:
        case Loop(var=var, extent=extent, body=body, kind=kind, mark=mark):
            if mark is Mark.UNROLL and kind is not Kind.REDUCTION:
                for step in range(extent):
                    yield from _unrolled(substituted(body, {var: number(step)}, ranges), ranges)
            else:
                yield replace(stmt, body=_unrolled(body, entered(stmt, ranges)))
        case Let(body=body) | Guard(body=body) | Allocate(body=body):
            yield with_body(stmt, _unrolled(body, entered(stmt, ranges)))
        case Store() | Update():
            yield stmt
        case _:
            assert_never(stmt)
