"""The explicit loop nest: loops, buffers, guards, marks.

A nest is a serial program. Run its statements in the order written, each loop from 0 upwards, and it
computes the kernel's values; a mark only says how a machine may run the loop instead, and the
builder has proven that it may. So an interpreter ignores marks, and a compiler is free to.

Expressions are those of `ir.expr`, typed: `Axis` names a loop variable (`i32`) or a `Let`, `Read` names a
buffer and gives *stored* indices (layouts, boxes and folds are applied already).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr


class Role(StrEnum):
    """Who owns a buffer."""

    PARAM = "param"
    TABLE = "table"
    PREPARED = "prepared"
    """Made by `Nest.prepare` from `const` parameters: packed weights, precomputed stages."""
    OUTPUT = "output"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A stored array.

    Attributes:
        name: Unique in the nest; a dotted name such as `x.shared` for what is no tensor of the text.
        dtype: Element type; `i4` and `u4` (two a byte along the last stored axis, the first in the
            low half) for parameters and prepared buffers only.
        shape: Allocated sizes, outermost first, padding included; rank at least 1 (a scalar is `(1,)`).
        role: Who owns it.
        scope: `global`, `shared` or `local`.
        align: Alignment in bytes, at least 64.
        copies: 2 for double buffering: a hint, the values do not depend on it.
        values: For a table, its numbers in row-major order.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    role: Role
    scope: str = "global"
    align: int = 64
    copies: int = 1
    values: tuple[int | float, ...] = ()


class Kind(StrEnum):
    """What a loop enumerates."""

    DATA = "data"
    REDUCTION = "reduction"
    ORDERED = "ordered"
    COPY = "copy"


class Mark(StrEnum):
    """How a loop may be run."""

    SERIAL = "serial"
    PARALLEL = "parallel"
    VECTOR = "vector"
    UNROLL = "unroll"
    BLOCK_X = "blockIdx.x"
    BLOCK_Y = "blockIdx.y"
    BLOCK_Z = "blockIdx.z"
    THREAD_X = "threadIdx.x"
    THREAD_Y = "threadIdx.y"
    THREAD_Z = "threadIdx.z"
    VTHREAD = "vthread"
    TENSOR = "tensor"
    AHEAD = "ahead"
    """What its first statement fills may be filled for a later iteration; see `compiler.gpu.ahead`."""


@dataclass(frozen=True, slots=True)
class Loop:
    """`for var in range(extent)` round `body`.

    Attributes:
        var: Unique along every path from the root; the text's loop name where it has one.
        extent: Number of iterations, at least 1.
        body: What is run in each.
        kind: What it enumerates.
        mark: How it may be run. Adjacent loops of one `parallel` or one `bind` share the mark and `fused`.
        fused: Number of the `parallel` or `bind` that marked it: loops with one number are one loop.
        instruction: For `Mark.TENSOR`, the name given to `tensorize`.
    """

    var: str
    extent: int
    body: tuple["Stmt", ...]
    kind: Kind = Kind.DATA
    mark: Mark = Mark.SERIAL
    fused: int | None = None
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Let:
    """`var = value` for what follows in `body`; an `i32`, such as the first position of a box."""

    var: str
    value: Expr
    body: tuple["Stmt", ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """`if condition:` round `body`."""

    condition: Expr
    body: tuple["Stmt", ...]


@dataclass(frozen=True, slots=True)
class Allocate:
    """Buffers that live while `body` runs, their contents undefined at first."""

    buffers: tuple[Buffer, ...]
    body: tuple["Stmt", ...]


@dataclass(frozen=True, slots=True)
class Store:
    """`buffer[indices] = value`; the value has the buffer's type.

    Attributes:
        buffer: Name of the buffer.
        indices: Stored indices.
        value: What is stored.
        stage: The stage of the text that this computes; empty for copies.
    """

    buffer: str
    indices: tuple[Expr, ...]
    value: Expr
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """`buffer[indices] = combine(buffer[indices], value)`, one step of a reduction.

    For `argmax` and `argmin`, `buffer` holds the place and `best` the value; the pair is replaced when the
    place is -1, when `value` beats `best`, and when they are equal and `position` is smaller. When
    `position` is negative nothing happens (an empty partial result).

    Attributes:
        kind: `sum`, `prod`, `max`, `min`, `any`, `all`, `argmax` or `argmin`.
        buffer: Name of the buffer.
        indices: Stored indices.
        value: The element, in the buffer's type; for arg reductions in the type of `best`.
        position: For arg reductions, the place; else None.
        best: For arg reductions, the buffer of values, indexed by `indices` too; else empty.
        atomic: Whether threads can meet at one element.
        stage: The stage of the text that this computes.
    """

    kind: str
    buffer: str
    indices: tuple[Expr, ...]
    value: Expr
    position: Expr | None = None
    best: str = ""
    atomic: bool = False
    stage: str = ""


Stmt = Loop | Let | Guard | Allocate | Store | Update


@dataclass(frozen=True, slots=True)
class Usage:
    """What one stage costs in a nest, for `check` and for reports.

    Attributes:
        stage: The stage.
        elements: How many elements the text defines.
        computed: How many are computed in one run.
        loops: Its loops from outside in, such as `"ko:4 parallel"`.
        buffer: Where it is stored; empty when it was inlined.
    """

    stage: str
    elements: int
    computed: int
    loops: tuple[str, ...]
    buffer: str

    @property
    def recompute(self) -> float:
        """How often each element is computed; 1.0 is once."""
        return self.computed / self.elements


@dataclass(frozen=True, slots=True)
class Nest:
    """A kernel for one target, as explicit loops.

    Attributes:
        name: The kernel's name.
        target: `llvm`, `cuda` or `opencl`.
        params: Buffers of the parameters in order, in the *given* (row-major) shape.
        outputs: Buffers of the outputs in order.
        prepared: Buffers that `prepare` fills.
        tables: Constant buffers.
        prepare: Runs once per weights; reads `const` parameters and tables, writes `prepared`.
        body: Runs every time. Workspace is in `Allocate`s; on GPUs each outermost statement inside them
            that binds blocks is one launch.
        usage: One entry a stage, in text order.
        advice: What would probably help, one sentence each.
    """

    name: str
    target: str
    params: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    prepared: tuple[Buffer, ...]
    tables: tuple[Buffer, ...]
    prepare: tuple[Stmt, ...]
    body: tuple[Stmt, ...]
    usage: tuple[Usage, ...] = field(default=(), compare=False)
    advice: tuple[str, ...] = field(default=(), compare=False)


def inner(stmt: Stmt) -> tuple[Stmt, ...]:
    """Give the statements directly inside a statement; empty for stores and updates."""
    match stmt:
        case Loop(body=body) | Let(body=body) | Guard(body=body) | Allocate(body=body):
            return body
        case Store() | Update():
            return ()


def walk_stmts(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Visit all statements, outer before inner, in order.

    Args:
        body: Where to start.

    Yields:
        Every statement.
    """
    for stmt in body:
        yield stmt
        yield from walk_stmts(inner(stmt))


def workspace(nest: Nest) -> tuple[Buffer, ...]:
    """List all buffers that the run allocates, outer first."""
    return tuple(b for s in walk_stmts(nest.body) if isinstance(s, Allocate) for b in s.buffers)
