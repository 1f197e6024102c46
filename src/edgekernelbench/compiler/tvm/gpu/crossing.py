"""Reductions across threads: each accumulates for itself, then a tree in shared memory joins them."""

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.gpu.across import Crossing
from edgekernelbench.compiler.gpu.plan import LANES
from edgekernelbench.compiler.rewrite import with_body
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Expr, Read
from edgekernelbench.nest.indices import conjunction
from edgekernelbench.nest.linear import number as whole
from edgekernelbench.nest.linear import variable
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.reductions import identity
from edgekernelbench.nest.tree import (
    Buffer,
    Guard,
    Kind,
    Loop,
    Mark,
    Role,
    Stmt,
    Store,
    Update,
    inner,
    walk_stmts,
)

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

_WIDER = {DType.F16: DType.F32, DType.BF16: DType.F32}
_AT, _NEXT, _BASE = "cross.at", "cross.next", "cross.base"


@dataclass(frozen=True, slots=True)
class _Part:
    """What one update accumulates: in a thread, and in memory of the block.

    Attributes:
        update: The update.
        own: The accumulator of a thread.
        own_best: The values beside places; None for other reductions.
        met: Where threads meet.
        met_best: Likewise for the values.
    """

    update: Update
    own: Buffer
    own_best: Buffer | None
    met: Buffer
    met_best: Buffer | None


def write_crossing(writer: "Writer", crossing: Crossing, place: "Place") -> list[Node]:
    """Write a loop over threads that reduces.

    Args:
        writer: Writes statements.
        crossing: The loop.
        place: Where it stands.

    Returns:
        Statements after which the reduced values are where the loop would have left them.
    """
    totals = {mark: _total(crossing.loop, mark) for mark in crossing.axes}
    others = [mark for mark in THREADS if mark not in totals]
    size = prod(totals.values()) * prod(writer.dims[mark] for mark in others)
    serial = tuple(loop for loop in crossing.data if loop.mark not in THREADS)
    parts = [_part(update, serial, size, place, tag) for tag, update in enumerate(crossing.updates)]
    nodes: list[Node] = []
    for part in parts:
        for buffer in (part.own, part.own_best):
            if buffer is not None:
                nodes.append(writer.allocate(buffer))
                place = place.with_buffer(buffer, writer.last)
        for buffer in (part.met, part.met_best):
            if buffer is not None:
                place = place.with_buffer(buffer, writer.scratch(buffer))
    begin = tuple(s for part in parts for s in _starts(part, serial))
    nodes += writer.block(_looped(serial, begin), place)
    writer.accumulators |= {part.own.name for part in parts}
    rewritten = _redirected(crossing.loop, {id(p.update): p for p in parts}, serial)
    if not isinstance(rewritten, Loop):
        raise InternalError("expected a loop over threads, found none")
    nodes += writer.inside(rewritten, place)
    nodes += _combined(writer, crossing, parts, totals, place)
    writer.crossed(crossing.loop, place)
    return nodes


def _total(loop: Loop, mark: Mark) -> int:
    sizes = {
        s.var: s.extent
        for s in walk_stmts((loop,))
        if isinstance(s, Loop) and s.mark is mark and s.kind is Kind.REDUCTION
    }
    return prod(sizes.values())


def _part(update: Update, data: tuple[Loop, ...], size: int, place: "Place", tag: int) -> _Part:
    target = place.buffers[update.buffer]
    shape = tuple(loop.extent for loop in data) or (1,)
    dtype = _WIDER.get(target.dtype, target.dtype)
    own = Buffer(f"{target.name}.own", dtype, shape, Role.WORK, "local")
    met = Buffer(f"met{tag}.{dtype}", dtype, (size,), Role.WORK, "shared")
    if not update.best:
        return _Part(update, own, None, met, None)
    kind = place.buffers[update.best].dtype
    held = _WIDER.get(kind, kind)
    own_best = Buffer(f"{update.best}.own", held, shape, Role.WORK, "local")
    return _Part(
        update, own, own_best, met, Buffer(f"met{tag}.best.{held}", held, (size,), Role.WORK, "shared")
    )


def _places(data: tuple[Loop, ...]) -> tuple[Expr, ...]:
    return tuple(variable(loop.var) for loop in data) or (whole(0),)


def _starts(part: _Part, data: tuple[Loop, ...]) -> tuple[Stmt, ...]:
    where = _places(data)
    if part.own_best is None:
        return (Store(part.own.name, where, identity(part.update.kind, part.own.dtype)),)
    return (
        Store(part.own.name, where, whole(-1)),
        Store(part.own_best.name, where, identity(part.update.kind, part.own_best.dtype)),
    )


