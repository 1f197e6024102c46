"""A program with its loops, as the schedule layer leaves it."""

from dataclasses import dataclass, field

from edgekernelbench.ir.schedule import ComputeAt, Hoist
from edgekernelbench.nest.loops import LoopTable
from edgekernelbench.nest.marks import Marked
from edgekernelbench.nest.registry import LoopRef, Registry
from edgekernelbench.nest.work import Program


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A loop round a whole group, over blocks of `block` along `axis`."""

    loop: str
    axis: str
    block: int
    directive: Hoist | None = None


@dataclass(slots=True)
class Plan:
    """A program with its loops.

    Attributes:
        program: The stages, those of `rfactor` too.
        target: The target.
        tables: The own loops of each stage.
        hoisted: The hoisted loops of each group, outermost first.
        marks: The mark of each loop.
        placed: Where each unit is computed, and by which directive; root units are not in it.
        refs: Every loop that can be named.
        registry: Finds loops for the memory layer.
    """

    program: Program
    target: str
    registry: Registry
    tables: dict[str, LoopTable] = field(default_factory=dict)
    hoisted: dict[str, list[Hoisted]] = field(default_factory=dict)
    marks: dict[str, Marked] = field(default_factory=dict)
    placed: dict[str, tuple[str, ComputeAt]] = field(default_factory=dict)
    refs: dict[str, LoopRef] = field(default_factory=dict)

    def is_gpu(self) -> bool:
        """Whether the target has blocks and threads."""
        return self.target != "llvm"
