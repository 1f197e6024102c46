"""Straight-line programs of typed expressions, and the operators that make them readable to write."""

from dataclasses import dataclass

import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Select,
    Unary,
)
from edgekernelbench.ir.walk import transform

_HELD: dict[DType, type[np.generic]] = {
    DType.F32: np.float32, DType.F64: np.float64, DType.I32: np.int64, DType.U32: np.int64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """A function as named steps; steps and parameters are read as `Axis` nodes of their type.

    Attributes:
        params: Names and types of the parameters.
        steps: Each name with its value, which may read everything before it.
        result: What is returned.
    """

    params: tuple[tuple[str, DType], ...]
    steps: tuple[tuple[str, Expr], ...]
    result: Expr


@dataclass(frozen=True, slots=True)
class Term:
    """A typed expression with operators; numbers take the type of what they meet."""

    expr: Expr

    @property
    def dtype(self) -> DType:
        """The type, which every node here has."""
        if self.expr.dtype is None:
            raise InternalError(f"expected a typed expression, found {self.expr!r}")
        return self.expr.dtype

    def _meet(self, other: "Term | float") -> Expr:
        return other.expr if isinstance(other, Term) else number(self.dtype, other).expr

    def _binary(self, op: str, other: "Term | float") -> "Term":
        return Term(Binary(op, self.expr, self._meet(other), dtype=self.dtype))

    def _compare(self, op: str, other: "Term | float") -> "Term":
        return Term(Compare((op,), (self.expr, self._meet(other)), dtype=DType.BOOL))

    def __add__(self, other: "Term | float") -> "Term":
        return self._binary("+", other)

    def __sub__(self, other: "Term | float") -> "Term":
        return self._binary("-", other)

    def __mul__(self, other: "Term | float") -> "Term":
        return self._binary("*", other)

    def __truediv__(self, other: "Term | float") -> "Term":
        return self._binary("/", other)

    def __lshift__(self, other: "Term | float") -> "Term":
        return self._binary("<<", other)

    def __rshift__(self, other: "Term | float") -> "Term":
        return self._binary(">>", other)

    def __and__(self, other: "Term | float") -> "Term":
        return self._binary("&", other)

    def __xor__(self, other: "Term | float") -> "Term":
        return self._binary("^", other)

    def __neg__(self) -> "Term":
        return Term(Unary("-", self.expr, dtype=self.dtype))

    def __lt__(self, other: "Term | float") -> "Term":
        return self._compare("<", other)

    def __gt__(self, other: "Term | float") -> "Term":
        return self._compare(">", other)

    def equals(self, other: "Term | float") -> "Term":
        """Compare for equality."""
        return self._compare("==", other)

    def both(self, other: "Term") -> "Term":
        """Join two conditions by `and`."""
        return Term(Logic("and", (self.expr, other.expr), dtype=DType.BOOL))

    def either(self, other: "Term") -> "Term":
        """Join two conditions by `or`."""
        return Term(Logic("or", (self.expr, other.expr), dtype=DType.BOOL))

    def cast(self, to: DType) -> "Term":
        """Convert."""
        return Term(Cast(to, self.expr, dtype=to))

    def call(self, function: str, result: DType | None = None) -> "Term":
        """Apply a function of one argument."""
        return Term(Call(function, (self.expr,), dtype=result or self.dtype))

    def clamp(self, low: float, high: float) -> "Term":
        """Bring between two numbers; what a NaN becomes is open."""
        ends = number(self.dtype, low), number(self.dtype, high)
        return Term(Call("clamp", (self.expr, *(end.expr for end in ends)), dtype=self.dtype))


def number(dtype: DType, value: float) -> Term:
    """Make a literal, rounded to its type."""
    held = _HELD[dtype](value)
    return Term(Literal(float(held) if dtype.is_float else int(held), dtype=dtype))


def select(condition: Term, then: "Term | float", other: Term) -> Term:
    """Choose; unlike `min` and `max`, it lets a NaN in `other` through."""
    chosen = then if isinstance(then, Term) else number(other.dtype, then)
    return Term(Select(condition.expr, chosen.expr, other.expr, dtype=other.dtype))


def polynomial(x: Term, coefficients: tuple[float, ...]) -> Term:
    """Write a polynomial by Horner's rule, the highest coefficient first."""
    first, *rest = coefficients
    value = number(x.dtype, first)
    for coefficient in rest:
        value = value * x + coefficient
    return value


class Writer:
    """Collects the steps of a program."""

    def __init__(self, *params: tuple[str, DType]) -> None:
        self._params = params
        self._steps: list[tuple[str, Expr]] = []

    def param(self, number_of: int = 0) -> Term:
        """Give a parameter."""
        name, dtype = self._params[number_of]
        return Term(Axis(name, dtype=dtype))

    def let(self, name: str, value: Term) -> Term:
        """Name a value, so that it is computed once."""
        taken = {known for known, _ in (*self._params, *self._steps)}
        fresh, number_of = name, 2
        while fresh in taken:
            fresh, number_of = f"{name}_{number_of}", number_of + 1
        self._steps.append((fresh, value.expr))
        return Term(Axis(fresh, dtype=value.dtype))

    def finish(self, result: Term) -> Program:
        """Give the program."""
        return Program(tuple(self._params), tuple(self._steps), result.expr)

    def include(self, program: Program, *args: Term) -> Term:
        """Insert another program's steps."""
        names = {name: self.let(name, arg) for (name, _), arg in zip(program.params, args, strict=True)}
        for name, value in program.steps:
            names[name] = self.let(name, Term(_renamed(value, names)))
        return Term(_renamed(program.result, names))


def _renamed(node: Expr, names: dict[str, Term]) -> Expr:
    return transform(node, lambda one: names[one.name].expr if isinstance(one, Axis) else None)
