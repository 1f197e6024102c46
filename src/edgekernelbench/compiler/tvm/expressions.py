"""Typed expressions of a nest as TIR, scalar or with the lanes of one vector loop.

Where a condition guards a read, a vector evaluates both sides: contiguous reads are then masked, and other
indices held inside the buffer, so that nothing outside is touched.
"""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, assert_never

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import is_packed
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.rewrite import axes_of
from edgekernelbench.compiler.tvm.arithmetic import COMPARE, binary, cast, load_rounded, signed_nibble
from edgekernelbench.compiler.tvm.hidden import hide
from edgekernelbench.compiler.tvm.lanes import Pattern, blocks, find_pattern, gather, shuffled
from edgekernelbench.compiler.tvm.scope import Lanes, Scope, Stored, is_axis, offset, typed
from edgekernelbench.compiler.tvm.values import (
    COMPUTED,
    STORED,
    Value,
    call,
    choose,
    conjunction,
    constant,
    fresh_variable,
    llvm_pure,
    number,
    select,
)
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
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.indices import conjunction as joined
from edgekernelbench.nest.indices import span_of_sum
from edgekernelbench.nest.linear import Linear

_CHEAP_NODES = 24


@dataclass(frozen=True, slots=True)
class Expressions:
    """Writes expressions in one scope."""

    scope: Scope

    def value(self, node: Expr, mask: Value | None = None) -> Value:
        """Write an expression.

        Args:
            node: The expression.
            mask: Where its value counts; None for everywhere. Elsewhere nothing outside a buffer is read.

        Returns:
            Its value, with lanes when it differs between them.
        """
        match node:
            case Literal(value=value):
                return _literal(value, typed(node))
            case Axis(name=name):
                return self._variable(name)
            case Read():
                return self._read(node, mask)
            case Unary(op=op, operand=operand):
                return _unary(op, typed(node), self.value(operand, mask))
            case Binary(op=op, left=left, right=right):
                return binary(op, typed(node), self.value(left, mask), self.value(right, mask), mask)
            case Power(base=base, exponent=exponent):
                return _power(self.value(base, mask), exponent, typed(node))
            case Compare(ops=ops, operands=operands):
                return self._compare(ops, operands, mask)
            case Logic(op=op, operands=operands):
                return self._logic(op, operands, mask)
            case Select():
                return self._select(node, mask)
            case Call(function=name, args=args):
                values = [self.value(arg, mask) for arg in args]
                return self.scope.library(name, typed(node), values, [typed(arg) for arg in args], self._step)
            case Cast(to=to, operand=operand, saturate=saturate):
                return cast(typed(operand), to, self.value(operand, mask), saturate=saturate)
            case _:
                assert_never(node)

    def _step(self, node: Expr, known: dict[str, Value]) -> Value:
        """Write a step of a program, whose names are its own."""
        return Expressions(Scope({}, known, {}, None)).value(node)

    def _variable(self, name: str) -> Value:
        if name not in self.scope.variables:
            raise InternalError(f"expected a variable in scope, found {name!r}")
        return self.scope.variables[name]

    def _compare(self, ops: tuple[str, ...], operands: tuple[Expr, ...], mask: Value | None) -> Value:
        parts = [self.value(part, mask) for part in operands]
        if parts[0].kind == "bool":
            parts = [part.cast("uint8") for part in parts]
        result: Value | None = None
        for op, left, right in zip(ops, parts, parts[1:], strict=False):
            result = conjunction(result, left.compare(COMPARE[op], right))
        if result is None:
            raise InternalError("expected a comparison of two operands or more, found fewer")
        return result

    def _logic(self, op: str, operands: tuple[Expr, ...], mask: Value | None) -> Value:
        result = self.value(operands[0], mask)
        for operand in operands[1:]:
            met = result if op == "and" else result.negated()
            inner = (
                conjunction(mask, met) if any(isinstance(n, Read | Binary) for n in walk(operand)) else mask
            )
            result = result.binary(tirx.And if op == "and" else tirx.Or, self.value(operand, inner))
        return result

    def _select(self, node: Select, mask: Value | None) -> Value:
        same, own = self._apart(node)
        if same is not None and own is not None:
            # What holds for all lanes is one test round the rest, not a part of its mask.
            rest = self._select(replace(node, condition=own), mask)
            return choose(self.value(same, mask), rest, self.value(node.other, mask))
        condition = self.value(node.condition, mask)
        reads = [n for side in (node.then, node.other) for n in walk(side) if isinstance(n, Read)]
        cheap = _is_cheap(node.then) and _is_cheap(node.other) and all(map(self._is_held, reads))
        if condition.lanes == 1 and not cheap:  # TVM simplifies what would hold a read inside away
            return choose(condition, self.value(node.then, mask), self.value(node.other, mask))
        then = self.value(node.then, conjunction(mask, condition))
        other = self.value(node.other, conjunction(mask, condition.negated()))
        return select(condition, then, other)

    def _apart(self, node: Select) -> tuple[Expr | None, Expr | None]:
        """Divide a condition joined by `and` into what is the same for all lanes and the rest.

        Tests that read, or may trap, stay in order; the other side is written twice, so it must be small.
        """
        condition, lanes = node.condition, self.scope.lanes
        if lanes is None or not isinstance(condition, Logic) or condition.op != "and":
            return None, None
        if not isinstance(node.other, Literal):
            return None, None

        def is_same(test: Expr) -> bool:
            names = axes_of(test)
            plain = not any(isinstance(n, Read | Call | Binary) and not _is_sum(n) for n in walk(test))
            return plain and all(self._variable(name).lanes == 1 for name in names)

        same = tuple(test for test in condition.operands if is_same(test))
        own = tuple(test for test in condition.operands if test not in same)
        return (joined(same) if same else None), (joined(own) if own else None)

    def _is_held(self, read: Read) -> bool:
        buffer = self.scope.buffers[read.tensor].buffer
        indices = read.indices or (Literal(0, dtype=DType.I32),)
        return self.is_inside(offset(buffer, indices, self.scope.ranges), prod(buffer.shape))

    def _read(self, node: Read, mask: Value | None) -> Value:
        if node.tensor not in self.scope.buffers:
            raise InternalError(f"expected a buffer in scope, found {node.tensor!r}")
        stored = self.scope.buffers[node.tensor]
        indices = node.indices or (Literal(0, dtype=DType.I32),)
        return self.load(stored, offset(stored.buffer, indices, self.scope.ranges), mask)

    def load(self, stored: Stored, place: Linear, mask: Value | None) -> Value:
        """Read one element, or one a lane, in the type in which it is computed."""
        dtype = stored.buffer.dtype
        if is_packed(dtype):
            return self._nibble(stored, place, mask)
        value = self._raw(stored, place, mask)
        if dtype is DType.BOOL:
            return value.compare(tirx.NE, constant(0, "uint8"))
        if dtype in (DType.F16, DType.BF16):
            return load_rounded(dtype, value)
        return value

    def _nibble(self, stored: Stored, place: Linear, mask: Value | None) -> Value:
        one = constant(1, "int32")
        step = self._even_step(place)
        if step and (mask is None or self.is_inside(place, stored.size * 2)):
            # Lanes lie in bytes of their own, all in the same half: whole bytes are loaded.
            index = self.value(self._first(place).expr())
            start = index.binary(tirx.shift_right, one)
            byte = Value(
                tirx.Ramp(start.node, number(step // 2), number(self.lanes.count)), "int32", self.lanes.count
            )
        else:
            index = self.held(stored.size * 2, place, mask)
            byte = index.binary(tirx.shift_right, one)
        pair = Value(tirx.BufferLoad(stored.tir, [byte.node]), "uint8", byte.lanes)
        shift = (
            index.binary(tirx.bitwise_and, one).binary(tirx.shift_left, constant(2, "int32")).cast("uint8")
        )
        low = pair.binary(tirx.shift_right, shift).binary(tirx.bitwise_and, constant(15, "uint8"))
        return signed_nibble(low) if stored.buffer.dtype is DType.I4 else low

    def _even_step(self, place: Linear) -> int:
        """Give the distance between neighbouring lanes where it is even; else 0."""
        lanes = self.scope.lanes
        if lanes is None or any(
            lanes.var in axes_of(t) and not is_axis(t, lanes.var) for t, _ in place.terms
        ):
            return 0
        step = next((k for t, k in place.terms if is_axis(t, lanes.var)), 0)
        return step if step % 2 == 0 else 0

    def _raw(self, stored: Stored, place: Linear, mask: Value | None) -> Value:
        kind = STORED[stored.buffer.dtype]
        if self.is_contiguous(place):
            count = self.lanes.count
            if mask is not None and not self.is_inside(place, stored.size):
                return self._masked_load(stored, place, mask.spread(count))
            return Value(tirx.BufferLoad(stored.tir, [self.ramp(place)]), kind, count)
        if mask is None or self.is_inside(place, stored.size):
            shuffled = self._shuffled_load(stored, place)
            if shuffled is not None:
                return shuffled
        index = self.held(stored.size, place, mask)
        gathered = gather(stored.tir, kind, index, self.scope.features)
        return gathered or Value(tirx.BufferLoad(stored.tir, [index.node]), kind, index.lanes)

    def _shuffled_load(self, stored: Stored, place: Linear) -> Value | None:
        """Read lanes in a fixed pattern as whole vectors; None when there is none, or it is too wide."""
        pattern = self.pattern(place)
        covered = None if pattern is None else blocks(pattern.offsets)
        if pattern is None or covered is None:
            return None
        starts, chosen = covered
        count = number(self.lanes.count)
        parts = [
            tirx.BufferLoad(
                stored.tir, [tirx.Ramp(self.value(pattern.moved(s).expr()).node, number(1), count)]
            )
            for s in starts
        ]
        return shuffled(parts, chosen, STORED[stored.buffer.dtype])

    def pattern(self, place: Linear) -> Pattern | None:
        """Find how the lanes of an access lie; None for a scalar, and for what data decides."""
        lanes = self.scope.lanes
        if lanes is None or not any(lanes.var in axes_of(term) for term, _ in place.terms):
            return None
        return find_pattern(place, lanes.var, lanes.count, self.scope.ranges)

    def _masked_load(self, stored: Stored, place: Linear, mask: Value) -> Value:
        kind = STORED[stored.buffer.dtype]
        zero = constant(0, kind).spread(mask.lanes)
        return llvm_pure("llvm.masked.load", zero, self.address(stored, place), mask, zero)

    @property
    def lanes(self) -> Lanes:
        """The vector loop that the statement stands in."""
        if self.scope.lanes is None:
            raise InternalError("expected to stand in a vector loop")
        return self.scope.lanes

    def address(self, stored: Stored, place: Linear) -> Value:
        """Give the address of the first lane of a contiguous access."""
        first = self.value(self._first(place).expr())
        return Value(tirx.address_of(tirx.BufferLoad(stored.tir, [first.node])), "handle")

    def _first(self, place: Linear) -> Linear:
        var = self.lanes.var
        return Linear(tuple((t, k) for t, k in place.terms if not is_axis(t, var)), place.constant)

    def ramp(self, place: Linear) -> Any:
        """Give the index of a contiguous access."""
        return tirx.Ramp(self.value(self._first(place).expr()).node, number(1), number(self.lanes.count))

    def is_contiguous(self, place: Linear) -> bool:
        """Whether lanes are neighbours in memory."""
        if self.scope.lanes is None:
            return False
        var = self.scope.lanes.var
        if any(var in axes_of(t) and not is_axis(t, var) for t, _ in place.terms):
            return False
        return next((k for t, k in place.terms if is_axis(t, var)), 0) == 1

    def is_inside(self, place: Linear, size: int) -> bool:
        """Whether a position is inside a buffer, whatever guards it."""
        low, high = span_of_sum(place, self.scope.ranges)
        return low is not None and high is not None and low >= 0 and high < size

    def held(self, size: int, place: Linear, mask: Value | None) -> Value:
        """Give an index, held inside the buffer where a mask says that it could be outside."""
        index = self.value(place.expr(), mask)
        lanes = self.scope.lanes
        if lanes is not None and index.lanes > 1:
            stride = next((k for t, k in place.terms if is_axis(t, lanes.var)), 0)
            if all(lanes.var not in axes_of(t) or is_axis(t, lanes.var) for t, _ in place.terms):
                first = self.value(self._first(place).expr())
                index = Value(
                    tirx.Ramp(first.node, number(stride), number(lanes.count)), "int32", lanes.count
                )
        if mask is None or self.is_inside(place, size):
            return index
        low, high = (constant(end, "int32").spread(index.lanes).node for end in (0, size - 1))
        return Value(hide("held", index.type, index.node, low, high), "int32", index.lanes)


def _literal(value: float, dtype: DType) -> Value:
    if dtype in (DType.F16, DType.BF16):
        return cast(DType.F64, dtype, constant(value, "float64"), saturate=False)
    return constant(value, COMPUTED[dtype])


def _unary(op: str, dtype: DType, value: Value) -> Value:
    if op == "not" or dtype is DType.BOOL:
        return value.negated()
    if op == "~":
        return call(tirx.bitwise_not, value)
    if dtype.is_float:
        return value.binary(tirx.Mul, constant(-1.0, value.kind))
    return binary("-", dtype, constant(0, value.kind), value, None)


def _power(base: Value, exponent: int, dtype: DType) -> Value:
    held = fresh_variable("base", base)
    product = held
    for _ in range(exponent - 1):
        product = binary("*", dtype, product, held, None)
    return Value(tirx.Let(held.node, base.node, product.node), product.kind, product.lanes)


def _is_sum(node: Expr) -> bool:
    return isinstance(node, Binary) and node.op in ("+", "-", "*")


def _is_cheap(node: Expr) -> bool:
    """Whether evaluating an expression for nothing costs less than a branch."""
    count = 0
    for one in walk(node):
        count += 1
        match one:
            case Call(function=name) if name in PROGRAMS or name not in ("min", "max", "abs", "clamp"):
                return False
            case Binary(op="//" | "%", right=right) if not isinstance(right, Literal):
                return False
            case Binary(op="/"):
                return False
            case _:
                continue
    return count <= _CHEAP_NODES
