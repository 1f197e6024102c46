"""Reads whose indices are no view: looked up, out of range clipped.

Dimensions are taken one after another: fixed ones are indexed, windows sliced, the others looked up along the
axes that their indices depend on. What is left is spread over the block by strides.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.closures import Closure, Environment
from edgekernelbench.interp.grid import Grid
from edgekernelbench.interp.windows import Window

Array = NDArray[Any]


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


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Dimensions that are looked up together, and the axes that their indices vary with."""

    dims: Mapping[int, Closure]
    axes: frozenset[str]


def gather_closure(access: Access, grid: Grid, index: Callable[[int], Closure]) -> Closure:
    """Make the closure of a read by looking up.

    Args:
        access: The read.
        grid: The block.
        index: Gives the closure of the index of a dimension.

    Returns:
        A function to an array of the grid's rank.
    """
    varying = {dim: w for dim, w in access.windows.items() if w.terms}
    gathers = dict(access.gathers)
    for dim in [d for d, w in varying.items() if any(w.terms.keys() & axes for _, axes in gathers.values())]:
        # looked up together with the gather that shares its axis: apart, both would be read in full
        gathers[dim] = (index(dim), frozenset(varying.pop(dim).terms))
    clipped = {dim: _Lookup({dim: index(dim)}, frozenset(w.terms)) for dim, w in varying.items()}
    fixed = {dim: w for dim, w in access.windows.items() if not w.terms}
    return _Gather(access, grid, fixed, varying, clipped, _joined(gathers)).read


def _joined(gathers: dict[int, tuple[Closure, frozenset[str]]]) -> list[_Lookup]:
    found: list[_Lookup] = []
    for dim, (closure, axes) in sorted(gathers.items()):
        touching = [c for c in found if c.axes & axes]
        found = [c for c in found if not c.axes & axes]
        joined = _Lookup({dim: closure}, axes)
        for other in touching:
            joined = _Lookup({**other.dims, **joined.dims}, joined.axes | other.axes)
        found.append(joined)
    return found


@dataclass(frozen=True, slots=True)
class _Gather:
    """How a read is looked up.

    Attributes:
        access: The read.
        grid: The block.
        fixed: Dimensions of one position.
        windows: Dimensions that are sliced where they are in range.
        clipped: How those are looked up elsewhere.
        lookups: The other dimensions.
    """

    access: Access
    grid: Grid
    fixed: Mapping[int, Window]
    windows: Mapping[int, Window]
    clipped: Mapping[int, _Lookup]
    lookups: list[_Lookup]

    def read(self, env: Environment) -> Array:
        """Read a block, clipping what is out of range."""
        where: list[int | slice] = []
        labels: list[int | str] = []
        late: list[_Lookup] = []
        for dim, size in enumerate(self.access.array.shape):
            w = self.windows.get(dim)
            if dim in self.fixed:
                where.append(self._fixed(self.fixed[dim].base(env), size))
                continue
            labels.append(dim)
            base = 0 if w is None else w.base(env)
            if w is not None and base + w.low >= 0 and base + w.high < size:
                where.append(slice(base + w.low, base + w.high + 1))
                continue
            where.append(slice(None))
            late += [self.clipped[dim]] if w is not None else []
        data: Array = self.access.array[tuple(where)]
        for lookup in (*late, *self.lookups):
            data, labels = self._looked_up(lookup, data, labels, env)
        return self._spread(data, labels)

    def _fixed(self, position: int, size: int) -> int:
        if not self.access.guarded and not 0 <= position < size:
            raise InternalError(f"expected an index below {size} in {self.access.name}, found {position}")
        return min(max(position, 0), size - 1)

    def _looked_up(
        self, lookup: _Lookup, data: Array, labels: list[int | str], env: Environment
    ) -> tuple[Array, list[int | str]]:
        axes = [axis for axis in self.grid.extents if axis in lookup.axes]
        places = [self._places(dim, closure, axes, env) for dim, closure in lookup.dims.items()]
        at = [labels.index(dim) for dim in lookup.dims]
        if len(places) == 1:
            found = data.take(places[0], axis=at[0], mode="clip")
            return found, [*labels[: at[0]], *axes, *labels[at[0] + 1 :]]
        rest = [n for n in range(len(labels)) if n not in at]
        return data.transpose(*at, *rest)[tuple(places)], [*axes, *(labels[n] for n in rest)]

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
        for axis, stride in self._strides(data, labels):
            strides[axis] += stride
            used.add(axis)
        for place, label in enumerate(labels):
            if isinstance(label, int):
                data = data[(slice(None),) * place + (slice(-self.windows[label].low, None),)]
        shape = self.grid.shape_over(frozenset(used))
        return as_strided(data, shape, tuple(strides.values()), writeable=False)

    def _strides(self, data: Array, labels: list[int | str]) -> Iterator[tuple[str, int]]:
        for stride, label in zip(data.strides, labels, strict=True):
            if isinstance(label, str):
                yield label, stride
            else:
                for axis, factor in self.windows[label].terms.items():
                    yield axis, factor * stride
