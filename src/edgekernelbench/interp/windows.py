"""Indices that are affine in the axes of a block."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edgekernelbench.interp.closures import Environment
from edgekernelbench.interp.grid import Affine, Grid, affine
from edgekernelbench.ir.expr import Expr

Index = Callable[[Environment], int]


@dataclass(frozen=True, slots=True)
class Window:
    """An index that is affine in the varying axes.

    Attributes:
        base: The index at the first position of the block.
        constant: That index when no environment is needed to know it.
        terms: Coefficients of the varying axes.
        low: The least difference to `base`, at most 0.
        high: The greatest difference to `base`, at least 0.
    """

    base: Index
    constant: int | None
    terms: Mapping[str, int]
    low: int
    high: int


def window(form: Affine, grid: Grid) -> Window:
    """Split an affine index into what is fixed in a block and what varies."""
    terms = {axis: c for axis, c in form.terms.items() if axis in grid.extents}
    spans = [c * (grid.extents[axis] - 1) for axis, c in terms.items()]
    # the slot of a varying axis holds its first position
    parts = tuple((grid.slots[axis], c) for axis, c in form.terms.items())
    low, high = sum(min(0, s) for s in spans), sum(max(0, s) for s in spans)
    return Window(_base(form.constant, parts), None if parts else form.constant, terms, low, high)


def affine_closure(node: Expr, slots: Mapping[str, int]) -> Index | None:
    """Give the closure of an index that is affine in axes; None when it is not."""
    form = affine(node)
    if form is None:
        return None
    return _base(form.constant, tuple((slots[axis], factor) for axis, factor in form.terms.items()))


def _base(constant: int, parts: tuple[tuple[int, int], ...]) -> Index:
    if not parts:
        return lambda env: constant
    if len(parts) == 1:
        ((slot, factor),) = parts
        if factor == 1:
            return lambda env: env[slot] + constant
        return lambda env: env[slot] * factor + constant
    return lambda env: constant + sum([env[slot] * factor for slot, factor in parts])
