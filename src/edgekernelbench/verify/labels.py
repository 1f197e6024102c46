"""Small numbers for structures, so that what is built of them stays small too."""

from collections.abc import Hashable
from typing import assert_never

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
from edgekernelbench.ir.walk import children


class Labels:
    """Numbers structures in the order in which they come; equal ones get the same number."""

    def __init__(self) -> None:
        self._structures: dict[Hashable, int] = {}
        self._expressions: dict[int, tuple[int, Expr]] = {}  # with what the key is the identity of

    def of_structure(self, *structure: Hashable) -> int:
        """Number a structure, such as an operator and the numbers of its operands."""
        return self._structures.setdefault(structure, len(self._structures))

    def of_expression(self, node: Expr) -> int:
        """Number an expression by its structure."""
        found = self._expressions.get(id(node))
        if found is None:
            parts = (self.of_expression(part) for part in children(node))
            number = self.of_structure(type(node).__name__, *_marks(node), *parts)
            found = self._expressions[id(node)] = (number, node)
        return found[0]


def _marks(node: Expr) -> tuple[Hashable, ...]:
    """Give what an expression has besides its parts."""
    match node:
        case Literal(value=mark) | Axis(name=mark) | Read(tensor=mark):
            return (mark,)
        case Power(exponent=mark) | Call(function=mark):
            return (mark,)
        case Unary(op=op) | Binary(op=op) | Logic(op=op):
            return (op,)
        case Compare(ops=ops):
            return ops
        case Cast(to=to, saturate=saturate):
            return to, saturate
        case Select():
            return ()
        case _:
            assert_never(node)
