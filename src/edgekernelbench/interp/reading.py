"""Reads of a block: a strided view where indices are affine, a gather where they are not."""

from collections.abc import Callable
from typing import Any

from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from edgekernelbench.interp.closures import Closure, Environment
from edgekernelbench.interp.gathering import Access, gather_closure
from edgekernelbench.interp.grid import Grid, affine
from edgekernelbench.interp.windows import Window, window
from edgekernelbench.ir.expr import Read

Array = NDArray[Any]


def read_closure(
    node: Read, array: Array, grid: Grid, index: Callable[[int], Closure], *, guarded: bool
) -> Closure:
    """Make the closure of a read that varies in a block.

    Args:
        node: The read.
        array: The array of the tensor.
        grid: The block.
        index: Gives the closure of the index of a dimension.
        guarded: Whether positions may be out of range because their value will not be used.

    Returns:
        A function to an array of the grid's rank.
    """
    windows: dict[int, Window] = {}
    gathers: dict[int, tuple[Closure, frozenset[str]]] = {}
    for dim, part in enumerate(node.indices):
        form = affine(part)
        axes = grid.varying(part)
        if form is not None and not form.terms.keys() & grid.points:
            windows[dim] = window(form, grid)
        elif not axes:
            windows[dim] = Window(index(dim), None, {}, 0, 0)
        else:
            gathers[dim] = (index(dim), axes)
    access = Access(array, node.tensor, windows, gathers, guarded)
    fits = all(array.shape[dim] > w.high - w.low for dim, w in windows.items())
    if gathers or not fits:
        return gather_closure(access, grid, index)
    return _view(access, grid, index)


def _view(access: Access, grid: Grid, index: Callable[[int], Closure]) -> Closure:
    base, leads = access.array, []
    for dim, w in access.windows.items():
        base = base[(slice(None),) * dim + (slice(-w.low, None),)]
        leads.append((w, access.array.shape[dim] - (w.high - w.low)))
    strides = tuple(
        sum(w.terms.get(axis, 0) * base.strides[dim] for dim, w in access.windows.items())
        for axis in grid.extents
    )
    used = frozenset(axis for w in access.windows.values() for axis in w.terms)
    shape = grid.shape_over(used)
    whole = as_strided(base, (*(n for _, n in leads), *shape), (*base.strides, *strides), writeable=False)
    if all(w.constant is not None for w, _ in leads):
        where = tuple((w.constant or 0) + w.low for w, _ in leads)
        if _inside(where, leads):
            fixed = whole[where]
            return lambda env: fixed
        return gather_closure(access, grid, index)
    return _moving_view(access, whole, leads, lambda: gather_closure(access, grid, index))


def _inside(where: tuple[int, ...], leads: list[tuple[Window, int]]) -> bool:
    return all(0 <= i < n for i, (_, n) in zip(where, leads, strict=True))


def _moving_view(
    access: Access, whole: Array, leads: list[tuple[Window, int]], fallback: Callable[[], Closure]
) -> Closure:
    parts = tuple((w.base, w.low) for w, _ in leads)
    sizes = tuple(n for _, n in leads)
    clipped: list[Closure] = []

    def view(env: Environment) -> Any:
        where = tuple([base(env) + low for base, low in parts])
        for position, size in zip(where, sizes, strict=True):
            if not 0 <= position < size:
                if not clipped:
                    clipped.append(fallback())
                return clipped[0](env)
        return whole[where]

    return view
