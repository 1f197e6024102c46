"""Two nested `for`s along slanted lines, all elements of a line at once.

Dynamic programming reads neighbours at fixed distances: `d[i - 1, j]`, `d[i, j - 1]`. Then all elements with
one `i + j` are independent. They are stored line by line, with room at the edges, so that a neighbour is a
slice: the array of a stage holds element `(i, j)` at `[slow + factor * fast, fast]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import as_strided

from edgekernelbench.interp.closures import typed
from edgekernelbench.interp.grid import affine
from edgekernelbench.interp.memory import Array
from edgekernelbench.ir.compute import Ordered, Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal, Read, Reduction
from edgekernelbench.ir.walk import transform, walk

LINE = "@line"
"""The axis that counts lines; no name of a text."""

FACTORS = (0, 1, 2, 3)
"""Slants that are tried: how many positions of the slow axis one of the fast axis counts."""

GAIN = 4
"""Lines pay when they are fewer than the elements by this factor."""


@dataclass(frozen=True, slots=True)
class Slant:
    """How a group is run line by line.

    Attributes:
        slow: The `for` axis that is left out: its position is `LINE - factor * fast`.
        fast: The `for` axis along a line.
        factor: The slant.
        sizes: Numbers of positions of both.
        before: Lines of room in front of the first.
        low: Room in front of the first position along a line.
        high: Room behind the last.
    """

    slow: str
    fast: str
    factor: int
    sizes: Mapping[str, int]
    before: int
    low: int
    high: int

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self.sizes[self.slow] + self.factor * (self.sizes[self.fast] - 1)


Distance = Mapping[str, int]
"""How far back a read reaches along both axes."""


def slant_of(group: Ordered) -> Slant | None:
    """Find the lines along which a group can be computed.

    Args:
        group: A group whose stages need each other.

    Returns:
        The slant with the fewest lines; None when the group has another form, or when lines do not pay.
    """
    inner = group.items[0]
    if len(group.items) != 1 or not isinstance(inner, Ordered):
        return None
    stages = {item.name: item for item in inner.items if isinstance(item, Stage)}
    if len(stages) < len(inner.items):
        return None
    axes = (group.axis, inner.axis)
    sizes = {group.axis: group.size, inner.axis: inner.size}
    distances = _distances(stages, axes)
    if distances is None:
        return None
    found = [
        slant
        for slow, fast in (axes, axes[::-1])
        for factor in FACTORS
        if (slant := _slant(slow, fast, factor, sizes, distances)) is not None
    ]
    best = min(found, key=lambda slant: slant.lines, default=None)
    return best if best is not None and best.lines * GAIN <= group.size * inner.size else None


def _distances(stages: Mapping[str, Stage], axes: tuple[str, str]) -> list[Distance] | None:
    """List how far reads inside a group reach; None when one is not at a fixed distance."""
    found: list[Distance] = []
    for stage in stages.values():
        if isinstance(stage.value, Reduction):
            return None
        for node in walk(stage.value):
            if isinstance(node, Read) and node.tensor in stages:
                distance = _distance(node, stages[node.tensor], axes)
                if distance is None:
                    return None
                found.append(distance)
    return found


def _distance(node: Read, stage: Stage, axes: tuple[str, str]) -> Distance | None:
    by: dict[str, int] = {}
    for axis in axes:
        form = affine(node.indices[stage.axes.index(axis)])
        if form is None or form.terms != {axis: 1}:
            return None
        by[axis] = -form.constant
    return by


def _slant(
    slow: str, fast: str, factor: int, sizes: Mapping[str, int], distances: list[Distance]
) -> Slant | None:
    back = [d[slow] + factor * d[fast] for d in distances]
    if any(lines < 1 and any(d.values()) for lines, d in zip(back, distances, strict=True)):
        return None
    along = [d[fast] for d in distances]
    return Slant(slow, fast, factor, sizes, max(0, *back), max(0, *along), max(0, *(-a for a in along)))


def slanted(stage: Stage, among: Mapping[str, Stage], slant: Slant) -> Stage:
    """Rewrite a stage so that it is computed line by line.

    Args:
        stage: The stage.
        among: All stages of the group.
        slant: The lines.

    Returns:
        A stage with the axes line, fast and then its own; its name is that of the filled part of the array,
        its reads of stages of the group give places in the whole arrays.
    """
    if isinstance(stage.value, Reduction):
        raise TypeError(f"expected no reduction, found {stage.name}")
    own = [(a, n) for a, n in zip(stage.axes, stage.shape, strict=True) if a not in slant.sizes]
    return replace(
        stage,
        name=target_name(stage),
        axes=(LINE, slant.fast, *(axis for axis, _ in own)),
        shape=(slant.lines, slant.sizes[slant.fast], *(n for _, n in own)),
        value=transform(stage.value, lambda node: _rewritten(node, among, slant)),
    )


def target_name(stage: Stage) -> str:
    """Name the part of a stage's array that lines fill."""
    return f"{stage.name}@"


def _rewritten(node: Expr, among: Mapping[str, Stage], slant: Slant) -> Expr | None:
    # from the leaves up: indices hold the position along the slow axis already
    if isinstance(node, Axis) and node.name == slant.slow:
        return _minus(Axis(LINE, dtype=DType.I32), slant.factor, slant.fast)
    if not isinstance(node, Read) or node.tensor not in among:
        return None
    stage = among[node.tensor]
    slow, fast = (affine(node.indices[stage.axes.index(axis)]) for axis in (slant.slow, slant.fast))
    if slow is None or fast is None:
        raise TypeError(f"expected affine indices, found {node!r}")
    line = slow.constant + slant.factor * fast.constant + slant.before
    others = [index for axis, index in zip(stage.axes, node.indices, strict=True) if axis not in slant.sizes]
    first = _plus(LINE, line), _plus(slant.fast, fast.constant + slant.low)
    return Read(node.tensor, (*first, *others), dtype=typed(node))


def _plus(axis: str, constant: int) -> Expr:
    return Binary("+", Axis(axis, dtype=DType.I32), Literal(constant, dtype=DType.I32), dtype=DType.I32)


def _minus(left: Expr, factor: int, axis: str) -> Expr:
    product = Binary("*", Literal(factor, dtype=DType.I32), Axis(axis, dtype=DType.I32), dtype=DType.I32)
    return Binary("-", left, product, dtype=DType.I32)


def room(stage: Stage, slant: Slant, dtype: np.dtype[np.generic]) -> tuple[Array, Array]:
    """Make the array of a stage in lines, and the part of it that is filled.

    Args:
        stage: The stage as the text has it.
        slant: The lines.
        dtype: What holds its elements.

    Returns:
        The whole array, which reads index, and a view of it of the shape of the slanted stage.
    """
    own = [n for axis, n in zip(stage.axes, stage.shape, strict=True) if axis not in slant.sizes]
    width = slant.sizes[slant.fast]
    whole = np.zeros((slant.before + slant.lines, slant.low + width + slant.high, *own), dtype)
    return whole, whole[slant.before :, slant.low : slant.low + width]


def straightened(stage: Stage, slant: Slant, filled: Array) -> Array:
    """Bring a stage from lines to its own shape."""
    line, along, *own = filled.strides
    shape = (slant.sizes[slant.slow], slant.sizes[slant.fast], *filled.shape[2:])
    strides = (line, slant.factor * line + along, *own)
    names = [slant.slow, slant.fast, *(axis for axis in stage.axes if axis not in slant.sizes)]
    turned = as_strided(filled, shape, strides, writeable=False).transpose(
        [names.index(a) for a in stage.axes]
    )
    return np.ascontiguousarray(turned)
