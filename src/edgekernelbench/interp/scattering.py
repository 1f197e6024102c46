"""Reductions with `if e == axis`: each element goes straight to the place that `e` names.

`sum(1 for i in range(N) if img[i] == v)` would test all pairs of `i` and `v`; here each `i` is tested once.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.interp.arithmetic import identity, storage_type
from edgekernelbench.interp.array_functions import array_cast
from edgekernelbench.interp.closures import Environment
from edgekernelbench.interp.frame import Frame, Guarded, Run, enter, guarded_elements, walk_blocks
from edgekernelbench.interp.grid import Affine, Grid, affine, cut
from edgekernelbench.interp.reducing import UFUNCS
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Compare, Expr, Logic, Reduction
from edgekernelbench.ir.walk import walk

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Scatter:
    """A reduction of which one condition is `place == axis`.

    Attributes:
        axis: The data axis.
        place: What names the position along it.
        reduction: The reduction without that condition.
    """

    axis: str
    place: Expr
    reduction: Reduction


def scatter_run(frame: Frame, reduction: Reduction) -> Run | None:
    """Give what computes a reduction by going to the elements that its condition names.

    Args:
        frame: The stage.
        reduction: Its value.

    Returns:
        A function that fills the stage, or one step of it; None when the reduction has another form.
    """
    found = _recognised(frame, reduction) if reduction.kind in UFUNCS else None
    return None if found is None else _run(frame, found)


def _recognised(frame: Frame, reduction: Reduction) -> _Scatter | None:
    for number, over in enumerate(reduction.over):
        conditions = [part for condition in over.conditions for part in _joined(condition)]
        for place, condition in enumerate(conditions):
            match = _names_axis(condition, frame.axes)
            if match is None:
                continue
            rest = replace(over, conditions=(*conditions[:place], *conditions[place + 1 :]))
            others = (*reduction.over[:number], rest, *reduction.over[number + 1 :])
            found = _Scatter(*match, replace(reduction, over=others))
            if not _mentions(found):
                return found
    return None


def _joined(condition: Expr) -> list[Expr]:
    if isinstance(condition, Logic) and condition.op == "and":
        return [part for operand in condition.operands for part in _joined(operand)]
    return [condition]


def _names_axis(condition: Expr, axes: tuple[str, ...]) -> tuple[str, Expr] | None:
    if not isinstance(condition, Compare) or condition.ops != ("==",):
        return None
    left, right = condition.operands
    for side, other in ((left, right), (right, left)):
        for axis in axes:
            if affine(side) == Affine(0, {axis: 1}):
                return axis, other
    return None


def _mentions(found: _Scatter) -> bool:
    """Whether anything that is left depends on the axis."""
    parts = [found.place, found.reduction.element]
    parts += [condition for over in found.reduction.over for condition in over.conditions]
    return any(isinstance(n, Axis) and n.name == found.axis for part in parts for n in walk(part))


def _run(frame: Frame, found: _Scatter) -> Run:
    precision, dtype = frame.memory.precision, frame.stage.dtype
    accumulator = np.dtype(np.int64) if dtype.is_int else storage_type(dtype, precision)
    nothing = identity(found.reduction.kind, dtype, precision)
    narrow = array_cast(DType.I64, dtype, saturate=False, precision=precision)
    function = UFUNCS[found.reduction.kind]
    target = frame.target()
    data = {axis: n for axis, n in zip(frame.axes, frame.extents, strict=True) if axis != found.axis}
    rows = {o.axis: o.stop - o.start for o in found.reduction.over}
    names, extents = (*data, *rows), (*data.values(), *rows.values())
    first = (*(0 for _ in data), *(o.start for o in found.reduction.over))
    space = list(walk_blocks(extents, cut(extents, frame.memory.block)))
    parts: dict[tuple[int, ...], tuple[Grid, Guarded]] = {}

    def run(env: Environment) -> None:
        total = np.full(frame.extents, nothing, accumulator)
        for block in space:
            enter(frame, names, block, env, first)
            shape = tuple(n for _, n in block)
            if shape not in parts:
                parts[shape] = _built(frame, found, dict(zip(names, shape, strict=True)))
            grid, guarded = parts[shape]
            starts = {axis: start for axis, (start, _) in zip(names, block, strict=True)}
            where, values = _chosen(frame, found.axis, grid, guarded, starts, env)
            if len(values):
                function.at(total, where, values.astype(accumulator, copy=False))
        target(env)[...] = narrow(total) if dtype.is_int else total

    return run


def _built(frame: Frame, found: _Scatter, extents: dict[str, int]) -> tuple[Grid, Guarded]:
    grid = frame.grid(extents)
    elements = (found.place, found.reduction.element)
    # what stood behind the condition may lean on it
    return grid, guarded_elements(elements, found.reduction.over, grid, frame.memory, guarded=True)


def _chosen(
    frame: Frame, axis: str, grid: Grid, guarded: Guarded, starts: dict[str, int], env: Environment
) -> tuple[tuple[Array, ...], Array]:
    """Give where a block goes, one array a data axis, and its values, in the order of the text."""
    mask = guarded.mask(env)
    place, element = (np.asarray(closure(env)) for closure in guarded.elements)
    size = frame.extents[frame.axes.index(axis)]
    chosen = np.broadcast_to((place >= 0) & (place < size) & mask, grid.shape)
    where = []
    for name in frame.axes:
        if name == axis:
            positions = place
        elif name in grid.extents:
            positions = (
                np.arange(grid.extents[name]).reshape(grid.shape_over(frozenset({name}))) + starts[name]
            )
        else:
            positions = np.asarray(starts[name])
        where.append(np.broadcast_to(positions, grid.shape)[chosen].astype(np.int64))
    return tuple(where), np.broadcast_to(element, grid.shape)[chosen]
