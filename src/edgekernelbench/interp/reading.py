"""Reads of a block: a strided view where indices are affine, a gather where they are not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.closures import Closure, Environment
from edgekernelbench.interp.grid import Affine, Grid, affine
from edgekernelbench.ir.expr import Expr, Read

Array = NDArray[Any]
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


@dataclass(frozen=True, slots=True)
class Access:
    """A read in a block, dimension by dimension.

    Attributes:
        array: What is read.
        name: Its name, for messages.
        windows: Dimensions with an index that is affine or does not vary.
        gathers: The other dimensions, each with the closure of its index and the axes it varies with.
        guarded: Whether positions may be out of range because their value will not be used.
    """

    array: Array
    name: str
    windows: Mapping[int, Window]
    gathers: Mapping[int, tuple[Closure, frozenset[str]]]
    guarded: bool


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
        if form is not None:
            windows[dim] = window(form, grid)
        elif not axes:
            windows[dim] = Window(index(dim), None, {}, 0, 0)
        else:
            gathers[dim] = (index(dim), axes)
    access = Access(array, node.tensor, windows, gathers, guarded)
    fits = all(array.shape[dim] > w.high - w.low for dim, w in windows.items())
    if gathers or not fits:
        return _gather(access, grid, index)
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
        return _gather(access, grid, index)
    return _moving_view(access, whole, leads, lambda: _gather(access, grid, index))


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


def _gather(access: Access, grid: Grid, index: Callable[[int], Closure]) -> Closure:
    shape = access.array.shape
    sliced: dict[int, Window] = {}
    fixed: dict[int, Window] = {}
    gathers = dict(access.gathers)
    for dim, w in access.windows.items():
        constant = w.constant
        if not w.terms:
            fixed[dim] = w
        elif constant is not None and constant + w.low >= 0 and constant + w.high < shape[dim]:
            sliced[dim] = w
        else:
            gathers[dim] = (index(dim), frozenset(w.terms))
    for dim in [d for d, w in sliced.items() if any(w.terms.keys() & axes for _, axes in gathers.values())]:
        # looked up together with the gather that shares its axis: apart, both would be read in full
        gathers[dim] = (index(dim), frozenset(sliced.pop(dim).terms))
    plan = _Plan(access, grid, fixed, sliced, _components(gathers))
    return plan.read


def _components(gathers: dict[int, tuple[Closure, frozenset[str]]]) -> list["_Component"]:
    found: list[_Component] = []
    for dim, (closure, axes) in sorted(gathers.items()):
        touching = [c for c in found if c.axes & axes]
        found = [c for c in found if not c.axes & axes]
        joined = _Component({dim: closure}, axes)
        for other in touching:
            joined = _Component({**other.dims, **joined.dims}, joined.axes | other.axes)
        found.append(joined)
    return found


@dataclass(frozen=True, slots=True)
class _Component:
    """Dimensions whose indices share varying axes."""

    dims: Mapping[int, Closure]
    axes: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a gather is done: fixed dimensions are indexed, windows sliced, components looked up."""

    access: Access
    grid: Grid
    fixed: Mapping[int, Window]
    sliced: Mapping[int, Window]
    components: list[_Component]

    def read(self, env: Environment) -> Array:
        """Read a block, clipping what is out of range."""
        data, labels = self._narrowed(env)
        for component in self.components:
            axes = [axis for axis in self.grid.extents if axis in component.axes]
            places = [self._places(dim, closure, axes, env) for dim, closure in component.dims.items()]
            at = [labels.index(dim) for dim in component.dims]
            if len(places) == 1:
                data = data.take(places[0], axis=at[0], mode="clip")
                labels = [*labels[: at[0]], *axes, *labels[at[0] + 1 :]]
            else:
                rest = [n for n in range(len(labels)) if n not in at]
                data = data.transpose(*at, *rest)[tuple(places)]
                labels = [*axes, *(labels[n] for n in rest)]
        return self._spread(data, labels)

    def _narrowed(self, env: Environment) -> tuple[Array, list[int | str]]:
        where: list[int | slice] = []
        labels: list[int | str] = []
        for dim, size in enumerate(self.access.array.shape):
            if dim in self.fixed:
                where.append(self._fixed(self.fixed[dim].base(env), size))
                continue
            labels.append(dim)
            w = self.sliced.get(dim)
            first = 0 if w is None else w.constant or 0
            where.append(slice(None) if w is None else slice(first + w.low, first + w.high + 1))
        return self.access.array[tuple(where)], labels

    def _fixed(self, position: int, size: int) -> int:
        if not self.access.guarded and not 0 <= position < size:
            raise InternalError(f"expected an index below {size} in {self.access.name}, found {position}")
        return min(max(position, 0), size - 1)

    def _places(self, dim: int, closure: Closure, axes: list[str], env: Environment) -> Array:
        size = self.access.array.shape[dim]
        found: Array = np.asarray(closure(env))
        if not self.access.guarded and not (found.min() >= 0 and found.max() < size):
            raise InternalError(f"expected indices below {size} in {self.access.name}, dimension {dim}")
        if found.ndim:
            at = list(self.grid.extents)
            found = found.reshape([found.shape[at.index(axis)] for axis in axes])
        full = np.broadcast_to(found, [self.grid.extents[axis] for axis in axes])
        return np.clip(full, 0, size - 1)

    def _spread(self, data: Array, labels: list[int | str]) -> Array:
        strides = dict.fromkeys(self.grid.extents, 0)
        used: set[str] = set()
        for place, label in enumerate(labels):
            if isinstance(label, str):
                strides[label] += data.strides[place]
                used.add(label)
                continue
            w = self.sliced[label]
            data = data[(slice(None),) * place + (slice(-w.low, None),)]
            for axis, factor in w.terms.items():
                strides[axis] += factor * data.strides[place]
                used.add(axis)
        shape = self.grid.shape_over(frozenset(used))
        return as_strided(data, shape, tuple(strides.values()), writeable=False)
