"""The sentences about types, with the corrected expression where it can be made."""

from dataclasses import replace

from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Read,
    Reduction,
    Unary,
)
from edgekernelbench.lang.printing import print_expr, print_reduction

Words = tuple[str, str | None]
"""A message, and a hint."""


def inner(node: Expr) -> str:
    """Print an expression so that an operator can stand beside it."""
    text = print_expr(node)
    plain = isinstance(node, Literal | Axis | Read | Call) or (isinstance(node, Cast) and not node.implicit)
    return text if plain else f"({text})"


def kind(node: Expr) -> str:
    """Name the type of an expression for a message."""
    return "a number" if node.dtype is None else str(node.dtype)


def mixed(left: Expr, right: Expr, node: Expr) -> Words:
    """Word T03 for operands whose types do not mix."""
    return f"{kind(left)} with {kind(right)}: cast one of them", _mixed_hint(left, right, node)


def _mixed_hint(left: Expr, right: Expr, node: Expr) -> str | None:
    a, b = left.dtype, right.dtype
    if a is None or b is None:
        return None
    if DType.BOOL in (a, b):
        flag, other = (left, b) if a is DType.BOOL else (right, a)
        return f"{other}({print_expr(flag)})"
    if a.is_float != b.is_float:
        floating, whole = (a, right) if a.is_float else (b, left)
        return f"{floating}({print_expr(whole)})"
    wide = DType.F32 if a.is_float else DType.I64
    parts = Cast(wide, left), Cast(wide, right)
    if isinstance(node, Binary):
        return print_expr(Binary(node.op, *parts))
    return " and ".join(map(print_expr, parts))


def number_with_bool(node: Expr, flag: Expr) -> Words:
    """Word T03 for a number beside a truth value."""
    return f"bool with a number: cast {print_expr(flag)}, or write True or False", f"i32({print_expr(flag)})"


def float_beside(node: Expr, dtype: DType, whole: Expr, operation: Expr) -> Words:
    """Word T02 for a float beside an integer."""
    text = f"{print_expr(node)} is a float beside {dtype}: cast the integer, or write a whole number"
    cast = Cast(DType.F32, whole)
    if isinstance(operation, Binary):
        sides = (cast, node) if operation.right.span == node.span else (node, cast)
        return text, print_expr(Binary(operation.op, *sides))
    return text, print_expr(cast)


def float_in(name: str, node: Expr, dtype: DType) -> Words:
    """Word T02 for a float that becomes an integer element."""
    return f"{print_expr(node)} is a float, {name} is {dtype}: write a whole number", None


def declared(name: str, dtype: DType, value: Expr) -> Words:
    """Word T01."""
    found = kind(value)
    text = f"{name} is declared {dtype}, its value is {found}"
    if dtype is DType.BOOL:
        return f"{text}: write a condition", no_condition(value)[1]
    if value.dtype is DType.BOOL:
        return f"{text}: {dtype}(…) gives 0 or 1", f"{dtype}({print_expr(value)})"
    if dtype.is_float:
        return f"{text}: {dtype}(…) rounds", f"{dtype}({print_expr(value)})"
    if value.dtype is not None and value.dtype.is_float:
        return (
            f"{text}: {dtype}(…) truncates, sat_{dtype}(round(…)) rounds and clamps",
            f"sat_{dtype}(round({print_expr(value)}))",
        )
    return f"{text}: {dtype}(…) wraps, sat_{dtype}(…) clamps", f"sat_{dtype}({print_expr(value)})"


def missing_indices(name: str, axes: int, found: int) -> str:
    """Word C12."""
    counts = f"{_count(axes, 'axis', 'axes')}, {_count(found, 'index', 'indices')}"
    return f"{name} has {counts}: every read indexes every axis"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def index_type(read: Read, index: Expr, sizes: tuple[int, ...]) -> Words:
    """Word T05; `sizes` holds the size of the axis where it is known."""
    text = f"{print_expr(read)}: {print_expr(index)} is {kind(index)}, an index is an integer"
    if index.dtype is DType.BOOL or not sizes:
        return text, print_expr(Cast(DType.I32, index))
    whole = Cast(DType.I32, Call("floor", (index,)))
    return text, print_expr(Call("clamp", (whole, Literal(0), Literal(sizes[0] - 1))))


