"""Collects directives and makes the names that they need."""

from dataclasses import dataclass, field

from edgekernelbench.ir.memory import (
    Accumulate,
    Fold,
    Layout,
    LayoutSpec,
    Memory,
    MemoryDirective,
    Piece,
    Place,
)
from edgekernelbench.ir.schedule import (
    ComputeAt,
    Fuse,
    Hoist,
    Inline,
    Order,
    Parallel,
    Precompute,
    Rfactor,
    Scatter,
    Schedule,
    ScheduleDirective,
    Split,
    Tensorize,
    Unroll,
    Vectorize,
)


@dataclass
class Writer:
    """Two growing lists of directives.

    Attributes:
        taken: Names that a new loop or stage may not have.
    """

    taken: set[str]
    schedule: list[ScheduleDirective] = field(default_factory=list)
    memory: list[MemoryDirective] = field(default_factory=list)

    def copy(self) -> "Writer":
        """Give a writer that goes on from here by itself."""
        return Writer(set(self.taken), list(self.schedule), list(self.memory))

    def fresh(self, stem: str) -> str:
        """Make a name that nothing has yet, from a stem."""
        name, number = stem, 2
        while name in self.taken:
            name, number = f"{stem}{number}", number + 1
        self.taken.add(name)
        return name

    def split(self, loop: str, *sizes: int) -> tuple[str, ...]:
        """Split a loop; the names end in `o` for the outer and `i` for the inner loop."""
        stem = loop.replace(".", "_")
        ends = ("o", "i") if len(sizes) == 1 else ("o", "m", "i")
        outs = tuple(self.fresh(f"{stem}_{end}") for end in ends)
        self.schedule.append(Split(outs, loop, sizes))
        return outs

    def fuse(self, loops: tuple[str, ...]) -> str:
        """Fuse loops of one stage."""
        out = self.fresh("_".join(loop.replace(".", "_") for loop in loops))
        self.schedule.append(Fuse(out, loops))
        return out

    def rfactor(self, loop: str, stem: str) -> str:
        """Make a partial stage that reduces over the other reduction loops."""
        out = self.fresh(stem)
        self.schedule.append(Rfactor(out, loop))
        return out

    def scatter(self, loop: str) -> None:
        """Send updates straight to their element."""
        self.schedule.append(Scatter(loop))

    def hoist(self, loop: str, block: int) -> str:
        """Hoist an axis of a group."""
        out = self.fresh(loop.replace(".", "_") + "_h")
        self.schedule.append(Hoist(out, loop, block))
        return out

    def order(self, *loops: str) -> None:
        """Order loops; nothing is written for fewer than two."""
        if len(loops) > 1:
            self.schedule.append(Order(loops))

    def mark(self, kind: type[Parallel | Vectorize | Unroll], *loops: str) -> None:
        """Mark loops; nothing is written for none."""
        if loops:
            self.schedule.append(kind(loops))

    def inline(self, *stages: str) -> None:
        """Inline stages."""
        if stages:
            self.schedule.append(Inline(stages))

    def precompute(self, *stages: str) -> None:
        """Precompute stages."""
        if stages:
            self.schedule.append(Precompute(stages))

    def compute_at(self, stage: str, loop: str) -> None:
        """Compute a stage inside a loop."""
        self.schedule.append(ComputeAt(stage, loop))

    def pack(self, tensor: str, rank: int, dim: int, panel: int | None, pair: int | None) -> None:
        """Store a weight with one axis innermost.

        Args:
            tensor: The weight.
            rank: How many axes it has.
            dim: The axis that becomes innermost.
            panel: Elements of a panel, which then is outermost; None for the axis as a whole.
            pair: For 4-bit weights, the axis whose pairs share a byte; else None.
        """
        axes = tuple(f"a{d}" for d in range(rank))
        others = tuple(Piece(a, div=2) if d == pair else Piece(a) for d, a in enumerate(axes) if d != dim)
        outer = () if panel is None else (Piece(axes[dim], div=panel),)
        shared = () if pair is None else (Piece(axes[pair], mod=2),)
        pieces = (*outer, *others, Piece(axes[dim], mod=panel), *shared)
        self.memory.append(Layout(tensor, LayoutSpec(axes, pieces)))

    def fours(self, tensor: str, rank: int, dim: int, panel: tuple[int, int] | None) -> None:
        """Store a tensor so that four neighbours along one axis lie together.

        Args:
            tensor: The tensor.
            rank: How many axes it has.
            dim: The axis of the four.
            panel: For a factor with lanes, their axis and their number: those of a panel lie together too.
        """
        axes = tuple(f"a{d}" for d in range(rank))
        lanes = None if panel is None else panel[0]
        others = tuple(Piece(a, div=4) if d == dim else Piece(a) for d, a in enumerate(axes) if d != lanes)
        outer = () if panel is None else (Piece(axes[panel[0]], div=panel[1]),)
        inner = () if panel is None else (Piece(axes[panel[0]], mod=panel[1]),)
        self.memory.append(
            Layout(tensor, LayoutSpec(axes, (*outer, *others, *inner, Piece(axes[dim], mod=4))))
        )

    def tensorize(self, name: str, *loops: str) -> None:
        """Leave loops to an instruction."""
        self.schedule.append(Tensorize(name, loops))

    def phase(self, tensor: str, rank: int, step: int) -> None:
        """Store a tensor so that every `step`-th element of its last axis is contiguous."""
        axes = tuple(f"a{d}" for d in range(rank))
        pieces = (*(Piece(a) for a in axes[:-1]), Piece(axes[-1], mod=step), Piece(axes[-1], div=step))
        self.memory.append(Layout(tensor, LayoutSpec(axes, pieces)))

    def permute(self, tensor: str, rank: int, dims: tuple[int, ...]) -> None:
        """Store a tensor with its axes in another order."""
        axes = tuple(f"a{d}" for d in range(rank))
        self.memory.append(Layout(tensor, LayoutSpec(axes, tuple(Piece(axes[d]) for d in dims))))

    def accumulate(self, stage: str) -> None:
        """Hold partial results of a reduction in registers."""
        self.memory.append(Accumulate(stage, "local"))

    def place_local(self, stage: str) -> None:
        """Keep a box on the stack."""
        self.memory.append(Place(stage, "local"))

    def fold(self, loop: str, steps: int) -> None:
        """Keep the last steps only."""
        self.memory.append(Fold(loop, steps))

    def blocks(self, target: str) -> tuple[Schedule, Memory]:
        """Give both layers for a target."""
        return Schedule((target,), tuple(self.schedule)), Memory((target,), tuple(self.memory))
