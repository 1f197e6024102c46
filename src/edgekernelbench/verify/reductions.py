"""Types of whole stages: expressions and reductions against the declared type."""

from dataclasses import replace

from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Cast, Expr, Over, Power, Reduction, Unary
from edgekernelbench.verify import wording
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.types import Typer


def type_stage(stage: Stage, typer: Typer, report: Report) -> Stage | None:
    """Type the right side of a stage.

    Args:
        stage: The stage as parsed.
        typer: Types its expressions.
        report: Where complaints go.

    Returns:
        The stage with a typed value; None when something was refused.
    """
    typer.axes = frozenset(stage.axes)
    if not isinstance(stage.value, Reduction):
        value = typer.value(stage.value, stage.dtype, stage.name)
        return None if value is None else replace(stage, value=value)
    reduction = _reduction(stage, stage.value, typer, report)
    return None if reduction is None else replace(stage, value=reduction)


def _reduction(stage: Stage, value: Reduction, typer: Typer, report: Report) -> Reduction | None:
    over = []
    for part in value.over:
        typer.axes |= {part.axis}  # a condition names the axes up to its own
        conditions = [typer.condition(condition) for condition in part.conditions]
        known = tuple(condition for condition in conditions if condition is not None)
        if len(known) == len(conditions):
            over.append(Over(part.axis, part.start, part.stop, known, span=part.span))
    element = typer.expression(value.element)
    if element is not None:
        element = _element(stage, value, element, (typer, report))
    if element is None or len(over) < len(value.over):
        return None
    _warn_of_rounding(stage, value, element, report)
    return Reduction(value.kind, element, tuple(over), span=value.span)


def _element(stage: Stage, value: Reduction, element: Expr, tools: tuple[Typer, Report]) -> Expr | None:
    """Bring the element to the type in which the reduction is done."""
    typer, report = tools
    wrong = wording.reduction_type(value.kind, stage)
    if wrong is not None:
        report.refuse("T08", wrong, stage.name_span)
        return None
    logical = value.kind in ("any", "all")
    if logical != (element.dtype is DType.BOOL):
        words = wording.needs_bool if logical else wording.needs_number
        report.refuse("T08", words(value, element), element.span)
        return None
    if logical:
        return element
    if value.kind in ("argmax", "argmin"):
        return typer.natural(element)
    return typer.store(element, stage.dtype, stage.name)


def _warn_of_rounding(stage: Stage, value: Reduction, element: Expr, report: Report) -> None:
    if value.kind not in ("sum", "prod") or not isinstance(element, Cast):
        return
    inner = element.operand
    if inner.dtype in (DType.F16, DType.BF16) and isinstance(inner, Binary | Power | Unary | Call):
        report.warn("W02", *wording.rounded(stage, element))
