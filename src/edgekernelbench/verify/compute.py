"""The verifier of the compute layer: everything that must be proven before anything is built on it."""

from dataclasses import replace

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Item, Ordered, Stage, Table
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.facts import Facts
from edgekernelbench.verify.groups import find_groups
from edgekernelbench.verify.names import Names
from edgekernelbench.verify.reductions import type_stage
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.types import Typer


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
    if report.refused:
        raise SourceError(report.sorted())
    typed = {key: stage for key, stage in stages.items() if stage is not None}
    items = tuple(_rebuilt(item, typed) for item in kernel.compute.items)
    kernel = replace(kernel, compute=replace(kernel.compute, items=items))
    return Facts(kernel, {}, find_groups(kernel.compute), report.sorted())


def _rebuilt(item: Item, typed: dict[int, Stage]) -> Item:
    match item:
        case Stage():
            return typed[id(item)]
        case Ordered():
            return replace(item, items=tuple(_rebuilt(inner, typed) for inner in item.items))
        case Table():
            return item
