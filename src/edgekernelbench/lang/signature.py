"""The `def` line: parameters, their types and ranges."""

import ast

from edgekernelbench.ir.compute import Param
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.numbers import number
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.types import declared, read_type


def read_params(function: ast.FunctionDef, scope: Scope, ctx: Context) -> tuple[Param, ...]:
    """Read the parameters.

    Args:
        function: The text's function.
        scope: The parameters are added to its tensors.
        ctx: Constants and diagnostics.

    Returns:
        The parameters, in order.
    """
    return tuple(param for arg in function.args.args if (param := _param(arg, scope, ctx)) is not None)


def _param(arg: ast.arg, scope: Scope, ctx: Context) -> Param | None:
    annotation, bounds = arg.annotation, None
    if isinstance(annotation, ast.Compare) and isinstance(annotation.ops[0], ast.In):
        bounds = _bounds(annotation.comparators[0], ctx)
        annotation = annotation.left
    if annotation is None:
        ctx.report("P04", f"{arg.arg} has no type", arg)
        return None
    const = isinstance(annotation, ast.Subscript) and (
        isinstance(annotation.value, ast.Name) and annotation.value.id == "const"
    )
    if const:
        assert isinstance(annotation, ast.Subscript)
        annotation = annotation.slice
    scope.tensors[arg.arg] = declared(annotation, const=const)
    dtype, shape = read_type(annotation, ctx)
    return Param(arg.arg, dtype, shape, const, bounds, span(arg))


def _bounds(node: ast.expr, ctx: Context) -> tuple[int, int] | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        found = [number(part, ctx) for part in node.args]
        match found:
            case [int() as stop]:
                return 0, stop
            case [int() as start, int() as stop]:
                return start, stop
            case _:
                return None
    ctx.report("C11", "a range is written in range(n)", node)
    return None
