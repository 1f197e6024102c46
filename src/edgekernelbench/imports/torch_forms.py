"""Stages that PyTorch has a function for: paddings and convolutions."""

from collections.abc import Mapping

from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Read,
    Reduction,
    Select,
    Unary,
)

Shapes = Mapping[str, tuple[int, ...]]


def pad_call(stage: Stage, shapes: Shapes) -> str | None:
    """Write a stage as `functional.pad`; None when it is something else.

    Args:
        stage: The stage.
        shapes: Shapes of the tensors above it.
    """
    match stage.value:
        case Select(condition=condition, then=Read(tensor=tensor, indices=indices), other=other) if (
            tensor in shapes
        ):
            value = _constant(other)
        case _:
            return None
    if value is None or len(indices) != len(stage.axes):
        return None
    before = [_shift(index, axis) for index, axis in zip(indices, stage.axes, strict=True)]
    if any(shift is None or shift < 0 for shift in before):
        return None
    sizes = zip(stage.axes, stage.shape, [b or 0 for b in before], shapes[tensor], strict=True)
    pairs = [(axis, b, whole - b - size, size) for axis, whole, b, size in sizes]
    if any(after < 0 for _, _, after, _ in pairs) or _tests(condition) != {
        axis: (b, b + size) for axis, b, after, size in pairs if b or after
    }:
        return None
    widths = [width for _, b, after, _ in reversed(pairs) for width in (b, after)]
    while len(widths) > 2 and widths[-2:] == [0, 0]:
        del widths[-2:]
    filled = "" if value == 0 else f", value={_text(value)}"
    return f"functional.pad({tensor}, {tuple(widths)}{filled})"


def _text(value: float) -> str:
    return f'float("{value}")' if value in (float("inf"), -float("inf")) else repr(value)


def _constant(node: Expr) -> float | None:
    match node:
        case Literal(value=value):
            return value
        case Unary(op="-", operand=Literal(value=value)):
            return -value
        case Cast(operand=operand):
            return _constant(operand)
        case _:
            return None


def _shift(index: Expr, axis: str) -> int | None:
    """Find by how much an index lies before its axis."""
    match index:
        case Axis(name=name) if name == axis:
            return 0
        case Binary(op="-", left=Axis(name=name), right=Literal(value=value)) if name == axis:
            return int(value)
        case _:
            return None


def _tests(condition: Expr) -> dict[str, tuple[int, int]]:
    """Read a condition as a range of each axis; empty when it is something else."""
    parts = condition.operands if isinstance(condition, Logic) and condition.op == "and" else (condition,)
    found: dict[str, tuple[int, int]] = {}
    for part in parts:
        match part:
            case Compare(
                ops=("<=", "<"), operands=(Literal(value=low), Axis(name=name), Literal(value=high))
            ) if name not in found:
                found[name] = (int(low), int(high))
            case _:
                return {}
    return found


def conv_call(stage: Stage, shapes: Shapes) -> str | None:
    """Write a stage as `functional.conv2d`; None when it is something else.

    Args:
        stage: The stage.
        shapes: Shapes of the tensors above it.
    """
    match stage.value:
        case Reduction(
            kind="sum", element=Binary(op="*", left=Read() as data, right=Read() as weights), over=over
        ) if len(stage.axes) == 4 and stage.dtype.is_float and not any(o.conditions or o.start for o in over):
            pass
        case _:
            return None
    if len(data.indices) != 4 or len(weights.indices) != 4:
        return None
    n, k, i, j = stage.axes
    sizes = {o.axis: o.stop for o in over}
    row, column = _window(data.indices[2], i), _window(data.indices[3], j)
    if data.indices[0] != Axis(name=n) or row is None or column is None or weights.indices[0] != Axis(name=k):
        return None
    taps = [axis or "" for axis in (row[1], column[1])]
    if [_tap(index) for index in weights.indices[2:]] != taps or shapes[weights.tensor][2:] != tuple(
        sizes.get(tap, 1) for tap in taps
    ):
        return None
    depthwise = data.indices[1] == Axis(name=k) and weights.indices[1] == Literal(value=0)
    dense = (
        isinstance(data.indices[1], Axis)
        and data.indices[1] == weights.indices[1]
        and data.indices[1].name in sizes
    )
    if not (depthwise or dense) or len(over) != len([t for t in taps if t]) + (0 if depthwise else 1):
        return None
    reached = [
        (size - 1) * stride + (tap - 1) * step + 1
        for size, tap, (stride, _, step) in zip(
            stage.shape[2:], shapes[weights.tensor][2:], (row, column), strict=True
        )
    ]
    given = shapes[data.tensor][2:]
    if any(not r <= g < r + s[0] for r, g, s in zip(reached, given, (row, column), strict=True)):
        return None
    words = [f"stride=({row[0]}, {column[0]})"] if (row[0], column[0]) != (1, 1) else []
    words += [f"dilation=({row[2]}, {column[2]})"] if (row[2], column[2]) != (1, 1) else []
    words += [f"groups={shapes[weights.tensor][0]}"] if depthwise and shapes[weights.tensor][0] > 1 else []
    return f"functional.conv2d({', '.join([data.tensor, weights.tensor, *words])})"


def _tap(index: Expr) -> str:
    return index.name if isinstance(index, Axis) else "" if index == Literal(value=0) else "?"


def _window(index: Expr, axis: str) -> tuple[int, str | None, int] | None:
    """Read an index as `axis * stride + tap * step`; None when it is something else."""
    match index:
        case Binary(op="+", left=left, right=right):
            stride, tap = _scaled(left), _scaled(right)
            return (stride[1], tap[0], tap[1]) if stride and tap and stride[0] == axis else None
        case _:
            found = _scaled(index)
            return (found[1], None, 1) if found and found[0] == axis else None


def _scaled(node: Expr) -> tuple[str, int] | None:
    match node:
        case Axis(name=name):
            return name, 1
        case Binary(op="*", left=Axis(name=name), right=Literal(value=value)):
            return name, int(value)
        case _:
            return None
