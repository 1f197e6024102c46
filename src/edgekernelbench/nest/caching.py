"""`cache`: the box that reads inside a loop need, and the loops that copy it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from edgekernelbench.ir.expr import Expr
from edgekernelbench.ir.memory import Cache
from edgekernelbench.nest.boxes import AxisBox
from edgekernelbench.nest.gpu import Dealing, Dims, deal_out
from edgekernelbench.nest.indices import add, scale
from edgekernelbench.nest.linear import number, variable
from edgekernelbench.nest.scene import guarded
from edgekernelbench.nest.storage import Storage
from edgekernelbench.nest.tree import Kind, Loop, Mark, Stmt, Store


@dataclass(frozen=True, slots=True)
class CacheBox:
    """One cache.

    Attributes:
        name: Its name, such as `x.shared`.
        tensor: What is copied.
        boxes: The part of each axis.
        storage: Where the copy is.
        directive: What asked for it.
        dims: Threads of a block that copy together; None when the copy is serial.
    """

    name: str
    tensor: str
    boxes: tuple[AxisBox, ...]
    storage: Storage
    directive: Cache
    dims: Dims | None = None


def emit_copy(cache: CacheBox, source: Storage, ranges: dict[str, tuple[int, int]]) -> list[Stmt]:
    """Write the loops that fill a cache."""
    counts = [box.count for box in cache.boxes]
    vector = cache.directive.vector
    names = [f"{cache.name}.{axis}" for axis in range(len(counts))]
    extents = dict(zip(names, counts, strict=True))
    if counts:
        extents[names[-1]] = counts[-1] // vector
    ranges |= {name: (0, extent - 1) for name, extent in extents.items()}
    lane = f"{cache.name}.lane"
    ranges[lane] = (0, vector - 1)
    positions: list[Expr] = []
    for place, (name, box) in enumerate(zip(names, cache.boxes, strict=True)):
        moved = variable(name) if extents[name] > 1 else number(0)
        if place == len(names) - 1 and vector > 1:
            moved = add(scale(moved, vector), variable(lane))
        positions.append(add(box.first, moved))
    inside = cache.storage.indices(positions, ranges)
    body: list[Stmt] = [
        Store(buffer.name, inside, source.read(positions, ranges, best=place > 0))
        for place, buffer in enumerate(cache.storage.buffers())
    ]
    if vector > 1:
        body = [Loop(lane, vector, tuple(body), Kind.COPY, Mark.VECTOR)]
    if cache.dims is not None and prod(extents.values()) >= 1:
        dealing = Dealing(cache.name, tuple(names), cache.dims, blocks=False)
        return deal_out(dealing, extents, ranges, lambda active: guarded(active, body))
    return _serial(names, extents, body)


def _serial(names: list[str], extents: Mapping[str, int], body: list[Stmt]) -> list[Stmt]:
    for name in reversed(names):
        if extents[name] > 1:
            body = [Loop(name, extents[name], tuple(body), Kind.COPY)]
    return body
