"""Layout strings, such as `"k c -> k/16 c k%16"`."""

import ast
import re
from dataclasses import dataclass

from edgekernelbench.ir.memory import LayoutSpec, Piece
from edgekernelbench.lang.context import Context, Number
from edgekernelbench.lang.numbers import MAX_SIZE, constant
from edgekernelbench.lang.words import CONSTANT, NAME

FORM = '"a b -> b/4 a b%4": axes as they are, an arrow, axes whole or in pieces as they are stored'

_PIECE = re.compile(r"([a-z_][a-z0-9_]*)(?:/([A-Za-z0-9_]+))?(?:%([A-Za-z0-9_]+))?\Z")
_MAX_WORDS = 32


def read_layout(node: ast.expr, ctx: Context) -> LayoutSpec | None:
    """Read a layout string [M02].

    Args:
        node: The argument.
        ctx: Constants and diagnostics.

    Returns:
        The layout, or None.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        ctx.report("M02", f"a layout is a string, {FORM}", node)
        return None
    text: str = node.value
    left, arrow, right = text.partition("->")
    axes, words = left.split(), right.split()
    if not arrow or not axes or not words or len(axes) > _MAX_WORDS or len(words) > _MAX_WORDS:
        ctx.report("M02", f"a layout is {FORM}", node)
        return None
    if any(sign in text for sign in "(),"):
        ctx.report("M02", f"a layout has neither brackets nor commas: {FORM}", node, _unpacked(text))
        return None
    for axis in axes:
        if NAME.match(axis) is None or axes.count(axis) > 1:
            ctx.report("M02", f"the left side names each axis once, found {axis}", node)
            return None
    pieces: list[_Written] = []
    for word in words:
        piece = _read_piece(word, axes, node, ctx)
        if piece is None:
            return None
        pieces.append(piece)
    if any(piece.div is None or piece.mod is None for piece in pieces):
        return None  # a factor that is free, or was refused
    if not _covers(axes, pieces, node, ctx):
        return None
    return LayoutSpec(tuple(axes), tuple(piece.piece() for piece in pieces))


@dataclass(frozen=True, slots=True)
class _Written:
    """A piece with its text; 0 stands for no modulus, None for a factor without a value."""

    axis: str
    div: int | None
    mod: int | None
    text: str

    def piece(self) -> Piece:
        return Piece(self.axis, self.div or 1, self.mod or None)


def _read_piece(word: str, axes: list[str], node: ast.Constant, ctx: Context) -> _Written | None:
    match = _PIECE.match(word)
    if match is None:
        ctx.report("M02", f"{word[:40]} is no piece of an axis: a, a/8, a%8 and a/8%4 are", node)
        return None
    axis, div, mod = match.groups()
    if axis not in axes:
        ctx.report("M02", f"{axis} does not stand on the left side", node)
        return None
    divisor = 1 if div is None else _factor(div, word, node, ctx)
    modulus = 0 if mod is None else _factor(mod, word, node, ctx)
    return _Written(axis, divisor, modulus, word)


def _factor(word: str, piece: str, node: ast.Constant, ctx: Context) -> int | None:
    value: Number | None = None
    if word.isdigit() and len(word) < 20:
        value = int(word)
    elif CONSTANT.match(word):
        found = constant(word, node, ctx)
        if found is None:
            return None
        value = found if isinstance(found, int | float) else None
    if not isinstance(value, int) or not 1 <= value <= MAX_SIZE:
        ctx.report("M02", f"{piece[:40]}: the factors of a piece are whole numbers of at least 1", node)
        return None
    return value


def _covers(axes: list[str], pieces: list[_Written], node: ast.Constant, ctx: Context) -> bool:
    """Check that the pieces of each axis cover it once."""
    for axis in axes:
        own = sorted((piece for piece in pieces if piece.axis == axis), key=lambda piece: piece.div or 1)
        texts = [piece.text for piece in pieces if piece.axis == axis]
        missing = _missing(axis, own)
        if missing is None:
            continue
        there = (
            f"{' and '.join(texts)} {'are' if len(texts) > 1 else 'is'} there"
            if texts
            else "it is not stored"
        )
        reason = f"{there}, {missing} is missing" if missing else f"{there}, they overlap"
        layout, hint = str(node.value), None
        if missing:
            hint = f'"{layout} {missing}"' if "%" in missing or not texts else f'"{_before(layout, missing)}"'
        ctx.report("M02", f"{axis} is not covered once: {reason}", node, hint)
        return False
    return True


def _missing(axis: str, own: list[_Written]) -> str | None:
    """Give the piece that an axis lacks; empty when pieces overlap, None when all is well."""
    if not own:
        return axis
    step = 1
    for number, piece in enumerate(own):
        div, mod = piece.div or 1, piece.mod or 0
        if div > step and div % step == 0:
            return f"{axis}%{div}" if step == 1 else f"{axis}/{step}%{div // step}"
        if div != step or (not mod and number < len(own) - 1):
            return ""
        if not mod:
            return None
        step = div * mod
    return f"{axis}/{step}"


def _before(text: str, piece: str) -> str:
    """Put a piece at the place of its axis on the right side: outermost."""
    left, _, right = text.partition("->")
    return f"{left.rstrip()} -> {piece} {right.strip()}"


def _unpacked(text: str) -> str | None:
    """Write `n (k 16) -> …` and `n, k -> …` without brackets and commas, if that is all."""
    if "(" in text or ")" in text:
        return None
    return f'"{" ".join(text.replace(",", " ").split())}"'