def operator(op: str, part: Expr, node: Expr) -> Words:
    """Word T06 for an operator."""
    found = kind(part)
    if part.dtype is DType.BOOL:
        return f"{op} is for {'integers' if op in '&|^~' else 'numbers'}, found bool", _logical(node)
    if op == "/" and isinstance(node, Binary):
        return f"/ is for floats, found {found}: // floors", print_expr(Binary("//", node.left, node.right))
    text = f"{op} is for integers, found {found}"
    if op == "//" and isinstance(node, Binary):
        return text, print_expr(Call("floor", (Binary("/", node.left, node.right),)))
    return text, None


def _logical(node: Expr) -> str | None:
    match node:
        case Binary(op="&" | "|" as op, left=left, right=right):
            return print_expr(Logic("and" if op == "&" else "or", (left, right)))
        case Binary(op="^", left=left, right=right):
            return print_expr(Compare(("!=",), (left, right)))
        case Unary(op="~", operand=operand):
            return print_expr(Unary("not", operand))
        case _:
            return None


def bool_as_number(flag: Expr, what: str) -> Words:
    """Word T04 for a truth value in arithmetic."""
    return f"{print_expr(flag)} is bool, {what} is for numbers", f"i32({print_expr(flag)})"


def function(node: Call, found: DType) -> Words:
    """Word T06 for a function of floats."""
    args = tuple(Cast(DType.F32, arg) for arg in node.args)
    return f"{node.function} is for floats, found {found}", print_expr(Call(node.function, args))


def cast_to_bool(node: Cast) -> Words:
    """Word T07."""
    return "a cast to bool is written as a comparison", f"{inner(node.operand)} != 0"


def arity(name: str, takes: tuple[int, int | None], found: int) -> str:
    """Word C15 for a call."""
    least, most = takes
    if most == 0:
        return f"no function {name}"
    many = f"{least} or more operands" if most is None else _count(least, "operand", "operands")
    return f"{name} takes {many}, found {found}"


def no_condition(node: Expr) -> Words:
    """Word T04."""
    text = f"{print_expr(node)} is {kind(node)}, a condition is a bool"
    if isinstance(node, Literal):
        return text, str(bool(node.value))
    return text, print_expr(Compare(("!=",), (node, Literal(0))))


def too_large(node: Literal, dtype: DType) -> Words:
    """Word T02 for a number that does not fit."""
    low, high = dtype.bounds
    return f"{node.value} does not fit {dtype}, which holds {low}..{high}", None


def too_large_for(name: str, node: Expr, dtype: DType) -> Words:
    """Word T02 for a number that does not fit the element type."""
    low, high = dtype.bounds
    return f"{print_expr(node)} does not fit {name}: {dtype} holds {low}..{high}", None


def reduction_type(kind_: str, stage: Stage) -> Words | None:
    """Word T08 for the declared type of a reducing stage; None when it is right."""
    name, dtype = stage.name, stage.dtype
    if kind_ in ("any", "all") and dtype is not DType.BOOL:
        return f"{kind_} gives bool, {name} is declared {dtype}", f"declare {name} bool"
    if kind_ in ("argmax", "argmin") and dtype is not DType.I32:
        return f"{kind_} gives the place as i32, {name} is declared {dtype}", f"declare {name} i32"
    if kind_ not in ("any", "all") and dtype is DType.BOOL:
        return f"{kind_} gives a number, {name} is declared bool", "any(…) and all(…) give a bool"
    return None


def needs_bool(value: Reduction, element: Expr) -> Words:
    """Word T08 for `any` and `all` over numbers."""
    return f"{value.kind} is over bool, found {kind(element)}", no_condition(element)[1]


def needs_number(value: Reduction, element: Expr) -> Words:
    """Word T08 for a reduction of truth values."""
    text = f"{value.kind} is over numbers, found bool"
    if value.kind != "sum":
        return text, f"i32({print_expr(element)})"
    last = value.over[-1]
    counted = replace(last, conditions=(*last.conditions, element))
    hint = print_reduction(Reduction("sum", Literal(1), (*value.over[:-1], counted)))
    return f"{text}: to count, sum 1 under a condition", hint


def rounded(stage: Stage, element: Cast) -> tuple[str, Span, str | None]:
    """Word W02."""
    factors, to = element.operand, element.to
    text = f"what the {stage.dtype} sum adds is rounded to {factors.dtype} first: cast the factors"
    if not isinstance(factors, Binary):
        return text, factors.span, None
    return (
        text,
        factors.span,
        f"{to}({print_expr(factors.left)}) {factors.op} {to}({print_expr(factors.right)})",
    )
