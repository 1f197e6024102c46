"""Tensors stored in pieces along an axis: which tiles must begin where a piece does."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal
from edgekernelbench.ir.memory import LayoutSpec
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.indices import span_of
from edgekernelbench.nest.linear import Ranges, linear
from edgekernelbench.nest.scene import names_in
from edgekernelbench.nest.work import WorkStage, tensor_of


@dataclass(frozen=True, slots=True)
class Packing:
    """The pieces that layouts cut axes into.

    Attributes:
        pieces: For each tensor with a layout, the widths of the pieces of each of its axes.
        filled: Tensors whose padding is filled with zeros, so that it can be read.
    """

    pieces: dict[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()

    def cuts(self, stages: Iterable[WorkStage], axis: str) -> bool:
        """Whether some of the stages reads, along an axis, a tensor that is stored in pieces."""
        return any(widths for stage in stages for _, _, widths in self._reads(stage, axis))

    def may_overrun(self, stage: WorkStage, axis: str, first: Expr, count: int, ranges: Ranges) -> bool:
        """Whether a tile of a stage may reach beyond its axis: all that it reads there is padding.

        Args:
            stage: The stage; what it computes beyond the axis is read by nobody.
            axis: The axis.
            first: First position of the tile.
            count: Positions of the tile.
            ranges: Ranges of the loops.
        """
        low, high = span_of(first, ranges)
        if low is None or high is None or low < 0 or _may_trap(stage):
            return False
        start = linear(first)
        for tensor, plain, widths in self._reads(stage, axis):
            padded = -(-stage.size_of[axis] // max(widths, default=1)) * max(widths, default=1)
            whole = all(factor % width == 0 for width in widths for _, factor in start.terms)
            aligned = whole and all(start.constant % width == 0 for width in widths)
            if tensor not in self.filled or not plain or not aligned or high + count > padded:
                return False
        return True

    def _reads(self, stage: WorkStage, axis: str) -> Iterator[tuple[str, bool, tuple[int, ...]]]:
        """List the reads along an axis: tensor, whether the index is just the axis, widths of the pieces."""
        for read in stage.reads():
            for place, index in enumerate(read.indices):
                if axis in names_in(index):
                    widths = self.pieces.get(tensor_of(read), ())
                    plain = isinstance(index, Axis) and index.name == axis
                    yield tensor_of(read), plain, widths[place] if place < len(widths) else ()


def _may_trap(stage: WorkStage) -> bool:
    """Whether zeros in place of what a stage reads could divide a whole number."""
    nodes = (node for root in stage.expressions() for node in walk(root) if isinstance(node, Binary))
    return any(node.op in ("//", "%") and not isinstance(node.right, Literal) for node in nodes)


def packing_of(layouts: dict[str, LayoutSpec], filled: frozenset[str]) -> Packing:
    """Read the pieces of checked layouts.

    Args:
        layouts: Layouts by tensor.
        filled: Tensors whose padding is filled.
    """
    pieces = {}
    for tensor, spec in layouts.items():
        found: list[tuple[int, ...]] = []
        for axis in spec.axes:
            own = [p for p in spec.pieces if p.axis == axis]
            found.append(tuple(p.div * p.mod for p in own if p.mod is not None))
        pieces[tensor] = tuple(found)
    return Packing(pieces, filled)
