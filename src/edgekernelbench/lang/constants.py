"""The constants at the top of a text."""

import ast
from collections.abc import Sequence

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context, Number
from edgekernelbench.lang.numbers import knob, number


def read_constants(statements: Sequence[ast.Assign], ctx: Context) -> None:
    """Evaluate constants in order [P06].

    Args:
        statements: The assignments.
        ctx: Constants are added to it.
    """
    for statement in statements:
        names, values = _pairs(statement, ctx)
        found = [(name, _value(name, value, ctx)) for name, value in zip(names, values, strict=True)]
        ctx.constants.update(found)


def _pairs(statement: ast.Assign, ctx: Context) -> tuple[list[str], list[ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [name], [value]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return [name.id for name in names if isinstance(name, ast.Name)], values
        case _:
            ctx.report("P06", "a constant is written N = 16, several M, N = 16, 32", statement)
            return [], []


def _value(name: str, value: ast.expr, ctx: Context) -> Number | DType | None:
    if name in ctx.given:
        return ctx.given[name]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "choose":
        return knob(value, ctx, name)
    return number(value, ctx)
