"""Expressions of TVM's TIR as expressions of the language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import ir, sym, tirx

from edgekernelbench.base.errors import EkbError
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

TYPES: Mapping[str, DType] = {
    "bool": DType.BOOL, "int4": DType.I4, "uint4": DType.U4, "int8": DType.I8, "uint8": DType.U8,
    "int16": DType.I16, "uint16": DType.U16, "int32": DType.I32, "uint32": DType.U32, "int64": DType.I64,
    "float16": DType.F16, "bfloat16": DType.BF16, "float32": DType.F32, "float64": DType.F64,
}  # fmt: skip
"""TVM's names of element types that the language has."""

ARITHMETIC: Mapping[Any, str] = {
    tirx.Add: "+", tirx.Sub: "-", tirx.Mul: "*", tirx.Div: "/", tirx.FloorDiv: "//", tirx.FloorMod: "%",
}  # fmt: skip
COMPARISONS: Mapping[Any, str] = {
    tirx.LT: "<", tirx.LE: "<=", tirx.GT: ">", tirx.GE: ">=", tirx.EQ: "==", tirx.NE: "!=",
}  # fmt: skip
BITWISE: Mapping[str, str] = {
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "shift_left": "<<", "shift_right": ">>",
}  # fmt: skip
SAME: Mapping[str, str] = {
    **{name: name for name in (
        "exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "sigmoid",
        "erf", "sqrt", "rsqrt", "floor", "ceil", "trunc", "popcount",
    )},
    "fabs": "abs", "nearbyint": "round", "round": "round",
}  # fmt: skip
"""Functions that the language has too; both round half to even, up to TVM's own choice of `round`."""

LOWEST = -3.4028234663852886e38
"""What TVM pads with, and begins with, where a maximum of f32 is meant: nothing is smaller but `-inf`."""


