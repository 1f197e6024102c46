"""Where a nest does its work: every store and update with the loops round it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from edgekernelbench.ir.expr import Axis, Expr, Literal, Read
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Kind,
    Let,
    Loop,
    Mark,
    Nest,
    Stmt,
    Store,
    Update,
    inner,
    workspace,
)

TILE = frozenset({Mark.VECTOR, Mark.UNROLL, Mark.TENSOR})
"""Marks of loops whose iterations become instructions side by side."""

Hangs = Mapping[str, frozenset[str]]
"""For each `Let`, the loop variables that its value hangs on."""


@dataclass(frozen=True, slots=True)
class Access:
    """One element that a statement reads or writes, stored indices."""

    buffer: Buffer
    indices: tuple[Expr, ...]
    writes: bool = False


@dataclass(frozen=True)
class Site:
    """A statement with what stands round it.

    Attributes:
        stmt: The store or update.
        loops: The loops round it, outermost first.
        conditions: The guards round it, outermost first.
        hangs: What the `Let`s in force hang on.
        lets: Their values.
        buffers: All buffers of the nest by name.
        root: Number of the outermost statement that it stands in.
    """

    stmt: Store | Update
    loops: tuple[Loop, ...]
    conditions: tuple[Expr, ...]
    hangs: Hangs
    lets: Mapping[str, Expr]
    buffers: Mapping[str, Buffer]
    root: int

    @property
    def stage(self) -> str:
        """The stage that it computes; for a copy, the buffer that it fills."""
        return self.stmt.stage or self.stmt.buffer

    @property
    def target(self) -> Access:
        """What it writes."""
        return Access(self.buffers[self.stmt.buffer], self.stmt.indices, writes=True)

    @cached_property
    def runs(self) -> int:
        """How often it is run, guards taken to hold."""
        return prod(loop.extent for loop in self.loops)

    @cached_property
    def tile(self) -> tuple[Loop, ...]:
        """The vector and unrolled loops directly round it."""
        count = 0
        for loop in reversed(self.loops):
            if loop.mark not in TILE:
                break
            count += 1
        return self.loops[len(self.loops) - count :]

    @cached_property
    def vector(self) -> Loop | None:
        """The loop of its vectors, or of the lanes of an instruction; None when it is scalar."""
        found = [loop for loop in self.loops if loop.mark in (Mark.VECTOR, Mark.TENSOR)]
        lanes = [loop for loop in found if loop.kind is not Kind.REDUCTION]
        return lanes[-1] if lanes else None

    @cached_property
    def reads(self) -> tuple[Access, ...]:
        """What it reads, each element once, without what an update adds to."""
        found = {
            (node.tensor, node.indices)
            for node in walk(self.stmt.value)
            if isinstance(node, Read) and node.tensor in self.buffers
        }
        return tuple(Access(self.buffers[name], indices) for name, indices in sorted(found, key=repr))

    def moves(self, node: Expr, var: str) -> bool:
        """Say whether an expression hangs on a loop, also through a `Let` or through data."""
        return any(
            part.name == var or var in self.hangs.get(part.name, ())
            for part in walk(node)
            if isinstance(part, Axis)
        )

    def follows(self, access: Access, var: str) -> bool:
        """Say whether the place of an access hangs on a loop."""
        return any(self.moves(index, var) for index in access.indices)


def sites_of(nest: Nest) -> tuple[Site, ...]:
    """List the sites of a run, in order."""
    known = {b.name: b for b in (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)}
    known |= {b.name: b for b in workspace(nest)}
    body = nest.body
    while len(body) == 1 and isinstance(body[0], Allocate):
        body = body[0].body
    return tuple(
        site
        for root, stmt in enumerate(body)
        for site in _sites(stmt, Site(_NOTHING, (), (), {}, {}, known, root))
    )


def _outside(loops: tuple[Loop, ...], new: Loop) -> tuple[Loop, ...]:
    """Leave out the thread loops that a loop takes the place of: the threads are dealt out anew."""
    if new.mark not in THREADS:
        return loops
    return tuple(one for one in loops if one.mark is not new.mark or one.fused == new.fused is not None)


_NOTHING = Store("", (), Literal(0))


def _sites(stmt: Stmt, round_it: Site) -> Iterator[Site]:
    match stmt:
        case Store() | Update():
            yield replace(round_it, stmt=stmt)
            return
        case Loop():
            round_it = replace(round_it, loops=(*_outside(round_it.loops, stmt), stmt))
        case Let(var=var, value=value):
            names = {part.name for part in walk(value) if isinstance(part, Axis)}
            hangs = frozenset({n for name in names for n in round_it.hangs.get(name, {name})})
            round_it = replace(
                round_it, hangs={**round_it.hangs, var: hangs}, lets={**round_it.lets, var: value}
            )
        case Guard(condition=condition):
            round_it = replace(round_it, conditions=(*round_it.conditions, condition))
        case Allocate():
            pass
    for one in inner(stmt):
        yield from _sites(one, round_it)
