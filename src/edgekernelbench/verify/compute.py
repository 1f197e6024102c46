"""The verifier of the compute layer: everything that must be proven before anything is built on it."""

from dataclasses import replace

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Item, Ordered, Placed, Stage, Table, tables
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.facts import Facts, Interval
from edgekernelbench.verify.groups import find_groups
from edgekernelbench.verify.intervals import EMPTY
from edgekernelbench.verify.names import Names
from edgekernelbench.verify.proofs import Prover
from edgekernelbench.verify.reductions import type_stage
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.stage_ranges import group_ranges, stage_range
from edgekernelbench.verify.types import Typer
from edgekernelbench.verify.values import Values


def verify_compute(kernel: Kernel) -> Facts:
    """Prove the compute layer of a kernel.

    Args:
        kernel: The kernel as parsed, numbers only.

    Returns:
        The kernel with typed expressions, and what was proven of it.

    Raises:
        SourceError: With every complaint that one pass can find.
    """
    report = Report()
    names = Names(kernel, report)
    typer = Typer(names, report)
    stages = {id(p.stage): type_stage(p.stage, typer, report) for p in names.stages}
    values = Values()
    for param in kernel.params:
        if param.dtype.is_int:
            values.tensors[param.name] = (
                (param.bounds[0], param.bounds[1] - 1) if param.bounds else param.dtype.bounds
            )
    for table in tables(kernel.compute):
        if table.dtype.is_int:
            values.tensors[table.name] = (int(min(table.values)), int(max(table.values)))
    prover = Prover(names, values, report)
    group: list[Placed] = []
    for placed in [*names.stages, None]:
        if group and (placed is None or placed.group != group[0].group):
            inside = [s for p in group if (s := stages[id(p.stage)]) is not None]
            group_ranges(inside, values)
            for stage in inside:
                prover.stage(stage, lambda *_: frozenset())
            group = []
        if placed is None:
            break
        if placed.group is not None:
            group.append(placed)
            continue
        stage = stages[id(placed.stage)]
        if stage is None:
            values.tensors[placed.stage.name] = EMPTY
            continue
        if stage.dtype.is_int:
            values.tensors[stage.name] = stage_range(stage, values)
        prover.stage(stage, lambda *_: frozenset())
    if report.refused:
        raise SourceError(report.sorted())
    typed = {key: stage for key, stage in stages.items() if stage is not None}
    items = tuple(_rebuilt(item, typed) for item in kernel.compute.items)
    kernel = replace(kernel, compute=replace(kernel.compute, items=items))
    ranges = {name: Interval(*found) for name, found in values.tensors.items()}
    return Facts(kernel, ranges, find_groups(kernel.compute), report.sorted())


def _rebuilt(item: Item, typed: dict[int, Stage]) -> Item:
    match item:
        case Stage():
            return typed[id(item)]
        case Ordered():
            return replace(item, items=tuple(_rebuilt(inner, typed) for inner in item.items))
        case Table():
            return item
