"""Numbers known before anything runs: constants, sizes, factors, knobs."""

import ast
import math
from collections.abc import Callable

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import MAX_DEPTH, Context, Number
from edgekernelbench.lang.words import CONSTANT

MAX_INTEGER = 2**64
"""Integers of constants and literals are smaller than this, so that no text can make one explode."""

MAX_SIZE = 2**31 - 1
"""Axes are `i32`."""

MAX_OPTIONS = 64
"""A knob has at most this many options, and a text this many knobs."""


class Unusable(Exception):  # noqa: N818 - a reason, not a fault
    """An operation on two numbers that gives no number that can be used."""


def _divide(a: Number, b: Number) -> Number:
    return a / b


def _power(a: Number, b: Number) -> Number:
    if (
        isinstance(a, int)
        and isinstance(b, int)
        and b > 0
        and abs(a) > 1
        and a.bit_length() * b > 2 * MAX_INTEGER.bit_length()
    ):
        raise Unusable("a number is too large")
    result = a**b
    if isinstance(result, complex):
        raise Unusable("the result is not a real number")
    return result


OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: _divide,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: _power,
}


def combine(op: type[ast.operator], left: Number, right: Number) -> Number:
    """Apply an operator of the `number` grammar, as Python does.

    Args:
        op: The operator, a key of `OPERATORS`.
        left: Left operand.
        right: Right operand.

    Returns:
        The result.

    Raises:
        Unusable: When there is none, it is not a number, or it is too large.
    """
    try:
        return checked(OPERATORS[op](left, right), finite=math.isfinite(left) and math.isfinite(right))
    except ZeroDivisionError:
        raise Unusable("it divides by zero") from None
    except OverflowError:
        raise Unusable("a number is too large") from None


def checked(value: Number, *, finite: bool) -> Number:
    """Refuse what cannot be written or computed with.

    Args:
        value: A number.
        finite: Whether it must be finite.

    Returns:
        The number.

    Raises:
        Unusable: When it is NaN, or too large.
    """
    if isinstance(value, int):
        if not -MAX_INTEGER < value < MAX_INTEGER:
            raise Unusable("a number is too large")
    elif math.isnan(value):
        raise Unusable("the result is not a number")
    elif finite and math.isinf(value):
        raise Unusable("a number is too large")
    return value


def number(node: ast.expr, ctx: Context, depth: int = 0) -> Number | None:
    """Evaluate a number.

    Args:
        node: The expression.
        ctx: Constants, knobs and diagnostics.
        depth: How deep it stands.

    Returns:
        Its value; None when it has none, which was then reported, or hangs on a free capital.
    """
    if depth > MAX_DEPTH:
        ctx.report("P03", f"a number is nested more than {MAX_DEPTH} deep", node)
        return None
    try:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return checked(value, finite=True)
            case ast.Name(id=name):
                return _named(name, node, ctx)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = number(operand, ctx, depth + 1)
                return None if inner is None else -inner
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                a, b = number(left, ctx, depth + 1), number(right, ctx, depth + 1)
                return None if a is None or b is None else combine(type(op), a, b)
            case ast.Call(func=ast.Name(id="choose")):
                return knob(node, ctx, f"choose{len(ctx.knobs) + 1}")
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                ctx.fix("P07", "unary + is not in the language", node, ctx.text(operand))
                return None
            case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Attribute(attr="shape"):
                ctx.report("P07", f"{ctx.quote(node)}: sizes are constants: write the number itself", node)
                return None
            case _:
                ctx.report("P07", f"expected a number, found {ctx.quote(node)}", node)
                return None
    except Unusable as reason:
        ctx.report("P07", f"{ctx.quote(node)}: {reason}", node)
        return None


