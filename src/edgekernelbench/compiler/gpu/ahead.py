"""Double buffering: what a serial loop fetches for later iterations while it works on this one.

A cache, or a stage computed at a loop, with `buffers=2` is filled at the start of each iteration. Where
nothing in the loop decides what it is filled with, the loop is marked: its statements stay in their order,
and what is in shared memory gets as many slots as there are buffers, taken in turn. A machine may then fill
the slot of a later iteration beside the work of this one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.gpu.across import find_crossing
from edgekernelbench.compiler.rewrite import (
    entered,
    expressions,
    reads_of,
    with_body,
    with_expressions,
    written,
)
from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.ir.walk import transform
from edgekernelbench.nest.indices import modulo
from edgekernelbench.nest.linear import Ranges, number, variable
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Let,
    Loop,
    Mark,
    Stmt,
    Store,
    Update,
    inner,
    walk_stmts,
)


@dataclass(frozen=True, slots=True)
class Ahead:
    """A loop of `Mark.AHEAD`, taken apart.

    Attributes:
        loop: The loop.
        lets: First positions that stand round the rest, outermost first.
        fetches: What may be done for a later iteration.
        work: What is done for this one.
    """

    loop: Loop
    lets: tuple[Let, ...]
    fetches: tuple[Stmt, ...]
    work: tuple[Stmt, ...]

    def under_lets(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Put statements under the first positions."""
        for let in reversed(self.lets):
            body = (with_body(let, body),)
        return body


def find_ahead(loop: Loop) -> Ahead:
    """Take a marked loop apart.

    Raises:
        InternalError: When it has not the form that `fetch_ahead` gives.
    """
    lets, rest = _under(loop.body)
    if loop.mark is not Mark.AHEAD or len(rest) < 1 or not isinstance(rest[0], Allocate):
        raise InternalError(f"expected a loop that fetches ahead, found {loop.var!r} marked {loop.mark}")
    return Ahead(loop, lets, rest[0].body, rest[1:])


