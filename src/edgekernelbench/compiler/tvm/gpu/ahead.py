"""Loops that fetch for later iterations beside the work of this one: by asynchronous copies, or in registers.

On NVIDIA GPUs from `sm_80` on a copy from global to shared memory is started and waited for. Elsewhere a
thread reads into registers before the work, and stores what it holds after it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tvm import tirx

from edgekernelbench.compiler.gpu.ahead import Ahead, Apart, find_ahead, take_apart
from edgekernelbench.compiler.rewrite import written
from edgekernelbench.compiler.tvm.gpu.place import Place, device_name
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import Value, constant, number
from edgekernelbench.nest.tree import Loop, Stmt

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

HELD_BYTES = 128
"""What a thread may hold of one tensor while it works: 32 registers."""

Way = Apart | Literal["asynchronous", "early", "late"]
"""How something is fetched: started and waited for; read before and stored after; done before; done after."""


@dataclass(frozen=True, slots=True)
class _Fetch:
    stmt: Stmt
    names: frozenset[str]
    way: Way


def write_ahead(writer: "Writer", loop: Loop, place: Place) -> list[Node]:
    """Write a loop that fetches ahead.

    Args:
        writer: Writes statements.
        loop: The loop, of `Mark.AHEAD`.
        place: Where it stands.

    Returns:
        The first fetches, and the loop.
    """
    ahead = find_ahead(loop)
    names = written(ahead.fetches)
    depth = max((place.buffers[n].shape[0] for n in names if writer.is_shared(n)), default=2)
    fetches = [_choose(writer, ahead, stmt, place) for stmt in ahead.fetches]
    asynchronous = any(one.way == "asynchronous" for one in fetches)
    nodes: list[Node] = []
    for turn in range(depth - 1):
        at = place.with_variable(loop.var, constant(turn, "int32"), (turn, turn))
        for one in fetches:
            nodes += _written(writer, ahead, one.stmt, at, asynchronous=one.way == "asynchronous")
        nodes += writer.called(writer.library.preamble.close_group()) if asynchronous else []
    variable = Value(tirx.Var(device_name(loop.var), "int32"), "int32")
    body: list[Node] = []
    if asynchronous:
        body += writer.called(writer.library.preamble.await_groups(depth - 2))
    together = writer.barriers.begins_together(loop)
    if together:
        body.append(writer.barrier(place))
    else:
        writer.pending = writer.barriers.entry(loop, place.mapped, writer.pending)
    later = Value(variable.node + number(depth - 1), "int32")
    there = place.with_variable(loop.var, later, (depth - 1, loop.extent - 1))
    early, late, held = _halves(writer, ahead, fetches, there)
    inside = tirx.LT(later.node, number(loop.extent))
    body += [tirx.IfThenElse(inside, sequence(early), None)] if early else []
    if asynchronous:
        body += writer.called(writer.library.preamble.close_group())
    here = place.with_variable(loop.var, variable, (0, loop.extent - 1))
    body += writer.block(ahead.under_lets(ahead.work), here)
    body += [tirx.IfThenElse(inside, sequence(late), None)] if late else []
    if together:
        writer.pending |= writer.barriers.fetched(ahead, place.mapped)
    writer.notes.append(_sentence(loop, fetches, depth))
    serial = tirx.For(variable.node, number(0), number(loop.extent), tirx.ForKind.SERIAL, sequence(body))
    return [*held, *nodes, serial]


def _choose(writer: "Writer", ahead: Ahead, stmt: Stmt, place: Place) -> _Fetch:
    """Decide how something is fetched."""
    names = frozenset(written((stmt,)))
    first = place.with_variable(ahead.loop.var, constant(0, "int32"), (0, 0))
    if writer.library.asynchronous and all(writer.space(name) == "shared" for name in names):
        saved, writer.pending = writer.pending, frozenset()
        writer.unfetched = False
        _written(writer, ahead, stmt, first, asynchronous=True)
        writer.pending = saved
        if not writer.unfetched:
            return _Fetch(stmt, names, "asynchronous")
    if len(names) == 1:
        (name,) = names
        buffer = place.buffers[name]
        most = HELD_BYTES * 8 // max(8, buffer.dtype.bits)
        apart = take_apart(stmt, buffer, frozenset(writer.dims), most)
        if apart is not None:
            return _Fetch(stmt, names, apart)
    shared = all(writer.space(name) == "shared" for name in names)
    return _Fetch(stmt, names, "early" if shared else "late")


def _written(writer: "Writer", ahead: Ahead, stmt: Stmt, place: Place, *, asynchronous: bool) -> list[Node]:
    writer.fetching = asynchronous
    nodes = writer.block(ahead.under_lets((stmt,)), place)
    writer.fetching = False
    return nodes


def _halves(
    writer: "Writer", ahead: Ahead, fetches: list[_Fetch], place: Place
) -> tuple[list[Node], list[Node], list[Node]]:
    """Write what is done before the work, what after it, and the memory between; no barrier is within."""
    before: list[Node] = []
    early: list[Node] = []
    late: list[Node] = []
    saved, writer.pending = writer.pending, frozenset()
    for one in fetches:
        match one.way:
            case "asynchronous" | "early":
                early += _written(writer, ahead, one.stmt, place, asynchronous=one.way == "asynchronous")
            case "late":
                late += _written(writer, ahead, one.stmt, place, asynchronous=False)
            case Apart(held=held, loads=loads, stores=stores):
                before.append(writer.allocate(held))
                there = place.with_buffer(held, writer.last)
                early += _written(writer, ahead, loads, there, asynchronous=False)
                late += _written(writer, ahead, stores, there, asynchronous=False)
        writer.pending = frozenset()
    writer.pending = saved
    return early, late, before


def _sentence(loop: Loop, fetches: list[_Fetch], depth: int) -> str:
    """Say how a loop fetches."""
    ways: dict[str, list[str]] = {}
    for one in fetches:
        said = "through registers" if isinstance(one.way, Apart) else _SAID[one.way]
        ways.setdefault(said, []).extend(sorted(one.names))
    parts = [f"{', '.join(names)} {said}" for said, names in ways.items()]
    return f"{loop.var} works on one of {depth} parts while the next comes: {'; '.join(parts)}"


_SAID = {
    "asynchronous": "by asynchronous copies",
    "early": "computed beside the work",
    "late": "after the work, as it is too much for registers",
}
