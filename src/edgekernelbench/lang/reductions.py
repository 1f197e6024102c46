"""Reductions over generators: the whole right side of a stage."""

import ast

from edgekernelbench.ir.expr import Expr, Literal, Over, Reduction
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.expressions import read_expr
from edgekernelbench.lang.numbers import MAX_SIZE, number
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.words import REDUCTIONS


def is_reduction(node: ast.expr) -> bool:
    """Whether a right side is a reduction, rightly written or with a list [C10]."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() | ast.ListComp()]):
            return name in REDUCTIONS
        case _:
            return False


def read_reduction(node: ast.Call, scope: Scope, ctx: Context) -> Expr | Reduction:
    """Read a reduction.

    Args:
        node: A call for which `is_reduction` holds.
        scope: What names stand for; the reduction's axes are added for its parts.
        ctx: Constants and diagnostics.

    Returns:
        The reduction.
    """
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp | ast.ListComp)
    assert isinstance(node.func, ast.Name)
    if isinstance(generator, ast.ListComp):
        inner = ctx.text(generator)[1:-1].strip()
        hint = f"{node.func.id}({inner})"
        ctx.report("C10", f"{node.func.id} takes a generator, without the square brackets", generator, hint)
    inside = Scope(scope.tensors, dict(scope.axes), scope.stage)
    over = tuple(_over(part, inside, ctx) for part in generator.generators)
    element = read_expr(generator.elt, inside, ctx)
    kind = node.func.id
    if kind in ("argmax", "argmin"):
        for clause, part in zip(over, generator.generators, strict=True):
            if clause.start != 0:
                ctx.report("C11", f"ranges of {kind} start at 0, since it gives a place", part.iter)
    return Reduction(kind=kind, element=element, over=over, span=span(node))


def _over(part: ast.comprehension, scope: Scope, ctx: Context) -> Over:
    start, stop, text = _range(part.iter, scope, ctx)
    axis = "_"
    if isinstance(part.target, ast.Name) and not part.is_async:
        axis = part.target.id
        if axis in scope.axes:
            ctx.report("C05", f"{axis} is an axis of {scope.stage} already", part.target)
    else:
        ctx.report("C15", "a generator has one name: for k in range(K)", part.target)
    scope.axes[axis] = text
    conditions = tuple(read_expr(test, scope, ctx) for test in part.ifs)
    return Over(axis=axis, start=start, stop=stop, conditions=conditions, span=span(part.target))


def _range(node: ast.expr, scope: Scope, ctx: Context) -> tuple[int, int, str]:
    """Read `range(n)` or `range(a, b)` [C11]."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        ctx.report("C11", f"expected range(n) or range(a, b), found {ctx.quote(node)}", node)
        return 0, 1, "1"
    if len(node.args) not in (1, 2) or node.keywords:
        ctx.report("C11", "range takes one or two constants", node)
        return 0, 1, "1"
    bounds = [number(arg, ctx) for arg in node.args]
    text = ctx.text(node.args[-1])
    if any(bound is None for bound in bounds):
        return 0, 1, text
    start, stop = (0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    if not (isinstance(start, int) and isinstance(stop, int) and -MAX_SIZE <= start < stop <= MAX_SIZE):
        ctx.report("C11", f"a range runs upwards over whole numbers, found {ctx.quote(node)}", node)
        return 0, 1, text
    return start, stop, text


__all__ = ["Literal", "is_reduction", "read_reduction"]
