"""From Python's syntax tree to the expressions of the compute layer.

`read_expr` is the grammar: what has no case there is not in the language.
"""

import ast
import math

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    REDUCTIONS,
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Power,
    Read,
    Select,
    Unary,
)
from edgekernelbench.lang.context import MAX_DEPTH, MAX_OPERANDS, Context, span
from edgekernelbench.lang.numbers import OPERATORS, Unusable, checked, combine, constant
from edgekernelbench.lang.refusals import (
    refuse_call,
    refuse_comprehension,
    refuse_form,
    refuse_indices,
    refuse_power,
)
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.words import CONSTANT, DTYPES, FUNCTIONS, SATURATING

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.Invert: "~", ast.Not: "not"}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip

_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)

LEAST_POWER, GREATEST_POWER = 2, 8


def read_expr(node: ast.expr, scope: Scope, ctx: Context, depth: int = 0) -> Expr:  # noqa: C901 - the grammar
    """Read a scalar expression.

    Args:
        node: The expression.
        scope: What names stand for.
        ctx: Constants and diagnostics.
        depth: How deep it stands in its stage.

    Returns:
        The expression; where something was refused, any expression in its place.
    """
    if depth > MAX_DEPTH:
        ctx.report("P03", f"an expression is nested more than {MAX_DEPTH} deep: use more stages", node)
        return Literal(value=0)
    below = depth + 1
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            return _read(name, node, index, scope, ctx, below)
        case ast.Name(id=name):
            return _name(name, node, scope, ctx)
        case ast.Constant(value=bool() | int() | float() as value):
            return _literal(value, node, ctx)
        case ast.BinOp(op=ast.Pow()):
            return _power(node, scope, ctx, below)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return _binary(node, read_expr(left, scope, ctx, below), read_expr(right, scope, ctx, below), ctx)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            inner = read_expr(operand, scope, ctx, below)
            if isinstance(op, ast.USub) and isinstance(inner, Literal) and not isinstance(inner.value, bool):
                return Literal(value=-inner.value, span=span(node))
            return Unary(op=UNARY[type(op)], operand=inner, span=span(node))
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in COMPARE for op in ops):
            operands = _operands([left, *others], node, scope, ctx, below)
            return Compare(ops=tuple(COMPARE[type(op)] for op in ops), operands=operands, span=span(node))
        case ast.BoolOp(op=logic, values=values):
            operands = _operands(values, node, scope, ctx, below)
            return Logic(op="and" if isinstance(logic, ast.And) else "or", operands=operands, span=span(node))
        case ast.IfExp(test=test, body=body, orelse=other):
            condition = read_expr(test, scope, ctx, below)
            then, otherwise = read_expr(body, scope, ctx, below), read_expr(other, scope, ctx, below)
            return Select(condition=condition, then=then, other=otherwise, span=span(node))
        case ast.Call():
            return _call(node, scope, ctx, below)
        case _:
            refuse_form(node, scope, ctx)
            return Literal(value=0)


def _operands(
    parts: list[ast.expr], node: ast.expr, scope: Scope, ctx: Context, depth: int
) -> tuple[Expr, ...]:
    if len(parts) > MAX_OPERANDS:
        ctx.report("P03", f"an expression has more than {MAX_OPERANDS} parts: use more stages", node)
        return ()
    return tuple([read_expr(part, scope, ctx, depth) for part in parts])


def _literal(value: float, node: ast.expr, ctx: Context) -> Expr:
    if not isinstance(value, bool):
        try:
            value = checked(value, finite=True)
        except Unusable as reason:
            ctx.report("P07", str(reason), node)
            value = 0
    return Literal(value=value, span=span(node))


def _name(name: str, node: ast.Name, scope: Scope, ctx: Context) -> Expr:
    if name in scope.axes:
        return Axis(name=name, span=span(node))
    declared = scope.tensors.get(name)
    if declared is not None:
        if declared.rank:
            refuse_indices(name, node, [], scope, ctx)
        return Read(tensor=name, indices=(), span=span(node))
    if name in ("inf", "pi"):
        return Literal(value=math.inf if name == "inf" else math.pi, span=span(node))
    if CONSTANT.match(name) is None:
        refuse_name(name, node, scope, ctx)
        return Literal(value=0)
    value = constant(name, node, ctx)
    if isinstance(value, DType):
        ctx.report("P07", f"{name} is an element type, not a number", node, f"{name}(0)")
        return Literal(value=0)
    # 2 stands for a capital that a pattern leaves open: it is legal wherever a number is
    return Literal(value=2 if value is None else value, span=span(node))


