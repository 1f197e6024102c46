"""Layout strings, such as `"k c -> k/16 c k%16"`."""

import ast
import re

from edgekernelbench.ir.memory import LayoutSpec, Piece
from edgekernelbench.lang.context import Context
from edgekernelbench.lang.numbers import number

_PIECE = re.compile(r"([a-z_][a-z0-9_]*)(?:/(\w+))?(?:%(\w+))?\Z")


def read_layout(node: ast.expr, ctx: Context) -> LayoutSpec | None:
    """Read a layout string [M02].

    Args:
        node: The argument.
        ctx: Constants and diagnostics.

    Returns:
        The layout, or None.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        ctx.report("M02", "a layout is a string", node)
        return None
    left, arrow, right = node.value.partition("->")
    if not arrow:
        ctx.report("M02", "a layout has an arrow", node)
        return None
    pieces = [_piece(word, node, ctx) for word in right.split()]
    return LayoutSpec(tuple(left.split()), tuple(piece for piece in pieces if piece is not None))


def _piece(word: str, node: ast.Constant, ctx: Context) -> Piece | None:
    match = _PIECE.match(word)
    if match is None:
        ctx.report("M02", f"{word} is no piece of a layout", node)
        return None
    axis, div, mod = match.groups()
    return Piece(axis, 1 if div is None else _factor(div, node, ctx), None if mod is None else _factor(mod, node, ctx))


def _factor(word: str, node: ast.Constant, ctx: Context) -> int:
    if word.isdigit():
        return int(word)
    value = number(ast.copy_location(ast.Name(word, ast.Load()), node), ctx)
    return value if isinstance(value, int) else 1
