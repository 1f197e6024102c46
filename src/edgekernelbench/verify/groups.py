"""Groups: which stages are computed step by step together, and which of their axes are free of it."""

from collections.abc import Iterator, Mapping, Sequence

from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage
from edgekernelbench.ir.expr import Axis, Read
from edgekernelbench.verify.facts import Group

Reads = Mapping[str, Sequence[Read]]
"""All reads on the right side of each stage, those inside indices too."""


def find_groups(compute: Compute, reads: Reads) -> tuple[Group, ...]:
    """List the groups of a compute layer.

    Args:
        compute: The layer, needless `for`s dropped.
        reads: What each stage reads.

    Returns:
        One group for each outermost `for`, in text order.
    """
    return tuple(_group(item, reads) for item in compute.items if isinstance(item, Ordered))


def _group(root: Ordered, reads: Reads) -> Group:
    axes: dict[str, int] = {}
    inside = tuple(_inside(root, (), axes))
    stages = {stage.name: stage for stage, _ in inside}
    held = _held(stages, reads)
    return Group(
        axes=tuple(axes.items()),
        stages=tuple(stages),
        ordered={stage.name: ordered for stage, ordered in inside},
        free={
            stage.name: frozenset(axis for axis in stage.axes if axis not in held and axis not in axes)
            for stage, _ in inside
        },
    )


def _inside(
    item: Item, ordered: tuple[str, ...], axes: dict[str, int]
) -> Iterator[tuple[Stage, tuple[str, ...]]]:
    match item:
        case Stage():
            yield item, ordered
        case Ordered():
            axes[item.axis] = item.size
            for inner in item.items:
                yield from _inside(inner, (*ordered, item.axis), axes)
        case _:
            return


def _held(stages: dict[str, Stage], reads: Reads) -> frozenset[str]:
    """Find the axes that some read inside the group uses otherwise than as just that axis."""
    held: set[str] = set()
    for reader in stages.values():
        own = frozenset(reader.axes)
        for read in reads[reader.name]:
            target = stages.get(read.tensor)
            if target is None:
                continue
            for axis, index in zip(target.axes, read.indices, strict=True):
                if not (isinstance(index, Axis) and index.name == axis and axis in own):
                    held.add(axis)
    return frozenset(held)
