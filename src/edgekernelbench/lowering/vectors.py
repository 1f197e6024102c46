"""Which loop of an elementwise stage is the vector.

The last axis where it is long enough. Else another axis, stored innermost, when all readers run along that
one; else the axis before it, if there is work that makes up for storing lane by lane.
"""

from edgekernelbench.ir.expr import Axis
from edgekernelbench.lowering.access import cost, has_condition
from edgekernelbench.lowering.survey import Survey, View

MOST_UNROLLED = 8
"""Positions of a last axis that are unrolled beside a vector along the axis before."""

WORTH = 6
"""Operations of an element that make up for storing the lanes of a vector one by one."""


def wide_axis(view: View, free: list[str], lanes: int, found: Survey) -> str | None:
    """Find an axis that should be stored innermost, so that vectors are whole.

    Args:
        view: An elementwise stage with a short last axis.
        free: Its axes that no loop outside holds.
        lanes: Elements of a vector.
        found: All stages.

    Returns:
        An axis of at least `lanes` positions along which all readers are vectors, too; None when none is.
    """
    if view.name in found.outputs or view.ordered or view.sizes[free[-1]] >= lanes:
        return None
    readers = found.readers(view.name)
    for axis in reversed(free[:-1]):
        dim = view.stage.axes.index(axis)
        along = [
            (reader, read.indices[dim])
            for reader in readers
            for read in reader.reads
            if read.tensor == view.name
        ]
        if view.sizes[axis] >= lanes and all(
            index == Axis(_vector(reader, lanes, found)) for reader, index in along
        ):
            return axis
    return None


def _vector(view: View, lanes: int, found: Survey) -> str:
    """Name the axis along which a stage will be a vector."""
    axes = list(view.stage.axes)
    wide = None if view.reduced or not axes else wide_axis(view, axes, lanes, found)
    return wide or (axes[-1] if axes else "")


def across(view: View, free: list[str], lanes: int) -> str | None:
    """Find an axis to run vectors along that lie across memory: the one before a short last axis.

    Args:
        view: An elementwise stage with a short last axis.
        free: Its axes that no loop outside holds.
        lanes: Elements of a vector.

    Returns:
        The axis; None when there is none, or when so little is computed that storing lane by lane costs more.
    """
    if len(free) < 2 or view.sizes[free[-1]] > MOST_UNROLLED or view.sizes[free[-2]] < lanes:
        return None
    return free[-2] if cost(view.value) >= WORTH else None


def whole(view: View, axis: str) -> bool:
    """Say whether a short axis is a vector by itself."""
    return view.sizes[axis] in (2, 4, 8) and not has_condition(view.value)
