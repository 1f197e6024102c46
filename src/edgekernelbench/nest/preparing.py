"""What runs once per weights: packed parameters and precomputed stages."""

from dataclasses import replace
from math import prod

from edgekernelbench.ir.expr import Literal
from edgekernelbench.ir.schedule import Schedule
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.emit import Emitter
from edgekernelbench.nest.gpu import Launches
from edgekernelbench.nest.inlining import constant_stages
from edgekernelbench.nest.linear import number, variable
from edgekernelbench.nest.placement import order_units
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.scheduling import resolve_schedule
from edgekernelbench.nest.storage import Storage, StorageRequest, make_storage
from edgekernelbench.nest.stores import Stores, best_type, given_storages
from edgekernelbench.nest.structure import ROOT, Structure
from edgekernelbench.nest.tree import Allocate, Buffer, Kind, Loop, Stmt, Store
from edgekernelbench.nest.work import Program


def copy_nest(source: Storage, target: Storage) -> list[Stmt]:
    """Write the loops that copy a whole tensor into another layout."""
    name = target.buffer.name
    names = [f"{name}.{axis}" for axis in range(len(source.counts))]
    counts = dict(zip(names, source.counts, strict=True))
    ranges = {one: (0, count - 1) for one, count in counts.items()}
    positions = [variable(one) if counts[one] > 1 else number(0) for one in names]
    value = source.read(positions, ranges)
    body: list[Stmt] = [Store(name, target.indices(positions, ranges), value)]
    for one in reversed(names):
        if counts[one] > 1:
            body = [Loop(one, counts[one], tuple(body), Kind.COPY)]
    return body


def fill_nest(target: Storage) -> list[Stmt]:
    """Write the loops that fill a buffer with zeros, when its layout pads it."""
    buffer = target.buffer
    if prod(buffer.shape) == prod(target.counts):
        return []
    names = [f"{buffer.name}.fill.{axis}" for axis in range(len(buffer.shape))]
    indices = tuple(
        variable(one) if size > 1 else number(0) for one, size in zip(names, buffer.shape, strict=True)
    )
    zero = Literal(0.0 if buffer.dtype.is_float else 0, dtype=buffer.dtype)
    body: list[Stmt] = [Store(buffer.name, indices, zero)]
    for one, size in reversed(list(zip(names, buffer.shape, strict=True))):
        if size > 1:
            body = [Loop(one, size, tuple(body), Kind.COPY)]
    return body


def prepare_nest(whole: Program, stores: Stores) -> tuple[Stmt, ...]:
    """Write what runs once per weights.

    Args:
        whole: The program with its precomputed stages.
        stores: Where their results go.
    """
    given = given_storages(whole)
    body: list[Stmt] = []
    for name, storage in stores.prepared.items():
        body += fill_nest(storage)
        if name in whole.params:
            body += copy_nest(given[name], storage)
    if not whole.precomputed:
        return tuple(body)
    needed = _needed(whole)
    stages = {name: replace(stage, returned=False) for name, stage in whole.stages.items() if name in needed}
    groups = {name: group for name, group in whole.groups.items() if group.stages[0] in needed}
    program = replace(whole, stages=stages, groups=groups, precomputed=frozenset())
    structure = Structure(resolve_schedule(program, Schedule(("llvm",), ()), {}, Problems("llvm")))
    boxes = Boxes(structure)
    boxes.resolve_all()
    ahead = Stores(of={**given, **{name: stores.of[name] for name in whole.tables}})
    temporary: list[Buffer] = []
    for stage in stages.values():
        if stage.name in whole.precomputed:
            ahead.of[stage.name] = stores.prepared[stage.name]
            temporary += stores.prepared[stage.name].buffers()[1:]
        else:
            request = StorageRequest(f"{stage.name}.ahead", stage.dtype, stage.shape, best=best_type(stage))
            ahead.of[stage.name] = made = make_storage(request)
            temporary += made.buffers()
    orders = order_units(structure, Problems("llvm"))
    emitter = Emitter(boxes, ahead, orders, {}, {}, Launches())
    nests = [stmt for unit in orders[ROOT] for stmt in emitter.root(unit)]
    body += [Allocate(tuple(temporary), tuple(nests))] if temporary else nests
    return tuple(body)


def _needed(whole: Program) -> frozenset[str]:
    """Find the precomputed stages and all that they are made from."""
    constant = constant_stages(whole)
    found: set[str] = set()
    waiting = list(whole.precomputed)
    while waiting:
        name = waiting.pop()
        if name in found or name not in constant:
            continue
        members = whole.members(whole.unit_of(name))
        found.update(members)
        waiting += [t for m in members for t in whole.stages[m].tensors() if t in whole.stages]
    return frozenset(found)
