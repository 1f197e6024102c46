"""Ranges of whole numbers: every typed integer expression, where some conditions are in force."""

from collections.abc import Callable, Hashable, Mapping
from typing import assert_never

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
    Power,
    Read,
    Select,
    Unary,
)
from edgekernelbench.verify import intervals
from edgekernelbench.verify.conditions import Known, assume
from edgekernelbench.verify.intervals import EMPTY, Range, join, within
from edgekernelbench.verify.linear import (
    NOTHING,
    Atom,
    Sum,
    atom,
    combine,
    number,
    scale,
    settle,
)


def bounds_of(dtype: DType | None) -> Range:
    """Give all values of an integer type, or of `bool`."""
    return EMPTY if dtype is None else dtype.bounds


class Values:
    """Bounds the whole numbers of a kernel.

    Attributes:
        tensors: The range of each integer tensor; where one is missing, its type says it.
        axes: The range of each axis in scope.
    """

    def __init__(self) -> None:
        self.tensors: dict[str, Range] = {}
        self.axes: dict[str, Range] = {}

    def of(self, node: Expr, known: Known) -> Sum:
        """Bound an expression.

        Args:
            node: A typed integer expression.
            known: The conditions in force.

        Returns:
            The number; `NOTHING` where it is never evaluated.
        """
        match node:
            case Axis(name=name):
                return self._atom(name, self.axes[name], known)
            case Literal(value=value):
                return number(int(value))
            case Binary():
                return self._binary(node, known)
            case Read():
                return self._read(node, known)
            case Cast():
                return self._cast(node, known)
            case Unary():
                return self._unary(node, known)
            case Select():
                return self._select(node, known)
            case Call():
                return self._call(node, known)
            case Power(base=base, exponent=exponent):
                inner = self.of(base, known)
                if inner.empty:
                    return NOTHING
                found = intervals.power(inner.range, exponent)
                return self._result(("**", inner.key, exponent), found, node, known)
            case Compare() | Logic():
                return NOTHING  # no number: never asked for
            case _:
                assert_never(node)

    def _atom(self, key: Atom, known: Range, facts: Known) -> Sum:
        narrowed = facts.narrowed.get(key)
        return atom(key, known if narrowed is None else intervals.meet(known, narrowed))

    def _result(self, key: Atom, found: Range | None, node: Expr, known: Known) -> Sum:
        """Make an atom of what an operation gives, in the range of its type if that can overflow."""
        whole = bounds_of(node.dtype)
        return self._atom(key, found if found is not None and within(found, whole) else whole, known)

    def _fits(self, value: Sum, node: Expr, known: Known) -> Sum:
        """Keep a sum, unless it can overflow its type."""
        low, high = bounds_of(node.dtype)
        if low <= value.low and value.high <= high:
            return value
        return value if value.empty else self._atom(("overflow", node.dtype, value.key), (low, high), known)

    def _read(self, node: Read, known: Known) -> Sum:
        keys: list[Hashable] = [node.tensor]
        for index in node.indices:
            value = self.of(index, known)
            if value.empty:
                return NOTHING
            keys.append(value.key)
        found = self.tensors.get(node.tensor)
        return self._atom(tuple(keys), bounds_of(node.dtype) if found is None else found, known)

    def _unary(self, node: Unary, known: Known) -> Sum:
        value = scale(self.of(node.operand, known), -1)
        if node.op == "~" and not value.empty:
            top = -1 if node.dtype is None or node.dtype.is_signed else node.dtype.bounds[1]
            value = combine(value, number(top), 1, ())
        return self._fits(value, node, known)

    def _cast(self, node: Cast, known: Known) -> Sum:
        inner = node.operand.dtype
        if inner is DType.BOOL:
            return self._atom(("cast", node), (0, 1), known)
        if inner is None or inner.is_float:
            return self._atom(("cast", node), bounds_of(node.to), known)
        value = self.of(node.operand, known)
        low, high = bounds_of(node.to)
        if value.empty or (low <= value.low and value.high <= high):
            return value
        if node.saturate:
            clamped = (min(max(value.low, low), high), max(min(value.high, high), low))
            return self._atom(("sat", node.to, value.key), clamped, known)
        return self._fits(value, node, known)

    def _select(self, node: Select, known: Known) -> Sum:
        found = EMPTY
        for part, truth in ((node.then, True), (node.other, False)):
            inside = assume(node.condition, known, self.of, truth=truth)
            if not inside.dead:
                found = join(found, self.of(part, inside).range)
        return self._atom(node, found, known)

    def _call(self, node: Call, known: Known) -> Sum:
        if node.function not in ("min", "max", "clamp", "abs"):
            top = node.args[0].dtype.bits if node.function == "popcount" and node.args[0].dtype else None
            return self._result(node, None if top is None else (0, top), node, known)
        parts = [self.of(arg, known) for arg in node.args]
        if any(part.empty for part in parts):
            return NOTHING
        lows, highs = [part.low for part in parts], [part.high for part in parts]
        match node.function:
            case "min":
                found = min(lows), min(highs)
            case "max":
                found = max(lows), max(highs)
            case "clamp":
                found = min(max(lows[0], lows[1]), lows[2]), min(max(highs[0], highs[1]), highs[2])
            case _:
                found = intervals.absolute(parts[0].range)
        return self._result((node.function, *(part.key for part in parts)), found, node, known)

    def _binary(self, node: Binary, known: Known) -> Sum:
        left, right = self.of(node.left, known), self.of(node.right, known)
        if left.empty or right.empty:
            return NOTHING
        match node.op:
            case "+":
                return self._fits(combine(left, right, 1, known.facts), node, known)
            case "-":
                return self._fits(combine(left, right, -1, known.facts), node, known)
            case "*":
                return self._product(left, right, node, known)
            case "//" | "%" if right.low == right.high and right.low > 0:
                return self._divided(left, right.low, node, known)
        bits = node.dtype.bits if node.dtype is not None else 0
        key = (node.op, left.key, right.key)
        return self._result(key, _OPERATIONS[node.op](left.range, right.range, bits), node, known)

    def _product(self, left: Sum, right: Sum, node: Binary, known: Known) -> Sum:
        for one, other in ((left, right), (right, left)):
            if one.low == one.high:
                return self._fits(scale(other, one.low), node, known)
        keys = left.key, right.key
        same = keys[0] == keys[1]
        found = intervals.power(left.range, 2) if same else intervals.multiply(left.range, right.range)
        return self._result(("*", frozenset(keys)), found, node, known)

    def _divided(self, left: Sum, by: int, node: Binary, known: Known) -> Sum:
        """Divide by a constant: `(8 * a + r) // 8` is `a` and the remainder is `r` where `r` is in 0..7."""
        factors = {key: factor for key, factor in left.factors.items() if factor % by}
        rest = settle(left.constant, factors, left.atoms, known.facts)
        if not rest.empty and rest.low // by == rest.high // by:
            quotient = rest.low // by
            if node.op == "%":
                return combine(rest, number(-quotient * by), 1, ())
            whole = {key: factor // by for key, factor in left.factors.items() if not factor % by}
            return settle(quotient, whole, left.atoms, known.facts)
        divide = intervals.floor_divide if node.op == "//" else intervals.modulo
        return self._result((node.op, left.key, by), divide(left.range, (by, by)), node, known)


_Operation = Callable[[Range, Range, int], Range | None]

_OPERATIONS: Mapping[str, _Operation] = {
    "//": lambda a, b, _: intervals.floor_divide(a, b),
    "%": lambda a, b, _: intervals.modulo(a, b),
    "<<": intervals.shift_left,
    ">>": intervals.shift_right,
    "&": lambda a, b, _: intervals.bit_and(a, b),
    "|": lambda a, b, _: intervals.bit_or(a, b),
    "^": lambda a, b, _: intervals.bit_xor(a, b),
}
