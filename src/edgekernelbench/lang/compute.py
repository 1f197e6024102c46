"""The compute block: stages, tables, ordered `for`s, and what is returned."""

import ast
from collections.abc import Sequence

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.expressions import read_expr
from edgekernelbench.lang.guesses import free_letter, size_of
from edgekernelbench.lang.naming import check_axis, check_name
from edgekernelbench.lang.nested import refuse_nested
from edgekernelbench.lang.ordered import read_range
from edgekernelbench.lang.outputs import read_outputs
from edgekernelbench.lang.reductions import as_reduction, read_reduction
from edgekernelbench.lang.scope import Declared, Scope, SizeText
from edgekernelbench.lang.statements import FORM, Loops, refuse_statement
from edgekernelbench.lang.tables import read_table
from edgekernelbench.lang.types import declared, read_type, split_type

MAX_STAGES = 256
MAX_AXES = 16


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
    defined = _declare(body, scope, ctx)
    if len(defined) > MAX_STAGES:
        ctx.report("P03", f"{len(defined)} stages, a text has at most {MAX_STAGES}", body[0])
        return Compute((), ())
    items = [item for statement in body for item in _items(statement, (), scope, ctx)]
    names, spans = read_outputs(body, scope, defined, ctx)
    return Compute(tuple(items), names, spans)


def _declare(body: Sequence[ast.stmt], scope: Scope, ctx: Context) -> dict[str, ast.expr]:
    """Note all tensors of the block, so that a group can read what stands further down."""
    defined: dict[str, ast.expr] = {}
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        match statement:
            case ast.For(body=inner):
                waiting.extend(reversed(inner))
                continue
            case ast.If(body=inner) | ast.While(body=inner) | ast.With(body=inner):
                _declare_refused(inner, scope)
                continue
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                said = declared(annotation, const=isinstance(value, ast.List))
                if not isinstance(value, ast.List) and said.rank != _rank(target):
                    said = Declared(None, said.sizes, said.dtype)
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                said = Declared(None)
            case _:
                continue
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            name = part.value if isinstance(part, ast.Subscript) else part
            if isinstance(name, ast.Name):
                _declare_one(name, said, statement, defined, scope, ctx)
    return defined


