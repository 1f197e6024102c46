"""The bundle of the three layers, with the signature."""

from dataclasses import dataclass, field

from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.compute import Compute, Param
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Kernel:
    """One text, constants substituted and knobs resolved: numbers only.

    Attributes:
        name: The function's name.
        params: Parameters, in order.
        compute: What.
        schedules: In which order; at most one block names a target.
        memories: Where; at most one block names a target.
        doc: The docstring; empty when there is none.
        span: The `def` line.
    """

    name: str
    params: tuple[Param, ...]
    compute: Compute
    schedules: tuple[Schedule, ...] = ()
    memories: tuple[Memory, ...] = ()
    doc: str = ""
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def schedule_for(self, target: str) -> Schedule:
        """Give the schedule of a target; an empty one when the text has none."""
        found = (block for block in self.schedules if target in block.targets)
        return next(found, Schedule((target,), ()))

    def memory_for(self, target: str) -> Memory:
        """Give the memory block of a target; an empty one when the text has none."""
        found = (block for block in self.memories if target in block.targets)
        return next(found, Memory((target,), ()))
