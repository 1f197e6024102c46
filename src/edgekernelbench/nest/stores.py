"""Decides where every tensor is stored, in which scope, and for how long."""

from dataclasses import dataclass, field

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr
from edgekernelbench.ir.memory import LayoutSpec
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.indices import add
from edgekernelbench.nest.memory import Storing
from edgekernelbench.nest.storage import Storage, StorageRequest, make_storage
from edgekernelbench.nest.structure import ROOT, Structure, group_key
from edgekernelbench.nest.tree import Buffer, Role
from edgekernelbench.nest.work import Program, WorkStage


@dataclass(slots=True)
class Stores:
    """The storage of every tensor.

    Attributes:
        of: Storage by tensor.
        held_at: For each loop, the stages whose storage lives inside it; for `ROOT`, workspace of the run;
            for the key of a group that one block runs, what lives in that block.
        packed: Run-time parameters that are copied into another layout first.
        prepared: Buffers that `prepare` fills, by tensor.
    """

    of: dict[str, Storage] = field(default_factory=dict)
    held_at: dict[str, list[str]] = field(default_factory=dict)
    packed: dict[str, Storage] = field(default_factory=dict)
    prepared: dict[str, Storage] = field(default_factory=dict)


def given_storages(program: Program) -> dict[str, Storage]:
    """Store parameters and tables as they are given."""
    found = {}
    for name, param in program.params.items():
        found[name] = make_storage(StorageRequest(name, param.dtype, param.shape, Role.PARAM))
    for name, table in program.tables.items():
        made = make_storage(StorageRequest(name, table.dtype, table.shape, Role.TABLE))
        buffer = made.buffer
        valued = Buffer(buffer.name, buffer.dtype, buffer.shape, buffer.role, values=table.values)
        found[name] = Storage(valued, made.firsts, made.counts, made.parts, made.folds)
    return found


def best_type(stage: WorkStage) -> DType | None:
    """Give the type of the values beside an arg reduction."""
    return stage.reducing.element.dtype if stage.reducing is not None and stage.is_arg else None


def decide_stores(boxes: Boxes, whole: Program, storing: Storing) -> Stores:
    """Decide the storage of every tensor of a run.

    Args:
        boxes: The boxes of the stages.
        whole: The program with its precomputed stages.
        storing: The memory layer.
    """
    stores = Stores(of=given_storages(whole))
    for name, param in whole.params.items():
        spec = storing.layouts.get(name)
        if spec is not None:
            role = Role.PREPARED if param.const else Role.WORK
            request = StorageRequest(f"{name}.packed", param.dtype, param.shape, role, layout=spec)
            stores.of[name] = made = make_storage(request)
            (stores.prepared if param.const else stores.packed)[name] = made
    for name in whole.tables:
        if name in storing.layouts:
            stores.of[name] = _laid_out_table(stores.of[name], storing.layouts[name])
    for name in whole.precomputed:
        stage = whole.stages[name]
        request = StorageRequest(
            name,
            stage.dtype,
            stage.shape,
            Role.PREPARED,
            layout=storing.layouts.get(name),
            best=best_type(stage),
        )
        stores.of[name] = stores.prepared[name] = make_storage(request)
    for stage in boxes.structure.program.stages.values():
        _decide(stage, boxes, storing, stores)
    return stores


def apply_reuse(storing: Storing, stores: Stores) -> None:
    """Store stages where others were; where the new one is an output, the old one takes its place."""
    for name, reuse in storing.reuses.items():
        output = stores.of[name].buffer.role is Role.OUTPUT
        keep, drop = (name, reuse.old) if output else (reuse.old, name)
        stores.of[drop] = stores.of[keep]
        for held in stores.held_at.values():
            if drop in held:
                held.remove(drop)


