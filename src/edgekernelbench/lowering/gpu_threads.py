"""How many threads a block of a GPU gets, and how they share the steps of a reduction."""

from math import ceil, prod

from edgekernelbench.ir.schedule import Bind
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.writer import Writer

BLOCK_THREADS = 256
LEAST_THREADS = 32
MOST_THREADS = 1024
FEW_BLOCKS = 132
"""Blocks up to which each should have more threads, so that a device has enough of them."""


def choose_threads(steps: int, blocks: int) -> int:
    """Choose the threads of a block: a few steps for each, in whole warps; more where blocks are few."""
    wanted = max(LEAST_THREADS, min(BLOCK_THREADS, ceil(steps / 4)))
    if blocks <= FEW_BLOCKS:
        wanted = max(wanted, min(MOST_THREADS, ceil(steps / 16)))
    return 1 << (wanted - 1).bit_length()


def share_steps(view: View, threads: int, writer: Writer) -> None:
    """Share the steps of a reduction out to threads, neighbours to neighbours."""
    loops = tuple(f"{view.name}.{axis}" for axis in view.reduced)
    whole = writer.fuse(loops) if len(loops) > 1 else loops[0]
    steps = prod(view.sizes[axis] for axis in view.reduced)
    outer, inner = writer.split(whole, min(threads, steps))
    writer.order(inner, outer)
    writer.schedule.append(Bind((inner,), "threadIdx.x"))


def threads_of(elements: int) -> int:
    """Choose the threads of a block where each has an element: fewer where blocks would be too few."""
    threads = BLOCK_THREADS
    while threads > LEAST_THREADS and elements < threads * FEW_BLOCKS:
        threads //= 2
    return threads
