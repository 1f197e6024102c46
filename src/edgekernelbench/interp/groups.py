"""Groups taken apart: only stages that need each other's earlier steps are computed step by step.

Whatever else stands in a group, before or after such a circle, has the same values when computed at once
for all steps; and NumPy is quick where much is computed at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from edgekernelbench.ir.compute import Item, Ordered, Stage, Table
from edgekernelbench.ir.expr import Expr, Read, Reduction
from edgekernelbench.ir.walk import walk


def stages_in(item: Item) -> Iterator[Stage]:
    """List the stages of an item, in text order."""
    match item:
        case Stage():
            yield item
        case Ordered(items=items):
            for inner in items:
                yield from stages_in(inner)
        case Table():
            return
        case _:
            assert_never(item)


def tensors_read(stage: Stage) -> set[str]:
    """Name the tensors that a stage reads."""
    return {node.tensor for part in parts_of(stage) for node in walk(part) if isinstance(node, Read)}


def parts_of(stage: Stage) -> list[Expr]:
    """List the expressions of a stage: its value, or element and conditions of its reduction."""
    value = stage.value
    if not isinstance(value, Reduction):
        return [value]
    return [value.element, *(condition for over in value.over for condition in over.conditions)]


def taken_apart(group: Ordered) -> tuple[Item, ...]:
    """Split a group into items that can be computed one after another.

    Args:
        group: An outermost `for`.

    Returns:
        Tables, stages that stand on their own, and a group for each circle of stages.
    """
    stages = {stage.name: stage for stage in stages_in(group)}
    reads = {name: tensors_read(stage) & stages.keys() for name, stage in stages.items()}
    items: list[Item] = list(_tables(group))
    for circle in _circles(reads):
        (first, *others) = circle
        if not others and first not in reads[first]:
            items.append(stages[first])
        else:
            items += _only(group, frozenset(circle))
    return tuple(items)


def _tables(item: Item) -> Iterator[Table]:
    if isinstance(item, Table):
        yield item
    elif isinstance(item, Ordered):
        for inner in item.items:
            yield from _tables(inner)


def _only(item: Item, names: frozenset[str]) -> list[Item]:
    """Keep some stages of an item, with the `for`s round them."""
    match item:
        case Stage():
            return [item] if item.name in names else []
        case Table():
            return []
        case Ordered(items=items):
            kept = tuple(part for inner in items for part in _only(inner, names))
            return [replace(item, items=kept)] if kept else []
        case _:
            assert_never(item)


def _circles(reads: Mapping[str, set[str]]) -> list[list[str]]:
    """Find the sets of stages that need each other, what is read before what reads it."""
    needs = {name: _reached(name, reads) for name in reads}
    found: list[list[str]] = []
    left = list(reads)
    while left:
        # a stage whose needs are met, but for those that need it too
        name = next(n for n in left if all(m not in left or n in needs[m] for m in needs[n]))
        circle = [other for other in left if other == name or (other in needs[name] and name in needs[other])]
        found.append(circle)
        left = [other for other in left if other not in circle]
    return found


def _reached(name: str, reads: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(reads[name])
    while waiting:
        other = waiting.pop()
        if other not in reached:
            reached.add(other)
            waiting += reads[other]
    return reached
