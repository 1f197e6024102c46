"""The line `return out` of a compute block [C01, C02]."""

import ast
from collections.abc import Mapping, Sequence

from edgekernelbench.base.span import Span
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.scope import Scope


def read_outputs(
    body: Sequence[ast.stmt], scope: Scope, defined: Mapping[str, ast.expr], ctx: Context
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """Read what a compute block returns.

    Args:
        body: Its statements.
        scope: The tensors.
        defined: The stages and tables.
        ctx: Where complaints are noted.

    Returns:
        The names of the outputs, and their places.
    """
    returns = [statement for statement in body if isinstance(statement, ast.Return)]
    for statement in _inner_returns(body):
        ctx.report("C01", "return stands at the end of the compute block, not in a for", statement)
        returns.append(statement)
    stages = [name for name in defined if not scope.tensors[name].const]
    if not returns:
        hint = f"return {stages[-1]}" if stages else None
        ctx.report("C01", "the compute block ends with return and the names of the outputs", body[-1], hint)
        return (), ()
    for statement in returns[1:]:
        ctx.report("C02", "there is one return, it names all outputs", statement)
    if isinstance(body[-1], ast.Return) or body[-1] in _inner_returns(body):
        pass
    elif returns[0] in body:
        ctx.report("C01", "return is the last line of the compute block", returns[0])
    return _names(returns[0], scope, stages, ctx)


def _inner_returns(body: Sequence[ast.stmt]) -> list[ast.Return]:
    found: list[ast.Return] = []
    waiting = [inner for statement in body if isinstance(statement, ast.For) for inner in statement.body]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Return):
            found.append(statement)
        elif isinstance(statement, ast.For):
            waiting.extend(statement.body)
    return found


def _names(
    node: ast.Return, scope: Scope, stages: list[str], ctx: Context
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    if node.value is None:
        ctx.report("C01", "return names the outputs", node, f"return {stages[-1]}" if stages else None)
        return (), ()
    parts = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
    names: list[str] = []
    for part in parts:
        if not isinstance(part, ast.Name):
            known = isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name)
            hint = f"return {part.value.id}" if known else None  # type: ignore[attr-defined]  # `known` says so
            ctx.report("C02", f"return names stages, found {ctx.quote(part)}", part, hint)
        elif part.id in names:
            ctx.report("C02", f"{part.id} is returned twice", part)
        elif part.id not in scope.tensors:
            close = ctx.nearest(part.id, stages)
            ctx.report("C08", f"no stage is named {part.id}", part, f"return {close}" if close else None)
        elif part.id not in stages and scope.tensors[part.id].rank is not None:
            ctx.report("C02", f"{part.id} is not a stage: only stages can be returned", part)
        else:
            names.append(part.id)
    return tuple(names), tuple(span(part) for part in parts)
