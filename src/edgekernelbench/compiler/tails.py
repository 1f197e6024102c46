"""Tiles that do not divide: the last one moved back, or run by itself, instead of a guard in every one.

For `o * F + i < N`, iterations `o` of a tile of `F` positions from `o * F`, the tile may as well start at
`min(o * F, N - F)`: it then computes some elements again, to the same values, and needs no guard.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from edgekernelbench.compiler.guards import conjuncts, tidy_guards
from edgekernelbench.compiler.positions import Positions
from edgekernelbench.compiler.rewrite import (
    entered,
    expressions,
    reads_of,
    renamed,
    substituted,
    with_body,
    with_expressions,
    with_plain_lets,
)
from edgekernelbench.ir.expr import Axis, Binary, Call, Compare, Expr, Literal, Unary
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.nest.indices import simplify, span_of_sum
from edgekernelbench.nest.linear import I32, Linear, Ranges, linear, number, variable
from edgekernelbench.nest.tree import (
    Allocate,
    Guard,
    Kind,
    Let,
    Loop,
    Mark,
    Stmt,
    Store,
    Update,
    inner,
    walk_stmts,
)

MOST_STATEMENTS = 48
"""A loop whose body has more statements, unrolled ones counted singly, is not written twice."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A guard of a tiled loop.

    Attributes:
        size: `F`, the positions of a tile.
        stop: `N`, one past the last position.
        inner: The factor in the position of each loop variable inside the tile.
    """

    size: int
    stop: int
    inner: tuple[tuple[str, int], ...]


def remove_tails(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Rewrite tiled loops so that their bodies need no guards, where that is right.

    Args:
        body: A program.

    Returns:
        A program that computes the same values, some more than once.
    """
    plain = tidy_guards(with_plain_lets(body, {}), {})
    return with_plain_lets(tidy_guards(_block(plain, {}), {}), {})


def _block(body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
    return tuple(fresh for stmt in body for fresh in _statement(stmt, ranges))


def _statement(stmt: Stmt, ranges: Ranges) -> tuple[Stmt, ...]:
    match stmt:
        case Loop(body=body):
            loop = replace(stmt, body=_block(body, entered(stmt, ranges)))
            tile = find_tile(loop, ranges)
            if tile is None:
                return (loop,)
            shifted = shift_tail(loop, tile, ranges)
            if shifted is not None:
                return (shifted,)
            return _peeled(loop, ranges)
        case Let(body=body) | Guard(body=body) | Allocate(body=body):
            return (with_body(stmt, _block(body, entered(stmt, ranges))),)
        case Store() | Update():
            return (stmt,)
        case _:
            assert_never(stmt)


def find_tile(loop: Loop, ranges: Ranges) -> Tile | None:
    """Find a guard that only the last iteration of a loop can fail.

    Args:
        loop: The loop over tiles.
        ranges: Ranges of the variables round it.

    Returns:
        The tile; None when no guard has the form.
    """
    if loop.extent == 1 or loop.mark in (Mark.VECTOR, Mark.UNROLL, Mark.TENSOR):
        return None
    inside = {s.var: (0, s.extent - 1) for s in walk_stmts(loop.body) if isinstance(s, Loop)}
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, Guard):
            for condition in conjuncts(stmt.condition):
                tile = _tile_of(condition, loop, inside)
                if tile is not None:
                    return tile
    return None


def _tile_of(condition: Expr, loop: Loop, inside: Ranges) -> Tile | None:
    match condition:
        case Compare(ops=("<" | "<=" as op,), operands=(left, Literal(value=int() as value))):
            total = linear(left)
        case _:
            return None
    weights = {term.name: k for term, k in total.terms if isinstance(term, Axis)}
    size = weights.pop(loop.var, 0)
    rest = Linear(tuple((t, k) for t, k in total.terms if t != variable(loop.var)), 0)
    if len(weights) + 1 != len(total.terms) or size < 1 or not weights.keys() <= inside.keys():
        return None
    stop = int(value) + (op == "<=")
    if total.constant or span_of_sum(rest, inside) != (0, size - 1):
        return None
    if not (loop.extent - 1) * size < stop < loop.extent * size:
        return None
    return Tile(size, stop, tuple(weights.items()))