def _declare_refused(body: Sequence[ast.stmt], scope: Scope) -> None:
    """Note what a refused statement defines, so that nothing is said of its name as well."""
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            scope.tensors.setdefault(node.id, Declared(None))
        elif isinstance(node, ast.AnnAssign | ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    scope.tensors.setdefault(target.value.id, Declared(None))


def _rank(target: ast.expr) -> int:
    if not isinstance(target, ast.Subscript):
        return 0
    return len(target.slice.elts) if isinstance(target.slice, ast.Tuple) else 1


def _declare_one(
    name: ast.Name,
    said: Declared,
    statement: ast.stmt,
    defined: dict[str, ast.expr],
    scope: Scope,
    ctx: Context,
) -> None:
    proper = isinstance(statement, ast.AnnAssign)
    if proper and name.id in scope.tensors and scope.tensors[name.id].rank is not None:
        what = "a stage" if name.id in defined else "a parameter"
        ctx.report("C05", f"{name.id} is {what} already, a name means one thing", name, f"{name.id}2")
    elif proper:
        check_name(name.id, name, "stage", ctx)
        defined.setdefault(name.id, name)
    if name.id not in scope.tensors or (proper and scope.tensors[name.id].rank is None):
        scope.tensors[name.id] = said


def _items(statement: ast.stmt, loops: Loops, scope: Scope, ctx: Context) -> list[Item]:
    match statement:
        case ast.Return():
            return []
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.List() as value):
            return [read_table(statement, name, value, ctx)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return _stage(statement, name, [], value, scope, ctx)
        case ast.AnnAssign(
            target=ast.Subscript(value=ast.Name(id=name), slice=index), value=ast.expr() as value
        ):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return _stage(statement, name, parts, value, scope, ctx)
        case ast.For():
            return _ordered(statement, loops, scope, ctx)
        case _:
            refuse_statement(statement, loops, scope, ctx)
            return []


def _stage(
    node: ast.AnnAssign, name: str, parts: list[ast.expr], value: ast.expr, scope: Scope, ctx: Context
) -> list[Item]:
    before = len(ctx.diagnostics)
    axes = tuple(part.id for part in parts if isinstance(part, ast.Name))
    if len(parts) > MAX_AXES:
        ctx.report("P03", f"{len(parts)} axes, a stage has at most {MAX_AXES}", node.target)
        return []
    if len(axes) < len(parts):
        wrong = next(part for part in parts if not isinstance(part, ast.Name))
        message = f"{FORM}; the left side names the axes, {ctx.quote(wrong)} is no name"
        ctx.report("C04", message, wrong)
        return []
    if isinstance(value, ast.List):
        ctx.fix(
            "C06", f"a table has no axes on its left side, {name}: type[shape] = [...]", node.target, name
        )
        ctx.show_fixed_line(node, before)
        return []
    if not parts and (listed := _listed(value)) is not None:
        hint = ctx.text(listed) if isinstance(listed, ast.List) else f"[{ctx.text(listed)[1:-1]}]"
        ctx.fix("C06", "a table is a list in square brackets", value, hint)
        ctx.show_fixed_line(node, before)
        return []
    dtype, shape = read_type(node.annotation, ctx)
    sizes = _checked_axes(node, parts, value, scope, ctx)
    # Axes of the fors count as known: a stage that has not all of them is refused for that alone [O02].
    inside = scope.inside({**scope.axes, **dict(zip(axes, sizes, strict=True))}, name)
    reduction = as_reduction(value)
    right = read_expr(value, inside, ctx) if reduction is None else read_reduction(*reduction, inside, ctx)
    refuse_nested(node, inside, ctx)
    ctx.show_fixed_line(node, before)
    return [Stage(name, axes, dtype, shape, right, span(node), span(node.target))]


def _listed(value: ast.expr) -> ast.List | ast.Tuple | None:
    """Recognise a table that is written as a tuple, or as `np.array([...])`."""
    if isinstance(value, ast.Tuple):
        return value
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.List):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
        return value.args[0] if name in ("array", "asarray", "tensor", "constant") else None
    return None


def _checked_axes(
    node: ast.AnnAssign, parts: list[ast.expr], value: ast.expr, scope: Scope, ctx: Context
) -> list[SizeText]:
    """Check the axes of a stage [C05, C07]; give the size of each."""
    sizes = split_type(node.annotation)[1]
    seen: set[str] = set()
    for part in (part for part in parts if isinstance(part, ast.Name)):
        if part.id in seen:
            other = free_letter(scope, taken=seen)
            ctx.report("C05", f"two axes are named {part.id}", part, f"rename one, for example {other}")
        seen.add(part.id)
        check_axis(part.id, part, scope, ctx)
    if len(parts) == len(sizes):
        return list(sizes)
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    guessed = [size_of(axis, value, scope, ctx) or "" for axis in names]
    base = ctx.text(split_type(node.annotation)[0])
    hint = f"{base}[{', '.join(guessed)}]" if names and all(guessed) else None
    has_axes = f"{len(parts)} ax{'i' if len(parts) == 1 else 'e'}s"
    has_sizes = f"{len(sizes)} size{'' if len(sizes) == 1 else 's'}"
    message = f"{ctx.quote(node.target)} has {has_axes}, its type has {has_sizes}"
    ctx.fix("C07", message, node.annotation, hint)
    return [found or "N" for found in guessed]


def _ordered(node: ast.For, loops: Loops, scope: Scope, ctx: Context) -> list[Item]:
    if len(loops) >= MAX_AXES:
        ctx.report("P03", f"fors nest more than {MAX_AXES} deep", node)
        return []
    size, text = read_range(node, scope, ctx)
    axis = node.target.id if isinstance(node.target, ast.Name) else "_"
    if isinstance(node.target, ast.Name):
        if axis in (name for name, _ in loops):
            ctx.report(
                "C05", f"two nested fors are named {axis}", node.target, free_letter(scope, taken=ctx.axes)
            )
        check_axis(axis, node.target, scope, ctx)
    inner = (*loops, (axis, text))
    within = scope.within({**scope.axes, axis: text})
    items = tuple(item for statement in node.body for item in _items(statement, inner, within, ctx))
    return [Ordered(axis, size, items, span(node))] if items else []
