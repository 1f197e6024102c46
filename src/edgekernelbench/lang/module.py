"""The one function of a text, and what stands beside it."""

import ast

from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span
from edgekernelbench.lang.constants import ConstantLine
from edgekernelbench.lang.context import Context, Enough

FORM = "a text is one function definition"


def find_function(module: ast.Module, ctx: Context) -> tuple[ast.FunctionDef, list[ConstantLine]]:
    """Find the function of a text [P02].

    Args:
        module: The text as Python sees it.
        ctx: Where is noted what else stands there.

    Returns:
        The function, and constants that stand beside it by mistake.

    Raises:
        SourceError: When there is no function.
    """
    try:
        found, constants = _sort(module, ctx)
    except Enough:
        raise SourceError(ctx.ordered(), ctx.source) from None
    if found is None:
        ctx.report("P02", f"{FORM}, there is none", Span(1, 1, 1, 2), "def name(x: f32[N]):")
        raise SourceError(ctx.ordered(), ctx.source)
    return found, constants


def _sort(module: ast.Module, ctx: Context) -> tuple[ast.FunctionDef | None, list[ConstantLine]]:
    found: ast.FunctionDef | None = None
    constants: list[ConstantLine] = []
    for statement in module.body:
        match statement:
            case ast.FunctionDef() if found is None:
                found = statement
            case ast.FunctionDef():
                ctx.report("P02", f"{FORM}, this is another one", statement)
            case ast.Import() | ast.ImportFrom():
                ctx.report("P02", f"{FORM}: nothing is imported", statement, "leave the line out")
            case ast.Assign() | ast.AnnAssign():
                ctx.report("P02", 'constants stand inside the function, above "with compute:"', statement)
                constants.append(statement)
            case ast.With():
                message = "blocks stand inside the function, indented by four spaces"
                ctx.report("P02", message, statement.items[0].context_expr)
            case _:
                ctx.report("P02", f"{FORM}, found {ctx.quote(statement)}", statement)
    return found, constants
