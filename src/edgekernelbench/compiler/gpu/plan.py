"""A nest for a GPU as steps of the host: launches, loops round launches, and the workspace between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import stored_bytes
from edgekernelbench.compiler.gpu.ahead import fetch_ahead
from edgekernelbench.compiler.gpu.spread import spread
from edgekernelbench.compiler.registers import keep_in_registers
from edgekernelbench.compiler.rewrite import axes_of, expressions, with_body
from edgekernelbench.nest.footprint import launches
from edgekernelbench.nest.lifetimes import names_of
from edgekernelbench.nest.marks import BLOCKS, THREADS
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Nest,
    Stmt,
    inner,
    walk_stmts,
)

Dims = tuple[int, int, int]

MOST_REGISTERS = 64
"""Accumulators of one reduction that are kept in registers of a thread."""


LANES = 32
"""Threads of a warp."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel of device code and how it is started.

    Attributes:
        name: Its function.
        body: What it runs, block loops outermost but for lets and guards.
        blocks: Blocks along x, y, z.
        threads: Threads of a block along x, y, z.
        buffers: Buffers that it is given, in the order of its parameters.
        scalars: Loop variables of the host that it is given, after the buffers.
    """

    name: str
    body: tuple[Stmt, ...]
    blocks: Dims
    threads: Dims
    buffers: tuple[Buffer, ...]
    scalars: tuple[str, ...]

    def tags(self) -> tuple[str, ...]:
        """Name the axes that have more than one block or thread; at least one."""
        sizes = zip((*BLOCKS, *THREADS), (*self.blocks, *self.threads), strict=True)
        return tuple(str(mark) for mark, size in sizes if size > 1) or (str(BLOCKS[0]),)

    def given_dims(self) -> tuple[int, ...]:
        """Give the sizes of those axes, in the same order."""
        return tuple(size for size in (*self.blocks, *self.threads) if size > 1) or (1,)


@dataclass(frozen=True, slots=True)
class HostLoop:
    """`for var in range(extent)` round steps, on the host."""

    var: str
    extent: int
    steps: tuple["Step", ...]


Step = Launch | HostLoop


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the host does for one run.

    Attributes:
        steps: In order.
        slots: For each buffer of global workspace, the number of the device buffer that holds it.
        slot_bytes: Sizes of those device buffers.
    """

    steps: tuple[Step, ...]
    slots: Mapping[str, int]
    slot_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Context:
    """What a statement of the host stands in."""

    known: Mapping[str, Buffer]
    hosts: tuple[str, ...] = ()
    wrappers: tuple[Let | Guard, ...] = ()


def plan_run(nest: Nest) -> Plan:
    """Plan the run of a nest.

    Raises:
        CompileError: When global workspace is allocated inside a launch.
    """
    return _plan(nest, nest.body, "run")


def plan_prepare(nest: Nest) -> Plan:
    """Plan what runs once per weights: nests without blocks, which are spread over threads here."""
    return _plan(nest, nest.prepare, "prepare")


def walk_launches(steps: tuple[Step, ...]) -> Iterator[Launch]:
    """Visit the launches of a plan, each once."""
    for step in steps:
        if isinstance(step, HostLoop):
            yield from walk_launches(step.steps)
        else:
            yield step


def outside(nest: Nest) -> tuple[Buffer, ...]:
    """List the buffers that live longer than a run."""
    return (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)


def _plan(nest: Nest, body: tuple[Stmt, ...], prefix: str) -> Plan:
    kept = keep_in_registers(body, outside(nest), MOST_REGISTERS)
    planner = _Planner(prefix)
    steps = planner.block(fetch_ahead(kept), _Context({b.name: b for b in outside(nest)}))
    slots, sizes = _share(planner.workspace, _lifetimes(steps))
    return Plan(steps, slots, sizes)


