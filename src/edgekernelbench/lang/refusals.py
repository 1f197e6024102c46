"""What is said of expressions that the language does not have, with the line that was probably meant."""

import ast
import re

from edgekernelbench.ir.expr import REDUCTIONS, Expr, Literal
from edgekernelbench.lang.context import Context
from edgekernelbench.lang.guesses import free_letter, plain_indices, sum_over
from edgekernelbench.lang.scope import MAX_NESTED, NestedReduction, Scope
from edgekernelbench.lang.spellings import ATTRIBUTES, DTYPE_SPELLINGS, EXPRESSIONS
from edgekernelbench.lang.words import DTYPES, FUNCTIONS, SATURATING, SCHEDULE_WORDS

_FEWEST_OPERANDS = 2
"""Of the functions `max` and `min`."""

_SIMPLE = re.compile(r"[\w.]+(\[[^\[\]]*\])?\Z|\w+\([^()]*\)\Z")


def refuse_form(node: ast.expr, scope: Scope, ctx: Context) -> None:
    """Refuse a form that is no expression of the language [C15].

    Args:
        node: The form.
        scope: What names stand for.
        ctx: Where it is noted.
    """
    message, hint = f"{ctx.quote(node)} is not in the language", None
    match node:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            message, hint = (
                "@ is not in the language: a product of matrices is a stage of its own",
                _product(left, right, scope, ctx),
            )
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Call() as call]):
            message, hint = "in is no comparison", _within(left, op, call, ctx)
        case ast.Compare():
            message = "comparisons are < <= > >= == !="
        case ast.Attribute(attr=attr):
            message, hint = _attribute(node, attr, scope, ctx)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=index):
            message, hint = "a shape is not read: sizes are constants", _dimension(name, index, scope, ctx)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="T"), slice=ast.Tuple(elts=parts)
        ):
            message = "an array is not transposed: its indices stand in the other order"
            hint = f"{name}[{', '.join(ctx.text(part) for part in reversed(parts))}]"
        case ast.Subscript(value=inner) if (flat := _flattened(node, ctx)) is not None:
            message, hint = f"{ctx.quote(inner)} is no array: all indices stand in one pair of brackets", flat
        case ast.Constant(value=str() as text):
            message = "a string is no value"
            hint = text if text in ("inf", "-inf") else None
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            message, hint = "unary + is not in the language", ctx.text(operand)
        case ast.ListComp() | ast.GeneratorExp() | ast.List() | ast.Tuple():
            message = f"{ctx.quote(node)} is no scalar: an expression gives one element"
        case ast.NamedExpr():
            message = "a value gets a name by a stage of its own"
        case _:
            pass
    ctx.fix("C15", message, node, hint)


def _product(left: ast.expr, right: ast.expr, scope: Scope, ctx: Context) -> str:
    a, b, count = ctx.text(left), ctx.text(right), "K"
    if isinstance(left, ast.Name) and (known := scope.tensors.get(left.id)) is not None and known.sizes:
        count = ctx.text(known.sizes[-1])
    axes = [*scope.axes, "i", "j"][:2] if len(scope.axes) >= 2 else ["i", "j"]
    k = free_letter(scope, "k")
    if isinstance(right, ast.Name) and (known := scope.tensors.get(right.id)) is not None and known.rank == 1:
        return f"sum({a}[{axes[0]}, {k}] * {b}[{k}] for {k} in range({count}))"
    return f"sum({a}[{axes[0]}, {k}] * {b}[{k}, {axes[1]}] for {k} in range({count}))"


def _within(left: ast.expr, op: ast.cmpop, call: ast.Call, ctx: Context) -> str | None:
    bounds = [ctx.text(arg) for arg in call.args]
    if not (isinstance(call.func, ast.Name) and call.func.id == "range" and len(bounds) in (1, 2)):
        return None
    low, high = ("0", bounds[0]) if len(bounds) == 1 else bounds
    text = f"{low} <= {ctx.text(left)} < {high}"
    return text if isinstance(op, ast.In) else f"not {text}"


def _attribute(node: ast.Attribute, attr: str, scope: Scope, ctx: Context) -> tuple[str, str | None]:
    if attr in ATTRIBUTES:
        return f"{ctx.quote(node)} is written {ATTRIBUTES[attr]}", ATTRIBUTES[attr]
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if attr == "T" and name in scope.tensors:
        return "an array is not transposed: its indices stand in the other order", f"{name}[j, i]"
    if attr == "shape":
        return "a shape is not read: sizes are constants", None
    if name in scope.tensors and attr in scope.axes:
        return f"{name}.{attr} is a loop, for schedules; here the axis is meant", attr
    return f"{ctx.quote(node)}: there are no attributes in compute", None


def _dimension(name: str, index: ast.expr, scope: Scope, ctx: Context) -> str | None:
    known = scope.tensors.get(name)
    match index:
        case ast.Constant(value=int(at)):
            place = at
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(at))):
            place = -at
        case _:
            return None
    if known is None or not -len(known.sizes) <= place < len(known.sizes):
        return None
    return ctx.text(known.sizes[place])


