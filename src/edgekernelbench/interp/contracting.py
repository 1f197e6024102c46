"""Sums of products as matrix products, where that is exact or float64.

The factors of the element are evaluated, each over the axes that it has, combined to two, and multiplied by
BLAS in float64. That is allowed for floats in the reference precision, whose sums may be in any order, and
for integers whose sums are proven to be exact in float64.
"""

from collections.abc import Mapping
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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
from edgekernelbench.interp.reducing import reduction_run
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Cast, Expr, Reduction

Array = NDArray[Any]
T = TypeVar("T")
_Pair = tuple[int, int]

REUSE = 4
"""Rows and columns that a product must have at least, else it is bound by memory like any other sum."""

LARGEST = 64
"""Elements of the largest factor, in blocks: 64 MiB of float64 at the usual size of a block."""

EXACT = 2.0**53
"""Whole numbers up to this are exact in float64."""


def contraction_run(frame: Frame, reduction: Reduction) -> Run | None:
    """Give what computes a sum of products by matrix multiplication.

    Args:
        frame: The stage.
        reduction: Its value.

    Returns:
        A function that fills the stage, or one step of it; None when the sum has another form, or
        when this does not pay.
    """
    is_float = frame.stage.dtype.is_float
    if reduction.kind != "sum" or (is_float and frame.memory.precision == "declared"):
        return None
    factors = _factors(reduction.element, is_float=is_float)
    rows = {o.axis: o.stop - o.start for o in reduction.over}
    columns = dict(zip(frame.axes, frame.extents, strict=True))
    whole = frame.grid({**columns, **rows})
    if len(factors) < 2 or 4 * prod(whole.shape) < frame.memory.block:
        return None
    if not _conditions_fit(factors, reduction, whole):
        return None
    merges, sides = _merges([whole.varying(factor) for factor in factors], whole)
    largest = LARGEST * frame.memory.block
    block = _block(sides, columns, whole, largest)
    if min(_size(sides[0] - sides[1], block), _size(sides[1] - sides[0], block)) < REUSE:
        return None
    if max(_size(side, {**whole.extents, **block}) for side in sides) > largest:
        return None
    return _Contraction(frame, reduction, tuple(factors), merges, tuple(block.values())).run


def _factors(node: Expr, *, is_float: bool) -> list[Expr]:
    if isinstance(node, Binary) and node.op == "*":
        return [*_factors(node.left, is_float=is_float), *_factors(node.right, is_float=is_float)]
    if is_float and isinstance(node, Cast) and typed(node.operand).is_float:
        return _factors(node.operand, is_float=True)  # changes nothing in the reference precision
    return [node]


def _conditions_fit(factors: list[Expr], reduction: Reduction, whole: Grid) -> bool:
    """Whether the conditions, if any, can be folded into one factor."""
    axes = frozenset(a for o in reduction.over for c in o.conditions for a in whole.varying(c))
    return any(axes <= whole.varying(factor) for factor in factors)


def _size(axes: frozenset[str], extents: Mapping[str, int]) -> int:
    return prod(extents[axis] for axis in axes if axis in extents)


def _merges(factors: list[frozenset[str]], grid: Grid) -> tuple[tuple[_Pair, ...], list[frozenset[str]]]:
    """Plan which factors to multiply until two sides are left, smallest products first.

    Args:
        factors: The varying axes of each factor.
        grid: All positions.

    Returns:
        Pairs of places in a list, each replaced by one product at the end of the list; and the axes of
        the two sides.
    """
    left, plan = list(factors), []
    while len(left) > 2:
        pairs = [(a, b) for b in range(len(left)) for a in range(b)]
        first, second = min(pairs, key=lambda pair: _size(left[pair[0]] | left[pair[1]], grid.extents))
        plan.append((first, second))
        left = _merged(left, (first, second), left[first] | left[second])
    return tuple(plan), left


def _merged(values: list[T], pair: _Pair, product: T) -> list[T]:
    return [*(value for place, value in enumerate(values) if place not in pair), product]


def _block(sides: list[frozenset[str]], columns: dict[str, int], whole: Grid, largest: int) -> dict[str, int]:
    """Choose how many positions of each data axis are computed at once, so that no side grows too large."""
    block = dict(columns)
    for side in sides:
        own = [axis for axis in columns if axis in side]
        limit = prod(block[axis] for axis in own)
        while limit > 1 and _size(side, {**whole.extents, **block}) > largest:
            limit //= 2
            block.update(zip(own, cut([columns[axis] for axis in own], limit), strict=True))
    return block


