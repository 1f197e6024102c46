"""Types of whole stages: expressions and reductions against the declared type."""

from dataclasses import replace

from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Cast, Expr, Over, Power, Reduction, Unary
from edgekernelbench.verify import wording
from edgekernelbench.verify.names import all_axes
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
    typer.axes = frozenset(all_axes(stage))
    if not isinstance(stage.value, Reduction):
        value = typer.value(stage.value, stage.dtype, stage.name)
        return None if value is None else replace(stage, value=value)
    reduction = _reduction(stage, stage.value, typer, report)
    return None if reduction is None else replace(stage, value=reduction)


def _reduction(stage: Stage, value: Reduction, typer: Typer, report: Report) -> Reduction | None:
    over = [_over(part, typer) for part in value.over]
    element = _element(stage, value, typer, report)
    known = tuple(part for part in over if part is not None)
    if element is None or len(known) < len(over):
        return None
    _warn_of_rounding(stage, value, element, report)
    return Reduction(value.kind, element, known, span=value.span)


def _over(over: Over, typer: Typer) -> Over | None:
    conditions = [typer.condition(part) for part in over.conditions]
    known = tuple(part for part in conditions if part is not None)
    return (
        Over(over.axis, over.start, over.stop, known, span=over.span)
        if len(known) == len(conditions)
        else None
    )


def _element(stage: Stage, value: Reduction, typer: Typer, report: Report) -> Expr | None:
    wrong = wording.reduction_type(value.kind, stage)
    if wrong is not None:
        report.refuse("T08", wrong, stage.name_span)
        return None
    if value.kind in ("any", "all"):
        element = typer.expression(value.element)
        if element is not None and element.dtype is not DType.BOOL:
            report.error("T08", *wording.needs_bool(value.kind, element))
            return None
        return element
    if value.kind in ("argmax", "argmin"):
        element = typer.typed(value.element)
    else:
        element = typer.expression(value.element)
    if element is not None and element.dtype is DType.BOOL:
        report.error("T08", *wording.needs_number(value, element))
        return None
    if element is None or value.kind in ("argmax", "argmin"):
        return element
    return typer.store(element, stage.dtype, stage.name)


def _warn_of_rounding(stage: Stage, value: Reduction, element: Expr, report: Report) -> None:
    if value.kind not in ("sum", "prod") or not isinstance(element, Cast):
        return
    inner = element.operand
    if inner.dtype in (DType.F16, DType.BF16) and isinstance(inner, Binary | Power | Unary | Call):
        report.warn("W02", *wording.rounded(stage, element))