def _flattened(node: ast.Subscript, ctx: Context) -> str | None:
    """Write `x[i][j]` as `x[i, j]`."""
    parts: list[str] = []
    value: ast.expr = node
    while isinstance(value, ast.Subscript):
        inner = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        parts = [ctx.text(part) for part in inner] + parts
        value = value.value
    return f"{value.id}[{', '.join(parts)}]" if isinstance(value, ast.Name) else None


def refuse_call(node: ast.Call, scope: Scope, ctx: Context) -> None:
    """Refuse a call of what is no function, or with wrong arguments [C15].

    Args:
        node: The call.
        scope: What names stand for.
        ctx: Where it is noted.
    """
    func = node.func
    args = [ctx.text(arg) for arg in (*node.args, *(keyword.value for keyword in node.keywords))]
    if isinstance(func, ast.Attribute):
        word = func.attr
        if not _is_module(func.value, scope):
            args.insert(0, ctx.text(func.value))
    elif isinstance(func, ast.Name):
        word = func.id
    else:
        ctx.report("C15", f"{ctx.quote(func)} is no function", func)
        return
    listed = len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple)
    if word in REDUCTIONS and not listed and _is_array_reduction(word, node, args, scope):
        _refuse_array_reduction(word, node, args, scope, ctx)
    elif word in FUNCTIONS or word in SATURATING:
        _refuse_known(word, node, args, ctx)
    elif isinstance(func, ast.Name) and word in scope.tensors:
        ctx.fix(
            "C15", f"{word} is a tensor: indices stand in square brackets", node, f"{word}[{', '.join(args)}]"
        )
    elif word in SCHEDULE_WORDS:
        ctx.report("P05", f"{word} is a directive: it stands in a schedule block", node)
    else:
        _refuse_unknown(word, node, args, ctx)


def _is_array_reduction(word: str, node: ast.Call, args: list[str], scope: Scope) -> bool:
    """Tell `np.max(x, axis=1)` and `x.max(-1)` from a call of the function `max`."""
    if word not in FUNCTIONS or len(args) < _FEWEST_OPERANDS:
        return True
    known = scope.tensors.get(args[0])
    named = any(keyword.arg in ("axis", "dim", "keepdims", "keepdim") for keyword in node.keywords)
    return named or (known is not None and bool(known.rank))


def _is_module(node: ast.expr, scope: Scope) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id not in scope.tensors and node.id not in scope.axes


def _refuse_known(word: str, node: ast.Call, args: list[str], ctx: Context) -> None:
    if word in ("min", "max") and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
        args = [ctx.text(part) for part in node.args[0].elts]
    least, most = FUNCTIONS.get(word, (1, 1))
    written = f"{word}({', '.join(args)})"
    if len(args) >= least and (most is None or len(args) <= most):
        form = (
            "takes its arguments one by one" if isinstance(node.func, ast.Name) else "is no part of a module"
        )
        ctx.fix("C15", f"{word} {form}", node, written)
        return
    if word == "round" and len(args) > 1:
        ctx.fix("C15", "round takes 1 argument and rounds half to even", node, f"round({args[0]})")
        return
    wanted = f"{least} arguments or more" if most is None else f"{least} argument{'s' if least > 1 else ''}"
    ctx.report("C15", f"{word} takes {wanted}, found {len(args)}", node)


def _refuse_unknown(word: str, node: ast.Call, args: list[str], ctx: Context) -> None:
    if word in ("astype", "to", "type", "cast", "view_as") and len(args) > 1:
        names = [arg.rsplit(".", 1)[-1].strip("\"'") for arg in args[1:]]
        casts = [name if name in DTYPES else DTYPE_SPELLINGS.get(name) for name in names]
        to = next((cast for cast in casts if cast), None)
        ctx.fix(
            "C15", f"no function {word}: the type is the function", node, f"{to}({args[0]})" if to else None
        )
        return
    if word == "float" and args and args[0].strip("\"'").lstrip("+-") in ("inf", "infinity"):
        ctx.fix("C15", "no function float: infinity is inf", node, "-inf" if "-" in args[0] else "inf")
        return
    template = EXPRESSIONS.get(word.lower())
    dtype = word.lower() if word.lower() in DTYPES else DTYPE_SPELLINGS.get(word.lower())
    if template is None and dtype is not None and len(args) == 1:
        template = f"{dtype}({{0}})"
    if template is not None and "{" in template:
        needed = 1 + max(int(at) for at in re.findall(r"{(\d)}", template))
        hint = template.format(*_bracketed(template, args)) if len(args) >= needed else None
        ctx.fix("C15", f"no function {word}", node, hint)
        return
    if template is None:
        close = ctx.nearest(word, (*FUNCTIONS, *DTYPES, *SATURATING))
        template = f"{close}({', '.join(args)})" if close else None
        ctx.fix("C15", f"no function {word}", node, template)
        return
    ctx.report("C15", f"no function {word}", node, template)


