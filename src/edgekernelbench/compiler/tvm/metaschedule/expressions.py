"""Typed expressions of stages as TIR over blocks: buffers keep their dimensions, functions stay calls.

What TVM's simplifier must not see is hidden as everywhere (decision 0020). Functions that are programs of
ours stay opaque calls, too, until loops have become vectors: TVM then makes each of them a vector as a whole.
"""

from dataclasses import dataclass

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import is_packed
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.tvm.arithmetic import load_rounded, signed_nibble
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.functions import Evaluate, function
from edgekernelbench.compiler.tvm.hidden import hide, vectorizable
from edgekernelbench.compiler.tvm.values import STORED, Node, Value, constant
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Literal, Read
from edgekernelbench.nest.indices import simplify, span_of

FUNCTION = "function."
"""Beginning of the hidden name of a program."""

OPAQUE = tuple(vectorizable(FUNCTION + name) for name in PROGRAMS)
"""TVM's names of all programs: what a scheduler is not to compute twice."""


def opaque_function(
    name: str, dtype: DType, args: list[Value], sources: list[DType], evaluate: Evaluate
) -> Value:
    """Apply a function of the language; a program stays a call."""
    if name in PROGRAMS and args[0].kind == "float32":
        return Value(hide(FUNCTION + name, "float32", *(arg.node for arg in args)), "float32")
    return function(name, dtype, args, sources, evaluate)


@dataclass(frozen=True, slots=True)
class BlockExpressions(Expressions):
    """Writes expressions of one block, whose buffers have as many dimensions as their tensors."""

    def _read(self, node: Read, mask: Value | None) -> Value:
        if node.tensor not in self.scope.buffers:
            raise InternalError(f"expected a buffer in scope, found {node.tensor!r}")
        stored = self.scope.buffers[node.tensor]
        dtype, shape = stored.buffer.dtype, stored.buffer.shape
        indices = node.indices or (Literal(0, dtype=DType.I32),)
        places = [self._place(index, size, mask) for index, size in zip(indices, shape, strict=True)]
        if is_packed(dtype):
            return _nibble(stored.tir, dtype, places)
        value = Value(tirx.BufferLoad(stored.tir, [p.node for p in places]), STORED[dtype])
        if dtype is DType.BOOL:
            return value.compare(tirx.NE, constant(0, "uint8"))
        return load_rounded(dtype, value) if dtype in (DType.F16, DType.BF16) else value

    def _place(self, index: Expr, size: int, mask: Value | None) -> Value:
        """Write an index, held inside the buffer where a mask says that it could be outside."""
        simple = simplify(index, self.scope.ranges)
        value = self.value(simple, mask).cast("int32")
        if mask is None or self._fits(simple, size):
            return value
        ends = (constant(end, "int32").node for end in (0, size - 1))
        return Value(hide("held", "int32", value.node, *ends), "int32")

    def _fits(self, index: Expr, size: int) -> bool:
        low, high = span_of(index, self.scope.ranges)
        return low is not None and high is not None and low >= 0 and high < size

    def _is_held(self, read: Read) -> bool:
        shape = self.scope.buffers[read.tensor].buffer.shape
        places = zip(read.indices, shape, strict=False)
        return all(self._fits(simplify(index, self.scope.ranges), size) for index, size in places)


def _nibble(tir: Node, dtype: DType, places: list[Value]) -> Value:
    last, one = places[-1], constant(1, "int32")
    byte = last.binary(tirx.shift_right, one)
    pair = Value(tirx.BufferLoad(tir, [*(p.node for p in places[:-1]), byte.node]), "uint8")
    shift = last.binary(tirx.bitwise_and, one).binary(tirx.shift_left, constant(2, "int32")).cast("uint8")
    low = pair.binary(tirx.shift_right, shift).binary(tirx.bitwise_and, constant(15, "uint8"))
    return signed_nibble(low) if dtype is DType.I4 else low
