"""Vector loops brought down to single statements, in pieces of a register's width.

A vector loop enumerates data, so its iterations may be run statement by statement instead. What is left
is a loop of at most one register's lanes round one `Store` or `Update`, guarded or not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.rewrite import (
    axes_of,
    entered,
    expressions,
    reads_of,
    substituted,
    with_body,
    with_expressions,
    written,
)
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Call, Compare, Expr, Literal, Logic, Read
from edgekernelbench.ir.walk import children, transform, walk
from edgekernelbench.nest.indices import conjunction
from edgekernelbench.nest.linear import Linear, Ranges, number, variable
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Stmt,
    Store,
    Update,
    walk_stmts,
)

MOST_UNROLLED = 8
"""So many registers of one loop are written out; more become a loop."""

_LIBRARY = frozenset({"tan", "asin", "acos", "atan", "atan2"})
_IN_LIBRARY_WHEN_WIDE = frozenset(PROGRAMS)
_SINGLE = (DType.F16, DType.BF16, DType.F32)


def lower_vectors(body: tuple[Stmt, ...], vector_bytes: int) -> tuple[Stmt, ...]:
    """Bring every vector loop down to single statements.

    Args:
        body: A program.
        vector_bytes: Width of a register.

    Returns:
        An equal program. Loops that cannot be vectors, such as those that call the C library, are
        serial.
    """
    return _Lowering(vector_bytes).block(body, {})


@dataclass(frozen=True, slots=True)
class _Vector:
    """The vector loop that is being brought down, with the conditions passed on the way."""

    loop: Loop
    ranges: Ranges
    conditions: tuple[Expr, ...] = ()

    @property
    def var(self) -> str:
        return self.loop.var


class _Lowering:
    def __init__(self, vector_bytes: int) -> None:
        self._bits = 8 * vector_bytes

    def block(self, body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
        return tuple(fresh for stmt in body for fresh in self._statement(stmt, ranges))

    def _statement(self, stmt: Stmt, ranges: Ranges) -> tuple[Stmt, ...]:
        match stmt:
            case Loop(body=body, mark=mark):
                inside = entered(stmt, ranges)
                if mark is Mark.VECTOR:
                    if _can_be_distributed(stmt):
                        return self._sink(body, _Vector(stmt, inside))
                    stmt = replace(stmt, mark=Mark.SERIAL)
                return (replace(stmt, body=self.block(body, inside)),)
            case Let(body=body) | Guard(body=body) | Allocate(body=body):
                return (with_body(stmt, self.block(body, entered(stmt, ranges))),)
            case Store() | Update():
                return (stmt,)
            case _:
                assert_never(stmt)

    def _sink(self, body: tuple[Stmt, ...], vector: _Vector) -> tuple[Stmt, ...]:
        return tuple(fresh for stmt in body for fresh in self._sink_one(stmt, vector))

    def _sink_one(self, stmt: Stmt, vector: _Vector) -> tuple[Stmt, ...]:
        match stmt:
            case Store() | Update():
                return self._leaf(stmt, vector)
            case Loop(body=body):
                inside = replace(vector, ranges=entered(stmt, vector.ranges))
                return (replace(stmt, body=self._sink(body, inside)),)
            case Guard(condition=condition, body=body):
                if vector.var in axes_of(condition):
                    return self._sink(body, replace(vector, conditions=(*vector.conditions, condition)))
                return (replace(stmt, body=self._sink(body, vector)),)
            case Let(var=var, value=value, body=body):
                if vector.var in axes_of(value):
                    return self._sink(substituted(body, {var: value}, vector.ranges), vector)
                inside = replace(vector, ranges=entered(stmt, vector.ranges))
                return (replace(stmt, body=self._sink(body, inside)),)
            case Allocate(buffers=buffers, body=body):
                wide = {b.name: replace(b, shape=(*b.shape, vector.loop.extent)) for b in buffers}
                inner = _with_lane(body, wide, variable(vector.var))
                return (Allocate(tuple(wide.values()), self._sink(inner, vector)),)
            case _:
                assert_never(stmt)

    def _leaf(self, stmt: Store | Update, vector: _Vector) -> tuple[Stmt, ...]:
        guarded: Stmt = stmt
        if vector.conditions:
            guarded = Guard(conjunction(vector.conditions), (stmt,))
        if not _has_vector_form(guarded):
            return (replace(vector.loop, mark=Mark.SERIAL, body=(guarded,)),)
        lanes = self._bits // _widest(stmt)
        return tuple(_strips(guarded, vector, lanes))


def _strips(leaf: Stmt, vector: _Vector, lanes: int) -> Iterator[Stmt]:
    """Cut a loop round one statement into whole registers and powers of two."""
    loop, extent = vector.loop, vector.loop.extent
    whole, start = extent // lanes, 0
    if whole > 1:
        chunk = f"{loop.var}.chunk"
        ranges = {**vector.ranges, chunk: (0, whole - 1), loop.var: (0, lanes - 1)}
        place = Linear(((variable(chunk), lanes), (variable(loop.var), 1)), 0).expr()
        body = substituted((leaf,), {loop.var: place}, ranges)
        mark = Mark.UNROLL if whole <= MOST_UNROLLED else Mark.SERIAL
        inner = replace(loop, extent=lanes, body=body)
        yield Loop(chunk, whole, (inner,), loop.kind, mark)
        start = whole * lanes
    while start < extent:
        width = min(lanes, 1 << ((extent - start).bit_length() - 1))
        ranges = {**vector.ranges, loop.var: (0, width - 1)}
        place = Linear(((variable(loop.var), 1),), start).expr()
        body = substituted((leaf,), {loop.var: place}, ranges) if start else (leaf,)
        if width == 1:
            yield from substituted(body, {loop.var: number(0)}, ranges)
        else:
            yield replace(loop, extent=width, body=body)
        start += width


def _can_be_distributed(loop: Loop) -> bool:
    """Whether each iteration writes what is its own, and no condition reads what is written inside."""
    inside = {b.name for s in walk_stmts(loop.body) if isinstance(s, Allocate) for b in s.buffers}
    changed = written(loop.body)
    for stmt in walk_stmts(loop.body):
        match stmt:
            case Store(buffer=buffer, indices=indices) | Update(buffer=buffer, indices=indices):
                if buffer not in inside and not any(loop.var in axes_of(index) for index in indices):
                    return False
            case Guard(condition=condition) if reads_of(condition) & changed:
                return False
            case Loop(mark=Mark.VECTOR):
                return False
            case _:
                continue
    return True


def _has_vector_form(leaf: Stmt) -> bool:
    for stmt in walk_stmts((leaf,)):
        if isinstance(stmt, Store | Update) and any(reads_of(index) for index in stmt.indices):
            return False
        for expr in expressions(stmt):
            if any(isinstance(node, Call) and not _is_arithmetic(node) for node in walk(expr)):
                return False
    return True


def _is_arithmetic(call: Call) -> bool:
    """Whether a function needs no library."""
    if call.function in _LIBRARY:
        return False
    return call.function not in _IN_LIBRARY_WHEN_WIDE or call.dtype in _SINGLE


def _widest(stmt: Store | Update) -> int:
    """Find the bits of the widest value that is computed, indices apart; 16-bit floats are computed in 32."""
    kinds = {node.dtype for node in _computed(stmt.value)}
    bits = max((32 if kind in _SINGLE else kind.bits for kind in kinds if kind is not None), default=8)
    return max(8, bits)


def _computed(node: Expr) -> Iterator[Expr]:
    """Visit what takes a register: no indices, no comparisons of positions, no plain numbers."""
    match node:
        case Read():
            yield node
        case Literal():
            return
        case Axis():
            yield node
        case Compare(operands=operands) | Logic(operands=operands):
            if any(reads_of(part) for part in operands):
                for part in operands:
                    yield from _computed(part)
        case _:
            yield node
            for part in children(node):
                yield from _computed(part)


def _with_lane(body: tuple[Stmt, ...], wide: dict[str, Buffer], lane: Expr) -> tuple[Stmt, ...]:
    """Give every access to some buffers one more index."""

    def widened(node: Expr) -> Expr | None:
        if isinstance(node, Read) and node.tensor in wide:
            return replace(node, indices=(*node.indices, lane))
        return None

    def one(stmt: Stmt) -> Stmt:
        fresh = with_expressions(stmt, lambda node: transform(node, widened))
        if isinstance(fresh, Store | Update):
            return replace(fresh, indices=(*fresh.indices, lane)) if fresh.buffer in wide else fresh
        return with_body(fresh, tuple(one(s) for s in fresh.body))

    return tuple(one(stmt) for stmt in body)
