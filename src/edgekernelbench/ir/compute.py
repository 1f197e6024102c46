"""The compute layer: what is computed, in values alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Reduction


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of the kernel.

    Attributes:
        name: Its name.
        dtype: Element type.
        shape: Sizes; empty for a scalar.
        const: Whether the values are known ahead of time (weights).
        bounds: For an index input, the half-open range `(a, b)` of every element; None when
            nothing is declared.
        span: Where it was written.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    const: bool = False
    bounds: tuple[int, int] | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A constant array of numbers, `values` in row-major order."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    values: tuple[int | float, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Stage:
    """One tensor, defined for every element.

    Attributes:
        name: The name of stage and tensor.
        axes: One name an axis; empty for a scalar.
        dtype: Declared element type.
        shape: One size an axis.
        value: What an element is.
        span: The whole definition.
        name_span: The name with its axes.
    """

    name: str
    axes: tuple[str, ...]
    dtype: DType
    shape: tuple[int, ...]
    value: Expr | Reduction
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    name_span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Ordered:
    """`for axis in range(size):` round stages, which are computed step by step."""

    axis: str
    size: int
    items: tuple["Item", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Item = Stage | Table | Ordered


@dataclass(frozen=True, slots=True)
class Compute:
    """The compute block: items in text order, and the names that are returned."""

    items: tuple[Item, ...]
    outputs: tuple[str, ...]
    output_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Placed:
    """A stage with the ordered axes round it, outermost first, and its group.

    Attributes:
        stage: The stage.
        ordered: Names of the enclosing `for`s.
        group: Position of the outermost `for` among `Compute.items`; None outside every group.
    """

    stage: Stage
    ordered: tuple[str, ...]
    group: int | None


def placed_stages(compute: Compute) -> Iterator[Placed]:
    """List all stages in text order, each with what stands round it.

    Args:
        compute: The compute layer.

    Yields:
        One entry a stage.
    """
    for number, item in enumerate(compute.items):
        yield from _placed(item, (), number)


def _placed(item: Item, ordered: tuple[str, ...], number: int) -> Iterator[Placed]:
    match item:
        case Stage():
            yield Placed(item, ordered, number if ordered else None)
        case Ordered(axis=axis, items=items):
            for inner in items:
                yield from _placed(inner, (*ordered, axis), number)
        case Table():
            return


def tables(compute: Compute) -> tuple[Table, ...]:
    """List the tables, in text order."""
    return tuple(_tables(compute.items))


def _tables(items: tuple[Item, ...]) -> Iterator[Table]:
    for item in items:
        if isinstance(item, Table):
            yield item
        elif isinstance(item, Ordered):
            yield from _tables(item.items)
