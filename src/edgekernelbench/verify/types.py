"""Types of expressions: every node gets one, every literal too, every silent widening becomes a cast.

`Typer.expression` gives the typed tree, or None after it reported why there is none. Between the two stand
*flexible* trees (see `literals`), whose type comes from outside.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from edgekernelbench.base.span import Span
from edgekernelbench.ir.dtype import DType, widened
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
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.verify import wording
from edgekernelbench.verify.functions import COMMON, REINTERPRET, arity
from edgekernelbench.verify.literals import (
    INTEGER_OPS,
    fold_binary,
    fold_power,
    fold_unary,
    is_fractional,
    natural_type,
    typed_literal,
)
from edgekernelbench.verify.names import Names
from edgekernelbench.verify.report import Report

BITWISE = frozenset("&|^")
"""Operators that keep the common type of narrow integers."""

Met = tuple[tuple[Expr, ...], DType | None]
"""Operands in one type; None while all of them are flexible."""


def widen(node: Expr, to: DType) -> Expr:
    """Give a typed expression another type without loss; the same node when it has it."""
    if node.dtype is to:
        return node
    if isinstance(node, Literal):
        value = float(node.value) if to.is_float else node.value
        return Literal(value, span=node.span, dtype=to)
    return Cast(to, node, implicit=True, span=node.span, dtype=to)


def computes_in(dtype: DType | None) -> DType | None:
    """Give the type in which arithmetic on a type is done: integers below 32 bits compute in `i32`."""
    return DType.I32 if dtype is not None and dtype.is_int and dtype.bits < DType.I32.bits else dtype


class Typer:
    """Types the expressions of one kernel.

    Attributes:
        axes: Names of the axes in scope; set for each stage.
        reads: The reads seen since this was emptied, as parsed.
    """

    def __init__(self, names: Names, report: Report) -> None:
        self.axes: frozenset[str] = frozenset()
        self.reads: list[Read] = []
        self._names = names
        self._report = report

    def value(self, node: Expr, dtype: DType, name: str) -> Expr | None:
        """Type an expression that becomes an element of the tensor `name`, of type `dtype`."""
        typed = self.expression(node)
        return None if typed is None else self.store(typed, dtype, name)

    def store(self, typed: Expr, dtype: DType, name: str) -> Expr | None:
        """Bring an expression to the type of the tensor it is stored in."""
        if typed.dtype is None:
            if dtype is DType.BOOL:
                self._report.error("T01", *_placed(wording.declared(name, dtype, typed), typed))
                return None
            fixed = self.fix(typed, dtype)
            if (
                fixed is not None
                and fixed.dtype is not dtype
                and widened(fixed.dtype or dtype, dtype) is not dtype
            ):
                self._report.error(
                    "T02", f"{print_expr(typed)} does not fit {name}, which is {dtype}", typed.span
                )
                return None
            return None if fixed is None else widen(fixed, dtype)
        if typed.dtype is not dtype and widened(typed.dtype, dtype) is not dtype:
            self._report.error("T01", *_placed(wording.declared(name, dtype, typed), typed))
            return None
        return widen(typed, dtype)

    def condition(self, node: Expr) -> Expr | None:
        """Type an expression that must be `bool`."""
        typed = self.expression(node)
        return None if typed is None else self._truth(typed)

    def typed(self, node: Expr) -> Expr | None:
        """Type an expression that nothing else gives a type."""
        typed = self.expression(node)
        return None if typed is None else self._natural(typed)

    def expression(self, node: Expr) -> Expr | None:
        """Type an expression from the leaves up.

        Args:
            node: The expression as parsed.

        Returns:
            The typed tree; a flexible one when it holds only literals; None when it was refused.
        """
        match node:
            case Literal():
                is_truth = isinstance(node.value, bool)
                return Literal(node.value, span=node.span, dtype=DType.BOOL if is_truth else None)
            case Axis():
                return self._axis(node)
            case Read():
                return self._read(node)
            case Binary():
                return self._binary(node)
            case Unary():
                return self._unary(node)
            case Power():
                return self._power(node)
            case Compare():
                return self._compare(node)
            case Logic():
                return self._logic(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case Cast():
                return self._cast(node)
            case _:
                assert_never(node)

    # Leaves

    def _axis(self, node: Axis) -> Expr | None:
        if node.name not in self.axes:
            self._report.error("C08", f"no axis or tensor {node.name}", node.span)
            return None
        return Axis(node.name, span=node.span, dtype=DType.I32)

    def _read(self, node: Read) -> Expr | None:
        self.reads.append(node)
        indices = [self._index(node, place) for place in node.indices]
        tensor = self._names.tensors.get(node.tensor)
        if tensor is None:
            near = self._names.nearest(node.tensor)
            self._report.error("C08", f"no tensor {node.tensor}", node.span, near and f"did you mean {near}?")
            return None
        if len(indices) != len(tensor.shape):
            self._report.error(
                "C12", wording.missing_indices(tensor.name, len(tensor.shape), len(indices)), node.span
            )
            return None
        known = tuple(index for index in indices if index is not None)
        if len(known) < len(indices):
            return None
        return Read(node.tensor, known, span=node.span, dtype=tensor.dtype)

    def _index(self, read: Read, node: Expr) -> Expr | None:
        index = self.typed(node)
        if index is None or index.dtype is None:
            return None
        if not index.dtype.is_int:
            self._report.error("T05", *_placed(wording.index_type(read, index), index))
            return None
        return widen(index, widened(index.dtype, DType.I32) or DType.I64)

    # Operations

    def _parts(self, nodes: Sequence[Expr]) -> list[Expr] | None:
        parts = [self.expression(node) for node in nodes]
        known = [part for part in parts if part is not None]
        return known if len(known) == len(parts) else None

    def _unary(self, node: Unary) -> Expr | None:
        if node.op == "not":
            truth = self.condition(node.operand)
            return truth and Unary("not", truth, span=node.span, dtype=DType.BOOL)
        part = self.expression(node.operand)
        if part is None:
            return None
        if isinstance(part, Literal) and part.dtype is None:
            folded = fold_unary(node.op, part.value, node.span)
            if folded is not None:
                return folded
        if not self._accepts(node.op, part, node):
            return None
        dtype = computes_in(part.dtype) if node.op == "-" else part.dtype
        return Unary(node.op, part if dtype is None else widen(part, dtype), span=node.span, dtype=dtype)

    def _binary(self, node: Binary) -> Expr | None:
        parts = self._parts((node.left, node.right))
        if parts is None:
            return None
        left, right = parts
        if isinstance(left, Literal) and isinstance(right, Literal) and left.dtype is right.dtype is None:
            folded = fold_binary(node.op, left.value, right.value, node.span)
            if folded is not None:
                return folded
        met = self._meet(parts, node)
        if met is None:
            return None
        (left, right), dtype = met
        if not (self._accepts(node.op, left, node) and self._accepts(node.op, right, node)):
            return None
        if node.op not in BITWISE:
            dtype = computes_in(dtype)
        if dtype is not None:
            left, right = widen(left, dtype), widen(right, dtype)
        return Binary(node.op, left, right, span=node.span, dtype=dtype)

    def _accepts(self, op: str, part: Expr, node: Expr) -> bool:
        dtype = part.dtype
        fractional = is_fractional(part) if dtype is None else dtype.is_float
        if (
            dtype is DType.BOOL
            or (fractional and (op in INTEGER_OPS or op == "~"))
            or (op == "/" and dtype and not fractional)
        ):
            self._report.error("T06", *_placed(wording.operator(op, part, node), node))
            return False
        return True

    def _power(self, node: Power) -> Expr | None:
        base = self.expression(node.base)
        if base is None:
            return None
        if isinstance(base, Literal) and base.dtype is None:
            folded = fold_power(base.value, node.exponent, node.span)
            if folded is not None:
                return folded
        if not self._accepts("**", base, node):
            return None
        dtype = computes_in(base.dtype)
        return Power(
            base if dtype is None else widen(base, dtype), node.exponent, span=node.span, dtype=dtype
        )

    def _logic(self, node: Logic) -> Expr | None:
        parts = [self.condition(part) for part in node.operands]
        known = tuple(part for part in parts if part is not None)
        return Logic(node.op, known, span=node.span, dtype=DType.BOOL) if len(known) == len(parts) else None

    def _select(self, node: Select) -> Expr | None:
        condition = self.condition(node.condition)
        parts = self._parts((node.then, node.other))
        met = parts and self._meet(parts, node)
        if condition is None or not met:
            return None
        (then, other), dtype = met
        return Select(condition, then, other, span=node.span, dtype=dtype)

    def _compare(self, node: Compare) -> Expr | None:
        parts = self._parts(node.operands)
        if parts is None:
            return None
        pairs = [self._pair(op, (a, b), node) for op, a, b in zip(node.ops, parts, parts[1:], strict=False)]
        known = [pair for pair in pairs if pair is not None]
        if len(known) < len(pairs):
            return None
        common = _common([dtype for _, dtype in known])
        if common is not None:
            operands = [
                self.fix(part, common) if part.dtype is None else widen(part, common) for part in parts
            ]
            whole = tuple(widen(part, common) for part in operands if part is not None)
            return (
                Compare(node.ops, whole, span=node.span, dtype=DType.BOOL)
                if len(whole) == len(parts)
                else None
            )
        split = tuple(
            Compare((op,), pair, span=node.span, dtype=DType.BOOL)
            for op, (pair, _) in zip(node.ops, known, strict=True)
        )
        return Logic("and", split, span=node.span, dtype=DType.BOOL)

    def _pair(
        self, op: str, pair: tuple[Expr, Expr], node: Compare
    ) -> tuple[tuple[Expr, Expr], DType] | None:
        met = self._meet(pair, node)
        if met is None:
            return None
        parts, dtype = met
        if dtype is None:
            dtype = DType.F32 if any(map(is_fractional, parts)) else _common([natural_type(p) for p in parts])
            fixed = [self.fix(part, dtype) for part in parts] if dtype is not None else []
            parts = tuple(part for part in fixed if part is not None)
        if dtype is None or len(parts) != len(pair):
            return None
        if dtype is DType.BOOL and op not in ("==", "!="):
            self._report.error("T06", *_placed(wording.operator(op, parts[0], node), node))
            return None
        return (parts[0], parts[1]), dtype

    def _cast(self, node: Cast) -> Expr | None:
        part = self.expression(node.operand)
        if node.to is DType.BOOL:
            if part is not None:
                self._report.error("T07", *_placed(wording.cast_to_bool(node), node))
            return None
        if part is not None and part.dtype is None:
            part = self.fix(part, node.to) if node.to.is_float else self._natural(part)
        if part is None:
            return None
        return Cast(node.to, part, node.saturate, span=node.span, dtype=node.to)

    def _call(self, node: Call) -> Expr | None:
        takes = arity(node.function)
        count = len(node.args)
        if takes is None or count < takes[0] or (takes[1] is not None and count > takes[1]):
            self._report.error("C15", wording.arity(node.function, takes, count), node.span)
            return None
        parts = self._parts(node.args)
        if parts is None:
            return None
        if node.function in REINTERPRET:
            return self._reinterpret(node, parts[0])
        if node.function == "popcount":
            return self._popcount(node, parts[0])
        met = self._meet(parts, node)
        if met is None:
            return None
        args, dtype = met
        floats_only = node.function not in COMMON and node.function != "abs"
        if dtype is DType.BOOL or (floats_only and dtype is not None and not dtype.is_float):
            self._report.error("T06", *_placed(wording.function(node.function, args, dtype), node))
            return None
        if node.function == "abs":
            dtype = computes_in(dtype)
        if dtype is not None:
            args = tuple(widen(arg, dtype) for arg in args)
        return Call(node.function, args, span=node.span, dtype=dtype)

    def _reinterpret(self, node: Call, part: Expr) -> Expr | None:
        part = self._natural(part) or part
        if part.dtype not in (DType.I32, DType.U32, DType.F32):
            self._report.error(
                "T06", f"{node.function} is for 32 bits, found {wording.kind(part)}", node.span
            )
            return None
        return Call(node.function, (part,), span=node.span, dtype=REINTERPRET[node.function])

    def _popcount(self, node: Call, part: Expr) -> Expr | None:
        part = self._natural(part) or part
        if part.dtype is None or not part.dtype.is_int:
            self._report.error("T06", f"popcount is for integers, found {wording.kind(part)}", node.span)
            return None
        return Call("popcount", (part,), span=node.span, dtype=DType.I32)

    # Meeting in a type

    def _truth(self, node: Expr) -> Expr | None:
        if node.dtype is DType.BOOL:
            return node
        self._report.error("T04", *_placed(wording.no_condition(node), node))
        return None

    def _natural(self, node: Expr) -> Expr | None:
        return node if node.dtype is not None else self.fix(node, natural_type(node))

    def _meet(self, parts: Sequence[Expr], node: Expr) -> Met | None:
        """Bring operands to their common type, flexible ones last."""
        common: DType | None = None
        first: Expr | None = None
        for part in parts:
            if part.dtype is None:
                continue
            if common is None or first is None:
                common, first = part.dtype, part
                continue
            wide = widened(common, part.dtype)
            if wide is None:
                self._report.error("T03", *_placed(wording.mixed(first, part), node))
                return None
            common = wide
        if common is None:
            return tuple(parts), None
        fixed = [self.fix(part, common) if part.dtype is None else part for part in parts]
        typed = [part for part in fixed if part is not None]
        if len(typed) < len(parts):
            return None
        common = _common([common, *(part.dtype for part in typed if part.dtype is not None)]) or common
        return tuple(widen(part, common) for part in typed), common

    def fix(self, node: Expr, wanted: DType) -> Expr | None:
        """Give a flexible expression a type.

        Args:
            node: A flexible expression.
            wanted: The type from outside.

        Returns:
            The typed tree, in `wanted` or, where that is too narrow, in `i32`; None after it reported why.
        """
        if wanted is DType.BOOL:
            self._report.error("T03", *_placed(wording.number_with_bool(node), node))
            return None
        if not wanted.is_float and is_fractional(node):
            self._report.error("T02", *_placed(wording.float_beside(node, wanted), node))
            return None
        return self._push(node, wanted)

    def _push(self, node: Expr, wanted: DType) -> Expr | None:
        if node.dtype is not None:
            return node
        if isinstance(node, Literal):
            literal = typed_literal(node.value, wanted, node.span)
            if literal is None:
                self._report.error("T02", *_placed(wording.too_large(node, wanted), node))
            return literal
        return self._push_operation(node, wanted)

    def _push_operation(self, node: Expr, wanted: DType) -> Expr | None:
        inner = wanted
        match node:
            case Binary(op=op) if wanted.is_float and op in INTEGER_OPS:
                found = Literal(0.0, dtype=wanted)
                self._report.error("T06", *_placed(wording.operator(op, found, node), node))
                return None
            case Binary(op=op) if op not in BITWISE:
                inner = computes_in(wanted) or wanted
            case Unary(op="-") | Power() | Call(function="abs"):
                inner = computes_in(wanted) or wanted
            case _:
                pass
        parts = children(node)
        pushed = [self._push(part, inner) for part in parts]
        known = [part for part in pushed if part is not None]
        if len(known) < len(parts):
            return None
        numbers = known[1:] if isinstance(node, Select) else known
        common = _common([inner, *(part.dtype for part in numbers if part.dtype is not None)]) or inner
        wide = [
            part if isinstance(node, Select) and k == 0 else widen(part, common)
            for k, part in enumerate(known)
        ]
        return replace(with_children(node, tuple(wide)), dtype=common)


def _common(types: Sequence[DType]) -> DType | None:
    common: DType | None = types[0]
    for dtype in types[1:]:
        common = common and widened(common, dtype)
    return common


def _placed(words: tuple[str, str | None], node: Expr) -> tuple[str, Span, str | None]:
    return words[0], node.span, words[1]
