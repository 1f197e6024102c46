"""`rfactor` and `scatter`: reductions written in another way."""

from dataclasses import dataclass, replace

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Cast, Compare, Expr, Literal, Read
from edgekernelbench.ir.schedule import Scatter
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.indices import add, simplify
from edgekernelbench.nest.inlining import substitute
from edgekernelbench.nest.linear import I32, number, variable
from edgekernelbench.nest.loops import LoopTable, SplitLoop
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.tree import Kind
from edgekernelbench.nest.work import BEST, Reducing, ReductionAxis, WorkStage, typed


@dataclass(frozen=True, slots=True)
class Factored:
    """What `rfactor` makes: the partial results, what combines them, and the loops that moved."""

    part: WorkStage
    rest: WorkStage
    moved: tuple[str, ...]


def bare(loop: str) -> str:
    """Name the axis that a loop becomes."""
    return loop.rpartition(".")[2]


def factor_reduction(stage: WorkStage, table: LoopTable, loop: str, name: str) -> Factored:
    """Split a reduction in two.

    Args:
        stage: The reducing stage.
        table: Its loops; its other reduction loops are taken out.
        loop: The final reduction loop that becomes an axis of the partial results.
        name: Name of the new stage.
    """
    old = stage.reduction
    counts = {**stage.size_of, **{a.name: a.size for a in old.axes}}
    extents = table.extents(counts)
    reduced = [one for one in table.sequence if table.kinds[one] is Kind.REDUCTION]
    others = tuple(one for one in reduced if one != loop)
    ranges = {bare(one): (0, extents[one] - 1) for one in table.sequence}
    values = table.values(lambda one: variable(bare(one)), extents, ranges)
    starts = {axis.name: axis.start for axis in old.axes}
    whole = {
        axis: add(values[one], number(starts[axis]))
        for one, axis in table.axis_of.items()
        if table.kinds[one] is Kind.REDUCTION
    }
    tails = [t for t in table.tails(values, extents, ranges) if _names(t) & {bare(one) for one in reduced}]

    def rewritten(node: Expr) -> Expr:
        return simplify(substitute(node, whole), ranges)

    part_reducing = Reducing(
        old.kind,
        rewritten(old.element),
        tuple(ReductionAxis(bare(one), 0, extents[one]) for one in others),
        (*tails, *(rewritten(c) for c in old.conditions)),
        None if old.position is None else rewritten(old.position),
    )
    axis = bare(loop)
    part = replace(
        stage, name=name, axes=(*stage.axes, axis), shape=(*stage.shape, extents[loop]),
        reducing=part_reducing, returned=False,
    )  # fmt: skip
    indices = tuple(variable(a) for a in part.axes)
    place = Read(name, indices, dtype=stage.dtype)
    best = Read(name + BEST, indices, dtype=old.element.dtype)
    rest_reducing = Reducing(
        old.kind,
        best if old.is_arg else place,
        (ReductionAxis(axis, 0, extents[loop]),),
        (),
        place if old.is_arg else None,
    )
    table.drop(others)
    _restart(table, loop, axis)
    return Factored(part, replace(stage, reducing=rest_reducing), others)


def _restart(table: LoopTable, loop: str, axis: str) -> None:
    """Make a final reduction loop one that the stage begins with."""
    data = {one: a for one, a in table.axis_of.items() if table.kinds[one] is Kind.DATA}
    table.axis_of = {**data, loop: axis}
    table.changes = [
        change
        for change in table.changes
        if table.kinds[change.loop if isinstance(change, SplitLoop) else change.out] is Kind.DATA
    ]


def _names(node: Expr) -> set[str]:
    return {part.name for part in walk(node) if isinstance(part, Axis)}


def scatter_stage(stage: WorkStage, axis: str, directive: Scatter, problems: Problems) -> WorkStage | None:
    """Let the update of a reduction go straight to the element that its condition names.

    Args:
        stage: The reduction.
        axis: The axis that has no loop in the update.
        directive: For refusals [S15].
        problems: Where they go.

    Returns:
        The stage without the condition; None when there is none that fits.
    """
    if stage.scattered:
        problems.add("S15", f"{stage.name} is scattered along {stage.scattered} already", directive)
        return None
    conditions = stage.reducing.conditions if stage.reducing else ()
    for place, condition in enumerate(conditions):
        target = _other_side(condition, axis)
        if target is not None and stage.reducing is not None:
            kept = (*conditions[:place], *conditions[place + 1 :])
            # Conditions on the axis itself are tested last: the others may guard the reads of the target.
            first = tuple(c for c in kept if axis not in _names(c))
            first += _fits(target, stage.size_of[axis])
            last = tuple(c for c in kept if axis in _names(c))
            reducing = replace(stage.reducing, conditions=(*first, *last))
            return replace(stage, reducing=reducing, scattered=axis, target=typed(target, DType.I32))
    message = f"{stage.name} has no condition e == {axis} with e an integer without {axis}"
    problems.add("S15", message, directive, f"sum(… for … if index[…] == {axis})")
    return None


def _fits(target: Expr, size: int) -> tuple[Expr, ...]:
    """Test a target that `i32` cannot hold before it is cut."""
    dtype = target.dtype
    if dtype is None or dtype.bits < I32.bits or dtype is I32:
        return ()
    low, high = Literal(0, dtype=dtype), Literal(size, dtype=dtype)
    return (Compare(("<=", "<"), (low, target, high), dtype=DType.BOOL),)


def _other_side(condition: Expr, axis: str) -> Expr | None:
    if not isinstance(condition, Compare) or condition.ops != ("==",):
        return None
    for one, other in (condition.operands, condition.operands[::-1]):
        inner = one.operand if isinstance(one, Cast) and one.implicit else one
        integer = other.dtype is not None and other.dtype.is_int
        if isinstance(inner, Axis) and inner.name == axis and integer and axis not in _names(other):
            return other
    return None
