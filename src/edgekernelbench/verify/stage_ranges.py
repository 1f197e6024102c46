"""Ranges of integer stages: of one that stands alone, and of those of a group, which may read each other."""

from collections.abc import Sequence
from math import prod

from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.expr import Expr, Literal, Reduction
from edgekernelbench.ir.walk import walk
from edgekernelbench.verify import intervals
from edgekernelbench.verify.intervals import EMPTY, Range, join, meet, within
from edgekernelbench.verify.linear import NOTHING_KNOWN, Known
from edgekernelbench.verify.values import Values, bounds_of

PATIENCE = 3
"""Rounds in which ranges may grow step by step before they jump to the next threshold."""

MAX_TURNS = 16
"""Rounds after which the types alone count."""


def stage_range(stage: Stage, values: Values) -> Range:
    """Bound the elements of an integer stage.

    Args:
        stage: A typed stage.
        values: What is known of the tensors it reads.

    Returns:
        Their range; empty when there are none.
    """
    values.enter(stage)
    if not isinstance(stage.value, Reduction):
        return values.of(stage.value, NOTHING_KNOWN).range
    return _reduction_range(stage, stage.value, values)


def _reduction_range(stage: Stage, value: Reduction, values: Values) -> Range:
    count = prod(max(0, over.stop - over.start) for over in value.over)
    some = any(over.conditions for over in value.over)
    if value.kind in ("argmax", "argmin"):
        return (-1 if some or count == 0 else 0), count - 1
    known: Known = NOTHING_KNOWN
    for over in value.over:
        for condition in over.conditions:
            known = values.assume(condition, known)
    element = EMPTY if known.dead else values.of(value.element, known).range
    whole = bounds_of(stage.dtype)
    if element[0] > element[1]:
        return _of_nothing(value.kind, whole) if some else EMPTY
    match value.kind:
        case "sum":
            partial = intervals.total(element, count, some=True)
            found = partial if some else intervals.total(element, count, some=False)
            return found if within(partial, whole) else whole
        case "prod":
            found = intervals.product(element, count)
            return found if within(found, whole) else whole
        case _:
            return join(element, _of_nothing(value.kind, whole)) if some else element


def _of_nothing(kind: str, whole: Range) -> Range:
    match kind:
        case "sum":
            return 0, 0
        case "prod":
            return 1, 1
        case "max":
            return whole[0], whole[0]
        case _:
            return whole[1], whole[1]


def group_ranges(stages: Sequence[Stage], values: Values) -> None:
    """Bound the integer stages of a group, from no value upwards until nothing changes.

    Values of the first step stand on nothing else, those of each next one on the steps before. So ranges that
    hold all values computed from them hold every step.

    Args:
        stages: The typed stages of the group, in text order.
        values: What is known; the ranges of these stages are added.
    """
    whole = [stage for stage in stages if stage.dtype.is_int]
    for stage in whole:
        values.tensors[stage.name] = EMPTY
    turn, changed = 0, bool(whole)
    thresholds: list[int] = []
    while changed:
        changed = False
        if turn == PATIENCE:
            thresholds = _thresholds(stages)
        for stage in whole:
            old = values.tensors[stage.name]
            new = join(old, stage_range(stage, values))
            if new != old:
                changed = True
                values.tensors[stage.name] = new if turn < PATIENCE else _jump(old, new, stage, thresholds)
        turn += 1
        if turn > MAX_TURNS:
            for stage in whole:
                values.tensors[stage.name] = bounds_of(stage.dtype)
            break
    for stage in whole if turn > PATIENCE else ():
        values.tensors[stage.name] = meet(values.tensors[stage.name], stage_range(stage, values))


def _thresholds(stages: Sequence[Stage]) -> list[int]:
    """List where a range that grows may well stop: at sizes, and at the numbers of the text."""
    found = {size for stage in stages for size in stage.shape}
    for stage in stages:
        for root in _expressions(stage):
            for node in walk(root):
                if isinstance(node, Literal) and isinstance(node.value, int):
                    found |= {node.value - 1, node.value, node.value + 1}
    return sorted(found)


def _expressions(stage: Stage) -> tuple[Expr, ...]:
    value = stage.value
    if not isinstance(value, Reduction):
        return (value,)
    return (*(condition for over in value.over for condition in over.conditions), value.element)


def _jump(old: Range, new: Range, stage: Stage, thresholds: list[int]) -> Range:
    low, high = new
    least, most = bounds_of(stage.dtype)
    if low < old[0]:
        low = max((t for t in thresholds if t <= low), default=least)
    if high > old[1]:
        high = min((t for t in thresholds if t >= high), default=most)
    return max(low, least), min(high, most)
