"""The verifier of the compute layer: everything that must be proven before anything is built on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from edgekernelbench.base.diagnostics import Diagnostic, errors_in
from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Item, Ordered, Stage, Table, tables
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Read
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.facts import Facts, Interval
from edgekernelbench.verify.forms import check_dead, check_forms
from edgekernelbench.verify.groups import find_groups
from edgekernelbench.verify.intervals import EMPTY, Range
from edgekernelbench.verify.names import Names, Place
from edgekernelbench.verify.order import OrderProver, drop_needless
from edgekernelbench.verify.proofs import Prover
from edgekernelbench.verify.reductions import type_stage
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.stage_ranges import group_ranges, stage_range
from edgekernelbench.verify.types import Typer
from edgekernelbench.verify.values import Values

UNKNOWN = frozenset(("C01", "C02", "C08", "C15"))
"""After these it is not known which stages are needed."""

OF_VALUES = frozenset(("T01", "T02", "T03", "T04", "T05", "T06", "T07", "R01", "R02"))
"""These say that a value is wrong; what stages, axes and loops there are is known all the same."""


@dataclass(frozen=True, slots=True)
class ComputeSurvey:
    """What could be found out of a compute layer that may be wrong.

    Attributes:
        facts: What was proven; None when it is not even known which stages, axes and loops there are. After
            a complaint, good for looking up names alone.
        diagnostics: Errors and warnings, in source order.
    """

    facts: Facts | None
    diagnostics: tuple[Diagnostic, ...]


def verify_compute(kernel: Kernel) -> Facts:
    """Prove the compute layer of a kernel.

    Args:
        kernel: The kernel as parsed, numbers only.

    Returns:
        The kernel with typed expressions, and what was proven of it.

    Raises:
        SourceError: With every complaint that one pass can find, causes without what follows from them.
    """
    found = survey_compute(kernel)
    if found.facts is None or errors_in(found.diagnostics):
        raise SourceError(found.diagnostics)
    return found.facts


def survey_compute(kernel: Kernel) -> ComputeSurvey:
    """Prove as much of a compute layer as can be, so that the other layers can be looked at beside it.

    Args:
        kernel: The kernel as parsed, numbers only.

    Returns:
        What was found out, and what is wrong.
    """
    report = Report()
    names = Names(kernel)
    broken = check_forms(kernel, names, report)
    reads: dict[str, Sequence[Read]] = {}
    typed = _typed(names, broken, reads, report)
    if not broken and not report.codes & UNKNOWN:
        check_dead(kernel.compute, names, reads, report)
    values = _known_values(kernel)
    order = OrderProver(names, values, report)
    _prove(names, typed, values, order, Prover(names, values, report))
    if not _loops_are_known(names, typed, report):
        return ComputeSurvey(None, report.sorted())
    refused = report.sorted() if report.refused else None
    needed = drop_needless(kernel.compute.items, order, report)
    compute = replace(kernel.compute, items=tuple(_rebuilt(item, typed) for item in needed))
    facts = Facts(
        kernel=replace(kernel, compute=compute),
        ranges=_ranges(names, values),
        groups=find_groups(compute, reads),
        diagnostics=report.sorted(),
    )
    return ComputeSurvey(facts, refused or report.sorted())


def _loops_are_known(names: Names, typed: Mapping[int, Stage], report: Report) -> bool:
    """Whether all stages and their loops are known, whatever is wrong with their values."""
    if any(code not in OF_VALUES for code in report.codes):
        return False
    # Of a stage that has no types it is not known what it reads, so neither which fors are needed.
    return all(id(place.item) in typed for place in names.stages if place.path)


def _typed(
    names: Names, broken: frozenset[str], reads: dict[str, Sequence[Read]], report: Report
) -> dict[int, Stage]:
    """Type what can be looked into, by the identity of the stage as parsed; note what stages read."""
    typer = Typer(names, report)
    typed: dict[int, Stage] = {}
    for place in names.stages:
        if place.item.name not in broken:
            stage = type_stage(place.item, typer, report)
            reads[place.item.name], typer.reads = typer.reads, []
            if stage is not None:
                typed[id(place.item)] = stage
    return typed


def _known_values(kernel: Kernel) -> Values:
    values = Values()
    for param in kernel.params:
        if param.bounds is not None:
            values.tensors[param.name] = (param.bounds[0], param.bounds[1] - 1)
    for table in tables(kernel.compute):
        whole = [value for value in table.values if isinstance(value, int)]
        if table.dtype.is_int and whole:
            values.tensors[table.name] = min(whole), max(whole)
    return values


def _prove(names: Names, typed: dict[int, Stage], values: Values, order: OrderProver, prover: Prover) -> None:
    """Find the ranges of all stages and prove what they read, group after group."""
    for members in _together(names.stages):
        found = [(place, typed[id(place.item)]) for place in members if id(place.item) in typed]
        for place in members:
            if id(place.item) not in typed and place.item.dtype.is_int:
                values.tensors[place.item.name] = EMPTY  # refused: what reads it has no fault of its own
        if members[0].path:
            group_ranges([stage for _, stage in found], values)
        for place, stage in found:
            if not place.path and stage.dtype.is_int:
                values.tensors[stage.name] = stage_range(stage, values)
            prover.stage(stage, partial(order.see, place))


def _together(stages: list[Place[Stage]]) -> Iterator[list[Place[Stage]]]:
    """Take stages one by one, and those of a group at once."""
    for _, members in groupby(stages, key=lambda place: id(place.path[0] if place.path else place)):
        yield list(members)


def _rebuilt(item: Item, typed: dict[int, Stage]) -> Item:
    match item:
        case Stage():
            return typed.get(id(item), item)
        case Ordered():
            return replace(item, items=tuple(_rebuilt(inner, typed) for inner in item.items))
        case Table():
            return item


def _ranges(names: Names, values: Values) -> dict[str, Interval]:
    """List the ranges of integer tensors; what a wide type alone says counts as unbounded."""
    return {
        name: _interval(values.tensors.get(name, EMPTY), tensor.dtype)
        for name, tensor in names.tensors.items()
        if tensor.dtype.is_int
    }


def _interval(found: Range, dtype: DType) -> Interval:
    low, high = dtype.bounds
    if found[0] > found[1]:
        found = dtype.bounds
    if dtype.bits < DType.I32.bits:
        return Interval(*found)
    return Interval(
        None if dtype.is_signed and found[0] <= low else found[0], None if found[1] >= high else found[1]
    )
