"""Reductions whose conditions seldom hold: only the positions at which they do are computed.

A transposed convolution, written by what reaches each output, tests every tap and uses one in a few.
Conditions are cheap beside elements, so they are tested everywhere first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.interp.arithmetic import identity, storage_type
from edgekernelbench.interp.array_functions import array_cast
from edgekernelbench.interp.closures import Closure, Environment
from edgekernelbench.interp.expressions import Expressions
from edgekernelbench.interp.frame import Block, Frame, Guarded, Run, enter, guarded_elements, walk_blocks
from edgekernelbench.interp.grid import cut
from edgekernelbench.interp.reducing import UFUNCS, reduction_run
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction

Array = NDArray[Any]

SELDOM = 0.25
"""Conditions that hold more often than this are better folded as they are."""

TESTED = 32
"""Positions whose conditions are tested at once, in blocks."""


def sparse_run(frame: Frame, reduction: Reduction) -> Run | None:
    """Give what computes a reduction at the positions where its conditions hold.

    Args:
        frame: The stage.
        reduction: Its value.

    Returns:
        A function that fills the stage, or one step of it; None when there are no conditions or
        too little is gained.
    """
    rows = {o.axis: o.stop - o.start for o in reduction.over}
    columns = dict(zip(frame.axes, frame.extents, strict=True))
    whole = frame.grid({**columns, **rows})
    tested = {axis for o in reduction.over for c in o.conditions for axis in whole.varying(c)}
    if not tested or reduction.kind not in UFUNCS or prod(whole.shape) < 4 * frame.memory.block:
        return None
    parts = _parted(columns, rows, tested)
    steps = prod(parts.over.values())
    if steps > TESTED * frame.memory.block or parts.whole > frame.memory.block:
        return None
    return _Sparse(frame, reduction, parts).run


@dataclass(frozen=True, slots=True)
class _Parts:
    """The axes of a reduction.

    Attributes:
        near: Data axes that conditions depend on.
        far: The other data axes.
        lead: Reduction axes before those that conditions depend on.
        over: Reduction axes from the first that conditions depend on to the last.
        trail: Reduction axes behind those.
    """

    near: dict[str, int]
    far: dict[str, int]
    lead: dict[str, int]
    over: dict[str, int]
    trail: dict[str, int]

    @property
    def whole(self) -> int:
        """Number of positions along the axes that no condition depends on."""
        return prod([*self.far.values(), *self.lead.values(), *self.trail.values()])


def _parted(columns: dict[str, int], rows: dict[str, int], tested: set[str]) -> _Parts:
    places = [place for place, axis in enumerate(rows) if axis in tested]
    first, last = (places[0], places[-1]) if places else (len(rows), len(rows))
    return _Parts(
        {axis: n for axis, n in columns.items() if axis in tested},
        {axis: n for axis, n in columns.items() if axis not in tested},
        dict(list(rows.items())[:first]),
        dict(list(rows.items())[first : last + 1]),
        dict(list(rows.items())[last + 1 :]),
    )


class _Sparse:
    """Computes a reduction at scattered positions, block of tested data by block."""

    def __init__(self, frame: Frame, reduction: Reduction, parts: _Parts) -> None:
        precision, dtype = frame.memory.precision, frame.stage.dtype
        self._frame = frame
        self._reduction = reduction
        self._parts = parts
        self._function = UFUNCS[reduction.kind]
        self._in_order = dtype.is_float and precision == "declared" and reduction.kind in ("sum", "prod")
        self._type = np.dtype(np.int64) if dtype.is_int else storage_type(dtype, precision)
        self._nothing = identity(reduction.kind, dtype, precision)
        self._narrow = array_cast(DType.I64, dtype, saturate=False, precision=precision)
        self._target = frame.target()
        self._first = {o.axis: o.start for o in reduction.over}
        self._masks: dict[tuple[int, ...], Guarded] = {}
        self._count = max(1, frame.memory.block // parts.whole)
        self._element: list[Closure] = []
        self._otherwise: list[Run] = []

    def run(self, env: Environment) -> None:
        """Fill the stage, or one step of it."""
        far, near = tuple(self._parts.far.values()), tuple(self._parts.near.values())
        total = np.full((*far, prod(near)), self._nothing, self._type)
        limit = max(1, TESTED * self._frame.memory.block // prod(self._parts.over.values()))
        for number, block in enumerate(walk_blocks(near, cut(near, limit))):
            hits, size = self._hits(block, env)
            if number == 0 and len(hits) > SELDOM * size:
                self._fall_back(env)
                return
            for points in self._chunks(hits, block):
                self._add(total, points, env)
        out = self._target(env)
        names = (*self._parts.far, *self._parts.near)
        back = [names.index(axis) for axis in self._frame.axes]
        found = total.reshape((*far, *near)).transpose(back)
        out[...] = self._narrow(found) if self._frame.stage.dtype.is_int else found

    def _fall_back(self, env: Environment) -> None:
        if not self._otherwise:
            self._otherwise.append(reduction_run(self._frame, self._reduction))
        self._otherwise[0](env)

    def _hits(self, block: Block, env: Environment) -> tuple[Array, int]:
        """Find where in a block the conditions hold, as places in the order of the text."""
        extents = tuple(n for _, n in block)
        grid = self._frame.grid({**dict(zip(self._parts.near, extents, strict=True)), **self._parts.over})
        if extents not in self._masks:
            self._masks[extents] = guarded_elements((), self._reduction.over, grid, self._frame.memory)
        enter(self._frame, tuple(self._parts.near), block, env)
        self._enter_whole(env)
        for axis in self._parts.over:
            env[self._frame.slots[axis]] = self._first[axis]
        mask = np.broadcast_to(self._masks[extents].mask(env), grid.shape)
        return np.flatnonzero(mask), mask.size

    def _enter_whole(self, env: Environment) -> None:
        for axis in self._parts.far:
            env[self._frame.slots[axis]] = 0
        for axis in (*self._parts.lead, *self._parts.trail):
            env[self._frame.slots[axis]] = self._first[axis]

    def _chunks(self, hits: Array, block: Block) -> Iterator[tuple[Array, dict[str, Array]]]:
        """Give hits some at a time: the data element of each, and its position along each axis."""
        over = self._parts.over
        shape = (*(n for _, n in block), *over.values())
        starts = (*(start for start, _ in block), *(self._first[axis] for axis in over))
        sizes = tuple(self._parts.near.values())
        for begin in range(0, len(hits), self._count):
            chosen = hits[begin : begin + self._count]
            places = np.unravel_index(chosen, shape) if shape else ()
            found = [(p + start).astype(np.int32) for p, start in zip(places, starts, strict=True)]
            where = (
                np.ravel_multi_index(tuple(found[: len(sizes)]), sizes) if sizes else np.zeros_like(chosen)
            )
            yield where, dict(zip((*self._parts.near, *over), found, strict=True))

    def _add(self, total: Array, points: tuple[Array, dict[str, Array]], env: Environment) -> None:
        where, positions = points
        missing = self._count - len(where)
        for axis, found in positions.items():
            # the block has one size; what fills it up is computed and dropped
            env[self._frame.slots[axis]] = np.pad(found, (0, missing), mode="edge") if missing else found
        self._enter_whole(env)
        parts = self._parts
        before, behind = {**parts.far, **parts.lead}, parts.trail
        if not self._element:
            grid = self._frame.points(before, self._count, behind, positions)
            self._element.append(Expressions(grid, self._frame.memory).closure(self._reduction.element))
        values = np.asarray(self._element[0](env), self._type)
        wide = [n for n in before.values() if n > 1], [n for n in behind.values() if n > 1]
        full = np.broadcast_to(values, (*wide[0], self._count, *wide[1]))
        full = full.reshape(prod(parts.far.values()), prod(parts.lead.values()), self._count, -1)[
            :, :, : len(where)
        ]
        rows = np.arange(len(full))[:, None, None, None] * total.shape[-1] + where[:, None]
        if not self._in_order:
            full = self._function.reduce(full, axis=(1, 3), keepdims=True)
        # one by one, in the order of the text
        places = np.broadcast_to(rows, full.shape)
        self._function.at(total.reshape(-1), places.reshape(-1), full.reshape(-1))
