"""TIR expressions with their number of lanes; scalars are spread where they meet vectors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tvm
from tvm import tirx

from edgekernelbench.compiler.tvm.hidden import hidden_name, hide
from edgekernelbench.ir.dtype import DType

Node = Any
"""A TIR expression; TVM's Python classes are not typed."""

COMPUTED: dict[DType, str] = {
    DType.BOOL: "bool", DType.I4: "int8", DType.U4: "uint8", DType.I8: "int8", DType.U8: "uint8", DType.I16:
    "int16", DType.U16: "uint16", DType.I32: "int32", DType.U32: "uint32", DType.I64: "int64", DType.F16:
    "float32", DType.BF16: "float32", DType.F32: "float32", DType.F64: "float64",
}  # fmt: skip
"""In which type values are computed."""

STORED: dict[DType, str] = {
    **COMPUTED, DType.BOOL: "uint8", DType.I4: "uint8", DType.U4: "uint8", DType.F16: "float16", DType.BF16:
    "uint16",
}  # fmt: skip
"""In which type elements are stored; what TVM would legalise itself is bytes here."""

_WORD, _LONG = 32, 64


@dataclass(frozen=True, slots=True)
class Value:
    """A TIR expression.

    Attributes:
        node: The expression.
        kind: Its element type, by TIR's name.
        lanes: 1 for a scalar.
    """

    node: Node
    kind: str
    lanes: int = 1

    @property
    def type(self) -> str:
        """The full type name, such as `"float32x16"`."""
        return self.kind if self.lanes == 1 else f"{self.kind}x{self.lanes}"

    def spread(self, lanes: int) -> "Value":
        """Repeat a scalar in each lane."""
        if self.lanes == lanes:
            return self
        return Value(tirx.Broadcast(self.node, number(lanes)), self.kind, lanes)

    def binary(self, make: Callable[[Node, Node], Node], other: "Value", kind: str | None = None) -> "Value":
        """Join with another value of the same kind; TVM must not reason about floats."""
        lanes = max(self.lanes, other.lanes)
        nodes = (self.spread(lanes).node, other.spread(lanes).node)
        result = Value(None, kind or self.kind, lanes)
        name = hidden_name(make) if self.kind.startswith("float") else None
        return replace(result, node=make(*nodes) if name is None else hide(name, result.type, *nodes))

    def compare(self, make: Callable[[Node, Node], Node], other: "Value") -> "Value":
        """Compare with another value of the same kind."""
        return self.binary(make, other, "bool")

    def cast(self, kind: str) -> "Value":
        """Convert as TIR does."""
        if kind == self.kind:
            return self
        if kind.startswith("uint") and self.kind.startswith("int"):
            return self._wrapped(kind)
        return self._cast(kind)

    def _cast(self, kind: str) -> "Value":
        result = Value(None, kind, self.lanes)
        rounds = kind.startswith("float") or self.kind.startswith("float")
        node = hide("cast", result.type, self.node) if rounds else tirx.Cast(result.type, self.node)
        return replace(result, node=node)

    def _wrapped(self, kind: str) -> "Value":
        """Wrap to an unsigned type, positive before the cast: TVM fails where it folds a negative one."""
        bits = int(kind.removeprefix("uint"))
        if bits == _LONG:
            return self.reinterpret(kind) if self.kind == "int64" else self._cast(kind)
        wide = (
            self if self.kind == "int64" or (self.kind == "int32" and bits < _WORD) else self._cast("int64")
        )
        mask = Value(tirx.IntImm(wide.kind, 2**bits - 1), wide.kind)
        return wide.binary(tirx.bitwise_and, mask)._cast(kind)

    def reinterpret(self, kind: str) -> "Value":
        """Take the same bits as another type."""
        if kind == self.kind:
            return self
        fresh = Value(None, kind, self.lanes)
        return Value(tirx.reinterpret(fresh.type, self.node), kind, self.lanes)

    def negated(self) -> "Value":
        """Give the opposite truth value."""
        return Value(tirx.Not(self.node), "bool", self.lanes)


def number(value: int) -> Node:
    """Write a position."""
    return tirx.IntImm("int32", value)


def constant(value: float, kind: str) -> Value:
    """Write a number of a kind."""
    if kind.startswith("float"):
        with np.errstate(over="ignore"):
            rounded = float(np.dtype(kind).type(value))
        return Value(tirx.FloatImm(kind, rounded), kind)
    if kind == "bool":
        return Value(tirx.IntImm("bool", int(value)), kind)
    if kind == "uint32" and value >= 2**31:
        wide = tirx.IntImm("int64", int(value))
        return Value(tirx.Cast(kind, wide), kind)
    return Value(tirx.IntImm(kind, int(value)), kind)


def select(condition: Value, then: Value, other: Value) -> Value:
    """Choose, both sides evaluated; TVM must not simplify a side by what the condition says."""
    lanes = max(condition.lanes, then.lanes, other.lanes)
    asked, *sides = [part.spread(lanes) for part in (condition, then, other)]
    node = tirx.Select(hide("choice", asked.type, asked.node), *(side.node for side in sides))
    return Value(node, then.kind, lanes)


def choose(condition: Value, then: Value, other: Value) -> Value:
    """Choose by a scalar, only the chosen side evaluated."""
    lanes = max(then.lanes, other.lanes)
    node = tirx.if_then_else(condition.node, then.spread(lanes).node, other.spread(lanes).node)
    return Value(node, then.kind, lanes)


def conjunction(a: Value | None, b: Value) -> Value:
    """Join two conditions; None is no condition."""
    return b if a is None else a.binary(tirx.And, b)


def call(function: Callable[..., Node], *args: Value) -> Value:
    """Apply an operator of TIR that keeps the type."""
    lanes = max(arg.lanes for arg in args)
    return Value(function(*(arg.spread(lanes).node for arg in args)), args[0].kind, lanes)


def extern(name: str, *args: Value) -> Value:
    """Call a function of the C library on scalars."""
    return Value(tirx.call_pure_extern(args[0].kind, name, *(arg.node for arg in args)), args[0].kind)


def llvm_pure(name: str, result: Value, *args: Value) -> Value:
    """Call an intrinsic of LLVM; `result` gives the type."""
    node = tirx.call_llvm_pure_intrin(result.type, name, *(arg.node for arg in args))
    return Value(node, result.kind, result.lanes)


def fresh_variable(name: str, value: Value) -> Value:
    """Make a variable for a value."""
    return Value(tvm.tirx.Var(name, value.type), value.kind, value.lanes)
