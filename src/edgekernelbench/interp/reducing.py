"""Reductions block by block: evaluate the elements of a block, fold them, go on to the next."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.interp.arithmetic import identity, storage_type
from edgekernelbench.interp.array_functions import array_cast
from edgekernelbench.interp.closures import Environment, typed
from edgekernelbench.interp.frame import (
    Block,
    Frame,
    Guarded,
    Run,
    enter,
    guarded_elements,
    walk_blocks,
    within,
)
from edgekernelbench.interp.grid import Grid, cut
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction

Array = NDArray[Any]

NARROW = 64
"""With fewer data elements than this in a block, the fold runs along the last dimension."""

WIDE = 2**13
"""Data elements in a block of a reduction, about: long rows, yet within the cache."""

UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
}
"""One step of each reduction with one result."""


@dataclass(frozen=True, slots=True)
class _Space:
    """A grid of data and reduction axes, and where its dimensions lie.

    Attributes:
        grid: The grid.
        over: The dimensions that are reduced.
        shape: The shape of the result: the varying data axes in order.
        leading: Whether reduction axes come first.
        elements: What is reduced.
    """

    grid: Grid
    over: tuple[int, ...]
    shape: tuple[int, ...]
    leading: bool
    elements: Guarded


def reduction_run(frame: Frame, reduction: Reduction) -> Run:
    """Give what computes a reduction, whatever it is.

    Args:
        frame: The stage.
        reduction: Its value.

    Returns:
        A function that fills the stage, or one step of it.
    """
    data = frame.extents
    over = tuple(o.stop - o.start for o in reduction.over)
    total = int(np.prod(over, dtype=np.int64))
    width = max(WIDE, frame.memory.block // total)
    data_block = cut(data, width)
    over_block = cut(over, max(1, frame.memory.block // int(np.prod(data_block, dtype=np.int64))))
    first = tuple(o.start for o in reduction.over)
    names = tuple(o.axis for o in reduction.over)
    spaces: dict[tuple[tuple[int, ...], tuple[int, ...]], _Space] = {}
    fold = _fold(frame, reduction)
    target = frame.target()
    data_walk = list(walk_blocks(data, data_block))
    over_walk = list(walk_blocks(over, over_block))

    def space(block: Block, part: Block) -> _Space:
        key = (tuple(n for _, n in block), tuple(n for _, n in part))
        if key not in spaces:
            spaces[key] = _space(frame, reduction, *key, only=len(data_walk) == len(over_walk) == 1)
        return spaces[key]

    def run(env: Environment) -> None:
        out = target(env)
        for block in data_walk:
            enter(frame, frame.axes, block, env)
            state = fold.start(tuple(n for _, n in block if n > 1))
            for part in over_walk:
                enter(frame, names, part, env, first)
                where = space(block, part)
                mask = where.elements.mask(env)
                if mask is not False:
                    state = fold.step(state, where, mask, env, _place(over, part))
            out[within(block)] = fold.result(state)

    return run


def _place(over: tuple[int, ...], part: Block) -> int:
    place = 0
    for size, (start, _) in zip(over, part, strict=True):
        place = place * size + start
    return place


def _space(
    frame: Frame, reduction: Reduction, data: tuple[int, ...], over: tuple[int, ...], *, only: bool
) -> _Space:
    columns = dict(zip(frame.axes, data, strict=True))
    rows = {o.axis: n for o, n in zip(reduction.over, over, strict=True)}
    arg = reduction.kind in ("argmax", "argmin")
    leading = not arg and int(np.prod(data, dtype=np.int64)) >= NARROW
    grid = frame.grid({**rows, **columns} if leading else {**columns, **rows}, only=only)
    names = list(grid.extents)
    reduced = tuple(names.index(axis) for axis in rows if axis in grid.extents)
    shape = tuple(n for n in data if n > 1)
    elements = guarded_elements((reduction.element,), reduction.over, grid, frame.memory)
    return _Space(grid, reduced, shape, leading, elements)


State = Any


@dataclass(frozen=True, slots=True)
class _Fold:
    """How blocks of elements become a result: from a start, step by step, to the stage's type."""

    start: Callable[[tuple[int, ...]], State]
    step: Callable[[State, _Space, Any, Environment, int], State]
    result: Callable[[State], Any]


