"""Tables: constant arrays of numbers."""

import ast
from collections.abc import Iterator

from edgekernelbench.ir.compute import Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context, Number, span
from edgekernelbench.lang.numbers import number
from edgekernelbench.lang.types import read_type, split_type

MAX_TABLE = 4096
"""Numbers in a table."""

_MAX_RANK = 16


def read_table(node: ast.AnnAssign, name: str, value: ast.List, ctx: Context) -> Table:
    """Read a table [C06].

    Args:
        node: The whole definition.
        name: Its name.
        value: The list.
        ctx: Constants and diagnostics.

    Returns:
        The table.
    """
    dtype, shape = read_type(node.annotation, ctx)
    found = _shape(value)
    dtype_text = ctx.text(split_type(node.annotation)[0])
    if found is None:
        ctx.report("C06", f"{name}: the rows of a table are equally long", value)
    elif not ctx.free and found != shape:
        hint = f"{name}: {dtype_text}[{', '.join(map(str, found))}]"
        message = f"{name} has the shape {_shown(found)}, its type says {_shown(shape)}"
        ctx.report("C06", message, node.annotation, hint)
    if dtype is DType.BOOL:
        ctx.report(
            "C06",
            f"{name}: a table holds numbers, not bool",
            node.annotation,
            "i8, and != 0 where it is read",
        )
    leaves = list(_leaves(value))
    if len(leaves) > MAX_TABLE:
        ctx.report("C06", f"{name} has {len(leaves):,} numbers, a table has at most {MAX_TABLE:,}", value)
        leaves = []
    values = tuple(_element(leaf, dtype, ctx) for leaf in leaves)
    return Table(name, dtype, shape, values, span(node))


def _shown(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) if shape else "of a scalar"


def _shape(node: ast.List, rank: int = 1) -> tuple[int, ...] | None:
    """Give the shape of nested lists; None when they are not regular."""
    rows = [part for part in node.elts if isinstance(part, ast.List)]
    if not rows:
        return (len(node.elts),)
    if len(rows) < len(node.elts) or rank >= _MAX_RANK:
        return None
    inner = {_shape(row, rank + 1) for row in rows}
    first = inner.pop()
    return None if inner or first is None else (len(rows), *first)


def _leaves(node: ast.List) -> Iterator[ast.expr]:
    waiting: list[ast.expr] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.List):
            waiting.extend(reversed(current.elts))
        else:
            yield current


def _element(node: ast.expr, dtype: DType, ctx: Context) -> Number:
    value = number(node, ctx)
    if value is None:
        return 0
    if dtype.is_float or dtype is DType.BOOL:
        return value
    low, high = dtype.bounds
    if isinstance(value, float) or not low <= value <= high:
        ctx.report("C06", f"{value} does not fit {dtype}", node)
        return 0
    return value
