"""What makes a raised function read as if written by hand: chains of tests, squares, stages merged.

Nothing here changes a value: a stage that is merged into its only reader is computed for the same elements.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.compute import Compute, Param, Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
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
)
from edgekernelbench.ir.walk import children, expressions, transform, walk

Change = Callable[[Expr], Expr | None]
"""Gives the replacement of a node, or None to keep it."""

LARGEST_MERGED = 40
"""Nodes of an expression beyond which stages are no longer merged: it should be read at a glance."""


def tidy(params: tuple[Param, ...], compute: Compute) -> Compute:
    """Rewrite a compute layer without groups so that it is shorter and says the same.

    Args:
        params: The parameters.
        compute: Stages alone, in order.

    Returns:
        The same computation in fewer stages.
    """
    stages = [item for item in compute.items if isinstance(item, Stage)]
    stages = _needed(stages, compute.outputs)
    stages = [_map(stage, _simpler) for stage in stages]
    stages = [_without_unit_loops(stage) for stage in stages]
    types = {p.name: p.dtype for p in params} | {s.name: s.dtype for s in stages}
    merged = _merged(stages, compute.outputs, types)
    return Compute(tuple(_map(stage, _simpler) for stage in merged), compute.outputs)


def _needed(stages: list[Stage], outputs: tuple[str, ...]) -> list[Stage]:
    """Leave out what no output hangs on: of pairs that were reduced together only one may be asked for."""
    wanted, kept = set(outputs), []
    for stage in reversed(stages):
        if stage.name in wanted:
            wanted |= set(_reads(stage))
            kept.append(stage)
    return kept[::-1]


def _map(stage: Stage, change: Change) -> Stage:
    return replace(stage, value=map_value(stage.value, change))


def map_value(value: Expr | Reduction, change: Change) -> Expr | Reduction:
    """Rewrite every expression of a stage's value from the leaves up."""
    if isinstance(value, Reduction):
        over = tuple(
            replace(o, conditions=tuple(transform(c, change) for c in o.conditions)) for o in value.over
        )
        return replace(value, element=transform(value.element, change), over=over)
    return transform(value, change)


def _simpler(node: Expr) -> Expr | None:
    match node:
        case Logic(op="and", operands=parts):
            return _chains([test for part in parts for test in _tests(part)])
        case Binary(op="*", left=left, right=right) if left == right and isinstance(left, Read | Binary):
            return Power(base=left, exponent=2)
        case Binary(op="+", left=left, right=Literal(value=0)) if not isinstance(left, Literal):
            return left if _is_position(left) else None
        case Compare(ops=("<",), operands=(Literal(value=0), Cast(operand=Compare() as test))):
            return test
        case Binary(
            op="-", left=Binary(op="+", left=left, right=Literal(value=more)), right=Literal(value=less)
        ) if _is_position(node):
            return Binary(op="+" if more >= less else "-", left=left, right=Literal(value=abs(more - less)))
        case Compare(ops=(">=",), operands=(a, b)) if isinstance(b, Literal):
            return Compare(ops=("<=",), operands=(b, a))
        case _:
            return None


def _is_position(node: Expr) -> bool:
    """Whether an expression is made of axes and whole numbers alone."""
    return all(
        isinstance(n, Axis | Binary) or (isinstance(n, Literal) and isinstance(n.value, int))
        for n in walk(node)
    )


def _tests(node: Expr) -> tuple[Expr, ...]:
    return node.operands if isinstance(node, Logic) and node.op == "and" else (node,)


def _chains(tests: list[Expr]) -> Expr:
    """Join `a <= i` and `i < b` to `a <= i < b`, where the second follows the first."""
    joined: list[Expr] = []
    for test in tests:
        last = joined[-1] if joined else None
        if (
            isinstance(test, Compare)
            and isinstance(last, Compare)
            and test.operands[0] == last.operands[-1]
            and {*test.ops, *last.ops} <= {"<", "<="}
        ):
            joined[-1] = Compare(ops=(*last.ops, *test.ops), operands=(*last.operands, *test.operands[1:]))
        else:
            joined.append(test)
    return joined[0] if len(joined) == 1 else Logic(op="and", operands=tuple(joined))


