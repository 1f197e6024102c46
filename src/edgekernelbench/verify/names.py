"""Names: what each one means, and where each stage stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from edgekernelbench.base.names import nearest
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Item, Ordered, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Tensor:
    """What can be read by name.

    Attributes:
        name: Its name.
        dtype: Element type.
        shape: Sizes.
        kind: `parameter`, `table` or `stage`.
        span: Where it is defined.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    kind: str
    span: Span


ItemT_co = TypeVar("ItemT_co", bound=Stage | Table, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Place(Generic[ItemT_co]):
    """Where a stage or a table stands.

    Attributes:
        item: What stands there.
        path: The `for`s round it, outermost first.
        position: Its number among all stages and tables, in text order.
    """

    item: ItemT_co
    path: tuple[Ordered, ...]
    position: int


class Names:
    """The tensors of a kernel by name; of two definitions of a name the first one counts.

    Attributes:
        tensors: Parameters, tables and stages.
        places: Where the tables and stages stand, by name.
        stages: All stages, in text order, also those whose name was taken.
        twice: Definitions of names that were taken.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.tensors: dict[str, Tensor] = {}
        self.places: dict[str, Place[Stage | Table]] = {}
        self.twice: list[Tensor] = []
        for param in kernel.params:
            self._define(Tensor(param.name, param.dtype, param.shape, "parameter", param.span))
        self.stages: list[Place[Stage]] = []
        for position, (item, path) in enumerate(_walk(kernel.compute.items, ())):
            if isinstance(item, Stage):
                place = Place(item, path, position)
                self.stages.append(place)
                self._define(Tensor(item.name, item.dtype, item.shape, "stage", item.name_span), place)
            else:
                table = Tensor(item.name, item.dtype, item.shape, "table", item.span)
                self._define(table, Place(item, path, position))

    def nearest(self, name: str) -> str | None:
        """Find the tensor that was probably meant."""
        return nearest(name, self.tensors)

    def _define(self, tensor: Tensor, place: Place[Stage | Table] | None = None) -> None:
        if tensor.name in self.tensors:
            self.twice.append(tensor)
            return
        self.tensors[tensor.name] = tensor
        if place is not None:
            self.places[tensor.name] = place


def _walk(
    items: tuple[Item, ...], path: tuple[Ordered, ...]
) -> Iterator[tuple[Stage | Table, tuple[Ordered, ...]]]:
    for item in items:
        if isinstance(item, Ordered):
            yield from _walk(item.items, (*path, item))
        else:
            yield item, path


def all_axes(stage: Stage) -> tuple[str, ...]:
    """List the axes in scope on the right side of a stage: its own, then those it reduces over."""
    if isinstance(stage.value, Reduction):
        return (*stage.axes, *(over.axis for over in stage.value.over))
    return stage.axes
