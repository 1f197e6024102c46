"""Other names for the same kernel: tensors and axes renamed everywhere, values as before."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage, Table
from edgekernelbench.ir.expr import Axis, Expr, Over, Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import transform


def rename(kernel: Kernel, names: Mapping[str, str]) -> Kernel:
    """Give a compute layer other names.

    Args:
        kernel: A kernel without schedules and memories, which speak of loops by name.
        names: New names of the function, of tensors and of axes; what is not there keeps its own. A name
            means one thing in a text, so one table is enough.

    Returns:
        The kernel; its docstring is as before.

    Raises:
        ValueError: When the kernel has other layers, or two things would have one name.
    """
    if kernel.schedules or kernel.memories:
        raise ValueError("expected the compute layer alone")
    if len(set(names.values())) != len(names):
        raise ValueError("expected a name of its own for everything")
    params = tuple(replace(p, name=names.get(p.name, p.name)) for p in kernel.params)
    items = tuple(_item(item, names) for item in kernel.compute.items)
    outputs = tuple(names.get(name, name) for name in kernel.compute.outputs)
    compute = Compute(items, outputs, kernel.compute.output_spans)
    return replace(kernel, name=names.get(kernel.name, kernel.name), params=params, compute=compute)


def _item(item: Item, names: Mapping[str, str]) -> Item:
    match item:
        case Stage():
            axes = tuple(names.get(axis, axis) for axis in item.axes)
            return replace(
                item, name=names.get(item.name, item.name), axes=axes, value=_value(item.value, names)
            )
        case Table():
            return replace(item, name=names.get(item.name, item.name))
        case Ordered():
            inner = tuple(_item(part, names) for part in item.items)
            return replace(item, axis=names.get(item.axis, item.axis), items=inner)
        case _:
            assert_never(item)


def _value(value: Expr | Reduction, names: Mapping[str, str]) -> Expr | Reduction:
    if isinstance(value, Reduction):
        over = tuple(_over(part, names) for part in value.over)
        return replace(value, element=_expr(value.element, names), over=over)
    return _expr(value, names)


def _over(over: Over, names: Mapping[str, str]) -> Over:
    conditions = tuple(_expr(condition, names) for condition in over.conditions)
    return replace(over, axis=names.get(over.axis, over.axis), conditions=conditions)


def _expr(root: Expr, names: Mapping[str, str]) -> Expr:
    def renamed(node: Expr) -> Expr | None:
        match node:
            case Axis(name=name) if name in names:
                return replace(node, name=names[name])
            case Read(tensor=tensor) if tensor in names:
                return replace(node, tensor=names[tensor])
            case _:
                return None

    return transform(root, renamed)
