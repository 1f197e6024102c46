"""Names and shapes: what each name means, and what breaks before any type is asked for."""

from dataclasses import dataclass

from edgekernelbench.base.names import nearest
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Placed, placed_stages, tables
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.report import Report

MAX_EXTENT = 2**31 - 1
"""Axes are `i32`."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """What can be read by name."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    span: Span


class Names:
    """The tensors of a kernel by name; the first definition of a name counts.

    Attributes:
        tensors: Parameters, tables and stages.
        stages: All stages with what stands round them, in text order.
    """

    def __init__(self, kernel: Kernel, report: Report) -> None:
        self.tensors: dict[str, Tensor] = {}
        self.stages: tuple[Placed, ...] = tuple(placed_stages(kernel.compute))
        self._report = report
        for param in kernel.params:
            self._define(Tensor(param.name, param.dtype, param.shape, param.span))
        for table in tables(kernel.compute):
            self._define(Tensor(table.name, table.dtype, table.shape, table.span))
        for placed in self.stages:
            stage = placed.stage
            self._define(Tensor(stage.name, stage.dtype, stage.shape, stage.name_span))

    def nearest(self, name: str) -> str | None:
        """Find the tensor that was probably meant."""
        return nearest(name, self.tensors)

    def _define(self, tensor: Tensor) -> None:
        if tensor.name in self.tensors:
            self._report.error(
                "C05",
                f"{tensor.name} is defined twice: a name means one thing",
                tensor.span,
                "give it another name",
            )
            return
        self.tensors[tensor.name] = tensor


def reduction_axes(value: object) -> tuple[str, ...]:
    """List the axes that the right side of a stage reduces over."""
    return tuple(over.axis for over in value.over) if isinstance(value, Reduction) else ()
