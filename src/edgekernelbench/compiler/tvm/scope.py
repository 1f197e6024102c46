"""What names mean where an expression of a nest stands, and where its elements lie."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import is_packed, stored_shape
from edgekernelbench.compiler.tvm.functions import function
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Expr
from edgekernelbench.nest.indices import simplify
from edgekernelbench.nest.linear import Linear, linear
from edgekernelbench.nest.tree import Buffer


@dataclass(frozen=True, slots=True)
class Stored:
    """A buffer of the nest with the one-dimensional TIR buffer that holds it."""

    buffer: Buffer
    tir: Any

    @property
    def size(self) -> int:
        """Number of stored elements."""
        return prod(stored_shape(self.buffer))


@dataclass(frozen=True, slots=True)
class Lanes:
    """The vector loop that a statement stands in."""

    var: str
    count: int


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean.

    Attributes:
        buffers: Buffers by name.
        variables: Values of loop variables and lets.
        ranges: Their ranges.
        lanes: The vector loop; None for scalars.
        features: What the CPU has, by LLVM's names.
        library: Writes calls of the language's functions.
    """

    buffers: Mapping[str, Stored]
    variables: Mapping[str, Value]
    ranges: Mapping[str, tuple[int, int]]
    lanes: Lanes | None = None
    features: frozenset[str] = frozenset()
    library: Callable[..., Value] = function

    def with_variable(self, name: str, value: Value, span: tuple[int, int] | None) -> "Scope":
        """Add a variable."""
        ranges = {n: r for n, r in self.ranges.items() if n != name} | ({} if span is None else {name: span})
        return replace(self, variables={**self.variables, name: value}, ranges=ranges)

    def with_lanes(self, name: str, count: int) -> "Scope":
        """Enter a vector loop."""
        ramp = Value(tirx.Ramp(number(0), number(1), number(count)), "int32", count)
        return replace(self.with_variable(name, ramp, (0, count - 1)), lanes=Lanes(name, count))


def typed(node: Expr) -> DType:
    """Give the type of an expression.

    Raises:
        InternalError: When it has none.
    """
    if node.dtype is None:
        raise InternalError(f"expected a typed expression, found {node!r} without a type")
    return node.dtype


def offset(buffer: Buffer, indices: tuple[Expr, ...], ranges: Mapping[str, tuple[int, int]]) -> Linear:
    """Flatten indices to one position, in elements; bytes of packed buffers are halved later."""
    total = Linear((), 0)
    shape = buffer.shape
    if is_packed(buffer.dtype):
        shape = (*shape[:-1], shape[-1] + shape[-1] % 2)
    stride = 1
    for index, size in zip(reversed(indices), reversed(shape), strict=True):
        total = total.plus(linear(simplify(index, ranges)), stride)
        stride *= size
    return total.recombined()


def is_axis(node: Expr, name: str) -> bool:
    """Whether an expression is just this variable."""
    return isinstance(node, Axis) and node.name == name