class NotRaisedError(EkbError):
    """A function of TVM that the compute layer does not say; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Translator:
    """Translates the expressions of one block.

    Attributes:
        tensors: Name of the tensor of each buffer.
        axes: Name of the axis of each variable.
        analyzer: Knows the ranges of the variables.
    """

    tensors: Callable[[Any], str]
    axes: Mapping[Any, str]
    analyzer: sym.Analyzer

    def value(self, node: Any) -> Expr:
        """Translate an expression; indices and conditions are simplified by the ranges of the variables.

        Args:
            node: An expression of TIR.

        Raises:
            NotRaisedError: When the language has no such operation.
        """
        match node:
            case tirx.IntImm():
                return (
                    Literal(value=bool(node.value))
                    if _type(node) == "bool"
                    else Literal(value=int(node.value))
                )
            case tirx.FloatImm():
                return Literal(value=_float(node))
            case ir.Var():
                return self._variable(node)
            case ir.TensorLoad():
                return self.read(node)
            case tirx.Cast():
                return self._cast(node)
            case tirx.Select():
                return self._select(node.condition, node.true_value, node.false_value)
            case tirx.Not():
                return Unary(op="not", operand=self.value(node.a))
            case tirx.And() | tirx.Or():
                word = "and" if isinstance(node, tirx.And) else "or"
                return Logic(op=word, operands=(self.value(node.a), self.value(node.b)))
            case tirx.Max() | tirx.Min():
                word = "max" if isinstance(node, tirx.Max) else "min"
                return Call(function=word, args=(self.value(node.a), self.value(node.b)))
            case ir.Call():
                return self._call(node)
            case _:
                return self._operation(node)

    def _operation(self, node: Any) -> Expr:
        kind = type(node)
        if kind in COMPARISONS:
            return Compare(ops=(COMPARISONS[kind],), operands=(self.value(node.a), self.value(node.b)))
        if kind is tirx.Mod:
            return self._remainder(node)
        if kind not in ARITHMETIC:
            raise NotRaisedError(f"an expression of kind {kind.__name__}")
        op = ARITHMETIC[kind]
        if op == "/" and not _type(node).startswith(("float", "bfloat")):
            op = self._whole_division(node)
        return Binary(op=op, left=self.value(node.a), right=self.value(node.b))

    def _remainder(self, node: Any) -> Expr:
        """Write a remainder that has the sign of what is divided."""
        left, right = self.value(node.a), self.value(node.b)
        if _type(node).startswith(("float", "bfloat")):
            whole = Call(function="trunc", args=(Binary(op="/", left=left, right=right),))
            return Binary(op="-", left=left, right=Binary(op="*", left=whole, right=right))
        if all(self.analyzer.can_prove(part >= 0) for part in (node.a, node.b)):
            return Binary(op="%", left=left, right=right)
        raise NotRaisedError("a remainder of whole numbers that has the sign of what is divided")

    def _whole_division(self, node: Any) -> str:
        """Take a division that cuts towards zero for one that floors where both sides are not negative."""
        if all(self.analyzer.can_prove(part >= 0) for part in (node.a, node.b)):
            return "//"
        raise NotRaisedError("a division of whole numbers that cuts towards zero")

    def _variable(self, node: Any) -> Expr:
        if node not in self.axes:
            raise NotRaisedError(f"the variable {node.name}, which is no axis of its block")
        # The only step of an axis that no place of the result has is written by no name.
        return Axis(name=self.axes[node]) if self.axes[node] else Literal(value=0)

    def read(self, node: Any) -> Expr:
        """Translate a read of one element; indices that come from 64-bit data are taken as `i32`."""
        indices = tuple(_index(self._simple(index)) for index in node.indices)
        shape = node.source.shape
        if len(shape) == 1 and int(shape[0]) == 1 and not indices:
            indices = (Literal(value=0),)
        return Read(tensor=self.tensors(node.source), indices=indices, dtype=type_of(node.source.dtype))

    def _simple(self, node: Any) -> Expr:
        # A variable stays one, also where its only value is known: `x[n, c]` says more than `x[0, c]`.
        return self.value(node if isinstance(node, ir.Var) else self.analyzer.simplify(node))

    def _cast(self, node: Any) -> Expr:
        inner = self._simple(node.value) if _type(node.value).startswith("int") else self.value(node.value)
        to = type_of(_type(node))
        source = _type(node.value)
        if source == _type(node) or (to is DType.I64 and source == "int32"):
            return inner
        if to is DType.BOOL:
            return Compare(ops=("!=",), operands=(inner, Literal(value=0)))
        return Cast(to=to, operand=inner)

    def _select(self, condition: Any, then: Any, other: Any) -> Expr:
        return Select(condition=self._simple(condition), then=self.value(then), other=self.value(other))

    def _call(self, node: Any) -> Expr:
        name = str(getattr(node.op, "name", node.op)).rpartition(".")[2]
        args = tuple(node.args)
        if name == "if_then_else":
            return self._select(*args)
        if name == "likely":
            return self.value(args[0])
        if name in SAME:
            return Call(function=SAME[name], args=tuple(self.value(arg) for arg in args))
        if name in BITWISE:
            return Binary(op=BITWISE[name], left=self.value(args[0]), right=self.value(args[1]))
        if name == "bitwise_not":
            return Unary(op="~", operand=self.value(args[0]))
        if name == "pow":
            return self._power(*args)
        if name == "isnan":
            inner = self.value(args[0])
            return Compare(ops=("!=",), operands=(inner, inner))
        raise NotRaisedError(f"the function {name}")

    def _power(self, base: Any, exponent: Any) -> Expr:
        inner, by = self.value(base), self.value(exponent)
        match by:
            case Literal(value=2 | 3 | 4 | 5 | 6 | 7 | 8 as whole):
                return Power(base=inner, exponent=int(whole))
            case _:
                return Call(function="pow", args=(inner, by))


def type_of(name: object) -> DType:
    """Give the element type of a name of TVM.

    Raises:
        NotRaisedError: When the language does not have it.
    """
    word = str(name)
    if word not in TYPES:
        raise NotRaisedError(f"the element type {word}")
    return TYPES[word]


def _type(node: Any) -> str:
    return str(node.ty)


def _float(node: Any) -> float:
    value = float(node.value)
    if value == LOWEST:
        return float("-inf")
    return float(str(np.float32(value))) if _type(node) == "float32" else value


def _index(node: Expr) -> Expr:
    """Make an index of what is read as 64 bits: positions are 32 bits wide."""
    wide = any(isinstance(part, Read) and part.dtype is DType.I64 for part in walk(node))
    return Cast(to=DType.I32, operand=node) if wide else node
