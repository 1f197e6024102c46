"""What is said of statements of a compute block that define no stage [C04]."""

import ast

from edgekernelbench.lang.context import Context
from edgekernelbench.lang.guesses import dtype_of, size_of
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.words import CONSTANT, MEMORY_WORDS, SCHEDULE_WORDS

FORM = "a stage is defined once, by name[axes]: type[shape] = value"

Loops = tuple[tuple[str, str], ...]
"""The `for`s round a statement, outermost first: name, and text of the size."""


def refuse_statement(  # noqa: C901 - one case a kind of statement
    node: ast.stmt, loops: Loops, scope: Scope, ctx: Context
) -> None:
    """Say why a statement is no part of compute, and how it is said instead.

    Args:
        node: The statement.
        loops: The `for`s round it.
        scope: What names stand for.
        ctx: Where it is noted.
    """
    message, hint = f"{FORM}; this is something else", None
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            sign = ctx.slice_between(target, value).strip()
            message = f"{FORM}; {sign} is not in the language"
            hint = _accumulated(target, op, value, loops, scope, ctx)
        case ast.AnnAssign(value=None):
            message, hint = f"{FORM}; the value is missing", f"{ctx.text(node)} = 0"
        case ast.AnnAssign():
            message = f"{FORM}; the left side is a name, with the names of its axes"
        case ast.Assign(targets=[ast.Tuple()]):
            message = f"{FORM}; several names are several stages, in one for where they need each other"
        case ast.Assign(targets=[ast.Name(id=name)]) if CONSTANT.match(name):
            ctx.report("P06", 'constants stand above "with compute:"', node)
            ctx.constants.setdefault(name, None)
            return
        case ast.Assign(targets=[target]):
            message, hint = f"{FORM}; the type is missing", _typed(target, node.value, loops, scope, ctx)
        case ast.If():
            message, hint = f"{FORM}; if is an expression here", "value if condition else other"
        case ast.While():
            message = f"{FORM}; while is not in the language: for t in range(T): has constant bounds"
        case ast.With():
            ctx.report("P05", "blocks do not nest: schedule and memory stand beside compute", node)
            return
        case ast.Expr(value=ast.Call(func=ast.Name(id=word))) if word in (*SCHEDULE_WORDS, *MEMORY_WORDS):
            layer = "schedule" if word in SCHEDULE_WORDS else "memory"
            ctx.report("P05", f"{word} is a directive: it stands in a {layer} block", node)
            return
        case ast.Expr(value=ast.Constant(value=str())):
            message, hint = "a comment starts with #, a docstring stands below the def line", None
        case ast.FunctionDef():
            message = f"{FORM}; functions cannot be defined: an expression can be a stage of its own"
        case ast.Pass() | ast.Break() | ast.Continue():
            message, hint = f"{FORM}; {ctx.text(node)} is not in the language", "leave the line out"
        case _:
            pass
    ctx.report("C04", message, node, hint)


def _left(
    target: ast.expr, value: ast.expr, loops: Loops, scope: Scope, ctx: Context
) -> tuple[str, set[str]] | None:
    """Write `name[axes]: type[sizes]` for an untyped left side; None when it cannot be."""
    match target:
        case ast.Name(id=name):
            axes: list[ast.expr] = []
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            axes = index.elts if isinstance(index, ast.Tuple) else [index]
        case _:
            return None
    names = [axis.id for axis in axes if isinstance(axis, ast.Name)]
    if len(names) < len(axes):
        return None
    known = scope.tensors.get(name)
    if known is not None and known.dtype and known.rank == len(axes):
        sizes: list[str | None] = [ctx.text(size) for size in known.sizes]
        dtype = known.dtype
    else:
        ranges = dict(loops)
        sizes = [ranges.get(axis) or size_of(axis, value, scope, ctx) for axis in names]
        dtype = dtype_of(value, scope)
    if any(size is None for size in sizes):
        return None
    shape = f"[{', '.join(size for size in sizes if size)}]" if sizes else ""
    left = f"{name}[{', '.join(names)}]" if names else name
    return f"{left}: {dtype}{shape}", set(names)


def _typed(target: ast.expr, value: ast.expr, loops: Loops, scope: Scope, ctx: Context) -> str | None:
    left = _left(target, value, loops, scope, ctx)
    return None if left is None else f"{left[0]} = {ctx.text(value)}"


def _accumulated(
    target: ast.expr, op: ast.operator, value: ast.expr, loops: Loops, scope: Scope, ctx: Context
) -> str | None:
    """Write `acc[i, j] += e` in a loop over `k` as a reduction."""
    left = _left(target, value, loops, scope, ctx)
    kind = {ast.Add: "sum", ast.Sub: "sum", ast.Mult: "prod", ast.BitOr: "any", ast.BitAnd: "all"}.get(
        type(op)
    )
    if left is None or kind is None:
        return None
    summed = [(axis, size) for axis, size in loops if axis not in left[1]]
    if not summed:
        return None
    over = " ".join(f"for {axis} in range({size})" for axis, size in summed)
    element = ctx.text(value)
    if isinstance(op, ast.Sub):
        element = f"-({element})"
    return f"{left[0]} = {kind}({element} {over})"
