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
from edgekernelbench.lowering.emit import PARALLEL_WORK, Emitter
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.tile import lanes_of
from edgekernelbench.verify.facts import Facts, Group


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
    hoisted = _hoist(group, views, emitter)
    for view in views:
        _step(view, frozenset((*view.ordered, *hoisted)), emitter)
    for view in views:
        _fold(view, group, emitter, facts)


def _hoist(group: Group, views: list[View], emitter: Emitter) -> tuple[str, ...]:
    """Hoist the longest common free axis; give the axes that steps no longer run over."""
    common = frozenset.intersection(*(group.free[s] for s in group.stages))
    sizes = views[0].sizes
    common = frozenset(a for a in common if a in sizes and sizes[a] > 1)
    if not common:
        return ()
    axis = max(sorted(common), key=lambda a: sizes[a])
    lanes = lanes_of(views[0], emitter.profile)
    inner = any(set(v.sizes) - {axis, *v.ordered} and v.work > v.sizes[axis] for v in views) and any(
        prod(n for a, n in v.sizes.items() if a not in {axis, *v.ordered}) >= lanes // 2 for v in views
    )
    block = 1 if inner else max((w for w in (lanes, lanes // 2, 4, 2, 1) if w <= sizes[axis]), default=1)
    loop = emitter.writer.hoist(f"{views[0].name}.{axis}", block)
    if -(-sizes[axis] // block) > 1 and sum(v.work for v in views) >= PARALLEL_WORK:
        emitter.writer.mark(Parallel, loop)
    if block > 1:
        emitter.writer.mark(Vectorize, *(f"{v.name}.{axis}" for v in views))
        for view in views:
            _innermost(view, axis, emitter)
    return tuple(common) if block > 1 else (axis,)


def _innermost(view: View, axis: str, emitter: Emitter) -> None:
    """Store a stage so that the vector axis is contiguous."""
    axes = view.stage.axes
    if view.name in emitter.found.outputs or axes[-1] == axis:
        return
    dims = (*(d for d, a in enumerate(axes) if a != axis), axes.index(axis))
    emitter.writer.permute(view.name, len(axes), dims)


def _step(view: View, fixed: frozenset[str], emitter: Emitter) -> None:
    """Schedule what one step of a stage computes."""
    free = [a for a in view.stage.axes if a not in fixed]
    if not free and not view.reduced:
        return
    tile = emitter.tile(view, fixed)
    if view.reduced and tile is None:
        return
    emitter.writer.order(*(emitter.tiled(view, tile, fixed) if tile else emitter.elementwise(view, fixed)))


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