def refuse_name(name: str, node: ast.expr, scope: Scope, ctx: Context) -> None:
    """Say that a name is not known, and which one was probably meant [C08].

    Args:
        name: The name.
        node: Where it stands.
        scope: What is known.
        ctx: Where it is noted.
    """
    if name in FUNCTIONS or name in DTYPES or name in REDUCTIONS:
        ctx.report("C15", f"{name} is a function: it takes its argument in brackets", node, f"{name}(e)")
        return
    if name in ctx.refused_names or name in ctx.constants:
        return  # the second: a constant in lower case, which was refused where it is defined
    ctx.refused_names.add(name)
    known = (*scope.axes, *scope.tensors, *ctx.constants)
    ctx.fix("C08", f"nothing is named {ctx.shown(name)}", node, ctx.nearest(name, known))


def _read(name: str, node: ast.Subscript, index: ast.expr, scope: Scope, ctx: Context, depth: int) -> Expr:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    declared = scope.tensors.get(name)
    if declared is None:
        if name in scope.axes:
            ctx.report("C08", f"{name} is an axis, not a tensor", node)
        elif CONSTANT.match(name) is not None and name in ctx.constants:
            ctx.report("C08", f"{name} is a constant, not a tensor", node)
        else:
            refuse_name(name, node.value, scope, ctx)
    elif declared.rank not in (None, len(parts)) or not all(map(_is_position, parts)):
        refuse_indices(name, node, parts, scope, ctx)
        return Literal(value=0)
    return Read(tensor=name, indices=_operands(parts, node, scope, ctx, depth), span=span(node))


def _is_position(node: ast.expr) -> bool:
    """Tell an index from a slice, `None` and `...`."""
    return type(node) is not ast.Slice and (type(node) is not ast.Constant or node.value not in (None, ...))


def _binary(node: ast.BinOp, left: Expr, right: Expr, ctx: Context) -> Expr:
    op = type(node.op)
    if isinstance(left, Literal) and isinstance(right, Literal) and op in OPERATORS:
        a, b = left.value, right.value
        if not isinstance(a, bool) and not isinstance(b, bool) and not (b == 0 and op in _DIVISIONS):
            try:
                return Literal(value=combine(op, a, b), span=span(node))
            except Unusable as reason:
                ctx.report("P07", f"{ctx.quote(node)}: {reason}", node)
    return Binary(op=BINARY[op], left=left, right=right, span=span(node))


def _power(node: ast.BinOp, scope: Scope, ctx: Context, depth: int) -> Expr:
    base, exponent = read_expr(node.left, scope, ctx, depth), read_expr(node.right, scope, ctx, depth)
    if isinstance(base, Literal) and isinstance(exponent, Literal):
        a, b = base.value, exponent.value
        if not isinstance(a, bool) and not isinstance(b, bool):
            try:
                return Literal(value=combine(ast.Pow, a, b), span=span(node))
            except Unusable as reason:
                ctx.report("P07", f"{ctx.quote(node)}: {reason}", node)
                return Literal(value=0)
    if (
        isinstance(exponent, Literal)
        and type(n := exponent.value) is int
        and LEAST_POWER <= n <= GREATEST_POWER
    ):
        return Power(base=base, exponent=n, span=span(node))
    refuse_power(node, exponent, ctx)
    return Literal(value=0)


def _call(node: ast.Call, scope: Scope, ctx: Context, depth: int) -> Expr:
    if any(isinstance(arg, ast.GeneratorExp | ast.ListComp | ast.Starred) for arg in node.args):
        refuse_comprehension(node, scope, ctx)
        return Literal(value=0)
    if not isinstance(node.func, ast.Name) or node.keywords:
        refuse_call(node, scope, ctx)
        return Literal(value=0)
    name, place = node.func.id, span(node)
    if name in FUNCTIONS:
        least, most = FUNCTIONS[name]
        if len(node.args) >= least and (most is None or len(node.args) <= most):
            args = _operands(node.args, node, scope, ctx, depth)
            return Call(function=name, args=args, span=place)
    elif len(node.args) == 1:
        to = DTYPES.get(name) or SATURATING.get(name)
        if to is None and CONSTANT.match(name) is not None and name.lower() not in DTYPES:
            to = _capital_type(name, node.func, ctx)
        if to is not None:
            operand = read_expr(node.args[0], scope, ctx, depth)
            return Cast(to=to, operand=operand, saturate=name in SATURATING, span=place)
    refuse_call(node, scope, ctx)
    return Literal(value=0)


def _capital_type(name: str, node: ast.expr, ctx: Context) -> DType | None:
    value = constant(name, node, ctx)
    if value is None:
        return DType.F32  # reported, or free: the tree is of no use
    return value if isinstance(value, DType) else None
