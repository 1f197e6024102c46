"""What would probably help: one sentence each, never a refusal."""

from collections.abc import Iterator
from math import prod

from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.linear import Linear, linear
from edgekernelbench.nest.loops import SplitLoop
from edgekernelbench.nest.memory import Storing
from edgekernelbench.nest.memory_checks import too_far
from edgekernelbench.nest.storage import Storage, buffer_bytes
from edgekernelbench.nest.stores import Stores
from edgekernelbench.nest.tree import Buffer, Loop, Mark, Role, Stmt, Store, Update, inner, walk_stmts
from edgekernelbench.nest.work import WorkStage
from edgekernelbench.profiles.profile import Profile

MOST_STEPS = 8
"""A fold that keeps more steps than this is not advised."""


def advise(
    body: tuple[Stmt, ...], boxes: Boxes, storing: Storing, stores: Stores, profile: Profile
) -> tuple[str, ...]:
    """Look for what would probably help.

    Args:
        body: The run.
        boxes: The boxes of the stages.
        storing: The memory layer.
        stores: Where tensors are stored.
        profile: The device.

    Returns:
        One sentence each, without repetition.
    """
    found = [
        *_folds(boxes, storing, stores),
        *_strides(body, boxes, stores),
        *_tails(boxes),
        *_parallel(body, profile),
    ]
    return tuple(dict.fromkeys(found))


def _folds(boxes: Boxes, storing: Storing, stores: Stores) -> Iterator[str]:
    """Find histories of which a few steps are read."""
    structure = boxes.structure
    for name, stage in structure.program.stages.items():
        if stage.returned or stage.is_arg or storing.folds.get(name):
            continue
        for axis in stage.ordered[:1]:
            steps = _fewest(boxes, stage, axis)
            size = stage.size_of[axis]
            if steps is not None and steps < size:
                total = buffer_bytes(stores.of[name].buffer)
                yield (
                    f"fold({name}.{axis}, {steps}) keeps {steps} of {size:,} steps of {name}: "
                    f"{total // size * steps:,} B for {total:,} B"
                )


def _fewest(boxes: Boxes, stage: WorkStage, axis: str) -> int | None:
    readers = [boxes.structure.program.stages[r] for r in sorted(boxes.structure.readers(stage.name))]
    reads = [(r, read) for r in readers for read in r.reads() if read.tensor == stage.name]
    for steps in range(1, MOST_STEPS + 1):
        if not any(too_far(stage, reader, axis, read, steps) for reader, read in reads):
            return steps
    return None


def _strides(body: tuple[Stmt, ...], boxes: Boxes, stores: Stores) -> Iterator[str]:
    """Find vector loops that move in steps through memory."""
    buffers = {b.name: (tensor, s) for tensor, s in stores.of.items() for b in s.buffers()}
    for stmt in walk_stmts(body):
        if (
            not isinstance(stmt, Loop)
            or stmt.mark is not Mark.VECTOR
            or stmt.var not in boxes.structure.plan.refs
        ):
            continue
        for one in walk_stmts(stmt.body):
            for word, name, indices in _accesses(one):
                if name not in buffers:
                    continue
                tensor, storage = buffers[name]
                stride = _stride(storage.buffer, indices, stmt.var)
                if stride is not None and abs(stride) > 1:
                    line = _better_layout(boxes, tensor, storage, indices, stmt)
                    yield f"vectorize({stmt.var}) {word} {name} with stride {abs(stride):,}" + line


def _accesses(stmt: Stmt) -> Iterator[tuple[str, str, tuple[Expr, ...]]]:
    if isinstance(stmt, Store | Update):
        yield "writes", stmt.buffer, stmt.indices
        for node in walk(stmt.value):
            if isinstance(node, Read):
                yield "reads", node.tensor, node.indices


def _stride(buffer: Buffer, indices: tuple[Expr, ...], var: str) -> int | None:
    """Find how far one step of a loop moves in a buffer; None when that is not fixed."""
    total = Linear((), 0)
    step = 1
    for index, size in reversed(list(zip(indices, buffer.shape, strict=True))):
        total = total.plus(linear(index).times(step))
        step *= size
    moved = 0
    for term, times in total.terms:
        if isinstance(term, Axis) and term.name == var:
            moved = times
        elif any(isinstance(part, Axis) and part.name == var for part in walk(term)):
            return None
    return moved


def _better_layout(boxes: Boxes, tensor: str, storage: Storage, indices: tuple[Expr, ...], loop: Loop) -> str:
    """Write the layout that puts the axis of a loop last."""
    if storage.buffer.role is Role.OUTPUT:
        return ": it is an output, so another loop should be the vector"
    moving = [p for p, i in zip(storage.parts, indices, strict=True) if _moves(i, loop.var)]
    if len(moving) != 1 or any(part.div != 1 or part.mod is not None for part in storage.parts):
        return ""
    axis = moving[0].axis
    names = _axis_names(boxes, tensor, len(storage.counts))
    count, last = storage.counts[axis], names[axis]
    rest = [name for place, name in enumerate(names) if place != axis]
    whole = count <= loop.extent or storage.buffer.role is Role.WORK
    right = [*rest, last] if whole else _packed(names, axis, loop.extent)
    return f': layout({tensor}, "{" ".join(names)} -> {" ".join(right)}") makes it 1'


def _packed(names: list[str], axis: int, extent: int) -> list[str]:
    made = [f"{name}/{extent}" if place == axis else name for place, name in enumerate(names)]
    return [*made, f"{names[axis]}%{extent}"]


def _moves(index: Expr, var: str) -> bool:
    return any(isinstance(part, Axis) and part.name == var for part in walk(index))


def _axis_names(boxes: Boxes, tensor: str, rank: int) -> list[str]:
    """Name the axes of a tensor as a stage does, its own or one that reads it."""
    stages = boxes.structure.program.stages
    if tensor in stages:
        return list(stages[tensor].axes)
    for stage in stages.values():
        for read in stage.reads():
            names = [index.name for index in read.indices if isinstance(index, Axis)]
            if read.tensor == tensor and len(set(names)) == rank:
                return names
    return [f"a{place}" for place in range(rank)]


def _tails(boxes: Boxes) -> Iterator[str]:
    for name, table in boxes.structure.plan.tables.items():
        extents = boxes.extents[name]
        for change in table.changes:
            if not isinstance(change, SplitLoop):
                continue
            width, size = prod(change.sizes), extents[change.loop]
            if size % width and extents[change.outs[0]] > 1:
                near = [n for n in range(2, 2 * width + 1) if size % n == 0]
                best = min(near, key=lambda n: abs(n - width), default=None)
                hint = f"; {best} divides" if best is not None and best < size else ""
                what = f"{change.loop} has {size} iterations, no multiple of {width}"
                yield f"{what}: the last turn has {size % width}{hint}"


def _parallel(body: tuple[Stmt, ...], profile: Profile) -> Iterator[str]:
    """Find parallel loops that leave cores idle."""
    for stmt in body:
        if isinstance(stmt, Loop) and stmt.mark is Mark.PARALLEL:
            names, total = [], 1
            loop: Stmt = stmt
            while isinstance(loop, Loop) and loop.mark is Mark.PARALLEL and loop.fused == stmt.fused:
                names.append(loop.var)
                total *= loop.extent
                if len(loop.body) != 1:
                    break
                loop = loop.body[0]
            if total < profile.threads:
                yield (
                    f"parallel({', '.join(names)}) has {total} iteration{'s' if total > 1 else ''}, "
                    f"the device has {profile.threads} threads"
                )
        else:
            yield from _parallel(inner(stmt), profile)
