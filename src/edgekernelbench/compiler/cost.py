"""What a nest costs, read off its loops without running it."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from edgekernelbench.compiler.arena import Arena, plan_arena
from edgekernelbench.compiler.arrays import stored_bytes
from edgekernelbench.compiler.interface import Cost
from edgekernelbench.compiler.rewrite import touched
from edgekernelbench.nest.counting import Count, Counter
from edgekernelbench.nest.tree import Buffer, Loop, Mark, Nest, walk_stmts, workspace
from edgekernelbench.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class Report:
    """The static cost of a nest on a device.

    Attributes:
        count: What one run does.
        input_bytes: Size of the parameters and prepared buffers that the run reads, each once.
        output_bytes: Size of the outputs.
        workspace: Peak workspace by scope, bytes that share memory counted once.
        prepared_bytes: Size of what is made ahead of time.
        vector_lanes: The widest vector loop, in iterations; 1 when there is none.
        parallel_extent: The most iterations that one parallel loop shares out; 1 when there is none.
    """

    count: Count
    input_bytes: int
    output_bytes: int
    workspace: dict[str, int]
    prepared_bytes: int
    vector_lanes: int
    parallel_extent: int

    @property
    def intensity(self) -> float:
        """Operations for each byte that has to come from or go to memory."""
        moved = self.input_bytes + self.output_bytes
        return (self.count.flops + self.count.integer_ops) / max(1, moved)

    @property
    def vector_share(self) -> float:
        """Which part of the operations stands in vector loops, from 0 to 1."""
        return self.count.vector_ops / max(1, self.count.flops + self.count.integer_ops)


def report_nest(nest: Nest, profile: Profile) -> Report:
    """Read the cost of a nest off its loops.

    Args:
        nest: The nest.
        profile: The device: its threads and stack limit decide the workspace.

    Returns:
        The report.
    """
    known = {b.name: b for b in (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)}
    known |= {b.name: b for b in workspace(nest)}
    names = {name for stmt in walk_stmts(nest.body) for name in touched(stmt)}
    inputs = [b for b in (*nest.params, *nest.prepared) if b.name in names]
    loops = [s for s in walk_stmts(nest.body) if isinstance(s, Loop)]
    threads = profile.threads if nest.target == "llvm" else 1
    return Report(
        count=Counter(known).block(nest.body, in_vector=False),
        input_bytes=_total(inputs),
        output_bytes=_total(nest.outputs),
        workspace=_workspace(plan_arena(nest.body, profile.stack_bytes), threads),
        prepared_bytes=_total(nest.prepared),
        vector_lanes=max((s.extent for s in loops if s.mark is Mark.VECTOR), default=1),
        parallel_extent=max((_shared_out(s) for s in loops if s.mark is Mark.PARALLEL), default=1),
    )


def stored_cost(
    nest: Nest, arena: Arena, threads: int, *, code_bytes: int | None, notes: tuple[str, ...] = ()
) -> Cost:
    """Say what an artifact for a CPU stores.

    Args:
        nest: What was compiled.
        arena: The plan of its workspace.
        threads: How many threads have an area of their own.
        code_bytes: Size of the machine code.
        notes: What else there is to say.

    Returns:
        The cost; `local` is what one thread has on its stack, `prepared` what is made ahead of time.
    """
    prepared = _total(nest.prepared)
    scopes = _workspace(arena, threads) | ({"prepared": prepared} if prepared else {})
    return Cost(code_bytes, scopes, notes)


def _workspace(arena: Arena, threads: int) -> dict[str, int]:
    return {"global": arena.total(threads), "local": arena.stack_bytes}


def _total(buffers: Iterable[Buffer]) -> int:
    return sum(stored_bytes(b) for b in buffers)


def _shared_out(loop: Loop) -> int:
    """Count the iterations of the loops of one `parallel` from this one inwards."""
    extents = [loop.extent]
    inner = loop
    while len(inner.body) == 1 and isinstance(inner.body[0], Loop) and inner.body[0].fused == loop.fused:
        inner = inner.body[0]
        if inner.mark is not Mark.PARALLEL or loop.fused is None:
            break
        extents.append(inner.extent)
    return prod(extents)
