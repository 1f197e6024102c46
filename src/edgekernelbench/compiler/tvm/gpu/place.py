"""Where a statement of device code stands, and the memory that it sees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.compiler.arena import find_lifetimes
from edgekernelbench.compiler.arrays import elements, stored_bytes
from edgekernelbench.compiler.gpu.barriers import NOBODY, Mapped
from edgekernelbench.compiler.gpu.plain import plain_buffer
from edgekernelbench.compiler.rewrite import with_body
from edgekernelbench.compiler.tvm.scope import Scope, Stored
from edgekernelbench.compiler.tvm.values import STORED, Value
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Read
from edgekernelbench.nest.lifetimes import names_of
from edgekernelbench.nest.linear import number as position_of
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import Allocate, Buffer, Loop, Mark, Stmt, Store, inner, walk_stmts

Node = Any


@dataclass(frozen=True, slots=True)
class Bound:
    """What an axis of blocks or threads stands for here.

    Attributes:
        total: How many of its blocks or threads take part.
        fused: The directive whose loops are one loop; None for a loop by itself.
        rest: The number of the thread within the loops of that directive that are still to come.
    """

    total: int
    fused: int | None
    rest: Node


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands.

    Attributes:
        scope: What names mean.
        buffers: Buffers of the nest by name, in their own types.
        bound: The axes of blocks and threads that are bound here.
        mapped: Which thread loops deal statements out.
        active: Whether only threads that take part come here.
        divergent: Whether threads of a block may have parted ways.
    """

    scope: Scope
    buffers: Mapping[str, Buffer]
    bound: Mapping[Mark, Bound]
    mapped: Mapped = NOBODY
    active: bool = False
    divergent: bool = False

    def with_buffer(self, buffer: Buffer, tir: Node) -> "Place":
        """Add a buffer."""
        stored = {**self.scope.buffers, buffer.name: Stored(plain_buffer(buffer), tir)}
        return replace(
            self, scope=replace(self.scope, buffers=stored), buffers={**self.buffers, buffer.name: buffer}
        )

    def with_variable(self, name: str, value: Value, span: tuple[int, int] | None) -> "Place":
        """Add a variable."""
        return replace(self, scope=self.scope.with_variable(name, value, span))


def declare(buffer: Buffer, scope: str) -> Node:
    """Make the TIR buffer of a buffer: one dimension, elements as they are stored."""
    kind = STORED[plain_buffer(buffer).dtype]
    return tirx.decl_buffer((elements(buffer),), kind, device_name(buffer.name), scope=scope)


def device_name(name: str) -> str:
    """Give a name that no word of a dialect hides."""
    return f"{name.replace('.', '_')}_"


def tir_bytes(tir: Node) -> int:
    """Give the size of a TIR buffer."""
    return int(tir.shape[0]) * int(tvm.DataType(str(tir.dtype)).itemsize)


EVER = (0, 1 << 60)


def _collapsed(stmt: Stmt) -> Stmt:
    """Take an innermost thread loop for one moment: its threads do not run in the order of the nest."""
    inside = tuple(walk_stmts(inner(stmt)))
    held = any(b.scope == "shared" for s in inside if isinstance(s, Allocate) for b in s.buffers)
    deeper = held or any(isinstance(s, Loop) and s.mark in THREADS for s in inside)
    if isinstance(stmt, Loop) and stmt.mark in THREADS and not deeper:
        names = sorted(names_of(stmt))
        return Store(names[0], tuple(Read(name, (), dtype=DType.I32) for name in names), position_of(0))
    return with_body(stmt, tuple(_collapsed(one) for one in inner(stmt)))


def share_block_memory(body: tuple[Stmt, ...]) -> tuple[dict[str, tuple[int, Node]], list[Node]]:
    """Give memory to shared buffers, the same to those of one type that are never alive together."""
    found = [b for s in walk_stmts(body) if isinstance(s, Allocate) for b in s.buffers if b.scope == "shared"]
    lifetimes = find_lifetimes(tuple(_collapsed(stmt) for stmt in body))
    slots: list[tuple[Node, DType, list[tuple[int, int]]]] = []
    given: dict[str, tuple[int, Node]] = {}
    for buffer in sorted(found, key=lambda b: (-stored_bytes(b), b.name)):
        first, last = lifetimes.get(buffer.name, EVER)
        dtype = plain_buffer(buffer).dtype
        for place, (tir, kind, spans) in enumerate(slots):
            if kind is dtype and all(last < a or b < first for a, b in spans):
                spans.append((first, last))
                given[buffer.name] = (place, tir)
                break
        else:
            tir = declare(buffer, "shared")
            given[buffer.name] = (len(slots), tir)
            slots.append((tir, dtype, [(first, last)]))
    return given, [tir for tir, _, _ in slots]


def thread_index(mark: Mark) -> Node:
    """Name the number of a block or thread along an axis."""
    return tirx.IterVar(None, tirx.Var(str(mark), "int32"), tirx.IterVar.ThreadIndex, str(mark))


def all_of(conditions: list[Node]) -> Node:
    """Join conditions."""
    node = conditions[0]
    for other in conditions[1:]:
        node = tirx.And(node, other)
    return node


def fused_extent(loop: Loop) -> int:
    """Count the iterations of the loops inside that belong to the same directive."""
    if loop.fused is None:
        return 1
    inside = [
        s
        for s in walk_stmts(loop.body)
        if isinstance(s, Loop) and s.mark is loop.mark and s.fused == loop.fused
    ]
    names = {s.var: s.extent for s in inside}
    return prod(names.values())