def _looped(data: tuple[Loop, ...], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    for loop in reversed(data):
        body = (replace(loop, body=body, kind=Kind.DATA),)
    return body


def _redirected(stmt: Stmt, parts: dict[int, _Part], data: tuple[Loop, ...]) -> Stmt:
    """Let updates go to the accumulators of their thread."""
    if isinstance(stmt, Update):
        part = parts.get(id(stmt))
        if part is None:
            return stmt
        held = part.own if part.own_best is None else part.own_best
        value = stmt.value
        if value.dtype is not held.dtype:
            value = Cast(held.dtype, value, dtype=held.dtype)
        best = "" if part.own_best is None else part.own_best.name
        return replace(stmt, buffer=part.own.name, best=best, indices=_places(data), value=value)
    return with_body(stmt, tuple(_redirected(s, parts, data) for s in inner(stmt)))


def _combined(
    writer: "Writer", crossing: Crossing, parts: list[_Part], totals: dict[Mark, int], place: "Place"
) -> list[Node]:
    """Write the tree for every element of the data loops inside."""
    loops: list[tuple[Node, int]] = []
    for loop in crossing.data:
        if loop.mark in THREADS:
            place = writer.entered(loop, place)
            continue
        counter = tirx.Var(writer.name(loop.var), "int32")
        loops.append((counter, loop.extent))
        place = place.with_variable(loop.var, Value(counter, "int32"), (0, loop.extent - 1))
    steps, place = _positions(writer, totals, place)
    group = prod(totals.values())
    inside = [tirx.LT(writer.thread(mark), number(total)) for mark, total in totals.items()
              if total < writer.dims[mark]]  # fmt: skip
    steps.append(writer.sync())
    put = [node for part in parts for node in writer.block(_put(part, crossing), place)]
    steps.append(_under(inside, put))
    stride = 1 << max(0, (group - 1).bit_length() - 1)
    member, warps = writer.member, _in_warps(writer, totals)
    alive = group
    while stride >= 1 and group > 1:
        # What is read below was written by lanes of one warp where no more than those were alive before.
        steps.append(_met(writer, alone=warps and alive <= LANES))
        alive = stride
        met = place.with_variable(_NEXT, Value(writer.at + stride, "int32"), None)
        joined = [node for part in parts for node in writer.block(_join(part), met)]
        steps.append(_under([*inside, tirx.LT(member, number(min(stride, group - stride)))], joined))
        stride //= 2
    steps.append(_met(writer, alone=warps and group <= LANES))
    steps += _taken(writer, crossing, parts, totals, place)
    body = sequence(steps)
    for counter, extent in reversed(loops):
        body = tirx.For(counter, number(0), number(extent), tirx.ForKind.SERIAL, body)
    return [body]


def _met(writer: "Writer", *, alone: bool) -> Node:
    """Let threads wait for each other: those of a warp alone, or all."""
    if alone:
        return tirx.Evaluate(tirx.call_pure_extern("int32", "ekb_warp_barrier"))
    return writer.sync()


def _in_warps(writer: "Writer", totals: dict[Mark, int]) -> bool:
    """Say whether the first lanes of each group are neighbours in one warp, and warps are whole."""
    x, y, z = (writer.dims[mark] for mark in THREADS)
    alone = y * z == 1 or (x % LANES == 0)
    return writer.library.warps and tuple(totals) == (Mark.THREAD_X,) and alone and x * y * z % LANES == 0


def _positions(writer: "Writer", totals: dict[Mark, int], place: "Place") -> tuple[list[Node], "Place"]:
    """Name the place of a thread where they meet, and the first place of its group."""
    member: Node = number(0)
    for mark, total in totals.items():
        member = member * number(total) + writer.thread(mark)
    base: Node = number(0)
    for mark in THREADS:
        if mark not in totals and writer.dims[mark] > 1:
            base = base * number(writer.dims[mark]) + writer.thread(mark)
    base = base * number(prod(totals.values()))
    nodes: list[Node] = []
    for name, node in ((_BASE, base), (_AT, base + member)):
        held = tirx.Var(writer.name(name), "int32")
        nodes.append(tirx.Bind(held, node))
        place = place.with_variable(name, Value(held, "int32"), None)
    writer.member = member
    writer.at = place.scope.variables[_AT].node
    return nodes, place


def _under(conditions: list[Node], body: list[Node]) -> Node:
    if not conditions:
        return sequence(body)
    test = conditions[0]
    for other in conditions[1:]:
        test = tirx.And(test, other)
    return tirx.IfThenElse(test, sequence(body), None)


def _put(part: _Part, crossing: Crossing) -> tuple[Stmt, ...]:
    where = _places(tuple(loop for loop in crossing.data if loop.mark not in THREADS))
    stores = [Store(part.met.name, (variable(_AT),), Read(part.own.name, where, dtype=part.own.dtype))]
    if part.own_best is not None and part.met_best is not None:
        best = Read(part.own_best.name, where, dtype=part.own_best.dtype)
        stores.append(Store(part.met_best.name, (variable(_AT),), best))
    return tuple(stores)


def _join(part: _Part) -> tuple[Stmt, ...]:
    return (
        _merge(
            part, part.met.name, "" if part.met_best is None else part.met_best.name, (variable(_AT),), _NEXT
        ),
    )


def _merge(part: _Part, buffer: str, best: str, indices: tuple[Expr, ...], source: str) -> Update:
    """Write an update from a place where threads meet."""
    read = Read(part.met.name, (variable(source),), dtype=part.met.dtype)
    if part.met_best is None:
        return Update(part.update.kind, buffer, indices, read)
    value = Read(part.met_best.name, (variable(source),), dtype=part.met_best.dtype)
    return Update(part.update.kind, buffer, indices, value, position=read, best=best)


def _taken(
    writer: "Writer", crossing: Crossing, parts: list[_Part], totals: dict[Mark, int], place: "Place"
) -> list[Node]:
    """Put what was reduced where it belongs: one thread for memory of all, every thread for its own."""
    nodes: list[Node] = []
    for part in parts:
        update = part.update
        stmt: Stmt = _merge(part, update.buffer, update.best, update.indices, _BASE)
        if crossing.exists:
            stmt = Guard(conjunction(crossing.exists), (stmt,))
        for let in reversed(crossing.lets):
            stmt = replace(let, body=(stmt,))
        conditions: list[Node] = []
        if writer.is_shared(update.buffer):
            conditions = [
                *writer.taking_part(place),
                *(tirx.EQ(writer.thread(mark), number(0)) for mark in totals if writer.dims[mark] > 1),
                *writer.only_one(place, frozenset(totals)),
            ]
        nodes.append(_under(conditions, writer.block((stmt,), replace(place, active=True, divergent=False))))
    return nodes
