"""Which directive a loop, a stage or a buffer belongs to, as the text prints it."""

from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Accumulate, Cache, Layout, Place
from edgekernelbench.ir.schedule import (
    Bind,
    ComputeAt,
    Order,
    Parallel,
    Split,
    Tensorize,
    Unroll,
    Vectorize,
)
from edgekernelbench.lang.directive_printing import print_directive


class Names:
    """Finds directives of one kernel for one target."""

    def __init__(self, kernel: Kernel, target: str) -> None:
        self._schedule = kernel.schedule_for(target).directives
        self._memory = kernel.memory_for(target).directives

    def mark(self, loop: str) -> str:
        """Print what marks a loop; empty when nothing does."""
        marks = Parallel | Vectorize | Unroll | Bind | Tensorize
        found = (one for one in self._schedule if isinstance(one, marks) and loop in one.loops)
        return next((print_directive(one) for one in found), "")

    def split(self, loop: str) -> str:
        """Print the split that made a loop; empty when none did."""
        found = (one for one in self._schedule if isinstance(one, Split) and loop in one.outs)
        return next((print_directive(one) for one in found), "")

    def order(self, stage: str) -> str:
        """Print the order of the loops of a stage; empty when it is the order written."""
        found = (
            one
            for one in self._schedule
            if isinstance(one, Order) and any(loop.startswith(f"{stage}.") for loop in one.loops)
        )
        return next((print_directive(one) for one in found), "")

    def place(self, stage: str) -> str:
        """Print where a stage is computed; empty for a nest of its own."""
        found = (one for one in self._schedule if isinstance(one, ComputeAt) and one.stage == stage)
        return next((print_directive(one) for one in found), "")

    def memory(self, buffer: str) -> str:
        """Print what says how a buffer is stored; empty when nothing does."""
        tensor = buffer.removesuffix(".packed").removesuffix(".partial")
        for one in self._memory:
            match one:
                case Layout(tensor=name) | Place(tensor=name) | Cache(tensor=name) | Accumulate(stage=name):
                    if name == tensor or buffer.startswith(f"{name}."):
                        return print_directive(one)
                case _:
                    continue
        return ""
