"""Types in signatures and stages."""

import ast

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context
from edgekernelbench.lang.numbers import constant, size
from edgekernelbench.lang.scope import Declared
from edgekernelbench.lang.spellings import DTYPE_SPELLINGS
from edgekernelbench.lang.words import CONSTANT, DTYPES

FORM = "a type is an element type, with one size an axis: f32[M, N]"


def split_type(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Take a type apart without evaluating it.

    Args:
        node: Such as `f32[M, N]`.

    Returns:
        What stands for the element type, and the sizes.
    """
    if isinstance(node, ast.Subscript):
        sizes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return node.value, sizes
    return node, []


def declared(node: ast.expr, *, const: bool = False) -> Declared:
    """Note what a type says of the tensor that has it, without evaluating it."""
    base, sizes = split_type(node)
    if isinstance(base, ast.Name):
        return Declared(len(sizes), tuple(sizes), base.id, const)
    return Declared(None, const=const)


def read_type(node: ast.expr, ctx: Context) -> tuple[DType, tuple[int, ...]]:
    """Read a type [P04, C03].

    Args:
        node: Such as `f32[M, N]`.
        ctx: Constants and diagnostics.

    Returns:
        Element type and sizes; stand-ins for what was refused or is free.
    """
    base, sizes = split_type(node)
    if isinstance(base, ast.Name) and base.id == "const":
        if sizes:
            ctx.fix("P04", "const stands at parameters, once", node, ctx.text(sizes[0]))
        else:
            ctx.fix("P04", "const takes a type in square brackets", node, "const[f32[N]]")
        return DType.F32, ()
    if isinstance(base, ast.Subscript | ast.Call | ast.Constant) or (
        isinstance(base, ast.Attribute) and not sizes
    ):
        hint = _respelt(node, ctx)
        ctx.fix("P04", f"{FORM}, found {ctx.quote(node)}", node, hint)
        return DType.F32, ()
    return read_dtype(base, ctx), tuple(size(part, ctx) or 1 for part in sizes)


def _respelt(node: ast.expr, ctx: Context) -> str | None:
    """Write a type as it should be, where that can be told from how it is written."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Subscript(value=ast.Subscript() as inner, slice=index):
            first = _respelt(inner, ctx) or ctx.text(inner)
            return f"{first[:-1]}, {ctx.text(index)}]" if first.endswith("]") else None
        case ast.Call(func=func, args=args):
            base, sizes = _dtype_word(func), ", ".join(ctx.text(arg) for arg in args)
            return f"{base}[{sizes}]" if base and sizes else None
        case ast.Attribute():
            return _dtype_word(node)
        case _:
            return None


def _dtype_word(node: ast.expr) -> str | None:
    """Give the element type that a name from elsewhere stands for."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    lower = name.lower()
    return lower if lower in DTYPES else DTYPE_SPELLINGS.get(lower)


def read_dtype(node: ast.expr, ctx: Context) -> DType:
    """Read an element type [P04].

    Args:
        node: The name.
        ctx: Constants and diagnostics.

    Returns:
        The element type; a stand-in where it was refused or is free.
    """
    if isinstance(node, ast.Name):
        if node.id in DTYPES:
            return DTYPES[node.id]
        if CONSTANT.match(node.id) is not None and _dtype_word(node) is None:
            value = constant(node.id, node, ctx)
            if not isinstance(value, int | float):
                return value or DType.F32
            ctx.report("P04", f"{node.id} is a number, not an element type", node)
            return DType.F32
    word = _dtype_word(node) or ctx.nearest(ctx.text(node), DTYPES)
    message = f"expected an element type, found {ctx.quote(node)}: there are {' '.join(DTYPES)}"
    ctx.fix("P04", message, node, word)
    return DTYPES[word] if word else DType.F32
