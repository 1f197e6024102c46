"""Reductions over generators: the whole right side of a stage."""

import ast

from edgekernelbench.base.span import Span
from edgekernelbench.ir.expr import REDUCTIONS, Literal, Over, Reduction
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.expressions import read_expr
from edgekernelbench.lang.guesses import free_letter, size_of
from edgekernelbench.lang.naming import check_axis
from edgekernelbench.lang.numbers import MAX_SIZE, number
from edgekernelbench.lang.scope import Comprehension, Scope

MAX_CLAUSES = 16
"""`for`s of a reduction, and `if`s behind one of them."""


def as_reduction(node: ast.expr) -> tuple[ast.Call, str, Comprehension] | None:
    """Recognise a reduction, rightly written or over a list.

    Args:
        node: A right side.

    Returns:
        The call, its kind and its comprehension; None for any other expression.
    """
    match node:
        case ast.Call(
            func=ast.Name(id=kind), args=[(ast.GeneratorExp() | ast.ListComp()) as inner], keywords=[]
        ) if kind in REDUCTIONS:
            return node, kind, inner
        case _:
            return None


def read_reduction(
    node: ast.Call, kind: str, comprehension: Comprehension, scope: Scope, ctx: Context
) -> Reduction:
    """Read a reduction [C10, C11].

    Args:
        node: The whole call.
        kind: Its word.
        comprehension: What is reduced.
        scope: What names stand for outside.
        ctx: Constants and diagnostics.

    Returns:
        The reduction.
    """
    if isinstance(comprehension, ast.ListComp):
        fixed = f"{kind}({ctx.text(comprehension)[1:-1].strip()})"
        ctx.fix("C10", f"{kind} takes a generator, without square brackets", node, fixed)
    inside = scope.within(scope.axes)
    clauses = comprehension.generators
    if len(clauses) > MAX_CLAUSES or any(len(clause.ifs) > MAX_CLAUSES for clause in clauses):
        ctx.report("P03", f"a reduction has more than {MAX_CLAUSES} parts", node)
        return Reduction(kind=kind, element=Literal(value=0), over=())
    over = tuple(_over(part, comprehension, inside, ctx) for part in comprehension.generators)
    element = read_expr(comprehension.elt, inside, ctx)
    if kind in ("argmax", "argmin"):
        for clause, part in zip(over, comprehension.generators, strict=True):
            if clause.start != 0:
                message = f"ranges of {kind} start at 0: it gives a place, not a position"
                ctx.fix("C11", message, part.iter, f"range({clause.stop - clause.start})")
    return Reduction(kind=kind, element=element, over=over, span=span(node))


def _over(part: ast.comprehension, whole: Comprehension, scope: Scope, ctx: Context) -> Over:
    axis, where = "_", span(part.target)
    if isinstance(part.target, ast.Name) and not part.is_async:
        axis = part.target.id
    else:
        message = "each for of a reduction has one name: for r in range(R) for s in range(S)"
        ctx.report("C15", message, part.target)
        scope.axes |= {name.id: "1" for name in ast.walk(part.target) if isinstance(name, ast.Name)}
    start, stop, text = _range(axis, part, whole, scope, ctx)
    if axis in scope.axes:
        hint = f"rename it, for example {free_letter(scope)}"
        ctx.report("C05", f"{axis} is an axis of {scope.stage} already", part.target, hint)
    elif isinstance(part.target, ast.Name):
        check_axis(axis, part.target, scope, ctx)
    scope.axes[axis] = text
    conditions = tuple(read_expr(test, scope, ctx) for test in part.ifs)
    end = span(part.ifs[-1] if part.ifs else part.iter)
    return Over(axis, start, stop, conditions, Span(where.line, where.column, end.end_line, end.end_column))


def _range(
    axis: str, part: ast.comprehension, whole: Comprehension, scope: Scope, ctx: Context
) -> tuple[int, int, str]:
    """Read `range(n)` or `range(a, b)` [C11]."""
    node = part.iter
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _], keywords=[]):
            args = node.args
        case ast.Call(func=ast.Name(id="range"), args=[_, _, step]):
            message = f"range takes no step: count the steps, and index with {ctx.text(step)} * {axis}"
            ctx.report("C11", message, node)
            return 0, 1, "1"
        case _:
            hint = None
            if isinstance(node, ast.Name) and node.id in ctx.constants:
                hint = f"range({node.id})"
            ctx.fix("C11", f"expected range(n) or range(a, b), found {ctx.quote(node)}", node, hint)
            return 0, 1, size_of(axis, whole.elt, scope, ctx) or "1"
    if any(_moving(arg, scope) for arg in args):
        return 0, 1, _refuse_moving(axis, args, part, whole, scope, ctx)
    bounds = [0, number(args[0], ctx)] if len(args) == 1 else [number(arg, ctx) for arg in args]
    start, stop, text = bounds[0], bounds[1], ctx.text(args[-1])
    if start is None or stop is None:
        return 0, 1, text
    if isinstance(start, int) and isinstance(stop, int) and -MAX_SIZE <= start < stop <= MAX_SIZE:
        return start, stop, text
    found = f"{ctx.quote(node)} runs from {start} to {stop}"
    ctx.report("C11", f"a range runs upwards over whole numbers, at least one: {found}", node)
    return 0, 1, text


def _moving(node: ast.expr, scope: Scope) -> str:
    """Give the axis or tensor that a bound hangs on; empty when it is a constant."""
    waiting: list[ast.AST] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.Name) and (current.id in scope.axes or current.id in scope.tensors):
            return current.id
        waiting.extend(ast.iter_child_nodes(current))
    return ""


def _refuse_moving(
    axis: str, args: list[ast.expr], part: ast.comprehension, whole: Comprehension, scope: Scope, ctx: Context
) -> str:
    """Refuse a bound that hangs on an axis or on data; give the text of the size that is meant."""
    named = [_moving(arg, scope) for arg in args]
    low = ctx.text(args[0]) if len(args) > 1 and named[0] else ""
    high = ctx.text(args[-1]) if named[-1] else ""
    size = size_of(axis, whole.elt, scope, ctx) or next(
        (ctx.text(scope.axes[n]) for n in named if n in scope.axes), "N"
    )
    if not named[-1]:
        size = ctx.text(args[-1])
    bounds = f"{ctx.text(args[0])}, {size}" if len(args) > 1 and not named[0] else size
    below = f"{axis} <= {high[:-4]}" if high.endswith(" + 1") else f"{axis} < {high}"
    above = f"{axis} > {low[:-4]}" if low.endswith(" + 1") else f"{axis} >= {low}"
    condition = " and ".join(text for text in (above if low else "", below if high else "") if text)
    fixed = f"range({bounds}) if {condition}"
    if part.ifs:
        ctx.report("C11", "range bounds are constants", part.iter, f"for {axis} in {fixed}")
    else:
        ctx.fix("C11", "range bounds are constants", part.iter, fixed)
    return size
