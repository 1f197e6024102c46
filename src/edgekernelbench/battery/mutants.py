"""Mutants: a canonical text with one mistake, each of a kind that kernels really have.

A mutant is a kernel of the same signature. Those that the verifier refuses are no danger and are left out by
whoever evaluates them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite

from edgekernelbench.ir.compute import Item, Ordered, Stage, Table
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Over,
    Power,
    Read,
    Reduction,
    Select,
    Unary,
)
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import children, expressions, walk, with_children
from edgekernelbench.lang.expr_printing import print_expr

OTHER_OPERATOR = {
    "+": "-", "-": "+", "*": "+", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
    "!=": "==", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
}  # fmt: skip

OTHER_FUNCTION = {
    "min": "max", "max": "min", "exp": "abs", "round": "floor", "floor": "ceil", "ceil": "floor", "sin":
    "cos", "cos": "sin", "rsqrt": "sqrt", "sqrt": "abs", "abs": "sqrt", "tanh": "sigmoid", "sigmoid": "tanh",
}  # fmt: skip

LIMITERS = ("clamp", "min", "max")

OTHER_REDUCTION = {
    "sum": "max", "prod": "sum", "max": "min", "min": "max", "any": "all", "all": "any", "argmax": "argmin",
    "argmin": "argmax",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A kernel with one mistake.

    Attributes:
        stage: The stage or table that was changed.
        change: What was changed, in the words of the language.
        kernel: The changed kernel.
    """

    stage: str
    change: str
    kernel: Kernel


def mutants(kernel: Kernel) -> Iterator[Mutant]:
    """List all kernels that have one mistake.

    Args:
        kernel: A canonical kernel.

    Yields:
        The mutants, in text order of what they change.
    """
    shapes = {param.name: param.shape for param in kernel.params}
    for stage, change, items in _items(kernel.compute.items, shapes):
        yield Mutant(stage, change, replace(kernel, compute=replace(kernel.compute, items=items)))


Changed = tuple[str, str, tuple[Item, ...]]


def _items(items: tuple[Item, ...], shapes: dict[str, tuple[int, ...]]) -> Iterator[Changed]:
    for place, item in enumerate(items):
        for name, change, fresh in _item(item, shapes):
            yield name, change, (*items[:place], fresh, *items[place + 1 :])


def _item(item: Item, shapes: dict[str, tuple[int, ...]]) -> Iterator[tuple[str, str, Item]]:
    match item:
        case Stage():
            for change, fresh in _stage(item, shapes):
                yield item.name, change, fresh
            shapes[item.name] = item.shape
        case Table():
            first = item.values[0]
            yield item.name, "the first entry", replace(item, values=(_other_number(first), *item.values[1:]))
        case Ordered():
            for name, change, items in _items(item.items, shapes):
                yield name, change, replace(item, items=items)


def _stage(stage: Stage, shapes: dict[str, tuple[int, ...]]) -> Iterator[tuple[str, Stage]]:
    match stage.value:
        case Reduction() as reduction:
            changed: Iterator[tuple[str, Expr | Reduction]] = _reduction(reduction)
        case expression:
            changed = _expression(expression)
    for change, value in changed:
        yield change, replace(stage, value=value)
    yield from _dropped(stage, shapes)


def _dropped(stage: Stage, shapes: dict[str, tuple[int, ...]]) -> Iterator[tuple[str, Stage]]:
    """Leave a stage out: it becomes a copy of what it reads, where that has its shape."""
    indices = tuple(Axis(axis) for axis in stage.axes)
    nodes = (node for root in expressions(stage.value) for node in walk(root))
    for name in dict.fromkeys(node.tensor for node in nodes if isinstance(node, Read)):
        copied = Read(name, indices)
        if shapes.get(name) == stage.shape and stage.value not in (copied, Cast(stage.dtype, copied)):
            yield f"left out, a copy of {name}", replace(stage, value=Cast(stage.dtype, copied))


