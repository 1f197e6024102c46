"""Scalar expressions, shared by the compute layer and the nest.

A parser leaves `dtype` at None; the type checker (`verify.types`) returns the same tree with every
`dtype` set, every literal typed and every silent widening made a `Cast(implicit=True)`. Code below
the verifier never infers a type.
"""

from dataclasses import dataclass, field

from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.dtype import DType


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What every expression has; neither field takes part in equality.

    Attributes:
        span: Where it was written.
        dtype: Its type; None before type checking.
    """

    span: Span = field(default=NOWHERE, compare=False, repr=False)
    dtype: DType | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A number or a truth value; constants, `inf` and `pi` are literals too."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class Axis(Node):
    """The position along an axis of a stage (compute layer) or a loop variable (nest); `i32`."""

    name: str


@dataclass(frozen=True, slots=True)
class Read(Node):
    """One element of a tensor (compute layer: logical indices; nest: stored indices).

    `indices` is empty for a scalar, which is read by its bare name.
    """

    tensor: str
    indices: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`op` is `-`, `~` or `not`."""

    op: str
    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`op` is one of `+ - * / // % << >> & | ^`; after type checking both sides have one type.

    For shifts too. `//` floors and `%` has the sign of the divisor.
    """

    op: str
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True)
class Power(Node):
    """A whole power, `exponent` from 2 to 8."""

    base: "Expr"
    exponent: int


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A chain such as `0 <= i < N`: one more operand than operators; `bool`.

    After type checking neighbours that are compared have one type, so a chain of mixed types is
    an `and` of shorter chains.
    """

    ops: tuple[str, ...]
    operands: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`op` is `and` or `or`, two operands or more, evaluated left to right, stopping early."""

    op: str
    operands: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Select(Node):
    """`then if condition else other`; only the chosen side is evaluated."""

    condition: "Expr"
    then: "Expr"
    other: "Expr"


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of the language, such as `exp` or `max`."""

    function: str
    args: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """A conversion to `to`.

    Attributes:
        to: The element type.
        operand: What is converted.
        saturate: Whether it is `sat_…`: clamped to the range, then truncated; NaN gives 0.
        implicit: Whether the type checker put it there; printing leaves it out.
    """

    to: DType
    operand: "Expr"
    saturate: bool = False
    implicit: bool = field(default=False, compare=False)


Expr = Literal | Axis | Read | Unary | Binary | Power | Compare | Logic | Select | Call | Cast

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")
"""The kinds of reduction, by their word."""


@dataclass(frozen=True, slots=True)
class Over:
    """One `for name in range(start, stop)` of a reduction, with the conditions behind it.

    Attributes:
        axis: The name of the reduction axis.
        start: First position.
        stop: One past the last position.
        conditions: Tested left to right after this `for`; they guard what stands behind them.
        span: Where it was written.
    """

    axis: str
    start: int
    stop: int
    conditions: tuple[Expr, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reduction:
    """The whole right side of a reducing stage.

    Attributes:
        kind: One of `REDUCTIONS`.
        element: What is reduced.
        over: The reduction axes, outermost first; at least one.
        span: Where it was written.
    """

    kind: str
    element: Expr
    over: tuple[Over, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)
