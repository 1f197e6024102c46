"""What is known of a kernel whose compute layer was verified."""

from dataclasses import dataclass

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.ir.compute import Param, Stage, Table, placed_stages, tables
from edgekernelbench.ir.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Interval:
    """Least and greatest value that an integer can have; None where it is unbounded."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """An outermost `for` of the compute layer with all that is in it.

    Attributes:
        axes: All `for` axes of the group with their sizes, in text order.
        stages: Names of its stages, in text order.
        ordered: For each stage, the `for` axes round it, outermost first.
        free: For each stage, those of its axes that are free in the group: every read, inside the
            group, of a stage of the group that has the axis uses just that axis as index.
    """

    axes: tuple[tuple[str, int], ...]
    stages: tuple[str, ...]
    ordered: dict[str, tuple[str, ...]]
    free: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """A verified compute layer.

    Attributes:
        kernel: The kernel with typed expressions (every `dtype` set, widenings explicit); a `for`
            that W01 dropped is gone and its stages are ordinary.
        ranges: Value range of each integer tensor: parameters, tables, stages.
        groups: The groups, in text order.
        diagnostics: Warnings only.
    """

    kernel: Kernel
    ranges: dict[str, Interval]
    groups: tuple[Group, ...]
    diagnostics: tuple[Diagnostic, ...]

    def tensor(self, name: str) -> Param | Stage | Table:
        """Find a tensor by name.

        Raises:
            KeyError: When there is none.
        """
        return _tensors(self.kernel)[name]

    def group_of(self, stage: str) -> Group | None:
        """Find the group that a stage belongs to; None outside every group."""
        return next((g for g in self.groups if stage in g.stages), None)


def _tensors(kernel: Kernel) -> dict[str, Param | Stage | Table]:
    found: dict[str, Param | Stage | Table] = {p.name: p for p in kernel.params}
    found.update({t.name: t for t in tables(kernel.compute)})
    found.update({p.stage.name: p.stage for p in placed_stages(kernel.compute)})
    return found
