"""The sentences of refusals, with the corrected line where it can be made."""

from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Cast, Expr, Literal, Read
from edgekernelbench.lang.printing import print_expr


def inner(node: Expr) -> str:
    """Print an expression so that an operator can stand beside it."""
    text = print_expr(node)
    plain = isinstance(node, Literal | Axis | Read | Call) or (isinstance(node, Cast) and not node.implicit)
    return text if plain else f"({text})"


def kind(node: Expr) -> str:
    """Name the type of an expression for a message."""
    return "a number" if node.dtype is None else str(node.dtype)


def mixed(left: Expr, right: Expr) -> tuple[str, str | None]:
    """Word T03."""
    return f"{kind(left)} with {kind(right)}: cast one of them", _mixed_hint(left, right)


def _mixed_hint(left: Expr, right: Expr) -> str | None:
    a, b = left.dtype, right.dtype
    if DType.BOOL in (a, b):
        flag, other = (left, right) if a is DType.BOOL else (right, left)
        return f"{other.dtype or DType.I32}({print_expr(flag)})" if other.dtype is not DType.BOOL else None
    if a is None or b is None:
        return None
    if a.is_float != b.is_float:
        floating, whole = (a, right) if a.is_float else (b, left)
        return f"{floating}({print_expr(whole)})"
    wide = DType.F32 if a.is_float else DType.I64
    return f"{wide}({print_expr(left)}) with {wide}({print_expr(right)})"


def declared(name: str, dtype: DType, value: Expr) -> tuple[str, str | None]:
    """Word T01."""
    found = kind(value)
    text = f"{name} is declared {dtype}, its value is {found}"
    if dtype is DType.BOOL:
        return f"{text}: write a condition", f"{print_expr(value)} != 0"
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


def index_type(read: Read, index: Expr) -> tuple[str, str | None]:
    """Word T05."""
    found = kind(index)
    hint = f"i32({print_expr(index)})" if index.dtype is DType.BOOL else f"i32(floor({print_expr(index)}))"
    return f"{print_expr(read)}: {print_expr(index)} is {found}, an index is an integer", hint


def operator(op: str, part: Expr, node: Expr) -> tuple[str, str | None]:
    """Word T06 for an operator."""
    found = kind(part)
    if op == "/":
        hint = f"{print_expr(node.left)} // {print_expr(node.right)}" if isinstance(node, Binary) else None
        return f"/ is for floats, found {found}: // floors", hint
    if part.dtype is DType.BOOL:
        words = {"&": "and", "|": "or", "^": "!=", "~": "not"}
        if op in words:
            return f"{op} is for integers, found bool: write {words[op]}", None
        return f"{op} is for numbers, found bool", f"i32({print_expr(part)})"
    if op == "//" and isinstance(node, Binary):
        return (
            f"// is for integers, found {found}",
            f"floor({print_expr(node.left)} / {print_expr(node.right)})",
        )
    return f"{op} is for integers, found {found}", None


def function(name: str, args: tuple[Expr, ...], dtype: DType | None) -> tuple[str, str | None]:
    """Word T06 for a function."""
    if name in ("min", "max", "clamp", "abs"):
        return f"{name} is for numbers, found bool", None
    first, *rest = args
    return (
        f"{name} is for floats, found {dtype}",
        f"{name}({', '.join([f'f32({print_expr(first)})', *map(print_expr, rest)])})",
    )


def cast_to_bool(node: Cast) -> tuple[str, str | None]:
    """Word T07."""
    return "a cast to bool is written as a comparison", f"{inner(node.operand)} != 0"


def arity(name: str, takes: tuple[int, int | None] | None, found: int) -> str:
    """Word C15 for a call."""
    if takes is None:
        return f"no function {name}"
    least, most = takes
    many = f"{least} or more operands" if most is None else _count(least, "operand", "operands")
    return f"{name} takes {many}, found {found}"


def no_condition(node: Expr) -> tuple[str, str | None]:
    """Word T04."""
    return f"{print_expr(node)} is {kind(node)}, a condition is a bool", f"{inner(node)} != 0"


def number_with_bool(node: Expr) -> tuple[str, str | None]:
    """Word T03 for a number beside a truth value."""
    return f"bool with a number: {print_expr(node)} is no condition", None


def float_beside(node: Expr, dtype: DType) -> tuple[str, str | None]:
    """Word T02 for a float beside an integer."""
    return f"{print_expr(node)} is a float beside {dtype}: cast the integer, or write a whole number", None


def too_large(node: Literal, dtype: DType) -> tuple[str, str | None]:
    """Word T02 for a number that does not fit."""
    low, high = dtype.bounds
    return f"{node.value} does not fit {dtype}, which holds {low}..{high}", None


def reduction_type(kind_: str, dtype: DType) -> str | None:
    """Word T08 for the declared type of a reducing stage; None when it is right."""
    if kind_ in ("any", "all"):
        return None if dtype is DType.BOOL else f"{kind_} gives bool, declared is {dtype}"
    if kind_ in ("argmax", "argmin"):
        return None if dtype is DType.I32 else f"{kind_} gives the place as i32, declared is {dtype}"
    return (
        f"{kind_} gives a number, declared is bool: any or all gives a bool" if dtype is DType.BOOL else None
    )


def needs_bool(kind_: str, element: Expr) -> tuple[str, Span, str | None]:
    """Word T08 for `any` and `all` over numbers."""
    return f"{kind_} is over bool, found {kind(element)}", element.span, f"{inner(element)} != 0"


def needs_number(kind_: str, element: Expr) -> tuple[str, Span, str | None]:
    """Word T08 for a reduction of truth values."""
    text = f"{kind_} is over numbers, found bool"
    if kind_ == "sum":
        return (
            f"{text}: to count, sum 1 under a condition",
            element.span,
            f"sum(1 for … if {print_expr(element)})",
        )
    return text, element.span, f"i32({print_expr(element)})"


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
