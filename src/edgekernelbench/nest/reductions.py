"""Initial values, updates and results of reductions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Literal, Read
from edgekernelbench.nest.indices import subtract
from edgekernelbench.nest.linear import Ranges, variable
from edgekernelbench.nest.storage import Storage, StorageRequest, make_storage
from edgekernelbench.nest.stores import best_type
from edgekernelbench.nest.tree import Buffer, Stmt, Store, Update
from edgekernelbench.nest.work import WorkStage, typed


@dataclass(frozen=True, slots=True)
class Target:
    """Where a reduction goes.

    Attributes:
        storage: Where the result is stored.
        partial: Where it is held until it is complete; None when that is the same.
        loops: With `partial`, the loops that it has one element for, outermost first.
    """

    storage: Storage
    partial: Storage | None
    loops: tuple[str, ...] = ()

    def buffers(self) -> tuple[Buffer, Buffer | None]:
        """Give the buffer that is updated, and that of the values beside it."""
        held = self.storage if self.partial is None else self.partial
        return held.buffer, held.best

    def indices(self, stage: WorkStage, values: Mapping[str, Expr], ranges: Ranges) -> tuple[Expr, ...]:
        """Give the place of an element in what is updated."""
        if self.partial is None:
            return self.storage.indices([values[axis] for axis in stage.axes], ranges)
        return self.partial.indices([self._inner(stage, loop, values) for loop in self.loops], ranges)

    def _inner(self, stage: WorkStage, loop: str, values: Mapping[str, Expr]) -> Expr:
        if stage.scattered and loop == f"{stage.name}.{stage.scattered}":
            place = stage.axes.index(stage.scattered)
            return subtract(typed(values[stage.scattered], DType.I32), self.box_first(place))
        return variable(loop)

    def box_first(self, axis: int) -> Expr:
        """Give the first stored position along an axis."""
        return self.storage.firsts[axis]


def partial_storage(
    stage: WorkStage, extents: Mapping[str, int], scope: str
) -> tuple[Storage, tuple[str, ...]]:
    """Make the buffer that holds partial results: one element for each data loop that varies."""
    loops = tuple(loop for loop, extent in extents.items() if extent > 1)
    counts = tuple(extents[loop] for loop in loops)
    request = StorageRequest(f"{stage.name}.partial", stage.dtype, counts, scope=scope, best=best_type(stage))
    return make_storage(request), loops


def identity(kind: str, dtype: DType) -> Expr:
    """Give the value of a reduction of nothing."""
    match kind:
        case "sum":
            return Literal(0.0 if dtype.is_float else 0, dtype=dtype)
        case "prod":
            return Literal(1.0 if dtype.is_float else 1, dtype=dtype)
        case "any" | "all":
            return Literal(kind == "all", dtype=dtype)
        case "max" | "argmax":
            return Literal(-inf if dtype.is_float else dtype.bounds[0], dtype=dtype)
        case _:
            return Literal(inf if dtype.is_float else dtype.bounds[1], dtype=dtype)


def emit_identity(stage: WorkStage, target: Target, values: Mapping[str, Expr], ranges: Ranges) -> list[Stmt]:
    """Set an element to the value of nothing; a place to -1."""
    reducing = stage.reduction
    buffer, best = target.buffers()
    indices = target.indices(stage, values, ranges)
    if best is None:
        return [Store(buffer.name, indices, identity(reducing.kind, buffer.dtype), stage.name)]
    return [
        Store(buffer.name, indices, Literal(-1, dtype=buffer.dtype), stage.name),
        Store(best.name, indices, identity(reducing.kind, best.dtype)),
    ]


def emit_result(stage: WorkStage, target: Target, values: Mapping[str, Expr], ranges: Ranges) -> list[Stmt]:
    """Store what was held apart."""
    held_apart = target.partial or target.storage
    inside = target.indices(stage, values, ranges)
    outside = target.storage.indices([values[axis] for axis in stage.axes], ranges)
    pairs = zip(held_apart.buffers(), target.storage.buffers(), strict=True)
    return [
        Store(to.name, outside, Read(held.name, inside, dtype=held.dtype), stage.name if not place else "")
        for place, (held, to) in enumerate(pairs)
    ]


def emit_update(
    stage: WorkStage,
    target: Target,
    values: Mapping[str, Expr],
    render: Callable[[Expr], Expr],
    ranges: Ranges,
    *,
    atomic: bool,
) -> Stmt:
    """Combine one element into the result."""
    reducing = stage.reduction
    buffer, best = target.buffers()
    dtype = buffer.dtype if best is None else best.dtype
    position = None if reducing.position is None else typed(render(reducing.position), DType.I32)
    return Update(
        reducing.kind,
        buffer.name,
        target.indices(stage, values, ranges),
        typed(render(reducing.element), dtype),
        position,
        "" if best is None else best.name,
        atomic,
        stage.name,
    )
