"""Types of expressions: every node gets one, every literal too, every silent widening becomes a cast.

`Typer.expression` gives the typed tree, or None after it reported why there is none. Between the two stand
*flexible* trees (see `literals`), whose type comes from outside.
"""

from collections.abc import Sequence
from typing import assert_never

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
from edgekernelbench.lang.words import FUNCTIONS
from edgekernelbench.verify import wording
from edgekernelbench.verify.functions import NUMBERS, REINTERPRET
from edgekernelbench.verify.literals import (
    INTEGER_OPS,
    fold_binary,
    fold_power,
    fold_unary,
    is_fractional,
    natural_type,
)
from edgekernelbench.verify.meeting import BITWISE, Meeter, common_type, computes_in, widen
from edgekernelbench.verify.names import Names
from edgekernelbench.verify.report import Report

LEAST_POWER, GREATEST_POWER = 2, 8


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
        self._meeter = Meeter(report)

    def value(self, node: Expr, dtype: DType, name: str) -> Expr | None:
        """Type an expression that becomes an element of the tensor `name`, of type `dtype`."""
        typed = self.expression(node)
        return None if typed is None else self.store(typed, dtype, name)

    def store(self, typed: Expr, dtype: DType, name: str) -> Expr | None:
        """Bring an expression to the type of the tensor it is stored in."""
        if typed.dtype is None:
            return self._store_number(typed, dtype, name)
        if typed.dtype is not dtype and widened(typed.dtype, dtype) is not dtype:
            self._report.refuse("T01", wording.declared(name, dtype, typed), typed.span)
            return None
        return widen(typed, dtype)

    def _store_number(self, node: Expr, dtype: DType, name: str) -> Expr | None:
        if dtype is DType.BOOL:
            self._report.refuse("T01", wording.declared(name, dtype, node), node.span)
            return None
        if dtype.is_int and is_fractional(node):
            self._report.refuse("T02", wording.float_in(name, node, dtype), node.span)
            return None
        fixed = self._meeter.fix(node, dtype)
        if fixed is None or fixed.dtype is None:
            return None
        if fixed.dtype is not dtype and widened(fixed.dtype, dtype) is not dtype:
            self._report.refuse("T02", wording.too_large_for(name, node, dtype), node.span)
            return None
        return widen(fixed, dtype)

    def condition(self, node: Expr) -> Expr | None:
        """Type an expression that must be `bool`."""
        typed = self.expression(node)
        return None if typed is None else self._truth(typed)

    def natural(self, node: Expr) -> Expr | None:
        """Give a flexible expression that nothing else gives a type its own."""
        return self._meeter.natural(node)

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
        tensor = self._names.tensors.get(node.tensor)
        sizes = () if tensor is None else tensor.shape
        indices = [self._index(node, place, sizes) for place in range(len(node.indices))]
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

    def _index(self, read: Read, place: int, sizes: tuple[int, ...]) -> Expr | None:
        typed = self.expression(read.indices[place])
        index = None if typed is None else self._meeter.natural(typed)
        if index is None or index.dtype is None:
            return None
        if not index.dtype.is_int:
            self._report.refuse("T05", wording.index_type(read, index, sizes[place : place + 1]), index.span)
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
        if not all(self._accepts(node.op, part, node) for part in parts):
            return None
        met = self._meeter.meet(parts, node)
        if met is None:
            return None
        (left, right), dtype = met
        if node.op not in BITWISE:
            dtype = computes_in(dtype)
        if dtype is not None:
            left, right = widen(left, dtype), widen(right, dtype)
        return Binary(node.op, left, right, span=node.span, dtype=dtype)

    def _accepts(self, op: str, part: Expr, node: Expr) -> bool:
        dtype = part.dtype
        if dtype is DType.BOOL and op not in BITWISE and op != "~":
            self._report.refuse("T04", wording.bool_as_number(part, op), part.span)
            return False
        fractional = is_fractional(part) if dtype is None else dtype.is_float
        if (
            dtype is DType.BOOL
            or (fractional and (op in INTEGER_OPS or op == "~"))
            or (op == "/" and dtype and not fractional)
        ):
            self._report.refuse("T06", wording.operator(op, part, node), node.span)
            return False
        return True

    def _power(self, node: Power) -> Expr | None:
        base = self.expression(node.base)
        if not LEAST_POWER <= node.exponent <= GREATEST_POWER:
            self._report.error("C15", "in e ** n, n is a literal from 2 to 8", node.span)
            return None
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
        met = parts and self._meeter.meet(parts, node)
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
        common = common_type([dtype for _, dtype in known])
        if common is not None:
            operands = [
                self._meeter.fix(part, common) if part.dtype is None else widen(part, common)
                for part in parts
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
        met = self._meeter.meet(pair, node)
        if met is None:
            return None
        parts, dtype = met
        if dtype is None:
            dtype = (
                DType.F32 if any(map(is_fractional, parts)) else common_type([natural_type(p) for p in parts])
            )
            fixed = [self._meeter.fix(part, dtype) for part in parts] if dtype is not None else []
            parts = tuple(part for part in fixed if part is not None)
        if dtype is None or len(parts) != len(pair):
            return None
        if dtype is DType.BOOL and op not in ("==", "!="):
            self._report.refuse("T06", wording.operator(op, parts[0], node), node.span)
            return None
        return (parts[0], parts[1]), dtype

    def _cast(self, node: Cast) -> Expr | None:
        part = self.expression(node.operand)
        if node.to is DType.BOOL:
            if part is not None:
                self._report.refuse("T07", wording.cast_to_bool(node), node.span)
            return None
        if part is not None and part.dtype is None:
            part = self._meeter.fix(part, node.to) if node.to.is_float else self._meeter.natural(part)
        if part is None:
            return None
        return Cast(node.to, part, node.saturate, span=node.span, dtype=node.to)

    def _call(self, node: Call) -> Expr | None:
        least, most = FUNCTIONS.get(node.function, (1, 0))
        count = len(node.args)
        if count < least or (most is not None and count > most):
            self._report.error("C15", wording.arity(node.function, (least, most), count), node.span)
            return None
        parts = self._parts(node.args)
        if parts is None:
            return None
        if node.function in REINTERPRET:
            return self._reinterpret(node, parts[0])
        if node.function == "popcount":
            return self._popcount(node, parts[0])
        flag = next((part for part in parts if part.dtype is DType.BOOL), None)
        if flag is not None:
            self._report.refuse("T04", wording.bool_as_number(flag, node.function), flag.span)
            return None
        met = self._meeter.meet(parts, node)
        if met is None:
            return None
        args, dtype = met
        if node.function not in NUMBERS and dtype is not None and not dtype.is_float:
            self._report.refuse("T06", wording.function(node, dtype), node.span)
            return None
        if node.function == "abs":
            dtype = computes_in(dtype)
        if dtype is not None:
            args = tuple(widen(arg, dtype) for arg in args)
        return Call(node.function, args, span=node.span, dtype=dtype)

    def _reinterpret(self, node: Call, part: Expr) -> Expr | None:
        part = self._meeter.natural(part) or part
        if part.dtype not in (DType.I32, DType.U32, DType.F32):
            self._report.error(
                "T06", f"{node.function} is for 32 bits, found {wording.kind(part)}", node.span
            )
            return None
        return Call(node.function, (part,), span=node.span, dtype=REINTERPRET[node.function])

    def _popcount(self, node: Call, part: Expr) -> Expr | None:
        part = self._meeter.natural(part) or part
        if part.dtype is None or not part.dtype.is_int:
            self._report.error("T06", f"popcount is for integers, found {wording.kind(part)}", node.span)
            return None
        return Call("popcount", (part,), span=node.span, dtype=DType.I32)

    # Meeting in a type

    def _truth(self, node: Expr) -> Expr | None:
        if node.dtype is DType.BOOL:
            return node
        self._report.refuse("T04", wording.no_condition(node), node.span)
        return None