class _Contraction:
    """Computes a sum of products, block of data by block of data."""

    def __init__(
        self,
        frame: Frame,
        reduction: Reduction,
        factors: tuple[Expr, ...],
        merges: tuple[_Pair, ...],
        block: tuple[int, ...],
    ) -> None:
        self._frame = frame
        self._reduction = reduction
        self._factors = factors
        self._merges = merges
        self._target = frame.target()
        self._walk = list(walk_blocks(frame.extents, block))
        self._parts: dict[tuple[int, ...], tuple[Grid, Guarded]] = {}
        self._otherwise: list[Run] = []
        self._exact = frame.stage.dtype.is_int
        self._narrow = array_cast(
            DType.I64, frame.stage.dtype, saturate=False, precision=frame.memory.precision
        )

    def run(self, env: Environment) -> None:
        """Fill the stage, or one step of it."""
        out = self._target(env)
        for over in self._reduction.over:
            env[self._frame.slots[over.axis]] = over.start
        for block in self._walk:
            enter(self._frame, self._frame.axes, block, env)
            found = self._product(block, env)
            if found is None:
                self._fall_back(env)
                return
            out[within(block)] = found

    def _fall_back(self, env: Environment) -> None:
        if not self._otherwise:
            self._otherwise.append(reduction_run(self._frame, self._reduction))
        self._otherwise[0](env)

    def _built(self, block: Block) -> tuple[Grid, Guarded]:
        shape = tuple(n for _, n in block)
        if shape not in self._parts:
            columns = dict(zip(self._frame.axes, shape, strict=True))
            rows = {o.axis: o.stop - o.start for o in self._reduction.over}
            grid = self._frame.grid({**columns, **rows}, only=len(self._walk) == 1)
            built = guarded_elements(self._factors, self._reduction.over, grid, self._frame.memory)
            self._parts[shape] = (grid, built)
        return self._parts[shape]

    def _product(self, block: Block, env: Environment) -> Array | None:
        """Compute a block; None when the matrix product would not be the sum that the text says."""
        grid, parts = self._built(block)
        data = tuple(axis for axis in self._frame.axes if axis in grid.extents)
        over = prod(grid.extents[axis] for axis in grid.extents if axis not in data)
        mask = parts.mask(env)
        if mask is False:
            return np.zeros([grid.extents[axis] for axis in data])
        values = [_ranked(element(env), grid.rank) for element in parts.elements]
        if self._exact and prod([_largest(value) for value in values]) * over >= EXACT:
            return None
        if mask is not True:
            masked = _masked(values, np.asarray(mask))
            if masked is None:
                return None
            values = masked
        for first, second in self._merges:
            values = _merged(values, (first, second), values[first] * values[second])
        total = _multiplied(values[0], values[1], grid.shape, len(data))
        return np.asarray(self._narrow(total.astype(np.int64))) if self._exact else total


def _ranked(value: Any, rank: int) -> Array:
    array = np.asarray(value, np.float64)
    return array if array.ndim else array.reshape((1,) * rank)


def _largest(value: Array) -> float:
    return max(float(value.max()), -float(value.min()))


def _masked(values: list[Array], mask: Array) -> list[Array] | None:
    """Make one factor 0 where the conditions do not hold; None when another is not finite there."""
    fits = [all(m in (1, n) for m, n in zip(mask.shape, value.shape, strict=True)) for value in values]
    if True not in fits:
        return None
    chosen = fits.index(True)
    if not all(np.isfinite(value).all() for place, value in enumerate(values) if place != chosen):
        return None
    return [np.where(mask, v, 0.0) if place == chosen else v for place, v in enumerate(values)]


def _multiplied(left: Array, right: Array, shape: tuple[int, ...], data: int) -> Array:
    """Multiply two factors over a grid whose first `data` dimensions stay and whose others are summed."""
    for dim in range(data, len(shape)):
        # what only one side has is summed first; what neither has only counts
        if right.shape[dim] == 1:
            left = left.sum(axis=dim, keepdims=True) * (1 if left.shape[dim] > 1 else shape[dim])
        elif left.shape[dim] == 1:
            right = right.sum(axis=dim, keepdims=True)
    kept = range(data)
    both = [d for d in kept if left.shape[d] > 1 and right.shape[d] > 1]
    rows = [d for d in kept if left.shape[d] > 1 and right.shape[d] == 1]
    cols = [d for d in kept if left.shape[d] == 1]
    deep = list(range(data, len(shape)))
    batch, depth = prod(left.shape[d] for d in both), prod(left.shape[d] for d in deep)
    first = left.transpose(*both, *rows, *deep, *cols).reshape(batch, -1, depth)
    second = right.transpose(*both, *deep, *cols, *rows).reshape(batch, depth, -1)
    found = np.matmul(first, second)
    where = [*both, *rows, *cols]
    sizes = [max(left.shape[d], right.shape[d]) for d in where]
    turned = found.reshape(sizes).transpose(np.argsort(where)) if where else found.reshape(())
    return np.broadcast_to(turned, shape[:data])