def _laid_out_table(storage: Storage, spec: LayoutSpec) -> Storage:
    buffer = storage.buffer
    request = StorageRequest(buffer.name, buffer.dtype, storage.counts, Role.TABLE, layout=spec)
    made = make_storage(request)
    values: list[int | float] = [0] * _elements(made.buffer.shape)
    for place, value in enumerate(buffer.values):
        positions: list[int] = []
        rest = place
        for count in reversed(storage.counts):
            positions.insert(0, rest % count)
            rest //= count
        offset = 0
        for part, extent in zip(made.parts, made.buffer.shape, strict=True):
            one = positions[part.axis] // part.div
            offset = offset * extent + (one if part.mod is None else one % part.mod)
        values[offset] = value
    valued = Buffer(buffer.name, buffer.dtype, made.buffer.shape, Role.TABLE, values=tuple(values))
    return Storage(valued, made.firsts, made.counts, made.parts, made.folds)


def _elements(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def holder_of(structure: Structure, stage: WorkStage) -> str:
    """Name the loop inside which the storage of a stage lives; `ROOT` when it is stored whole."""
    unit = structure.program.unit_of(stage.name)
    hoisted = structure.hoisted(unit) if unit in structure.program.groups else []
    if stage.returned or structure.kept(stage.name):
        return ROOT
    read_outside = structure.readers(stage.name) - set(structure.program.members(unit))
    if any(h.directive is not None for h in hoisted) and not read_outside:
        return hoisted[-1].loop
    return structure.place_of(unit)


def natural_scope(structure: Structure, holder: str) -> str:
    """Name the scope of what is stored inside a loop, when nothing else is said."""
    if holder == ROOT:
        return "global"
    if not structure.plan.is_gpu() or structure.threads_round(holder):
        return "local"
    return "shared"


def _decide(stage: WorkStage, boxes: Boxes, storing: Storing, stores: Stores) -> None:
    structure = boxes.structure
    holder = holder_of(structure, stage)
    folds = storing.folds.get(stage.name, {})
    place = storing.places.get(stage.name)
    firsts, counts = _stored_box(stage, boxes, holder)
    request = StorageRequest(
        stage.name,
        stage.dtype,
        counts,
        Role.OUTPUT if stage.returned else Role.WORK,
        scope_of(structure, holder, place.scope if place is not None else None),
        storing.layouts.get(stage.name),
        firsts,
        tuple(folds[axis].steps if axis in folds else None for axis in stage.axes),
        align=64 if place is None or place.align is None else place.align,
        pad=0 if place is None else place.pad,
        copies=1 if place is None else place.buffers,
        best=best_type(stage),
    )
    stores.of[stage.name] = make_storage(request)
    if holder == ROOT and request.scope != "global" and structure.plan.is_gpu():
        holder = group_key(stage.group)
    if not stage.returned or stage.is_arg:
        stores.held_at.setdefault(holder, []).append(stage.name)


def scope_of(structure: Structure, holder: str, asked: str | None) -> str:
    """Give the scope that is stored in: on llvm a box is local whatever was asked."""
    natural = natural_scope(structure, holder)
    if asked is None or (not structure.plan.is_gpu() and holder != ROOT):
        return natural
    return asked


def _stored_box(stage: WorkStage, boxes: Boxes, holder: str) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """Find what part of a stage is stored: the whole, its box, or what one hoisted iteration needs."""
    if holder == ROOT:
        return (), stage.shape
    found = boxes.of[stage.name]
    firsts = {axis: box.first for axis, box in found.items()}
    counts = {axis: box.count for axis, box in found.items()}
    hoisted = boxes.structure.hoisted(stage.group)
    if holder in [h.loop for h in hoisted]:
        for one in hoisted:
            if one.axis in counts:
                firsts[one.axis] = add(firsts[one.axis], boxes.block_start(one))
                counts[one.axis] = min(one.block, counts[one.axis])
    return tuple(firsts[a] for a in stage.axes), tuple(counts[a] for a in stage.axes)