def _fold(frame: Frame, reduction: Reduction) -> _Fold:
    stage = frame.stage
    element_type = storage_type(typed(reduction.element), frame.memory.precision)
    if reduction.kind in ("argmax", "argmin"):
        return _arg_fold(reduction.kind == "argmax", typed(reduction.element), frame)
    rounding = stage.dtype.is_float and frame.memory.precision == "declared"
    in_order = rounding and reduction.kind in ("sum", "prod")
    accumulator = (
        np.dtype(np.int64) if stage.dtype.is_int else storage_type(stage.dtype, frame.memory.precision)
    )
    nothing = identity(reduction.kind, stage.dtype, frame.memory.precision)
    function = UFUNCS[reduction.kind]
    narrow = array_cast(DType.I64, stage.dtype, saturate=False, precision=frame.memory.precision)

    def step(state: Array, space: _Space, mask: Any, env: Environment, place: int) -> Array:
        del place
        values = np.asarray(space.elements.elements[0](env), element_type)
        if mask is not True:
            values = np.where(mask, values, element_type.type(nothing))
        values = np.broadcast_to(values, space.grid.shape)
        if in_order:
            return _serial(function, state, values, space)
        return function(state, function.reduce(values, axis=space.over, dtype=accumulator))  # type: ignore[no-any-return]

    return _Fold(
        lambda shape: np.full(shape, nothing, accumulator),
        step,
        narrow if stage.dtype.is_int else lambda state: state,
    )


def _serial(function: np.ufunc, state: Array, values: Array, space: _Space) -> Array:
    """Fold in the order of the reduction axes, rounding after each step."""
    if space.leading:
        for where in np.ndindex(*(space.grid.shape[dim] for dim in space.over)):
            function(state, values[where], out=state)
        return state
    flat = values.reshape(*space.shape, -1)
    chain = np.concatenate([state[..., None], flat], axis=-1)
    folded: Array = function.accumulate(chain, axis=-1, dtype=state.dtype)
    return folded[..., -1]


def _arg_fold(highest: bool, dtype: DType, frame: Frame) -> _Fold:  # noqa: FBT001
    held = storage_type(dtype, frame.memory.precision)
    worst = held.type(identity("max" if highest else "min", dtype, frame.memory.precision))
    find = np.argmax if highest else np.argmin

    def start(shape: tuple[int, ...]) -> tuple[Array, Array]:
        return np.full(shape, -1, np.int64), np.full(shape, worst, held)

    def step(
        state: tuple[Array, Array], space: _Space, mask: Any, env: Environment, place: int
    ) -> tuple[Array, Array]:
        values = np.asarray(space.elements.elements[0](env), held)
        if mask is not True:
            values = np.where(mask, values, worst)
        flat = np.broadcast_to(values, space.grid.shape).reshape(*space.shape, -1)
        local = find(flat, axis=-1)
        best = np.take_along_axis(flat, local[..., None], -1)[..., 0]
        found = np.asarray(local + place)
        if mask is not True:
            allowed = np.broadcast_to(mask, space.grid.shape).reshape(*space.shape, -1)
            hit = np.take_along_axis(allowed, local[..., None], -1)[..., 0]
            # all that is allowed equals the worst value, or nothing is allowed
            found = np.where(hit, found, np.where(allowed.any(-1), allowed.argmax(-1) + place, -1))
        before, held_best = state
        beats = (found >= 0) & ((before < 0) | (best > held_best if highest else best < held_best))
        return np.where(beats, found, before), np.where(beats, best, held_best)

    return _Fold(start, step, lambda state: state[0].astype(np.int32))
