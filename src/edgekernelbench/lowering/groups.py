"""Directives for a `for` group on a CPU.

A batch axis that is free in every stage is hoisted: over the cores when the steps have work of their own, in
blocks of one vector when they have not. Else each step's stages are vectorised one by one. Histories that
nobody reads to the end are folded.
"""

from collections.abc import Iterable
from math import prod

from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal
from edgekernelbench.ir.schedule import Parallel, Vectorize
from edgekernelbench.lowering.access import reads
from edgekernelbench.lowering.emit import PARALLEL_WORK, Emitter, conditions_first
from edgekernelbench.lowering.fields import turned
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.tile import lanes_of
from edgekernelbench.verify.facts import Facts, Group

BUSY = 8
"""Stages with less than this part of the work of the busiest do not decide where vectors lie."""


def write_group(group: Group, emitter: Emitter, facts: Facts) -> None:
    """Write the directives of one group.

    Args:
        group: The group.
        emitter: Where directives go.
        facts: The verified compute layer.
    """
    views = [v for v in emitter.found.views if v.name in group.stages]
    if not views:
        return
    axis, block = _hoist(group, views, emitter)
    for view in views:
        if axis is not None and block > 1:
            _lanes(view, axis, emitter)
        else:
            _step(view, frozenset(view.ordered) | ({axis} if axis else set()), emitter)
    for view in views:
        _fold(view, group, emitter, facts)


def _hoist(group: Group, views: list[View], emitter: Emitter) -> tuple[str | None, int]:
    """Hoist the longest common free axis, if there is one; give it and the size of its blocks."""
    common = frozenset.intersection(*(group.free[s] for s in group.stages))
    sizes = views[0].sizes
    common = frozenset(a for a in common if a in sizes and sizes[a] > 1)
    if not common:
        return None, 1
    axis = max(sorted(common), key=lambda a: sizes[a])
    block = _block(axis, views, emitter)
    loop = emitter.writer.hoist(f"{views[0].name}.{axis}", block)
    if -(-sizes[axis] // block) > 1 and sum(v.work for v in views) >= PARALLEL_WORK:
        emitter.writer.mark(Parallel, loop)
    if block > 1:
        for name, dim in turned(emitter.found, views, axis):
            emitter.turn(name, dim)
    return axis, block


def _block(axis: str, views: list[View], emitter: Emitter) -> int:
    """Choose between vectors along the hoisted axis, and vectors inside each step: 1."""
    lanes = lanes_of(views[0], emitter.profile)
    block = min(lanes, views[0].sizes[axis])
    busiest = max(v.work // prod(v.sizes[a] for a in v.ordered) for v in views)
    inside = max(
        (v.sizes[a] for v in views if _counts(v, busiest) for a in _vectors(v, emitter) if a != axis),
        default=1,
    )
    return 1 if inside >= lanes or inside > block else block


def _counts(view: View, busiest: int) -> bool:
    """Say whether steps spend a good part of their time in a stage."""
    return view.work // prod(view.sizes[a] for a in view.ordered) * BUSY >= busiest


def _vectors(view: View, emitter: Emitter) -> list[str]:
    """List the axes that could be vectors of a stage inside a step."""
    split = emitter.along(view) if view.reduced else None
    return [*(a for a in view.stage.axes if a not in view.ordered), *([split] if split else [])]


def _lanes(view: View, axis: str, emitter: Emitter) -> None:
    """Schedule a stage whose lanes are the members of a batch."""
    data = [a for a in view.stage.axes if a != axis and a not in view.ordered]
    loops = [emitter.loop(view, a) for a in (*data, *conditions_first(view), axis)]
    emitter.writer.order(*loops)
    emitter.writer.mark(Vectorize, loops[-1])
    emitter.innermost(view, axis)
    if view.reduced:
        emitter.writer.accumulate(view.name)


def _step(view: View, fixed: frozenset[str], emitter: Emitter) -> None:
    """Schedule what one step of a stage computes."""
    free = [a for a in view.stage.axes if a not in fixed]
    if not free and not view.reduced:
        return
    tile = emitter.tile(view, fixed)
    if tile is not None:
        emitter.writer.order(*emitter.tiled(view, tile, fixed))
    elif view.reduced:
        emitter.writer.order(*emitter.split_reduction(view, fixed, None))
    else:
        emitter.writer.order(*emitter.elementwise(view, fixed))


def _fold(view: View, group: Group, emitter: Emitter, facts: Facts) -> None:
    """Keep only the steps that are read again."""
    if view.name in emitter.found.outputs:
        return
    axis = view.ordered[0]
    size = view.sizes[axis]
    steps = [_back(i, axis, size) for i in _step_indices(view, axis, group, facts)]
    if any(s is None for s in steps):
        return
    deepest = max((s for s in steps if s is not None), default=0) + 1
    if deepest < size:
        emitter.writer.fold(f"{view.name}.{axis}", deepest)


def _step_indices(view: View, axis: str, group: Group, facts: Facts) -> Iterable[tuple[Expr, bool]]:
    dim = view.stage.axes.index(axis)
    for placed in placed_stages(facts.kernel.compute):
        for read in reads(placed.stage.value):
            if read.tensor == view.name:
                yield read.indices[dim], placed.stage.name in group.stages


def _back(found: tuple[Expr, bool], axis: str, size: int) -> int | None:
    """Count how many steps back a read reaches; None when that is not a number."""
    index, inside = found
    match index:
        case Axis(name=name) if inside and name == axis:
            return 0
        case Binary(op="-", left=Axis(name=name), right=Literal(value=int(back))) if inside and name == axis:
            return back
        case Literal(value=int(step)) if not inside:
            return size - 1 - step
        case _:
            return None