class _Planner:
    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._numbers = count()
        self.workspace: list[Buffer] = []

    def block(self, body: tuple[Stmt, ...], context: _Context) -> tuple[Step, ...]:
        return tuple(step for stmt in body for step in self._statement(stmt, context))

    def _statement(self, stmt: Stmt, context: _Context) -> tuple[Step, ...]:
        binds = any(isinstance(s, Loop) and s.mark in BLOCKS for s in walk_stmts((stmt,)))
        match stmt:
            case Allocate(buffers=buffers, body=body):
                held = tuple(b if b.scope == "global" else replace(b, scope="global") for b in buffers)
                self.workspace += held
                known = {**context.known, **{b.name: b for b in held}}
                return self.block(body, replace(context, known=known))
            case Loop(mark=mark) if mark in BLOCKS:
                return (self._launch(stmt, context),)
            case Loop(var=var, extent=extent, body=body) if binds:
                return (
                    HostLoop(var, extent, self.block(body, replace(context, hosts=(*context.hosts, var)))),
                )
            case Let() | Guard() if binds:
                return self.block(inner(stmt), replace(context, wrappers=(*context.wrappers, stmt)))
            case _:
                return (self._launch(spread(stmt), context),)

    def _launch(self, stmt: Stmt, context: _Context) -> Launch:
        for one in walk_stmts((stmt,)):
            for buffer in one.buffers if isinstance(one, Allocate) else ():
                if buffer.scope == "global":
                    raise CompileError(
                        f"expected memory of a block in shared or local, found {buffer.name} in global"
                    )
        (found,) = launches((stmt,))
        whole = stmt
        for wrapper in reversed(context.wrappers):
            whole = with_body(wrapper, (whole,))
        named = names_of(whole)
        used = {axis for one in walk_stmts((whole,)) for expr in expressions(one) for axis in axes_of(expr)}
        return Launch(
            f"{self._prefix}_{next(self._numbers)}",
            (whole,),
            found.blocks,
            _with_lanes(found.threads, stmt),
            tuple(b for b in context.known.values() if b.name in named),
            tuple(var for var in context.hosts if var in used),
        )


def _lifetimes(steps: tuple[Step, ...]) -> dict[str, tuple[int, int]]:
    """Give the first and last launch that uses each buffer; all of a loop count where one of it does.

    Within a launch nothing shares memory: its threads do not run in the order of the nest.
    """
    spans: dict[str, tuple[int, int]] = {}
    numbers = count()

    def visit(step: Step) -> tuple[int, int, set[str]]:
        if isinstance(step, HostLoop):
            parts = [visit(one) for one in step.steps]
            first, last = min(p[0] for p in parts), max(p[1] for p in parts)
            names = {name for part in parts for name in part[2]}
        else:
            first = last = next(numbers)
            names = {buffer.name for buffer in step.buffers}
        for name in names:
            low, high = spans.get(name, (first, last))
            spans[name] = (min(low, first), max(high, last))
        return first, last, names

    for step in steps:
        visit(step)
    return spans


def _with_lanes(threads: Dims, launch: Stmt) -> Dims:
    """Give a block whole warps along x where matrix units are used: their stages bind the other axes only."""
    uses = any(isinstance(s, Loop) and s.instruction.startswith("wmma") for s in walk_stmts((launch,)))
    return (LANES, *threads[1:]) if uses and threads[0] == 1 else threads


def _share(
    buffers: list[Buffer], lifetimes: Mapping[str, tuple[int, int]]
) -> tuple[dict[str, int], tuple[int, ...]]:
    """Give one device buffer to workspace that is never alive together, the largest first."""
    sizes: list[int] = []
    spans: list[list[tuple[int, int]]] = []
    slots: dict[str, int] = {}
    for buffer in sorted(buffers, key=lambda b: (-stored_bytes(b), b.name)):
        first, last = lifetimes.get(buffer.name, (0, 0))
        free = [n for n, held in enumerate(spans) if all(last < a or b < first for a, b in held)]
        if free:
            spans[free[0]].append((first, last))
            slots[buffer.name] = free[0]
        else:
            slots[buffer.name] = len(sizes)
            sizes.append(stored_bytes(buffer))
            spans.append([(first, last)])
    return slots, tuple(sizes)


def global_workspace(plan: Plan) -> int:
    """Count the bytes of global workspace of a run."""
    return sum(plan.slot_bytes)


__all__ = [
    "HostLoop",
    "Launch",
    "Plan",
    "Step",
    "global_workspace",
    "outside",
    "plan_prepare",
    "plan_run",
    "walk_launches",
]
