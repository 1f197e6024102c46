"""The compute block: stages, tables, ordered `for`s, and what is returned."""

import ast
from collections.abc import Sequence

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.compute import Compute, Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.expr import Literal
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.expressions import read_expr
from edgekernelbench.lang.numbers import number, size
from edgekernelbench.lang.reductions import is_reduction, read_reduction
from edgekernelbench.lang.scope import Declared, Scope
from edgekernelbench.lang.types import declared, read_type, split_type

MAX_TABLE = 4096
"""Numbers in a table."""


def read_compute(body: Sequence[ast.stmt], scope: Scope, ctx: Context) -> Compute:
    """Read a compute block.

    Args:
        body: Its statements.
        scope: The parameters; stages and tables are added.
        ctx: Constants and diagnostics.

    Returns:
        The layer.
    """
    ctx.layer, ctx.target = Layer.COMPUTE, None
    _declare(body, scope)
    items: list[Item] = []
    outputs: tuple[ast.Name, ...] = ()
    for statement in body:
        if isinstance(statement, ast.Return):
            outputs = _outputs(statement, ctx)
        else:
            items.extend(_item(statement, scope, ctx))
    if not outputs:
        ctx.report("C01", "the compute block ends with return", body[-1])
    names = tuple(name.id for name in outputs)
    return Compute(items=tuple(items), outputs=names, output_spans=tuple(span(name) for name in outputs))


def _declare(body: Sequence[ast.stmt], scope: Scope) -> None:
    for statement in body:
        match statement:
            case ast.For(body=inner):
                _declare(inner, scope)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.List()):
                scope.tensors[name] = declared(annotation, const=True)
            case ast.AnnAssign(target=ast.Name(id=name)):
                scope.tensors[name] = Declared(0, (), "")
            case ast.AnnAssign(target=ast.Subscript(value=ast.Name(id=name)), annotation=annotation):
                scope.tensors[name] = declared(annotation)
            case _:
                continue


def _outputs(statement: ast.Return, ctx: Context) -> tuple[ast.Name, ...]:
    value = statement.value
    names = value.elts if isinstance(value, ast.Tuple) else [value]
    return tuple(name for name in names if isinstance(name, ast.Name))


def _item(statement: ast.stmt, scope: Scope, ctx: Context) -> list[Item]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.List() as value):
            return [_table(statement, name, value, ctx)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [_stage(statement, name, [], value, scope, ctx)]
        case ast.AnnAssign(target=ast.Subscript(value=ast.Name(id=name), slice=axes), value=ast.expr() as value):
            parts = axes.elts if isinstance(axes, ast.Tuple) else [axes]
            return [_stage(statement, name, parts, value, scope, ctx)]
        case ast.For():
            return _ordered(statement, scope, ctx)
        case _:
            ctx.report("C04", "a stage is defined once, by name[axes]: type[shape] = value", statement)
            return []


def _stage(
    node: ast.AnnAssign, name: str, parts: list[ast.expr], value: ast.expr, scope: Scope, ctx: Context
) -> Stage:
    dtype, shape = read_type(node.annotation, ctx)
    sizes = [ctx.text(part) for part in split_type(node.annotation)[1]]
    axes = tuple(part.id for part in parts if isinstance(part, ast.Name))
    inside = Scope(scope.tensors, dict(zip(axes, sizes, strict=False)), name)
    right = read_reduction(value, inside, ctx) if is_reduction(value) else read_expr(value, inside, ctx)
    return Stage(name, axes, dtype, shape, right, span(node), span(node.target))


def _table(node: ast.AnnAssign, name: str, value: ast.List, ctx: Context) -> Table:
    dtype, shape = read_type(node.annotation, ctx)
    values: list[int | float] = []
    _flatten(value, values, ctx)
    return Table(name, dtype, shape, tuple(values), span(node))


def _flatten(node: ast.List, into: list[int | float], ctx: Context) -> None:
    for part in node.elts:
        if isinstance(part, ast.List):
            _flatten(part, into, ctx)
        else:
            into.append(number(part, ctx) or 0)


def _ordered(node: ast.For, scope: Scope, ctx: Context) -> list[Item]:
    match node:
        case ast.For(
            target=ast.Name(id=axis),
            iter=ast.Call(func=ast.Name(id="range"), args=[bound], keywords=[]),
            orelse=[],
        ):
            inner = tuple(item for statement in node.body for item in _item(statement, scope, ctx))
            return [Ordered(axis, size(bound, ctx) or 1, inner, span(node))]
        case _:
            ctx.report("O01", "an ordered for is written for t in range(T):", node)
            return []


__all__ = ["Literal", "Param", "read_compute"]
