"""Tiles of matrix units that stay in registers while a reduction runs.

A product of tiles adds to a tile in memory. Where a reduction does nothing else to that memory, its tiles are
read before it and stored after it, and every product adds to what the threads of a warp hold.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.compiler.rewrite import axes_of, touched
from edgekernelbench.compiler.tvm.gpu.place import device_name
from edgekernelbench.compiler.tvm.gpu.tensor import TILE, Operand, name_kind, operand
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.nest.linear import number as whole
from edgekernelbench.nest.tree import Kind, Let, Loop, Mark, Stmt, Update, inner, walk_stmts

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

EACH = 8
"""Elements of a 16x16 tile that each of 32 threads holds."""

MOST_TILES = 16
"""Tiles that a warp may hold: 128 registers a thread."""


@dataclass(frozen=True, slots=True)
class Held:
    """Tiles of one buffer that are in registers.

    Attributes:
        memory: What each thread holds, as a TIR buffer.
        kind: The element type of the factors.
        loops: The loops that number the tiles, outermost first.
    """

    memory: Node
    kind: str
    loops: tuple[Loop, ...]

    def address(self, place: "Place") -> Node:
        """Give the address of the first element of the tile at a place."""
        index: Node = number(0)
        for loop in self.loops:
            index = index * number(loop.extent) + place.scope.variables[loop.var].node
        return tirx.address_of(tirx.BufferLoad(self.memory, [index * number(EACH)]))


@dataclass(frozen=True, slots=True)
class Found:
    """A reduction whose products all add to tiles of one buffer.

    Attributes:
        update: The product.
        tensor: The outermost of its loops.
        loops: The loops that number the tiles.
    """

    update: Update
    tensor: Loop
    loops: tuple[Loop, ...]


def is_tiled(loop: Loop, tiles: Mapping[str, Held]) -> bool:
    """Say whether a loop numbers tiles in registers, which have no addresses."""
    return any(loop.var == one.var for held in tiles.values() for one in held.loops)


def find_tiles(loop: Loop) -> Found | None:
    """Find what a reduction adds to; None when its tiles cannot stay in registers."""
    if loop.kind is not Kind.REDUCTION or loop.mark is Mark.TENSOR:
        return None
    found = [(path, one) for path, one in _tensors(loop, ()) if one.kind is Kind.DATA]
    if len(found) != 1:
        return None
    path, tensor = found[0]
    updates = [s for s in walk_stmts((tensor,)) if isinstance(s, Update)]
    if len(updates) != 1:
        return None
    update = updates[0]
    uses = [s for s in walk_stmts((loop,)) if update.buffer in touched(s)]
    loops = tuple(s for s in path if isinstance(s, Loop) and s.kind is Kind.DATA)
    plain = all(one.mark in (Mark.SERIAL, Mark.UNROLL) for one in loops)
    if uses != [update] or not plain or prod(one.extent for one in loops) > MOST_TILES:
        return None
    tile = {s.var for s in walk_stmts((tensor,)) if isinstance(s, Loop)} | {one.var for one in loops}
    inside = {s.var for s in walk_stmts((loop,)) if isinstance(s, Loop | Let)} - tile
    if any(axes_of(index) & inside for index in update.indices):
        return None
    return Found(update, tensor, loops)


def _tensors(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[tuple[Stmt, ...], Loop]]:
    if isinstance(stmt, Loop) and stmt.instruction.startswith("wmma"):
        yield path, stmt
        return
    for one in inner(stmt):
        yield from _tensors(one, (*path, stmt))


def write_held(writer: "Writer", loop: Loop, found: Found, place: "Place") -> list[Node] | None:
    """Write a reduction whose tiles stay in registers.

    Args:
        writer: Writes statements.
        loop: The reduction.
        found: What it adds to.
        place: Where it stands.

    Returns:
        Reads of the tiles, the reduction, and stores; None when the product is none of a matrix unit.
    """
    kind = name_kind(found.update, found.tensor, place)
    if kind is None:
        return None
    count = prod(one.extent for one in found.loops)
    memory = tirx.decl_buffer(
        (count * EACH,), "int32" if kind == "i8" else "float32", device_name(f"{found.update.buffer}.tiles"),
        scope="local",
    )  # fmt: skip
    held = Held(memory, kind, found.loops)
    before = _moved(writer, found, held, place, "load")
    writer.tiles[found.update.buffer] = held
    body = writer.serial(loop, place)
    del writer.tiles[found.update.buffer]
    return [tirx.AllocBuffer(memory), before, *body, _moved(writer, found, held, place, "store")]


def _moved(writer: "Writer", found: Found, held: Held, place: "Place", way: str) -> Node:
    """Move all tiles between memory and registers."""
    counters = []
    for loop in found.loops:
        counter = Value(tirx.Var(device_name(loop.var), "int32"), "int32")
        counters.append((counter, loop.extent))
        place = place.with_variable(loop.var, counter, (0, loop.extent - 1))
    total = _total(found, place)
    name = writer.library.preamble.tile(way, held.kind, total.layout)
    call = tirx.call_extern("int32", name, held.address(place), total.address, number(total.step))
    sums = replace(found.update, value=whole(0))  # the factors are not touched here
    node = writer.instead(sums, [tirx.Evaluate(call)], place, together=True)
    for counter, extent in reversed(counters):
        node = tirx.For(counter.node, number(0), number(extent), tirx.ForKind.UNROLLED, sequence([node]))
    return node


def _total(found: Found, place: "Place") -> Operand:
    rows, columns = [s for s in walk_stmts((found.tensor,)) if isinstance(s, Loop)][:2]
    for one in (rows, columns):
        place = place.with_variable(one.var, Value(number(0), "int32"), (0, TILE - 1))
    axes = (rows.var, columns.var)
    return operand(found.update.buffer, found.update.indices, axes, place, found.tensor)
