"""Running sums as what they are: steps in order, each reading the one before."""

from dataclasses import replace

from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage
from edgekernelbench.ir.expr import Axis, Binary, Compare, Expr, Literal, Over, Read, Reduction, Select
from edgekernelbench.ir.walk import transform


def with_running_sums(compute: Compute) -> Compute:
    """Write sums over all elements up to one as groups.

    Args:
        compute: Stages alone.

    Returns:
        The same values; each such sum takes one addition an element instead of one for each pair.
    """
    return replace(compute, items=tuple(map(_ordered, compute.items)))


def _ordered(item: Item) -> Item:
    match item:
        case Stage(
            value=Reduction(
                kind="sum",
                element=Select(
                    condition=Compare(ops=("<=",), operands=(Axis(name=inner), Axis(name=step))),
                    then=then,
                    other=Literal(value=0),
                ),
                over=(Over(axis=looped, start=0, stop=stop, conditions=()),),
            )
        ) if inner == looped and step in item.axes and item.shape[item.axes.index(step)] == stop:
            return Ordered(step, stop, (_stepped(item, then, inner, step),))
        case _:
            return item


def _stepped(stage: Stage, then: Expr, inner: str, step: str) -> Stage:
    own = transform(then, lambda n: Axis(name=step) if isinstance(n, Axis) and n.name == inner else None)
    zero = Literal(value=0.0 if stage.dtype.is_float else 0)
    places = tuple(
        Binary(op="-", left=Axis(name=axis), right=Literal(value=1)) if axis == step else Axis(name=axis)
        for axis in stage.axes
    )
    before = Select(
        condition=Compare(ops=(">",), operands=(Axis(name=step), Literal(value=0))),
        then=Read(tensor=stage.name, indices=places),
        other=zero,
    )
    return replace(stage, value=Binary(op="+", left=own, right=before))