def _bracketed(template: str, args: list[str]) -> list[str]:
    """Put arguments in brackets, but for simple ones and where they stand alone in brackets or commas."""

    def stands_alone(at: int) -> bool:
        place = f"{{{at}}}"
        lonely = re.findall(rf"(?:^|[(]|, |if |else ){re.escape(place)}(?=$|[)]|, | if| else)", template)
        return len(lonely) == template.count(place) and (" if " not in args[at] or " if " not in template)

    return [arg if _SIMPLE.match(arg) or stands_alone(at) else f"({arg})" for at, arg in enumerate(args)]


def _refuse_array_reduction(word: str, node: ast.Call, args: list[str], scope: Scope, ctx: Context) -> None:
    """Refuse `sum(x)`, `x.max(-1)`, `np.sum(x, axis=1)`."""
    name = args[0] if args else "x"
    known = scope.tensors.get(name)
    hint = None
    if known is not None and known.rank:
        hint = f"{word}{sum_over(name, known, _axis_argument(args[1:]), scope, ctx)}"
    message = f"{word} takes a generator and is a stage of its own: nothing works on whole arrays"
    ctx.report("C15", message, node, hint)


def _axis_argument(args: list[str]) -> int:
    return int(args[0]) if args and re.fullmatch(r"-?\d", args[0]) else -1


def refuse_comprehension(node: ast.Call, scope: Scope, ctx: Context) -> None:
    """Refuse a reduction inside an expression [C14], or a comprehension in another call [C15].

    A reduction is only noted, with the axes in force: what is said of it needs the whole stage.

    Args:
        node: A call with a comprehension or a starred argument.
        scope: What names stand for.
        ctx: Where it is noted.
    """
    match node:
        case ast.Call(
            func=ast.Name(id=word), args=[(ast.GeneratorExp() | ast.ListComp()) as inner], keywords=[]
        ) if word in REDUCTIONS:
            if len(scope.nested) >= MAX_NESTED:
                return  # there are enough to answer
            scope.nested.append(NestedReduction(node, word, inner, dict(scope.axes)))
        case ast.Call(func=ast.Name(id=word), args=[ast.GeneratorExp(), *_]) if word in REDUCTIONS:
            ctx.report("C15", f"{word} takes one generator: {word}(e for k in range(K))", node)
        case _:
            refuse_call(node, scope, ctx)


def refuse_power(node: ast.BinOp, exponent: Expr, ctx: Context) -> None:
    """Refuse a power whose exponent is no literal from 2 to 8 [C15].

    Args:
        node: The power.
        exponent: Its exponent, read.
        ctx: Where it is noted.
    """
    base, shown = ctx.text(node.left), ctx.text(node.right)
    if not _SIMPLE.match(base):
        base = f"({base})"
    value = exponent.value if isinstance(exponent, Literal) else None
    hints = {
        0.5: f"sqrt({base})",
        -0.5: f"rsqrt({base})",
        1: base,
        -1: f"1.0 / {base}",
        -2: f"1.0 / {base} ** 2",
    }
    if value is not None and not isinstance(value, bool) and value in hints:
        hint = hints[value]
    elif base == "2":
        hint = f"1 << {shown}" if _SIMPLE.match(shown) else f"1 << ({shown})"
    elif isinstance(value, float) and value.is_integer() and 2 <= value <= 8:
        hint = f"{base} ** {int(value)}"
    else:
        hint = f"pow({ctx.text(node.left)}, {shown})"
    ctx.fix("C15", "in e ** n, n is a literal from 2 to 8", node, hint)


def refuse_indices(name: str, node: ast.expr, parts: list[ast.expr], scope: Scope, ctx: Context) -> None:
    """Refuse a read that does not index every axis by one position [C12, C13].

    Args:
        name: The tensor.
        node: The read.
        parts: Its indices.
        scope: What names stand for.
        ctx: Where it is noted.
    """
    known = scope.tensors[name]
    rank = known.rank or 0
    indices = plain_indices(known, parts, scope, ctx) if rank else []
    hint = f"{name}[{', '.join(indices)}]" if indices else None
    sliced = next((part for part in parts if isinstance(part, ast.Slice)), None)
    if sliced is not None:
        ctx.fix(
            "C13",
            f"{ctx.quote(node)}: a slice is not in the language, every index is one position",
            node,
            hint,
        )
        return
    if not rank:
        ctx.fix("C12", f"{name} is a scalar, it is read by its bare name", node, name)
        return
    axes = "1 axis" if rank == 1 else f"{rank} axes"
    found = "1 index" if len(parts) == 1 else f"{len(parts)} indices"
    if any(isinstance(part, ast.Constant) and (part.value is None or part.value is ...) for part in parts):
        found = "None or ... among its indices"
    ctx.fix("C12", f"{name} has {axes}, {found}: every read indexes every axis", node, hint)
