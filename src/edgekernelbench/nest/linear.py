"""Integer expressions as sums of whole multiples of terms, and back.

Index arithmetic is done in this form, so that `jo * 14 + ji - jo * 14` is `ji`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal, Unary

I32 = DType.I32

Ranges = Mapping[str, tuple[int, int]]
"""Least and greatest value of each loop variable."""


def number(value: int) -> Expr:
    """Make a whole number."""
    return Literal(value, dtype=I32)


def variable(name: str) -> Expr:
    """Name a loop variable."""
    return Axis(name, dtype=I32)


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant` plus each term times its factor; terms keep the order in which they were met."""

    terms: tuple[tuple[Expr, int], ...]
    constant: int

    def plus(self, other: "Linear", factor: int = 1) -> "Linear":
        """Add `factor` times another sum."""
        found = dict(self.terms)
        for term, times in other.terms:
            found[term] = found.get(term, 0) + factor * times
        kept = tuple((term, times) for term, times in found.items() if times)
        return Linear(kept, self.constant + factor * other.constant)

    def times(self, factor: int) -> "Linear":
        """Multiply by a number."""
        return Linear((), 0).plus(self, factor)

    def split_by(self, divisor: int) -> tuple["Linear", "Linear"]:
        """Write it as `divisor * quotient + rest`, the rest without whole multiples of the divisor."""
        whole = tuple((t, k // divisor) for t, k in self.terms if k % divisor == 0)
        rest = tuple((t, k) for t, k in self.terms if k % divisor)
        return Linear(whole, self.constant // divisor), Linear(rest, self.constant % divisor)

    def recombined(self) -> "Linear":
        """Join `x // c * c + x % c` to `x`, whatever multiple of it is there."""
        total = self
        for term, times in self.terms:
            match term:
                case Binary(op="%", left=left, right=Literal(value=int() as modulus)) if modulus > 0:
                    quotient = total.find(_quotient(left, modulus), times * modulus)
                    if quotient is not None and (term, times) in total.terms:
                        joined = Linear(((quotient, -times * modulus), (term, -times)), 0)
                        return total.plus(joined).plus(linear(left), times).recombined()
                case _:
                    continue
        return total

    def find(self, wanted: Expr, times: int) -> Expr | None:
        """Find a term that is taken so many times; sums inside count as equal in any order."""
        for term, found in self.terms:
            if found == times and (term == wanted or _same_quotient(term, wanted)):
                return term
        return None

    def expr(self) -> Expr:
        """Write it as an expression, positive terms first."""
        result: Expr | None = None
        for term, times in sorted(self.terms, key=lambda pair: pair[1] < 0):
            result = _appended(result, term, times)
        if result is None:
            return number(self.constant)
        if self.constant == 0:
            return result
        op = "+" if self.constant > 0 else "-"
        return Binary(op, result, number(abs(self.constant)), dtype=I32)


def _appended(result: Expr | None, term: Expr, times: int) -> Expr:
    size = abs(times)
    part = term if size == 1 else Binary("*", term, number(size), dtype=I32)
    if result is None:
        return part if times > 0 else Unary("-", part, dtype=I32)
    return Binary("+" if times > 0 else "-", result, part, dtype=I32)


def _quotient(node: Expr, divisor: int) -> Expr:
    """Write `node // divisor` as `indices.floordiv` would."""
    match node:
        case Binary(op="//", left=left, right=Literal(value=int() as first)) if first > 0:
            return Binary("//", left, number(first * divisor), dtype=I32)
        case _:
            return Binary("//", node, number(divisor), dtype=I32)


def _same_quotient(a: Expr, b: Expr) -> bool:
    match a, b:
        case Binary(op="//", left=x, right=m), Binary(op="//", left=y, right=n) if m == n:
            one, other = linear(x), linear(y)
            return one.constant == other.constant and dict(one.terms) == dict(other.terms)
        case _:
            return False


def linear(node: Expr) -> Linear:
    """Read an expression as a sum; what is no sum, difference or multiple is a term.

    Args:
        node: An `i32` expression.

    Returns:
        The sum; its terms are taken as they stand.
    """
    match node:
        case Literal(value=value) if isinstance(value, int):
            return Linear((), int(value))
        case Unary(op="-", operand=part):
            return linear(part).times(-1)
        case Binary(op="+", left=left, right=right):
            return linear(left).plus(linear(right))
        case Binary(op="-", left=left, right=right):
            return linear(left).plus(linear(right), -1)
        case Binary(op="*", left=left, right=right):
            a, b = linear(left), linear(right)
            if not b.terms:
                return a.times(b.constant)
            if not a.terms:
                return b.times(a.constant)
        case _:
            pass
    return Linear(((node, 1),), 0)
