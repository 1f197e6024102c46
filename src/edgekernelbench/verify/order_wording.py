"""The sentences about order."""

from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Ordered, Stage, Table
from edgekernelbench.ir.expr import Axis, Compare, Read, Select
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.verify.linear import Sum
from edgekernelbench.verify.names import Place
from edgekernelbench.verify.range_wording import zero

Words = tuple[str, Span, str | None]


def not_above(reader: Place[Stage], target: Place[Stage | Table], read: Read) -> Words:
    """Word O04."""
    name, stage = reader.item.name, target.item
    if target is not reader or isinstance(stage, Table):
        kind = "stage" if isinstance(stage, Stage) else "table"
        return (
            f"{name} reads {stage.name}, a {kind} further down",
            read.span,
            f"move {stage.name} above {name}",
        )
    places = zip(stage.axes, stage.shape, read.indices, strict=True)
    moved = [(a, n) for a, n, index in places if not (isinstance(index, Axis) and index.name == a)]
    if not moved:
        return f"{name} reads itself at the same place", read.span, None
    header = f"for {moved[0][0]} in range({moved[0][1]}):"
    return f'{name} reads itself: put it in "{header}"', read.span, header


def not_earlier(read: Read, place: int, ordered: Ordered, back: Sum) -> Words:
    """Word O05."""
    axis, index = ordered.axis, read.indices[place]
    text = f"{print_expr(read)}: {print_expr(index)} is not proven earlier than {axis}"
    if back.high < 0:
        return f"{text}; run backwards with u = {ordered.size - 1} - {axis}", read.span, None
    guard = Compare(("<",), (index, Axis(axis)))
    return text, read.span, f"({print_expr(Select(guard, read, zero(read.dtype)))})"


def same_step(reader: Place[Stage], target: Place[Stage | Table], read: Read, ordered: Ordered) -> Words:
    """Word O06."""
    name, other, axis = reader.item.name, target.item.name, ordered.axis
    if reader is target:
        text = f"{print_expr(read)}: {name} reads itself at the same {axis}"
        return text, read.span, f"read an earlier {axis}, such as {axis} - 1"
    text = f"{print_expr(read)}: {other} stands below {name} and is read at the same {axis}"
    return text, read.span, f"move {other} above {name}, or read an earlier {axis}"
