"""Run-time parameters that are worth a copy in another order, so that vectors are whole.

Records, such as `p[i, 0]` and `p[i, 1]`, are stored field by field. Where vectors run along a batch, what is
read again and again is stored with the batch innermost.
"""

from collections.abc import Iterator
from math import prod

from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.expr import Axis, Literal, Read
from edgekernelbench.lowering.access import uses
from edgekernelbench.lowering.survey import Survey, View

OFTEN = 4
"""Reads of each element that make up for the copy of a parameter."""


def records(found: Survey) -> Iterator[tuple[str, int]]:
    """List the parameters of records.

    Args:
        found: What has to be scheduled.

    Yields:
        The name of each, and its axis before the last, which becomes the innermost.
    """
    for param in found.params.values():
        seen = found.uses(param.name)
        if not seen or len(param.shape) < 2 or param.dtype.bits < 8:
            continue
        fixed = all(isinstance(r.indices[-1], Literal) for _, r in seen)
        if fixed and (param.const or _often(param, seen)):
            yield param.name, len(param.shape) - 2


def turned(found: Survey, views: list[View], axis: str) -> Iterator[tuple[str, int]]:
    """List the parameters that only some stages read, whose vectors run along one axis.

    Args:
        found: What has to be scheduled.
        views: The stages.
        axis: The axis.

    Yields:
        The name of each, and the axis of it that becomes the innermost.
    """
    names = {v.name for v in views}
    for param in found.params.values():
        seen = found.uses(param.name)
        if param.const or not seen or any(v.name not in names for v, _ in seen) or not _often(param, seen):
            continue
        dims = {tuple(d for d, i in enumerate(r.indices) if uses(i, axis)) for _, r in seen}
        plain = all(r.indices[d] == Axis(axis) for _, r in seen for places in dims for d in places)
        if plain and len(dims) == 1 and len(places := dims.pop()) == 1 and places[0] < len(param.shape) - 1:
            yield param.name, places[0]


def _often(param: Param, seen: tuple[tuple[View, Read], ...]) -> bool:
    times = sum(prod(view.sizes.values()) for view, _ in seen)
    return param.dtype.bits >= 8 and times >= OFTEN * prod(param.shape)
