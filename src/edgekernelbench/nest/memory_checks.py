"""Checks the memory layer against the nest: scopes, folds, shared places."""

from itertools import takewhile
from types import MappingProxyType

from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.memory import SCOPES, Fold, Place, Reuse
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.indices import span_of, subtract
from edgekernelbench.nest.linear import Ranges, variable
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.memory import Storing
from edgekernelbench.nest.problems import Directive, Problems
from edgekernelbench.nest.stores import Stores, holder_of
from edgekernelbench.nest.structure import ROOT, Structure
from edgekernelbench.nest.work import WorkStage, tensor_of


def check_memory(structure: Structure, storing: Storing, problems: Problems) -> None:
    """Check what needs no counts [M04, M09, S01]."""
    for place in storing.places.values():
        if _scope_exists(structure, place.scope, place, problems):
            _check_place(structure, place, problems)
    for caches in storing.caches.values():
        for cache in caches:
            if _scope_exists(structure, cache.scope, cache, problems) and cache.scope == "global":
                problems.add("M04", "a cache is shared or local", cache, arg=1)
    for name, accumulate in storing.accumulators.items():
        if _scope_exists(structure, accumulate.scope, accumulate, problems):
            reason = _partial_scope(structure, name, accumulate.scope)
            if reason:
                problems.add("M04", reason, accumulate, arg=1)
    for name, folds in storing.folds.items():
        for axis, fold in folds.items():
            _check_fold(structure, name, axis, fold, problems)


def _scope_exists(structure: Structure, scope: str, directive: Directive, problems: Problems) -> bool:
    known = SCOPES if structure.plan.is_gpu() else ("global", "local")
    if scope in known:
        return True
    message = f"{structure.plan.target} has no scope {scope!r}; it has {', '.join(known)}"
    problems.add("M04", message, directive, arg=1)
    return False


def _check_place(structure: Structure, place: Place, problems: Problems) -> None:
    reason = _place_reason(structure, place.tensor, place.scope)
    if reason:
        problems.add("M04", f"{place.tensor} {reason}", place, arg=1)
    if place.pad < 0 or place.buffers < 1 or (place.align is not None and place.align < 1):
        problems.add("S01", "pad is at least 0, buffers and align are at least 1", place)


def _place_reason(structure: Structure, name: str, scope: str) -> str:
    """Say why a stage cannot be stored in a scope; empty when it can."""
    program = structure.program
    stage = program.stages[name]
    unit = program.unit_of(name)
    outside = structure.readers(name) - set(program.members(unit))
    if stage.returned:
        return "is returned, so it is stored whole"
    if structure.kept(name):
        return f"is read outside {structure.place_of(unit)}, so it is stored whole"
    holder = holder_of(structure, stage)
    if holder == ROOT and (not stage.group or outside):
        return "is a root nest that others read, so it is stored whole"
    if not structure.plan.is_gpu():
        return ""
    return _gpu_reason(structure, stage, holder, scope)


def _gpu_reason(structure: Structure, stage: WorkStage, holder: str, scope: str) -> str:
    if holder == ROOT or structure.on_host(holder):
        blocks = _one_block(structure, stage)
        if scope == "global":
            return ""
        if not blocks:
            return f"is written and read in several launches or blocks: {scope} is too narrow"
    elif scope == "global":
        return f"is stored as a box at {holder}: shared or local"
    threaded = holder != ROOT and structure.threads_round(holder)
    if scope == "shared":
        return f"is computed inside the threads at {holder}: only local is there" if threaded else ""
    own = [h.loop for h in structure.hoisted(stage.group)] + structure.plan.tables[stage.name].sequence
    bound = [one for one in own if structure.mark(one) in THREADS]
    if not threaded and bound:
        return f"is computed by several threads ({bound[0]}), which do not see each other's local"
    return ""


def _one_block(structure: Structure, stage: WorkStage) -> bool:
    """Whether a stage that is stored whole lives in one launch of one block."""
    launch = structure.launch_of(stage.name)
    if stage.group in structure.host_groups:
        return False
    return f"{launch} group" in structure.alone


def _partial_scope(structure: Structure, name: str, scope: str) -> str:
    """Say why partial results cannot be held in a scope; empty when they can."""
    if not structure.plan.is_gpu():
        return ""
    if scope == "global":
        return "partial results are held in shared or local"
    table, sequence = structure.plan.tables[name], structure.sequence(name)
    cut = table.first_reduction(sequence)
    outside = (*structure.outer(name), *sequence[:cut])
    threads = any(structure.is_thread(loop) for loop in outside)
    if scope == "shared" and threads:
        return f"the sums of {name} are inside the threads: only local is there"
    reduced = any(structure.mark(loop) in THREADS for loop in sequence[cut:])
    if scope == "shared" or threads:
        return ""
    if reduced and structure.program.stages[name].scattered:
        return f"the threads of {name} meet at one element, which they do not see in local"
    return "" if reduced else f"{name} belongs to the block, whose threads do not see each other's local"


