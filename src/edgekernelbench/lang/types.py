"""Types in signatures and stages."""

import ast

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context
from edgekernelbench.lang.numbers import constant, size
from edgekernelbench.lang.scope import Declared
from edgekernelbench.lang.words import CONSTANT, DTYPES


def split_type(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Take a type apart without evaluating it: the element type and the sizes."""
    if isinstance(node, ast.Subscript):
        sizes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return node.value, sizes
    return node, []


def declared(node: ast.expr, *, const: bool = False) -> Declared:
    """Give what a type says of the tensor that has it."""
    base, sizes = split_type(node)
    if isinstance(base, ast.Name):
        return Declared(len(sizes), tuple(sizes), base.id, const)
    return Declared(None)


def read_type(node: ast.expr, ctx: Context) -> tuple[DType, tuple[int, ...]]:
    """Read a type [P04, C03].

    Args:
        node: Such as `f32[M, N]`.
        ctx: Constants and diagnostics.

    Returns:
        Element type and sizes; stand-ins for what was refused or is free.
    """
    base, sizes = split_type(node)
    shape = tuple(size(part, ctx) or 1 for part in sizes)
    return read_dtype(base, ctx), shape


def read_dtype(node: ast.expr, ctx: Context) -> DType:
    """Read an element type [P04]."""
    if isinstance(node, ast.Name):
        if node.id in DTYPES:
            return DTYPES[node.id]
        if CONSTANT.match(node.id) is not None:
            value = constant(node.id, node, ctx)
            if value is None:
                return DType.F32
            if isinstance(value, DType):
                return value
            ctx.report("P04", f"{node.id} is a number, not an element type", node)
            return DType.F32
    ctx.report("P04", f"expected an element type, found {ctx.quote(node)}", node)
    return DType.F32