def fetch_ahead(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Mark the loops of a program that can fetch ahead, and give slots to what they fetch.

    Args:
        body: A program; `copies` of a buffer say how many slots it may have.

    Returns:
        An equal program.
    """
    return _block(body, {})


def _block(body: tuple[Stmt, ...], ranges: Ranges) -> tuple[Stmt, ...]:
    return tuple(_statement(stmt, ranges) for stmt in body)


def _statement(stmt: Stmt, ranges: Ranges) -> Stmt:
    inside = entered(stmt, ranges)
    fresh = with_body(stmt, _block(inner(stmt), inside))
    if isinstance(fresh, Loop) and fresh.mark in (Mark.SERIAL, Mark.UNROLL) and fresh.extent > 1:
        return _marked(fresh, inside) or fresh
    return fresh


def _marked(loop: Loop, ranges: Ranges) -> Stmt | None:
    """Mark a loop; None when there is nothing that it could fetch ahead."""
    lets, rest = _under(loop.body)
    if len(rest) != 1 or not isinstance(rest[0], Allocate):
        return None
    allocate = rest[0]
    hoped = {b.name: b for b in allocate.buffers if b.copies > 1 and b.scope in ("shared", "local")}
    inside = written(loop.body)
    if not hoped or any(reads_of(let.value) & inside for let in lets):
        return None
    names = _fetched(allocate.body, frozenset(hoped), inside)
    if not names:
        return None
    depth = min(loop.extent, *(hoped[name].copies for name in names))
    slotted = {name: hoped[name] for name in names if hoped[name].scope == "shared"}
    slot = modulo(variable(loop.var), depth, ranges)
    fetches = tuple(s for s in allocate.body if written((s,)) & names)
    work = tuple(s for s in allocate.body if not written((s,)) & names)
    others = tuple(b for b in allocate.buffers if b.name not in names)
    group: tuple[Stmt, ...] = (Allocate((), fetches), Allocate(others, work))
    for let in reversed(lets):
        group = (with_body(let, group),)
    marked = replace(loop, mark=Mark.AHEAD, body=_slotted(group, frozenset(slotted), slot))
    held = tuple(_with_slots(hoped[name], depth) for name in hoped if name in names)
    return Allocate(held, (marked,))


def _fetched(body: tuple[Stmt, ...], hoped: frozenset[str], inside: set[str]) -> frozenset[str]:
    """Name the buffers all of whose values can be known before the iteration begins."""
    names = set(hoped)
    for stmt in body:
        own = {b.name for s in walk_stmts((stmt,)) if isinstance(s, Allocate) for b in s.buffers}
        filled = written((stmt,)) - own
        if filled & hoped and not (filled <= hoped and _is_free(stmt, inside - own)):
            names -= filled
    # A statement that fills several goes as a whole.
    for stmt in body:
        filled = written((stmt,)) & hoped
        if filled & names != filled:
            names -= filled
    return frozenset(names & written(body))


def _is_free(stmt: Stmt, inside: set[str]) -> bool:
    """Say whether a statement reads nothing that the loop writes, and no threads meet in it."""
    for one in walk_stmts((stmt,)):
        if any(reads_of(expr) & inside for expr in expressions(one)):
            return False
        if isinstance(one, Allocate) and any(b.scope != "local" for b in one.buffers):
            return False
        if isinstance(one, Loop) and (one.mark is Mark.TENSOR or find_crossing(one) is not None):
            return False
    return True


def _under(body: tuple[Stmt, ...]) -> tuple[tuple[Let, ...], tuple[Stmt, ...]]:
    lets: list[Let] = []
    while len(body) == 1 and isinstance(body[0], Let):
        lets.append(body[0])
        body = body[0].body
    return tuple(lets), body


def _with_slots(buffer: Buffer, depth: int) -> Buffer:
    if buffer.scope != "shared":
        return replace(buffer, copies=1)
    return replace(buffer, shape=(depth, *buffer.shape), copies=1)


def _slotted(body: tuple[Stmt, ...], names: frozenset[str], slot: Expr) -> tuple[Stmt, ...]:
    """Put the number of the slot in front of the indices of some buffers."""

    def placed(node: Expr) -> Expr | None:
        if isinstance(node, Read) and node.tensor in names:
            return replace(node, indices=(slot, *node.indices))
        return None

    def one(stmt: Stmt) -> Stmt:
        fresh = with_expressions(stmt, lambda node: transform(node, placed))
        if isinstance(fresh, Store | Update) and fresh.buffer in names:
            fresh = replace(fresh, indices=(slot, *fresh.indices))
        return with_body(fresh, tuple(one(s) for s in inner(fresh)))

    return tuple(one(stmt) for stmt in body)


@dataclass(frozen=True, slots=True)
class Apart:
    """A statement that fills a buffer, in two: reading into memory of a thread, and storing from there.

    Attributes:
        held: The memory of a thread.
        loads: Fills it.
        stores: Stores what is there.
    """

    held: Buffer
    loads: Stmt
    stores: Stmt


def take_apart(stmt: Stmt, buffer: Buffer, bound: frozenset[Mark], most: int) -> Apart | None:
    """Take a fetch apart.

    Args:
        stmt: The fetch; it fills one buffer.
        buffer: That buffer.
        bound: Marks of loops whose iterations are threads.
        most: Elements that a thread may hold.

    Returns:
        The two halves; None when it does more than store, or a thread would hold too much.
    """
    leaves = list(_leaves(stmt, ()))
    if len(leaves) != 1 or not isinstance(leaves[0][1], Store):
        return None
    loops = [one for one in leaves[0][0] if isinstance(one, Loop) and one.mark not in bound]
    if any(isinstance(one, Allocate) for one in leaves[0][0]):
        return None
    shape = tuple(loop.extent for loop in loops) or (1,)
    size = 1
    for extent in shape:
        size *= extent
    if size > most:
        return None
    held = Buffer(f"{buffer.name}.held", buffer.dtype, shape, buffer.role, "local")
    places: tuple[Expr, ...] = tuple(variable(loop.var) for loop in loops) or (number(0),)
    store = leaves[0][1]
    loads = _with_leaf(stmt, Store(held.name, places, store.value))
    stores = _with_leaf(stmt, replace(store, value=Read(held.name, places, dtype=buffer.dtype)))
    return Apart(held, loads, stores)


def _leaves(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[tuple[Stmt, ...], Stmt]]:
    if isinstance(stmt, Store | Update):
        yield path, stmt
    for one in inner(stmt):
        yield from _leaves(one, (*path, stmt))


def _with_leaf(stmt: Stmt, leaf: Stmt) -> Stmt:
    if isinstance(stmt, Store | Update):
        return leaf
    return with_body(stmt, tuple(_with_leaf(one, leaf) for one in inner(stmt)))