def _reduction(reduction: Reduction) -> Iterator[tuple[str, Reduction]]:
    for place, over in enumerate(reduction.over):
        for change, fresh in _over(over):
            overs = (*reduction.over[:place], fresh, *reduction.over[place + 1 :])
            yield change, replace(reduction, over=overs)
    kind = OTHER_REDUCTION[reduction.kind]
    yield f"{reduction.kind} becomes {kind}", replace(reduction, kind=kind)
    for change, element in _expression(reduction.element):
        yield change, replace(reduction, element=element)


def _over(over: Over) -> Iterator[tuple[str, Over]]:
    if over.stop - over.start > 1:
        yield f"the last {over.axis} left out", replace(over, stop=over.stop - 1)
        yield f"the first {over.axis} left out", replace(over, start=over.start + 1)
    for place, condition in enumerate(over.conditions):
        without = over.conditions[:place] + over.conditions[place + 1 :]
        yield f"{print_expr(condition)} left out", replace(over, conditions=without)
        for change, fresh in _expression(condition):
            conditions = (*over.conditions[:place], fresh, *over.conditions[place + 1 :])
            yield change, replace(over, conditions=conditions)


def _expression(node: Expr) -> Iterator[tuple[str, Expr]]:
    """Change one place of an expression; indices and steps of loops are places too."""
    yield from _here(node)
    parts = children(node)
    is_limiter = isinstance(node, Call) and node.function in LIMITERS
    for place, part in enumerate(parts):
        if is_limiter and isinstance(part, Literal) and part.value != 0:
            continue
        for change, fresh in _expression(part):
            yield change, with_children(node, (*parts[:place], fresh, *parts[place + 1 :]))


def _here(node: Expr) -> Iterator[tuple[str, Expr]]:
    for fresh in _others(node):
        if fresh != node:
            yield f"{print_expr(node)} becomes {print_expr(fresh)}", fresh


def _others(node: Expr) -> Iterator[Expr]:
    match node:
        case Literal(value=value):
            yield replace(node, value=not value if isinstance(value, bool) else _other_number(value))
        case Binary() | Compare() | Logic():
            yield from _other_operators(node)
        case Select(then=then, other=other):
            yield from (then, other)
        case Unary(operand=part) | Power(base=part):
            yield part
        case Call(function=name, args=args):
            yield from args
            if name in LIMITERS:
                yield from _other_limits(node)
            if name in OTHER_FUNCTION:
                yield replace(node, function=OTHER_FUNCTION[name])
        case Cast(saturate=saturate):
            yield replace(node, saturate=False) if saturate else node
        case Axis() | Read():
            return


def _other_operators(node: Binary | Compare | Logic) -> Iterator[Expr]:
    match node:
        case Binary(op=op, left=left, right=right):
            if op in "+-*/":
                yield left
            if op in "+-":
                yield right
            if op in OTHER_OPERATOR:
                yield replace(node, op=OTHER_OPERATOR[op])
        case Compare(ops=ops):
            for place, op in enumerate(ops):
                yield replace(node, ops=(*ops[:place], OTHER_OPERATOR[op], *ops[place + 1 :]))
        case Logic(op=op, operands=operands):
            yield replace(node, op="or" if op == "and" else "and")
            yield from operands


def _other_limits(node: Call) -> Iterator[Expr]:
    """Halve a limit: moved by one only, it would stay within the steps that rounding may cost."""
    for place, arg in enumerate(node.args):
        match arg:
            case Literal(value=float() | int() as value) if value and isfinite(value):
                half = Literal(type(value)(value / 2))
                yield replace(node, args=(*node.args[:place], half, *node.args[place + 1 :]))
            case _:
                continue


def _other_number(value: int | float) -> int | float:  # noqa: PYI041 - they differ here
    """Give a number nearby: half of it for fractions, one nearer to 0 for whole numbers, 1 for 0."""
    if value == 0:
        return type(value)(1)
    if isinstance(value, int):
        return value - 1 if value > 0 else value + 1
    return value / 2 if isfinite(value) else -value
