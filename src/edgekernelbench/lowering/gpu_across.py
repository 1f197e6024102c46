"""Reductions on GPUs whose elements are too few to keep a device busy: threads share the steps of each."""

from dataclasses import dataclass
from math import prod

from edgekernelbench.ir.expr import Axis, Expr
from edgekernelbench.ir.memory import Cache
from edgekernelbench.ir.schedule import Bind, Unroll
from edgekernelbench.lowering.access import uses
from edgekernelbench.lowering.gpu_threads import (
    BLOCK_THREADS,
    LEAST_THREADS,
    choose_threads,
    share_steps,
    threads_of,
)
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.writer import Writer

LONG = 64
"""Steps from which on a reduction is shared out to threads."""

FEW = 1 << 14
"""Elements up to which a reduction leaves threads without work unless they share its steps."""

LONELY = 1 << 10
"""So few elements that even short reductions are shared out."""

MANY, SHORT_STEPS = 1 << 11, 128
VERY_MANY, LONG_STEPS = 1 << 13, 512
"""Elements that keep a device busy by themselves, when each has no more steps than this; the second where
neighbouring threads read neighbours."""

COLUMN_STEPS = 32
COLUMNS = 1 << 15
COLUMN_THREADS = 8
"""A reduction over rows of so many steps, with so few elements, has so many threads for each column."""

WIDEST_LOAD = 128
"""Bits that one load of a thread brings."""

BYTE = 8


def is_long(view: View) -> bool:
    """Say whether threads should share the steps of each element: not where elements keep them busy."""
    steps, elements = prod(view.sizes[axis] for axis in view.reduced), prod(view.stage.shape)
    if elements > FEW or steps < (LONG if elements > LONELY else LONG // 4):
        return False
    busy = elements >= MANY and steps <= SHORT_STEPS
    apart = elements >= VERY_MANY and steps <= LONG_STEPS and not _along(view)
    return not (busy or apart)


def _along(view: View) -> bool:
    """Say whether neighbouring steps of a reduction read neighbours of some tensor."""
    last = [read.indices[-1] for read in view.reads if read.indices]
    data = set(view.stage.axes)
    return any(
        any(uses(index, axis) for axis in view.reduced) and not any(uses(index, axis) for axis in data)
        for index in last
    )


def write_across(root: View, reduction: View, writer: Writer) -> None:
    """Give each element of a long reduction a block whose threads share the steps."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    if loops:
        writer.schedule.append(Bind(loops, "blockIdx.x"))
    if reduction is not root and loops:
        writer.compute_at(reduction.name, loops[-1])
    steps = prod(reduction.sizes[axis] for axis in reduction.reduced)
    share_steps(reduction, choose_threads(steps, prod(root.stage.shape)), writer)


@dataclass(frozen=True, slots=True)
class Wide:
    """How threads that share the steps of a reduction read several neighbours at once.

    Attributes:
        threads: Threads of a block.
        lanes: Steps that each takes together.
        tensors: What is read so.
    """

    threads: int
    lanes: int
    tensors: tuple[str, ...]


def wide_steps(view: View) -> Wide | None:
    """Find how wide the loads of a shared reduction can be; None when nothing divides."""
    if len(view.reduced) != 1:
        return None
    (axis,) = view.reduced
    along = {r.tensor: r for r in view.reads if r.indices and _is(r.indices[-1], axis)}
    inner = [i for r in view.reads for i in r.indices[:-1]]
    types = [r.dtype for r in along.values() if r.dtype is not None]
    if not along or any(uses(i, axis) for i in inner) or any(t.bits < BYTE for t in types):
        return None
    steps, widest = view.sizes[axis], max(t.bits for t in types)
    lanes = WIDEST_LOAD // widest
    while lanes > 1:
        for threads in (BLOCK_THREADS, BLOCK_THREADS // 2, BLOCK_THREADS // 4, LEAST_THREADS):
            if steps % (lanes * threads) == 0:
                return Wide(threads, lanes, tuple(along))
        lanes //= 2
    return None


def _is(index: Expr, axis: str) -> bool:
    return isinstance(index, Axis) and index.name == axis


def write_across_wide(root: View, reduction: View, wide: Wide, writer: Writer) -> None:
    """Give each element of a long reduction a block whose threads read several steps at once."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    if loops:
        writer.schedule.append(Bind(loops, "blockIdx.x"))
    if reduction is not root and loops:
        writer.compute_at(reduction.name, loops[-1])
    outer, thread, lane = writer.split(f"{reduction.name}.{reduction.reduced[0]}", wide.threads, wide.lanes)
    writer.order(thread, outer, lane)
    writer.schedule.append(Bind((thread,), "threadIdx.x"))
    writer.mark(Unroll, lane)
    whole = reduction.sizes[reduction.reduced[0]] == wide.threads * wide.lanes
    for tensor in wide.tensors:
        writer.memory.append(Cache(tensor, "local", thread if whole else outer, vector=wide.lanes))


def is_across_columns(view: View) -> bool:
    """Say whether few elements are each reduced over steps that lie apart, neighbours side by side."""
    steps, elements = prod(view.sizes[axis] for axis in view.reduced), prod(view.stage.shape)
    wide = bool(view.stage.axes) and view.sizes[view.stage.axes[-1]] >= LEAST_THREADS
    return wide and steps >= COLUMN_STEPS and elements <= COLUMNS and not _along(view)


def write_columns(root: View, reduction: View, writer: Writer) -> None:
    """Give 32 neighbours a block, whose threads share the steps of each."""
    *outer, last = (f"{root.name}.{axis}" for axis in root.stage.axes)
    block, column = writer.split(last, LEAST_THREADS)
    writer.schedule.append(Bind((*outer, block), "blockIdx.x"))
    writer.schedule.append(Bind((column,), "threadIdx.x"))
    loops = tuple(f"{reduction.name}.{axis}" for axis in reduction.reduced)
    whole = writer.fuse(loops) if len(loops) > 1 else loops[0]
    steps = prod(reduction.sizes[axis] for axis in reduction.reduced)
    turn, share = writer.split(whole, min(COLUMN_THREADS, steps))
    writer.schedule.append(Bind((share,), "threadIdx.y"))
    if reduction is root:
        writer.order(*outer, block, column, share, turn)
        return
    writer.order(*outer, block, column)
    writer.compute_at(reduction.name, block)
    writer.order(share, turn)
    writer.schedule.append(Bind((f"{reduction.name}.{reduction.stage.axes[-1]}",), "threadIdx.x"))


def write_fused(root: View, reduction: View, writer: Writer) -> None:
    """Compute a short reduction in the thread that needs it."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    whole = writer.fuse(loops) if len(loops) > 1 else loops[0]
    elements = prod(root.stage.shape)
    outer, inner = writer.split(whole, min(threads_of(elements), elements))
    writer.schedule.append(Bind((outer,), "blockIdx.x"))
    writer.schedule.append(Bind((inner,), "threadIdx.x"))
    if reduction is not root:
        writer.compute_at(reduction.name, inner)
