"""The `def` line: parameters, their types and ranges."""

import ast

from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Param
from edgekernelbench.lang.context import MAX_NAME_CHARS, Context, span
from edgekernelbench.lang.naming import check_name
from edgekernelbench.lang.numbers import number
from edgekernelbench.lang.scope import Declared, Scope
from edgekernelbench.lang.types import declared, read_type

MAX_PARAMS = 256
MAX_AXES = 16


def read_params(function: ast.FunctionDef, scope: Scope, ctx: Context) -> tuple[Param, ...]:
    """Read the parameters [P02, P03, P04, C05].

    Args:
        function: The text's function.
        scope: The parameters are added to its tensors.
        ctx: Constants and diagnostics.

    Returns:
        The parameters, in order.
    """
    _refuse_extras(function, ctx)
    args = function.args
    listed = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    if len(listed) > MAX_PARAMS:
        ctx.report("P03", f"{len(listed)} parameters, a kernel has at most {MAX_PARAMS}", listed[0])
        return ()
    return tuple(param for arg in listed if (param := _param(arg, scope, ctx)) is not None)


def _refuse_extras(function: ast.FunctionDef, ctx: Context) -> None:
    """Refuse what a Python function can have and a kernel cannot [P02, P03]."""
    if len(function.name) > MAX_NAME_CHARS:
        place = Span(function.lineno, 1, function.lineno, 1 + len("def"))
        ctx.report("P03", f"the name of a kernel has at most {MAX_NAME_CHARS} characters", place)
    for decorator in function.decorator_list:
        ctx.report("P02", "a kernel has no decorators", decorator, "leave the line out")
    args = function.args
    if function.returns is not None:
        message = "a kernel has no return annotation: outputs have their types in compute"
        ctx.report("P02", message, function.returns, "leave it out")
    for default in [*args.defaults, *(value for value in args.kw_defaults if value is not None)]:
        ctx.report("P02", "parameters have no defaults: numbers are constants", default)
    for starred in (args.vararg, args.kwarg):
        if starred is not None:
            ctx.report("P02", "there are no star parameters", starred)
    if args.posonlyargs or (args.kwonlyargs and args.vararg is None):
        ctx.report(
            "P02", "parameters stand without * and / between them", [*args.kwonlyargs, *args.posonlyargs][0]
        )


def _param(arg: ast.arg, scope: Scope, ctx: Context) -> Param | None:
    place = Span(arg.lineno, arg.col_offset + 1, arg.lineno, arg.col_offset + 1 + len(arg.arg))
    name, annotation = arg.arg, arg.annotation
    if name in scope.tensors:
        message = f"two parameters are named {name}"
        ctx.report("C05", message, place, f"{name}2")
    else:
        check_name(name, arg, "parameter", ctx)
    if annotation is None:
        ctx.report("P04", f"the parameter {name} has no type", arg, f"{name}: f32[N]")
        scope.tensors.setdefault(name, Declared(None))
        return None
    ranged: ast.expr | None = None
    if isinstance(annotation, ast.Compare):
        if len(annotation.ops) == 1 and isinstance(annotation.ops[0], ast.In):
            ranged = annotation.comparators[0]
        else:
            message = "a range is declared in range(n) or in range(a, b)"
            ctx.report("P04", message, annotation, f"{name}: {ctx.text(annotation.left)} in range(N)")
        annotation = annotation.left
    annotation, const = _const(annotation, ctx)
    scope.tensors.setdefault(name, declared(annotation, const=const))
    before = len(ctx.diagnostics)
    dtype, shape = read_type(annotation, ctx)
    if len(shape) > MAX_AXES:
        ctx.report("P03", f"{name} has {len(shape)} axes, at most {MAX_AXES} are allowed", annotation)
    bounds = None if ranged is None else _bounds(ranged, ctx)
    if ranged is not None and not dtype.is_int and before == len(ctx.diagnostics) and not ctx.free:
        ctx.report("P04", f"a range is for integers, {name} is {dtype}", ranged)
    return Param(name, dtype, shape, const, bounds, span(arg))


def _const(annotation: ast.expr, ctx: Context) -> tuple[ast.expr, bool]:
    """Take `const[…]` off a type."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="const"), slice=inner):
            return inner, True
        case ast.Call(func=ast.Name(id="const"), args=[inner]):
            ctx.fix("P04", "const takes square brackets", annotation, f"const[{ctx.text(inner)}]")
            return inner, True
        case _:
            return annotation, False


def _bounds(node: ast.expr, ctx: Context) -> tuple[int, int] | None:
    """Read the range of an index input [C11]."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
            bounds = [0, number(stop, ctx)]
        case ast.Call(func=ast.Name(id="range"), args=[start, stop], keywords=[]):
            bounds = [number(start, ctx), number(stop, ctx)]
        case _:
            ctx.report("C11", f"expected range(n) or range(a, b), found {ctx.quote(node)}", node)
            return None
    match bounds:
        case [int() as low, int() as high] if low < high:
            return low, high
        case [None, _] | [_, None]:
            return None
        case _:
            ctx.report("C11", "a range runs upwards over whole numbers, at least one", node)
            return None
