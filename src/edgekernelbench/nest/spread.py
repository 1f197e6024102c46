"""How far an index reaches while some loops run and others stand still."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Cast, Expr, Literal, Read, Select, Unary
from edgekernelbench.nest.indices import floordiv, modulo, span_of
from edgekernelbench.nest.linear import Linear, Ranges, linear
from edgekernelbench.verify.facts import Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """The values `fixed + low` to `fixed + high`; `fixed` has no constant and does not vary."""

    fixed: Linear
    low: int
    high: int

    def first(self) -> Linear:
        """Give the least value."""
        return Linear(self.fixed.terms, self.fixed.constant + self.low)

    def is_fixed(self) -> bool:
        """Whether there is one value."""
        return self.low == self.high


NOTHING = Linear((), 0)


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known while a box is looked for.

    Attributes:
        standing: Variables that do not vary.
        ranges: Ranges of all variables.
        lets: What the first positions of boxes are, by name.
        bounds: Value ranges of tensors.
        readable: Whether a read can be evaluated where the box begins.
    """

    standing: frozenset[str]
    ranges: Ranges
    lets: Mapping[str, Expr]
    bounds: Mapping[str, Interval]
    readable: Callable[[Read], bool]

    def spread(self, node: Expr) -> Spread | None:
        """Find how far an expression reaches; None when nothing useful is known."""
        match node:
            case Literal(value=int() as value):
                return Spread(NOTHING, int(value), int(value))
            case Axis(name=name):
                return self._variable(name)
            case Binary():
                return self._binary(node)
            case Unary(op="-", operand=operand):
                return _sum(Spread(NOTHING, 0, 0), self.spread(operand), -1)
            case Call(function="min" | "max" | "clamp", args=args):
                return self._choice(node, args)
            case Select(then=then, other=other):
                return union([self.spread(then), self.spread(other)])
            case Cast(to=DType.I32, operand=operand) if operand.dtype is not None and operand.dtype.is_int:
                return self.spread(operand)
            case Read():
                return self._read(node)
            case _:
                return self._bounded(node)

    def _binary(self, node: Binary) -> Spread | None:
        match node:
            case Binary(op="+", left=left, right=right):
                return _sum(self.spread(left), self.spread(right), 1)
            case Binary(op="-", left=left, right=right):
                return _sum(self.spread(left), self.spread(right), -1)
            case Binary(op="*", left=left, right=right):
                return self._product(left, right)
            case Binary(op="//", left=left, right=Literal(value=int() as divisor)) if divisor > 0:
                return self._quotient(self.spread(left), divisor)
            case Binary(op="%", left=left, right=Literal(value=int() as divisor)) if divisor > 0:
                return self._rest(self.spread(left), divisor)
            case _:
                return self._bounded(node)

    def _variable(self, name: str) -> Spread | None:
        if name in self.standing:
            return Spread(Linear(((Axis(name, dtype=DType.I32), 1),), 0), 0, 0)
        if name in self.lets:
            return self.spread(self.lets[name])
        low, high = self.ranges.get(name, (None, None))
        return None if low is None or high is None else Spread(NOTHING, low, high)

    def _bounded(self, node: Expr) -> Spread | None:
        low, high = span_of(node, self.ranges)
        return None if low is None or high is None else Spread(NOTHING, low, high)

    def _product(self, left: Expr, right: Expr) -> Spread | None:
        a, b = self.spread(left), self.spread(right)
        if a is None or b is None:
            return None
        for one, other in ((a, b), (b, a)):
            if other.is_fixed() and not other.fixed.terms:
                factor = other.low + other.fixed.constant
                ends = sorted((one.low * factor, one.high * factor))
                return Spread(one.fixed.times(factor), ends[0], ends[1])
        if a.is_fixed() and b.is_fixed():
            return _single(Binary("*", a.first().expr(), b.first().expr(), dtype=DType.I32))
        if a.fixed.terms or b.fixed.terms:
            return None
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Spread(NOTHING, min(corners), max(corners))

    def _quotient(self, part: Spread | None, divisor: int) -> Spread | None:
        if part is None:
            return None
        whole, rest = part.fixed.split_by(divisor)
        if not rest.terms:
            low, high = rest.constant + part.low, rest.constant + part.high
            return Spread(whole, low // divisor, high // divisor)
        least = Linear(rest.terms, rest.constant + part.low).expr()
        quotient = linear(floordiv(least, divisor, self.ranges))
        return Spread(whole.plus(quotient), 0, -(-(part.high - part.low) // divisor))

    def _rest(self, part: Spread | None, divisor: int) -> Spread:
        everything = Spread(NOTHING, 0, divisor - 1)
        if part is None:
            return everything
        _, rest = part.fixed.split_by(divisor)
        low, high = rest.constant + part.low, rest.constant + part.high
        if not rest.terms:
            same = low // divisor == high // divisor
            return Spread(NOTHING, low % divisor, high % divisor) if same else everything
        if not part.is_fixed():
            return everything
        return _single(modulo(Linear(rest.terms, low).expr(), divisor, self.ranges))

    def _choice(self, node: Call, args: tuple[Expr, ...]) -> Spread | None:
        parts = [self.spread(arg) for arg in args]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return self._bounded(node)
        moving = [i for i, part in enumerate(known) if not part.is_fixed()]
        if len(moving) > 1 or not any(part.fixed.terms for part in known):
            return self._bounded(node)
        # min, max and clamp never stretch: what moves by n moves the result by 0 to n.
        least = Call(node.function, tuple(part.first().expr() for part in known), dtype=DType.I32)
        width = known[moving[0]].high - known[moving[0]].low if moving else 0
        return Spread(Linear(((least, 1),), 0), 0, width)

    def _read(self, node: Read) -> Spread | None:
        parts = [self.spread(index) for index in node.indices]
        if self.readable(node) and all(part is not None and part.is_fixed() for part in parts):
            indices = tuple(part.first().expr() for part in parts if part is not None)
            return _single(Read(node.tensor, indices, dtype=node.dtype))
        bound = self.bounds.get(node.tensor)
        if bound is None or bound.low is None or bound.high is None:
            return None
        return Spread(NOTHING, bound.low, bound.high)


def _single(node: Expr) -> Spread:
    total = linear(node)
    return Spread(Linear(total.terms, 0), total.constant, total.constant)


def _sum(a: Spread | None, b: Spread | None, factor: int) -> Spread | None:
    if a is None or b is None:
        return None
    low, high = (b.low, b.high) if factor > 0 else (-b.high, -b.low)
    return Spread(a.fixed.plus(b.fixed, factor), a.low + low, a.high + high)


def union(parts: list[Spread | None]) -> Spread | None:
    """Cover several spreads; None when their fixed parts differ."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    first = known[0]
    if any(dict(part.fixed.terms) != dict(first.fixed.terms) for part in known):
        return None
    shift = [part.fixed.constant - first.fixed.constant for part in known]
    low = min(part.low + move for part, move in zip(known, shift, strict=True))
    high = max(part.high + move for part, move in zip(known, shift, strict=True))
    return Spread(first.fixed, low, high)