def _named(name: str, node: ast.Name, ctx: Context) -> Number | None:
    if name == "inf":
        return math.inf
    if name == "pi":
        return math.pi
    if CONSTANT.match(name) is None:
        if name in ctx.constants:  # written in lower case, which was refused where it is defined
            return None
        ctx.report("P07", f"expected a number, found {name}: constants are written in capitals", node)
        return None
    value = constant(name, node, ctx)
    if isinstance(value, DType):
        ctx.report("P07", f"{name} is an element type, not a number", node)
        return None
    return value


def constant(name: str, node: ast.expr, ctx: Context) -> Number | DType | None:
    """Look a capital up.

    Args:
        name: The capital.
        node: Where it stands.
        ctx: Constants and diagnostics.

    Returns:
        What it stands for; None when it is free, or was refused where it was defined.
    """
    if name in ctx.later and name not in ctx.given:
        ctx.report("P06", f"{name} is defined further down: constants are evaluated in order", node)
        return None
    if name not in ctx.constants:
        ctx.constants[name] = None
        ctx.free[name] = None
        if not ctx.pattern:
            ctx.report(
                "C08", f'{name} has no value: constants stand above "with compute:"', node, f"{name} = 16"
            )
    return ctx.constants[name]


def knob(node: ast.Call, ctx: Context, name: str) -> Number | None:
    """Read `choose(a, b, …)` and give the option that holds.

    Args:
        node: The call.
        ctx: Chosen values; the knob is added to its knobs.
        name: The knob's name.

    Returns:
        The chosen value, or the first option.
    """
    if len(node.args) > MAX_OPTIONS or len(ctx.knobs) >= MAX_OPTIONS:
        ctx.report("P03", f"a text has at most {MAX_OPTIONS} knobs of at most {MAX_OPTIONS} options", node)
        return None
    if not node.args or node.keywords:
        ctx.report("P06", "choose takes one number or more", node, _flat_options(node, ctx))
        return None
    ctx.knobs[name] = ()  # in the order of the text, also where an option is a knob itself
    if any(isinstance(arg, ast.List | ast.Tuple) for arg in node.args):
        ctx.fix("P06", "choose takes numbers, not a list", node, _flat_options(node, ctx))
        return None
    options = [number(arg, ctx, 1) for arg in node.args]
    known = tuple(option for option in options if option is not None)
    ctx.knobs[name] = known if len(known) == len(options) else ()
    chosen = ctx.chosen.get(name, options[0])
    if chosen not in options and ctx.knobs[name]:
        ctx.report("P06", f"{chosen} is no option of {name}", node)
        return None
    return chosen


def _flat_options(node: ast.Call, ctx: Context) -> str:
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    lists = [value.elts if isinstance(value, ast.List | ast.Tuple) else [value] for value in values]
    texts = [ctx.text(option) for options in lists for option in options]
    return f"choose({', '.join(texts) or '8, 16, 32'})"


def size(node: ast.expr, ctx: Context) -> int | None:
    """Evaluate a size [C03].

    Args:
        node: The expression.
        ctx: Constants and diagnostics.

    Returns:
        A whole number of at least 1, or None.
    """
    value = ctx.constants.get(node.id) if isinstance(node, ast.Name) else None  # the usual case
    if not isinstance(value, int):
        value = number(node, ctx)
    if value is None:
        return None
    if isinstance(value, int) and 1 <= value <= MAX_SIZE:
        return value
    shown = ctx.quote(node)
    found = shown if shown == str(value) else f"{shown}, which is {value}"
    ctx.report("C03", f"a size is a whole number from 1 to {MAX_SIZE:,}, found {found}", node)
    return None


def whole(node: ast.expr, ctx: Context, code: str, what: str, least: int) -> int | None:
    """Evaluate a whole number with a least value.

    Args:
        node: The expression.
        ctx: Constants and diagnostics.
        code: The code of the refusal.
        what: What it is, such as `"the size of a split"`.
        least: The least value.

    Returns:
        The number, or None.
    """
    value = number(node, ctx)
    if value is None:
        return None
    if isinstance(value, int) and least <= value <= MAX_SIZE:
        return value
    ctx.report(code, f"{what} is a whole number of at least {least}, found {value}", node)
    return None
