"""The constants at the top of a text."""

import ast
from collections.abc import Sequence

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context, Number
from edgekernelbench.lang.numbers import knob, number
from edgekernelbench.lang.words import CONSTANT, DTYPES

ConstantLine = ast.Assign | ast.AnnAssign
MAX_CONSTANTS = 256

FORM = "a constant is written N = 16, several are M, N = 16, 32"


def read_constants(statements: Sequence[ConstantLine], ctx: Context) -> None:
    """Evaluate constants in order [P06, P07].

    Args:
        statements: The assignments.
        ctx: Constants are added to it.
    """
    lines = [_pairs(statement, ctx) for statement in statements]
    if sum(map(len, lines)) > MAX_CONSTANTS:
        ctx.report("P03", f"a text has at most {MAX_CONSTANTS} constants", statements[0])
        lines = []
    ctx.later = {name.id for line in lines for name, _ in line}
    for line in lines:
        found = [(name, _value(name.id, value, ctx)) for name, value in line]
        for name, value in found:
            if name.id in ctx.later:
                ctx.later.discard(name.id)
            else:
                ctx.report("P06", f"{name.id} is defined twice", name)
            ctx.constants[name.id] = value
    ctx.later = set()


def _pairs(statement: ConstantLine, ctx: Context) -> list[tuple[ast.Name, ast.expr]]:
    """Take a line apart into names and values."""
    match statement:
        case ast.Assign(targets=[ast.Name() as name], value=ast.expr() as value):
            pairs = [(name, value)]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(
            values
        ):
            pairs = [
                (name, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)
            ]
            if len(pairs) < len(names):
                ctx.report("P06", FORM, statement)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
            found = len(value.elts) if isinstance(value, ast.Tuple) else 1
            ctx.report(
                "P06",
                f"{FORM}: here are {len(names)} names and {found} value{'' if found == 1 else 's'}",
                statement,
            )
            pairs = [(name, value) for name in names if isinstance(name, ast.Name)]
            ctx.constants.update({name.id: None for name, _ in pairs})
            return []
        case ast.Assign(targets=targets, value=value) if all(
            isinstance(target, ast.Name) for target in targets
        ):
            left = ", ".join(ctx.text(target) for target in targets)
            right = ", ".join([ctx.text(value)] * len(targets))
            ctx.report("P06", FORM, statement, f"{left} = {right}")
            pairs = [(target, value) for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name_text) as name, value=ast.expr() as value):
            ctx.report("P06", f"{FORM}, without a type", statement, f"{name_text} = {ctx.text(value)}")
            pairs = [(name, value)]
        case _:
            ctx.report("P06", FORM, statement)
            return []
    return [(name, value) for name, value in pairs if _is_capital(name, value, ctx)]


def _is_capital(name: ast.Name, value: ast.expr, ctx: Context) -> bool:
    if CONSTANT.match(name.id):
        return True
    capital = name.id.upper()
    hint = f"{capital} = {ctx.text(value)}" if CONSTANT.match(capital) else None
    ctx.report(
        "P06",
        f"{name.id}: constants are written in capitals, and stages stand in the compute block",
        name,
        hint,
    )
    ctx.constants[name.id] = None
    return False


def _value(name: str, value: ast.expr, ctx: Context) -> Number | DType | None:
    if name in ctx.given:
        return ctx.given[name]
    match value:
        case ast.Call(func=ast.Name(id="choose")):
            return knob(value, ctx, name)
        case ast.Name(id=word) if word in DTYPES:
            message = f"{word} is an element type: types are written where they are used, or left free"
            ctx.report("P07", message, value)
            return DTYPES[word]
        case _:
            return number(value, ctx)
