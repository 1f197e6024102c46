"""Where a tensor, or a box of it, is stored: from positions along its axes to stored indices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.ir.memory import LayoutSpec
from edgekernelbench.nest.indices import floordiv, modulo, simplify, subtract
from edgekernelbench.nest.linear import Ranges, number
from edgekernelbench.nest.tree import Buffer, Role
from edgekernelbench.nest.work import typed


@dataclass(frozen=True, slots=True)
class Part:
    """One stored axis: axis number `axis`, divided, then taken modulo."""

    axis: int
    div: int = 1
    mod: int | None = None


@dataclass(frozen=True, slots=True)
class Storage:
    """How a tensor is stored.

    Attributes:
        buffer: The buffer.
        firsts: First stored position along each axis.
        counts: How many positions along each axis are stored.
        parts: The stored axes, outermost first.
        folds: For each axis, the number of steps that are kept; None for all.
        best: For arg reductions, the buffer of values; None for all others.
    """

    buffer: Buffer
    firsts: tuple[Expr, ...]
    counts: tuple[int, ...]
    parts: tuple[Part, ...]
    folds: tuple[int | None, ...]
    best: Buffer | None = None

    def indices(self, positions: Sequence[Expr], ranges: Ranges) -> tuple[Expr, ...]:
        """Turn positions along the axes into stored indices."""
        if not self.parts:
            return (number(0),)
        inner = []
        for position, first, fold in zip(positions, self.firsts, self.folds, strict=True):
            one = subtract(simplify(typed(position, DType.I32), ranges), first)
            inner.append(one if fold is None else modulo(one, fold, ranges))
        stored = []
        for part in self.parts:
            one = floordiv(inner[part.axis], part.div, ranges)
            stored.append(one if part.mod is None else modulo(one, part.mod, ranges))
        return tuple(stored)

    def read(self, positions: Sequence[Expr], ranges: Ranges, *, best: bool = False) -> Read:
        """Read an element."""
        buffer = self.best if best else self.buffer
        if buffer is None:
            raise InternalError(f"expected values beside {self.buffer.name}, found places only")
        return Read(buffer.name, self.indices(positions, ranges), dtype=buffer.dtype)

    def buffers(self) -> tuple[Buffer, ...]:
        """List what has to be allocated."""
        return (self.buffer,) if self.best is None else (self.buffer, self.best)

    def bytes(self) -> int:
        """Count the bytes of all its buffers."""
        return sum(buffer_bytes(buffer) for buffer in self.buffers())


def buffer_bytes(buffer: Buffer) -> int:
    """Count the bytes of a buffer; two elements of `i4` and `u4` share one along the last axis."""
    *outer, last = buffer.shape
    row = -(-last // 2) if buffer.dtype.bits < 8 else last * (buffer.dtype.bits // 8)
    return prod(outer) * row * buffer.copies


def parts_of(layout: LayoutSpec | None, rank: int) -> tuple[Part, ...]:
    """Read a checked layout; the axes as they are without one."""
    if layout is None:
        return tuple(Part(axis) for axis in range(rank))
    return tuple(Part(layout.axes.index(p.axis), p.div, p.mod) for p in layout.pieces)


@dataclass(frozen=True, slots=True)
class StorageRequest:
    """What a storage is made from; see `Storage` and `Buffer`."""

    name: str
    dtype: DType
    counts: tuple[int, ...]
    role: Role = Role.WORK
    scope: str = "global"
    layout: LayoutSpec | None = None
    firsts: tuple[Expr, ...] = ()
    folds: tuple[int | None, ...] = ()
    align: int = 64
    pad: int = 0
    copies: int = 1
    best: DType | None = None


def make_storage(request: StorageRequest) -> Storage:
    """Lay a tensor out."""
    rank = len(request.counts)
    folds = request.folds or (None,) * rank
    sizes = [c if f is None else min(c, f) for c, f in zip(request.counts, folds, strict=True)]
    parts = parts_of(request.layout, rank)
    shape = [p.mod if p.mod is not None else -(-sizes[p.axis] // p.div) for p in parts] or [1]
    shape[-1] += request.pad
    buffer = Buffer(
        request.name, request.dtype, tuple(shape), request.role, request.scope,
        max(64, request.align), request.copies,
    )  # fmt: skip
    best = None
    if request.best is not None:
        best = replace(buffer, name=f"{request.name}.best", dtype=request.best, role=Role.WORK)
    firsts = request.firsts or (number(0),) * rank
    return Storage(buffer, firsts, request.counts, parts, folds, best)
