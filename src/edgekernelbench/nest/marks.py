"""What `parallel`, `vectorize`, `unroll`, `bind` and `tensorize` say."""

from dataclasses import dataclass

from edgekernelbench.ir.schedule import Bind, Parallel, Tensorize, Unroll, Vectorize
from edgekernelbench.nest.tree import Mark

MarkDirective = Parallel | Vectorize | Unroll | Bind | Tensorize


@dataclass(frozen=True, slots=True)
class Marked:
    """The mark of one loop.

    Attributes:
        mark: The mark.
        directive: Which directive set it; loops of one directive are one loop.
        number: Position of the directive among those that make one loop of many; None for the others.
        instruction: For `tensorize`, its name.
    """

    mark: Mark
    directive: MarkDirective
    number: int | None = None
    instruction: str = ""


def mark_of(directive: MarkDirective) -> Mark:
    """Name the mark that a directive sets."""
    match directive:
        case Parallel():
            return Mark.PARALLEL
        case Vectorize():
            return Mark.VECTOR
        case Unroll():
            return Mark.UNROLL
        case Bind(tag=tag):
            return Mark(tag)
        case Tensorize():
            return Mark.TENSOR


BLOCKS = (Mark.BLOCK_X, Mark.BLOCK_Y, Mark.BLOCK_Z)
THREADS = (Mark.THREAD_X, Mark.THREAD_Y, Mark.THREAD_Z)
BOUND = (*BLOCKS, Mark.VTHREAD, *THREADS)
