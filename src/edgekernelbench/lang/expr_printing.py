"""The canonical text of expressions: Python's precedence, no needless brackets."""

import math
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
    Over,
    Power,
    Read,
    Reduction,
    Select,
    Unary,
)

_SELECT, _OR, _AND, _NOT, _COMPARE, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5, 12, 13, 14
_BINARY = {"|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11}


def print_expr(node: Expr) -> str:
    """Print an expression; what the type checker inserted is left out.

    Args:
        node: The expression.

    Returns:
        One line that reads back as the same tree.
    """
    return _print(node, _SELECT)


def print_number(value: float) -> str:
    """Print a number so that it reads back as the same number."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def print_reduction(node: Reduction) -> str:
    """Print a reduction on one line."""
    return f"{node.kind}({print_expr(node.element)} {' '.join(_over(over) for over in node.over)})"


def _over(over: Over) -> str:
    bounds = f"{over.start}, {over.stop}" if over.start else f"{over.stop}"
    conditions = "".join(f" if {_print(condition, _OR)}" for condition in over.conditions)
    return f"for {over.axis} in range({bounds}){conditions}"


def _print(node: Expr, least: int) -> str:
    """Print a node, in brackets if it binds less tightly than its place asks."""
    if isinstance(node, Cast) and node.implicit:
        return _print(node.operand, least)
    level, text = _level_and_text(node)
    return text if level >= least else f"({text})"


def _list(parts: tuple[Expr, ...]) -> str:
    return ", ".join(_print(part, _SELECT) for part in parts)


def _level_and_text(node: Expr) -> tuple[int, str]:  # noqa: C901 - one case a kind of node
    match node:
        case Literal(value=value):
            text = print_number(value)
            return (_UNARY if text.startswith("-") else _ATOM), text
        case Axis(name=name) | Read(tensor=name, indices=()):
            return _ATOM, name
        case Read(tensor=name, indices=indices):
            return _ATOM, f"{name}[{_list(indices)}]"
        case Unary(op="not", operand=operand):
            return _NOT, f"not {_print(operand, _NOT)}"
        case Unary(op=op, operand=operand):
            return _UNARY, f"{op}{_print(operand, _UNARY)}"
        case Binary(op=op, left=left, right=right):
            level = _BINARY[op]
            return level, f"{_print(left, level)} {op} {_print(right, level + 1)}"
        case Power(base=base, exponent=exponent):
            return _POWER, f"{_print(base, _ATOM)} ** {exponent}"
        case Compare(ops=ops, operands=operands):
            first, *rest = (_print(operand, _COMPARE + 1) for operand in operands)
            return _COMPARE, " ".join([first, *(f"{op} {text}" for op, text in zip(ops, rest, strict=True))])
        case Logic(op=op, operands=operands):
            level = _AND if op == "and" else _OR
            return level, f" {op} ".join(_print(operand, level + 1) for operand in operands)
        case Select(condition=condition, then=then, other=other):
            text = f"{_print(then, _OR)} if {_print(condition, _OR)} else {_print(other, _SELECT)}"
            return _SELECT, text
        case Call(function=function, args=args):
            return _ATOM, f"{function}({_list(args)})"
        case Cast(to=to, operand=operand, saturate=saturate):
            return _ATOM, f"{'sat_' if saturate else ''}{to}({_print(operand, _SELECT)})"
        case _:
            assert_never(node)