def _check_fold(structure: Structure, name: str, axis: str, fold: Fold, problems: Problems) -> None:
    """Check that no read needs a step that is no longer stored [M09]."""
    stages = structure.program.stages
    stage = stages[name]
    for reader in sorted(structure.readers(name)):
        for read in stages[reader].reads():
            if tensor_of(read) != name:
                continue
            reason = too_far(stage, stages[reader], axis, read, fold.steps)
            if reason:
                problems.add("M09", f"{reader} reads {name} {reason}", fold, arg=1)
                return


def too_far(stage: WorkStage, reader: WorkStage, axis: str, read: Read, steps: int) -> str:
    """Say which read reaches too far back; empty when it does not."""
    place = stage.axes.index(axis)
    size = stage.shape[place]
    if steps >= size:
        return ""
    level = stage.ordered.index(axis)
    shared = _shared(stage, reader)
    for depth, outer in enumerate(stage.ordered[:level]):
        index = read.indices[stage.axes.index(outer)]
        if depth < shared and not _is_axis(index, outer):
            return f"at another step of {outer}, when other steps of {axis} have taken its place"
        if depth >= shared and not _within(index, stage.size_of[outer] - 1, stage.size_of[outer]):
            return f"at another step of {outer} than the last"
    index = read.indices[place]
    if level < shared:
        back = subtract(variable(axis), index)
        if _within(back, 0, steps, {axis: (0, size - 1)}):
            return ""
        return f"more than {steps - 1} steps back, or not at a fixed distance, along {axis}"
    if _within(index, size - steps, size):
        return ""
    return f"outside its steps, where only the last {steps} along {axis} are stored, by number"


def _within(index: Expr, low: int, end: int, ranges: Ranges = MappingProxyType({})) -> bool:
    """Whether an index is proven to lie in `low..end - 1`."""
    least, most = span_of(index, ranges)
    return least is not None and most is not None and least >= low and most < end


def _shared(stage: WorkStage, reader: WorkStage) -> int:
    """Count the outermost `for`s that two stages stand in together."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(stage.steps, reader.steps, strict=False))
    return sum(1 for _ in pairs)


def _is_axis(index: Expr, axis: str) -> bool:
    return isinstance(index, Axis) and index.name == axis


def check_reuse(
    boxes: Boxes, storing: Storing, stores: Stores, orders: dict[str, tuple[str, ...]], problems: Problems
) -> None:
    """Check that a stage can be stored where another was [M11]."""
    for reuse in storing.reuses.values():
        reason = _reuse_reason(boxes, reuse, stores, orders, storing)
        if reason:
            problems.add("M11", reason, reuse)


def _reuse_reason(
    boxes: Boxes, reuse: Reuse, stores: Stores, orders: dict[str, tuple[str, ...]], storing: Storing
) -> str:
    """Say why a stage cannot be stored where another was; empty when it can."""
    structure, program = boxes.structure, boxes.structure.program
    new, old = program.stages[reuse.tensor], program.stages[reuse.old]
    a, b = stores.of[old.name], stores.of[new.name]
    if old.name == new.name or old.returned or old.group or new.group or old.is_arg or new.is_arg:
        return "two different stages outside groups, neither a place, the old one not returned"
    if old.name in storing.reuses or any(
        r is not reuse and r.old == old.name for r in storing.reuses.values()
    ):
        return f"{old.name} has its place from, or gave it to, another stage"
    if holder_of(structure, old) != holder_of(structure, new):
        return f"{old.name} and {new.name} do not live in the same loop"
    if a.buffer.dtype is not b.buffer.dtype or a.buffer.shape != b.buffer.shape or a.parts != b.parts:
        return (
            f"{old.name} takes {a.bytes():,} B and {new.name} {b.bytes():,} B, or they are stored otherwise"
        )
    if a.firsts != b.firsts:
        return f"the boxes of {old.name} and {new.name} begin elsewhere"
    if new.name in structure.readers(old.name):
        if new.reducing is not None:
            return f"{new.name} is a reduction: its initial values would overwrite {old.name}"
        for read in new.reads():
            own = all(_is_axis(i, axis) for i, axis in zip(read.indices, new.axes, strict=False))
            if tensor_of(read) == old.name and not own:
                return f"{new.name} reads {old.name} at another position than its own"
    return _readers_left(structure, old.name, new.name, orders)


def _readers_left(structure: Structure, old: str, new: str, orders: dict[str, tuple[str, ...]]) -> str:
    """Say who reads the old stage when the new one is there; empty when nobody does."""
    level = structure.place_of(new)
    if structure.place_of(old) != level:
        level = ROOT
    order = orders[level]
    end = structure.child_at(level, new)
    for reader in sorted(structure.readers(old) - {new}):
        child = structure.child_at(level, reader)
        if child is None or end is None or order.index(child) >= order.index(end):
            return f"{reader} reads {old} when {new} is there"
    holder, start = structure.child_at(level, old), end
    if holder is None or start is None or order.index(holder) >= order.index(start):
        return f"{new} is there before {old} is computed"
    return ""
