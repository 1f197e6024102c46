"""Reductions inside expressions: refused, with the stages that say the same [C14]."""

import ast
from dataclasses import dataclass

from edgekernelbench.base.span import Span
from edgekernelbench.lang.context import MAX_HINT_CHARS, Context, span
from edgekernelbench.lang.guesses import dtype_of
from edgekernelbench.lang.reductions import read_reduction
from edgekernelbench.lang.scope import MAX_NESTED, NestedReduction, Scope
from edgekernelbench.lang.words import DTYPES


@dataclass(frozen=True, slots=True)
class _Nested:
    """A nested reduction with the stage that it could be."""

    call: ast.Call
    kind: str
    read: str
    left: str


def refuse_nested(statement: ast.AnnAssign, scope: Scope, ctx: Context) -> None:
    """Refuse every reduction that was met inside the right side of a stage.

    Args:
        statement: The stage.
        scope: What was met while it was read.
        ctx: Where it is noted.
    """
    found: list[_Nested] = []
    names = {*scope.tensors, *ctx.axes}
    while scope.nested and len(found) < MAX_NESTED:
        met = scope.nested.pop(0)
        within = scope.within(met.axes)
        stage = _stage(met, statement, within, names, ctx)
        names.add(stage.read.partition("[")[0])
        found.append(stage)
        read_reduction(met.call, met.kind, met.comprehension, within, ctx)
    place = span(statement)
    if len(ctx.slice(place)) > MAX_HINT_CHARS:
        for stage in found:
            ctx.report("C14", _message(stage), stage.call)
        return
    for stage in found:
        lines = [f"{stage.left} = {_without(stage.call, found, ctx)}"]
        outer = next((other for other in reversed(found) if _holds(other.call, stage.call)), None)
        if outer is None:
            lines.append(_without(statement, found, ctx))
        else:
            lines.append(f"{outer.left} = {_without(outer.call, found, ctx)}")
        ctx.report("C14", _message(stage), stage.call, "\n".join(lines))


def _message(stage: _Nested) -> str:
    return f"{stage.kind}(… for …) must be the whole right side of a stage"


def _stage(
    met: NestedReduction, statement: ast.AnnAssign, scope: Scope, names: set[str], ctx: Context
) -> _Nested:
    used = {node.id for node in ast.walk(met.call) if isinstance(node, ast.Name)}
    axes = [axis for axis in scope.axes if axis in used]
    name, number = f"{scope.stage}_{met.kind}", 2
    while name in names:
        name, number = f"{scope.stage}_{met.kind}{number}", number + 1
    read = f"{name}[{', '.join(axes)}]" if axes else name
    sizes = f"[{', '.join(ctx.text(scope.axes[axis]) for axis in axes)}]" if axes else ""
    return _Nested(met.call, met.kind, read, f"{read}: {_dtype(met, statement, scope)}{sizes}")


def _dtype(met: NestedReduction, statement: ast.AnnAssign, scope: Scope) -> str:
    if met.kind in ("any", "all"):
        return "bool"
    if met.kind in ("argmax", "argmin"):
        return "i32"
    annotation = statement.annotation
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    if isinstance(base, ast.Name) and base.id in ("f32", "f64", "i32", "i64"):
        return base.id
    element = met.comprehension.elt
    for node in (element, *ast.iter_child_nodes(element)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DTYPES:
            return node.func.id
    return dtype_of(element, scope)


def _without(node: ast.expr | ast.stmt, found: list[_Nested], ctx: Context) -> str:
    """Give the text of a node with the reductions directly in it replaced by reads."""
    inside = [stage for stage in found if _holds(node, stage.call)]
    direct = [stage for stage in inside if not any(_holds(other.call, stage.call) for other in inside)]
    return ctx.replaced(span(node), [(span(stage.call), stage.read) for stage in direct])


def _holds(outer: ast.expr | ast.stmt, inner: ast.expr) -> bool:
    return (
        outer is not inner
        and _start(span(outer)) <= _start(span(inner))
        and _end(span(inner)) <= _end(span(outer))
    )


def _start(place: Span) -> tuple[int, int]:
    return place.line, place.column


def _end(place: Span) -> tuple[int, int]:
    return place.end_line, place.end_column
