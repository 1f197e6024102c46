"""Ranges of whole numbers: every typed integer expression, where some conditions are in force."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import assert_never

from edgekernelbench.ir.compute import Stage
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
    Reduction,
    Select,
    Unary,
)
from edgekernelbench.verify import intervals
from edgekernelbench.verify.conditions import FAR, deduce, require
from edgekernelbench.verify.intervals import EMPTY, Range, join, meet, within
from edgekernelbench.verify.labels import Labels
from edgekernelbench.verify.linear import (
    NOTHING,
    Atom,
    Case,
    Cases,
    Known,
    Sum,
    atom,
    combine,
    number,
    part,
    scale,
)

MAX_COMPARED = 4
"""Up to so many operands of `min` and `max` are compared with each other."""


def bounds_of(dtype: DType | None) -> Range:
    """Give all values of an integer type, or of `bool`."""
    return EMPTY if dtype is None else dtype.bounds


def bits_of(node: Expr) -> int:
    """Give the bits of a typed expression."""
    return 0 if node.dtype is None else node.dtype.bits


class Values:
    """Bounds the whole numbers of a kernel.

    What was found once is kept while one stage is looked at, so that no text takes more than a few passes.

    Attributes:
        tensors: The range of each integer tensor; where one is missing, its type says it.
        axes: The range of each axis in scope.
    """

    def __init__(self) -> None:
        self.tensors: dict[str, Range] = {}
        self.axes: dict[str, Range] = {}
        self._labels = Labels()
        # The entries hold what the keys are the identities of.
        self._found: dict[tuple[int, int], tuple[Sum, Expr, Known]] = {}
        self._assumed: dict[tuple[int, int, bool], tuple[Known, Expr, Known]] = {}

    def enter(self, stage: Stage) -> None:
        """Put the axes of a stage in scope, with their ranges."""
        self._found.clear()
        self._labels = Labels()
        self._assumed.clear()
        self.axes = {axis: (0, size - 1) for axis, size in zip(stage.axes, stage.shape, strict=True)}
        if isinstance(stage.value, Reduction):
            for over in stage.value.over:
                self.axes[over.axis] = (over.start, over.stop - 1)

    def assume(self, node: Expr, known: Known, *, truth: bool = True) -> Known:
        """Add a condition to what is known.

        Args:
            node: A typed condition.
            known: What holds before it is tested.
            truth: Whether it turned out true or false.

        Returns:
            What holds after.
        """
        if known.dead:
            return known
        key = (id(node), id(known), truth)
        found = self._assumed.get(key)
        if found is None:
            found = self._assumed[key] = (deduce(node, known, self, truth=truth), node, known)
        return found[0]

    def of(self, node: Expr, known: Known) -> Sum:
        """Bound an expression.

        Args:
            node: A typed integer expression.
            known: The conditions in force.

        Returns:
            The number; `NOTHING` where it is never evaluated.
        """
        if isinstance(node, Axis):
            return self._atom(node.name, self.axes[node.name], known)
        if isinstance(node, Literal):
            return number(int(node.value))
        key = (id(node), id(known))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (self._operation(node, known), node, known)
        return found[0]

    def _operation(self, node: Expr, known: Known) -> Sum:
        match node:
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
                return self._result(self._labels.of_structure("**", inner.key, exponent), found, node, known)
            case Axis() | Literal() | Compare() | Logic():
                return NOTHING  # handled above, or no number at all
            case _:
                assert_never(node)

    def _atom(self, key: Atom, whole: Range, known: Known, cases: Cases | None = None) -> Sum:
        narrowed = known.narrowed.get(key)
        return atom(key, whole if narrowed is None else meet(whole, narrowed), cases)

    def _result(
        self, key: Atom, found: Range | None, node: Expr, known: Known, cases: Cases | None = None
    ) -> Sum:
        """Make an atom of what an operation gives, in the range of its type if that can overflow."""
        whole = bounds_of(node.dtype)
        if found is None or not within(found, whole):
            return self._atom(self._labels.of_structure("overflow", node.dtype, key), whole, known)
        return self._atom(key, found, known, cases)

    def _fits(self, value: Sum, node: Expr, known: Known) -> Sum:
        """Keep a sum, unless it can overflow its type."""
        low, high = bounds_of(node.dtype)
        if low <= value.low and value.high <= high:
            return value
        return (
            value
            if value.empty
            else self._atom(self._labels.of_structure("overflow", node.dtype, value.key), (low, high), known)
        )

    def _read(self, node: Read, known: Known) -> Sum:
        keys: list[Hashable] = ["[]", node.tensor]
        for index in node.indices:
            value = self.of(index, known)
            if value.empty:
                return NOTHING
            keys.append(value.key)
        found = self.tensors.get(node.tensor)
        return self._atom(
            self._labels.of_structure(*keys), bounds_of(node.dtype) if found is None else found, known
        )

    def _unary(self, node: Unary, known: Known) -> Sum:
        value = scale(self.of(node.operand, known), -1)
        if node.op == "~" and not value.empty:
            top = -1 if node.dtype is None or node.dtype.is_signed else node.dtype.bounds[1]
            value = combine(value, number(top), 1, ())
        return self._fits(value, node, known)

    def _cast(self, node: Cast, known: Known) -> Sum:
        inner = node.operand.dtype
        if inner is DType.BOOL:
            return self._atom(self._labels.of_expression(node), (0, 1), known)
        if inner is None or inner.is_float:
            return self._atom(self._labels.of_expression(node), bounds_of(node.to), known)
        value = self.of(node.operand, known)
        low, high = bounds_of(node.to)
        if value.empty or (low <= value.low and value.high <= high):
            return value
        if node.saturate:
            clamped = (min(max(value.low, low), high), max(min(value.high, high), low))
            return self._atom(self._labels.of_structure("sat", node.to, value.key), clamped, known)
        return self._fits(value, node, known)

    def _select(self, node: Select, known: Known) -> Sum:
        taken = self.assume(node.condition, known)
        passed = self.assume(node.condition, known, truth=False)
        then = NOTHING if taken.dead else self.of(node.then, taken)
        other = NOTHING if passed.dead else self.of(node.other, passed)
        cases = Cases(1, (Case(then, taken), Case(other, passed)))
        return self._atom(self._labels.of_expression(node), join(then.range, other.range), known, cases)

    def _call(self, node: Call, known: Known) -> Sum:
        if node.function not in ("min", "max", "clamp", "abs"):
            top = node.args[0].dtype.bits if node.function == "popcount" and node.args[0].dtype else None
            return self._result(
                self._labels.of_expression(node), None if top is None else (0, top), node, known
            )
        parts = [self.of(arg, known) for arg in node.args]
        if any(part.empty for part in parts):
            return NOTHING
        lows, highs = [part.low for part in parts], [part.high for part in parts]
        key = self._labels.of_structure(node.function, *(part.key for part in parts))
        match node.function:
            case "min":
                found = min(lows), min(highs)
            case "max":
                found = max(lows), max(highs)
            case "clamp":
                found = min(max(lows[0], lows[1]), lows[2]), min(max(highs[0], highs[1]), highs[2])
            case _:
                found = intervals.absolute(parts[0].range)
                parts.append(scale(parts[0], -1))
        ways = tuple(_chosen(node.function, number, parts, known) for number in range(len(parts)))
        return self._result(key, found, node, known, Cases(1, ways))

    def _binary(self, node: Binary, known: Known) -> Sum:
        left, right = self.of(node.left, known), self.of(node.right, known)
        if left.empty or right.empty:
            return NOTHING
        found = self._linear(left, right, node, known)
        if found is not None:
            return found
        if node.op == "*":
            keys = left.key, right.key
            same = keys[0] == keys[1]
            area = intervals.power(left.range, 2) if same else intervals.multiply(left.range, right.range)
            return self._result(self._labels.of_structure("*", frozenset(keys)), area, node, known)
        found_range = _OPERATIONS[node.op](left.range, right.range, bits_of(node))
        return self._result(self._labels.of_structure(node.op, left.key, right.key), found_range, node, known)

    def _linear(self, left: Sum, right: Sum, node: Binary, known: Known) -> Sum | None:
        """Do what keeps a number a sum: addition, and what constants do."""
        if node.op in ("+", "-"):
            return self._fits(combine(left, right, 1 if node.op == "+" else -1, known.facts), node, known)
        if left.low == left.high and node.op in ("*", "&"):
            left, right = right, left
        if right.low != right.high:
            return None
        by = right.low
        match node.op:
            case "*":
                return self._fits(scale(left, by), node, known)
            case "<<" if 0 <= by < bits_of(node):
                return self._fits(scale(left, 1 << by), node, known)
            case "//" | "%" if by > 0:
                return self._divided(left, by, node, known)[node.op == "%"]
            case ">>" if 0 <= by < bits_of(node):
                return self._divided(left, 1 << by, node, known)[0]
            case "&" if by >= 0 and by & (by + 1) == 0:
                return self._divided(left, by + 1, node, known)[1]
            case "&" if by < 0 and -by & (-by - 1) == 0:
                return combine(left, self._divided(left, -by, node, known)[1], -1, known.facts)
            case _:
                return None

    def _divided(self, left: Sum, by: int, node: Binary, known: Known) -> tuple[Sum, Sum]:
        """Divide by a constant: `(8 * a + r) // 8` is `a` and the remainder is `r` where `r` is in 0..7."""
        factors = {key: factor for key, factor in left.factors.items() if factor % by}
        rest = part(left, left.constant, factors, known.facts)
        if rest.low // by == rest.high // by and not rest.empty:
            shift = rest.low // by
            whole = {key: factor // by for key, factor in left.factors.items() if not factor % by}
            return part(left, shift, whole, known.facts), combine(rest, number(-shift * by), 1)
        keys = self._labels.of_structure("//", left.key, by), self._labels.of_structure("%", left.key, by)
        ranges = (left.low // by, left.high // by), intervals.modulo(left.range, (by, by)) or EMPTY
        quotient, remainder = (self._atom(key, found, known) for key, found in zip(keys, ranges, strict=True))
        return (
            self._atom(keys[0], ranges[0], known, Cases(by, (Case(combine(left, remainder, -1), known),))),
            self._atom(keys[1], ranges[1], known, Cases(1, (Case(combine(left, quotient, -by), known),))),
        )


def _chosen(function: str, place: int, parts: Sequence[Sum], known: Known) -> Case:
    """Say what is known where `min`, `max` or `abs` gives one of some numbers."""
    if function != "clamp" and len(parts) <= MAX_COMPARED:
        side = (-FAR, 0) if function == "min" else (0, FAR)
        for other in parts:
            if other is not parts[place]:
                known = require(combine(parts[place], other, -1, known.facts), side, known)
    return Case(parts[place], known)


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