def _without_unit_loops(stage: Stage) -> Stage:
    """Leave out reduction loops of one step, unless none would be left."""
    value = stage.value
    if not isinstance(value, Reduction):
        return stage
    single = {o.axis: o.start for o in value.over if o.stop - o.start == 1 and not o.conditions}
    if len(single) == len(value.over):
        del single[value.over[-1].axis]
    kept = tuple(o for o in value.over if o.axis not in single)
    stage = replace(stage, value=replace(value, over=kept))
    return _map(
        stage, lambda n: Literal(value=single[n.name]) if isinstance(n, Axis) and n.name in single else None
    )


def _merged(stages: list[Stage], outputs: tuple[str, ...], types: Mapping[str, DType]) -> Iterator[Stage]:
    """Merge stages into their only reader."""
    known = {stage.name: stage for stage in stages}
    for name in [stage.name for stage in stages]:
        stage = known[name]
        readers = [(other, n) for other in known.values() if (n := _reads(other)[name])]
        if name in outputs or len(readers) != 1 or readers[0][1] != 1:
            continue
        if _may_merge(stage, readers[0][0]):
            reader = readers[0][0]
            known[reader.name] = _substituted(reader, stage, types)
            del known[name]
    yield from known.values()


def _reads(stage: Stage) -> Counter[str]:
    return Counter(n.tensor for root in expressions(stage.value) for n in walk(root) if isinstance(n, Read))


def _may_merge(stage: Stage, reader: Stage) -> bool:
    if isinstance(stage.value, Reduction):
        return False
    size = sum(1 for _ in walk(stage.value)) + sum(
        1 for root in expressions(reader.value) for _ in walk(root)
    )
    if size > LARGEST_MERGED and not _is_view(stage):
        return False
    if isinstance(reader.value, Reduction):
        return _is_view(stage)
    # An element that is read more often than once would be computed as often.
    return _is_view(stage) or prod(reader.shape) <= prod(stage.shape)


def _is_view(stage: Stage) -> bool:
    """Whether a stage only moves elements, along plain axes."""
    value = stage.value
    return isinstance(value, Read) and all(isinstance(index, Axis | Literal) for index in value.indices)


def _substituted(reader: Stage, stage: Stage, types: Mapping[str, DType]) -> Stage:
    if isinstance(stage.value, Reduction):
        raise InternalError(f"expected no reduction to merge, found {stage.name}")
    value = _of_its_type(stage, stage.value, types)

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Read) or node.tensor != stage.name:
            return None
        places = dict(zip(stage.axes, node.indices, strict=True))
        return transform(value, lambda n: places.get(n.name) if isinstance(n, Axis) else None)

    return _map(reader, change)


def _of_its_type(stage: Stage, value: Expr, types: Mapping[str, DType]) -> Expr:
    """Give an expression the type of its stage, where it may have another by itself."""
    if stage.dtype is DType.BOOL or isinstance(value, Cast):
        return value
    read = {types[n.tensor] for n in _valued(value) if isinstance(n, Read)}
    return value if read == {stage.dtype} else Cast(to=stage.dtype, operand=value)


def _valued(node: Expr) -> Iterator[Expr]:
    """Visit what the value of an expression comes from: not indices, and not conditions."""
    yield node
    match node:
        case Read() | Compare() | Logic():
            return
        case Select(then=then, other=other):
            yield from _valued(then)
            yield from _valued(other)
        case _:
            for child in children(node):
                yield from _valued(child)


def loops_of(stage: Stage) -> tuple[Over, ...]:
    """List the reduction loops of a stage."""
    return stage.value.over if isinstance(stage.value, Reduction) else ()