def shift_tail(loop: Loop, tile: Tile, ranges: Ranges) -> Loop | None:
    """Let the last tile start earlier.

    Args:
        loop: The loop over tiles.
        tile: Its tile.
        ranges: Ranges of the variables round it.

    Returns:
        The loop without the guard; None when computing elements twice could change a value, or when the body
        knows its tile by anything but the position where it starts.
    """
    if loop.kind is not Kind.DATA or tile.stop < tile.size or not _may_run_twice(loop):
        return None
    own = frozenset(b.name for s in walk_stmts(loop.body) if isinstance(s, Allocate) for b in s.buffers)
    if not Positions(loop.var, tile.size, _groups(loop, tile.size), own).hold(loop.body):
        return None
    first = f"{loop.var}.first"
    inside = {**ranges, first: (0, tile.stop - tile.size)}
    body = tuple(_shifted(stmt, _Shift(loop.var, first, tile.size), inside) for stmt in loop.body)
    start = Binary("*", variable(loop.var), number(tile.size), dtype=I32)
    value = Call("min", (start, number(tile.stop - tile.size)), dtype=I32)
    return replace(loop, body=(Let(first, value, tidy_guards(body, inside)),))


def _groups(loop: Loop, size: int) -> tuple[dict[str, int], ...]:
    """List the inner variables of all guards of the form: several stages may be tiled by one loop."""
    inside = {s.var: (0, s.extent - 1) for s in walk_stmts(loop.body) if isinstance(s, Loop)}
    found = [
        _tile_of(condition, loop, inside)
        for stmt in walk_stmts(loop.body)
        if isinstance(stmt, Guard)
        for condition in conjuncts(stmt.condition)
    ]
    return tuple(dict(tile.inner) for tile in found if tile is not None and tile.size == size)


def _may_run_twice(loop: Loop) -> bool:
    """Whether running an iteration again, perhaps beside another thread, changes nothing.

    What it writes outside itself must depend on nothing that it writes there. A sum is begun anew in each
    iteration, so it may stand outside when no other thread can be in the midst of it.
    """
    own = {b.name for s in walk_stmts(loop.body) if isinstance(s, Allocate) for b in s.buffers}
    stored: set[str] = set()
    read: set[str] = set()
    for stmt in walk_stmts(loop.body):
        if isinstance(stmt, Update):
            outside = {stmt.buffer, stmt.best or stmt.buffer} - own
            if outside and (loop.mark is not Mark.SERIAL or not outside <= stored):
                return False
        if isinstance(stmt, Store):
            stored |= {stmt.buffer} - own
        read |= {name for e in expressions(stmt) for name in reads_of(e)} - own
    return not stored & read


@dataclass(frozen=True, slots=True)
class _Shift:
    """Writes `first` for `var * size`."""

    var: str
    first: str
    size: int

    def expr(self, node: Expr) -> Expr:
        """Rewrite an expression."""
        match node:
            case Axis() | Binary(op="+" | "-" | "*") | Unary(op="-") if node.dtype is I32:
                return self._sum(node)
            case _:
                return self._parts(node)

    def _parts(self, node: Expr) -> Expr:
        parts = children(node)
        return with_children(node, tuple(self.expr(part) for part in parts)) if parts else node

    def _sum(self, node: Expr) -> Expr:
        total = linear(node)
        fresh = Linear((), total.constant)
        for term, k in total.terms:
            if term == variable(self.var):
                fresh = fresh.plus(Linear(((variable(self.first), 1),), 0), k // self.size)
            elif isinstance(term, Axis):
                fresh = fresh.plus(Linear(((term, k),), 0))
            else:
                fresh = fresh.plus(Linear(((self._parts(term) if term == node else self.expr(term), k),), 0))
        return fresh.expr()


def _shifted(stmt: Stmt, shift: _Shift, ranges: Ranges) -> Stmt:
    fresh = with_expressions(stmt, lambda node: simplify(shift.expr(node), ranges))
    inside = entered(fresh, ranges)
    return with_body(fresh, tuple(_shifted(s, shift, inside) for s in inner(fresh)))


def _peeled(loop: Loop, ranges: Ranges) -> tuple[Stmt, ...]:
    """Run the last tile by itself; its guards then cut its loops short."""
    if loop.mark is not Mark.SERIAL or _size(loop.body) > MOST_STATEMENTS:
        return (loop,)
    last = loop.extent - 1
    head = tidy_guards((replace(loop, extent=last),), ranges)
    tail = substituted(loop.body, {loop.var: number(last)}, ranges)
    own = {b.name for s in walk_stmts(tail) if isinstance(s, Allocate) for b in s.buffers}
    return (*head, *tidy_guards(renamed(tail, {name: f"{name}.tail" for name in own}), ranges))


def _size(body: tuple[Stmt, ...]) -> int:
    return sum(
        _size(stmt.body) * (stmt.extent if stmt.mark is Mark.UNROLL else 1)
        if isinstance(stmt, Loop)
        else _size(stmt.body)
        if isinstance(stmt, Let | Guard | Allocate)
        else 1
        for stmt in body
    )
