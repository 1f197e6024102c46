"""Finds the box of each cache: what reads inside its loop need of a tensor."""

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.memory import Cache
from edgekernelbench.nest.boxes import AxisBox, Boxes
from edgekernelbench.nest.caching import CacheBox
from edgekernelbench.nest.gpu import Dims, Launches
from edgekernelbench.nest.indices import add, clamp, simplify, span_of, subtract
from edgekernelbench.nest.linear import variable
from edgekernelbench.nest.memory import Storing
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.spread import Spread, union
from edgekernelbench.nest.storage import Storage, StorageRequest, make_storage
from edgekernelbench.nest.stores import Stores
from edgekernelbench.nest.structure import Structure
from edgekernelbench.nest.tree import Mark
from edgekernelbench.nest.work import BEST


def check_caches(structure: Structure, storing: Storing, problems: Problems) -> None:
    """Check the loop of each cache [M05], its reads [M10] and its numbers [S01]."""
    for loop, caches in storing.caches.items():
        for cache in caches:
            _check_cache(structure, loop, cache, problems)
        caches[:] = _by_scope(caches)


def _by_scope(caches: list[Cache]) -> list[Cache]:
    """Shared caches before local ones, then by name, so that the order of the text does not matter."""
    return sorted(caches, key=lambda c: (c.scope != "shared", c.tensor))


def _check_cache(structure: Structure, loop: str, cache: Cache, problems: Problems) -> None:
    tensor, program = cache.tensor, structure.program
    for outer in structure.path_to(loop):
        if structure.mark(outer) in (Mark.VECTOR, Mark.TENSOR):
            problems.add(
                "M05", f"{outer} is a vector loop or tensorized: nothing is copied inside", cache, arg=2
            )
            return
    if structure.plan.is_gpu() and structure.on_host(loop):
        problems.add("M05", f"{loop} is run by the host: caches live in a launch", cache, arg=2)
        return
    inside = structure.inside(loop)
    if not structure.readers(tensor) & inside:
        problems.add("M10", f"nothing inside {loop} reads {tensor}", cache, arg=0)
        return
    if tensor in program.stages:
        unit = program.unit_of(tensor)
        members = set(program.members(unit))
        if members & inside or structure.owner(loop) == unit or loop in structure.path(tensor):
            message = f"{tensor} is computed inside {loop}: it can be copied where it is complete"
            problems.add("M05", message, cache, arg=2)
            return
    if cache.vector < 1 or cache.buffers < 1:
        problems.add("S01", "vector and buffers are at least 1", cache)
    if cache.buffers > 1 and structure.mark(loop) not in (Mark.SERIAL, Mark.UNROLL):
        problems.add(
            "M05", f"{loop} is {structure.mark(loop)}: copies run ahead in a serial loop", cache, arg=2
        )


def cache_boxes(
    boxes: Boxes, storing: Storing, stores: Stores, launches: Launches, problems: Problems
) -> dict[str, list[CacheBox]]:
    """Find the box and the storage of every cache.

    Args:
        boxes: The boxes of the stages; first positions that need a name are added.
        storing: The caches.
        stores: Where the tensors are.
        launches: The threads that copy.
        problems: Where refusals go [L06].
    """
    structure = boxes.structure
    found: dict[str, list[CacheBox]] = {}
    names: dict[str, int] = {}
    for loop in sorted(storing.caches, key=lambda one: (len(structure.path_to(one)), one)):
        for cache in storing.caches[loop]:
            name = f"{cache.tensor}.{cache.scope}"
            names[name] = names.get(name, 0) + 1
            name += str(names[name]) if names[name] > 1 else ""
            source = _source(structure, loop, cache.tensor, found) or stores.of[cache.tensor]
            made = _make(boxes, loop, cache, name, source, launches)
            if made.boxes and made.boxes[-1].count % cache.vector:
                count = made.boxes[-1].count
                message = f"{count} elements along the last axis are no multiple of {cache.vector}"
                problems.add("L06", message, cache)
            found.setdefault(loop, []).append(made)
    return found


def _source(structure: Structure, loop: str, tensor: str, found: dict[str, list[CacheBox]]) -> Storage | None:
    """Find the innermost cache round a loop."""
    for outer in reversed(structure.path_to(loop)):
        for made in reversed(found.get(outer, [])):
            if made.tensor == tensor:
                return made.storage
    return None


def _make(boxes: Boxes, loop: str, cache: Cache, name: str, source: Storage, launches: Launches) -> CacheBox:
    structure = boxes.structure
    path = structure.path_to(loop)
    if cache.scope == "shared":
        path = tuple(
            one for one in path if not structure.is_thread(one) and structure.mark(one) is not Mark.VTHREAD
        )
    reach = boxes.reach(frozenset(path))
    parts = boxes.index_spreads(cache.tensor, structure.inside(loop), reach)
    found = tuple(
        _box(boxes, f"{name}.{axis}.first", union(part), source, axis) for axis, part in enumerate(parts)
    )
    request = StorageRequest(
        name,
        source.buffer.dtype,
        tuple(box.count for box in found),
        scope=cache.scope,
        layout=cache.layout,
        firsts=tuple(box.first for box in found),
        pad=cache.pad,
        copies=cache.buffers,
        best=_best_type(boxes, loop, cache.tensor, source),
    )
    dims: Dims | None = None
    if cache.scope == "shared":
        ref = structure.plan.refs[loop]
        dims = launches.dims[structure.launch_of(ref.stage)]
    return CacheBox(name, cache.tensor, found, make_storage(request), cache, dims)


def _best_type(boxes: Boxes, loop: str, tensor: str, source: Storage) -> DType | None:
    """Give the type of the values beside an arg reduction, where they are read inside a loop too."""
    stages = boxes.structure.program.stages
    reads = (read for name in boxes.structure.inside(loop) for read in stages[name].reads())
    wanted = any(read.tensor == tensor + BEST for read in reads)
    return source.best.dtype if wanted and source.best is not None else None


def _box(boxes: Boxes, name: str, spread: Spread | None, source: Storage, axis: int) -> AxisBox:
    """Fit a spread into what its source holds."""
    held, first = source.counts[axis], source.firsts[axis]
    count = held if spread is None else spread.high - spread.low + 1
    if spread is None or count >= held:
        return AxisBox(first, held, held)
    wanted = simplify(spread.first().expr(), boxes.ranges)
    inside = clamp(subtract(wanted, first), 0, held - count, boxes.ranges)
    exact = add(first, inside)
    if exact == wanted:
        return AxisBox(wanted, count, held)
    boxes.lets[name] = exact
    boxes.ranges[name] = (0, _most(boxes, source, axis, held - count))
    return AxisBox(variable(name), count, held, let=name, value=exact)


def _most(boxes: Boxes, source: Storage, axis: int, slack: int) -> int:
    _, high = span_of(source.firsts[axis], boxes.ranges)
    return slack + (high if high is not None else 2**31 - 1 - slack)
