"""How operands meet in a type: lossless widening, literals after what stands beside them."""

from collections.abc import Sequence
from dataclasses import replace

from edgekernelbench.ir.dtype import DType, widened
from edgekernelbench.ir.expr import Binary, Call, Cast, Expr, Literal, Power, Select, Unary
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.verify import wording
from edgekernelbench.verify.literals import INTEGER_OPS, is_fractional, natural_type, typed_literal
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


def common_type(types: Sequence[DType]) -> DType | None:
    """Find the type that all meet in without loss; None when there is none."""
    common: DType | None = types[0]
    for dtype in types[1:]:
        common = common and widened(common, dtype)
    return common


class Meeter:
    """Brings operands to their common type, or reports why there is none."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def natural(self, node: Expr) -> Expr | None:
        """Give an expression that nothing else gives a type its own."""
        return node if node.dtype is not None else self.fix(node, natural_type(node))

    def meet(self, parts: Sequence[Expr], node: Expr) -> Met | None:
        """Bring operands to their common type, flexible ones last."""
        common = parts[0].dtype
        if common is not None and all(part.dtype is common for part in parts):
            return tuple(parts), common
        common, first = None, None
        for part in parts:
            if part.dtype is None:
                continue
            if common is None or first is None:
                common, first = part.dtype, part
                continue
            wide = widened(common, part.dtype)
            if wide is None:
                self._report.refuse("T03", wording.mixed(first, part, node), node.span)
                return None
            common = wide
        if common is None or first is None:
            return tuple(parts), None
        if not self._numbers_fit(parts, common, first, node):
            return None
        fixed = [self.fix(part, common) if part.dtype is None else part for part in parts]
        typed = [part for part in fixed if part is not None]
        if len(typed) < len(parts):
            return None
        common = common_type([common, *(part.dtype for part in typed if part.dtype is not None)]) or common
        return tuple(widen(part, common) for part in typed), common

    def fix(self, node: Expr, wanted: DType) -> Expr | None:
        """Give a flexible expression a type.

        Args:
            node: A flexible expression; whole where `wanted` is.
            wanted: The type from outside; a number.

        Returns:
            The typed tree, in `wanted` or, where that is too narrow, in `i32`; None after it reported why.
        """
        return self._push(node, wanted)

    def _numbers_fit(self, parts: Sequence[Expr], common: DType, first: Expr, node: Expr) -> bool:
        """Whether the flexible parts are of the kind of number that stands beside them."""
        for part in parts:
            if part.dtype is not None:
                continue
            if common is DType.BOOL:
                self._report.refuse("T03", wording.number_with_bool(part, first), node.span)
                return False
            if not common.is_float and is_fractional(part):
                self._report.refuse("T02", wording.float_beside(part, common, first, node), part.span)
                return False
        return True

    def _push(self, node: Expr, wanted: DType) -> Expr | None:
        if node.dtype is not None:
            return node
        if isinstance(node, Literal):
            literal = typed_literal(node.value, wanted, node.span)
            if literal is None:
                self._report.refuse("T02", wording.too_large(node, wanted), node.span)
            return literal
        return self._push_operation(node, wanted)

    def _push_operation(self, node: Expr, wanted: DType) -> Expr | None:
        inner = wanted
        match node:
            case Binary(op=op) if wanted.is_float and op in INTEGER_OPS:
                found = Literal(0.0, dtype=wanted)
                self._report.refuse("T06", wording.operator(op, found, node), node.span)
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
        common = common_type([inner, *(part.dtype for part in numbers if part.dtype is not None)]) or inner
        wide = [
            part if isinstance(node, Select) and k == 0 else widen(part, common)
            for k, part in enumerate(known)
        ]
        return replace(with_children(node, tuple(wide)), dtype=common)
