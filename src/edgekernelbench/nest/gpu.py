"""Dealing out: which loops nobody bound are spread over blocks and threads, and how."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from edgekernelbench.ir.expr import Call, Expr
from edgekernelbench.nest.indices import add, below, floordiv, modulo, scale
from edgekernelbench.nest.linear import I32, Ranges, number, variable
from edgekernelbench.nest.tree import Kind, Let, Loop, Mark, Stmt

BLOCK_THREADS = 256
"""Threads of a block where nothing binds threads."""

Dims = tuple[int, int, int]
"""Threads of a block along x, y and z."""


@dataclass(frozen=True, slots=True)
class Dealing:
    """Loops that are fused and spread over threads in turn.

    Attributes:
        name: The stage or group; its loops are named after it.
        loops: Leading loops, outermost first; at least one.
        dims: Threads of a block.
        blocks: Whether blocks take part too.
    """

    name: str
    loops: tuple[str, ...]
    dims: Dims
    blocks: bool


@dataclass(slots=True)
class Launches:
    """What is dealt out; empty on llvm.

    Attributes:
        dealt: By stage, or by group where hoisted loops are dealt out.
        dims: Threads of a block, by launch.
        alone: Stages and groups that one block runs.
        copies: Stages that every thread computes for itself.
        gpu: Whether there are blocks and threads.
    """

    dealt: dict[str, Dealing] = field(default_factory=dict)
    dims: dict[str, Dims] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)
    copies: set[str] = field(default_factory=set)
    gpu: bool = False


def thread_loops(name: str, dims: Dims, limit: int) -> list[tuple[str, int, Mark]]:
    """List the thread loops of a block, outermost first, none with more threads than there is work."""
    marks = (Mark.THREAD_X, Mark.THREAD_Y, Mark.THREAD_Z)
    if dims[1:] == (1, 1):
        return [(f"{name}.thread", min(dims[0], limit), Mark.THREAD_X)]
    named = zip("xyz", dims, marks, strict=True)
    return [(f"{name}.thread.{letter}", size, mark) for letter, size, mark in named if size > 1][::-1]


def deal_out(
    dealing: Dealing,
    extents: Mapping[str, int],
    ranges: dict[str, tuple[int, int]],
    body: Callable[[tuple[Expr, ...]], list[Stmt]],
) -> list[Stmt]:
    """Write dealt loops round a body.

    Args:
        dealing: What is dealt out.
        extents: Iterations of the loops.
        ranges: The ranges of all variables; new ones are added.
        body: Writes what is inside, given the conditions that every innermost statement needs.
    """
    sizes = [extents[loop] for loop in dealing.loops]
    total = prod(sizes)
    threads = thread_loops(dealing.name, dealing.dims, total)
    width = prod(size for _, size, _ in threads)
    turns = -(-total // width)
    turn = f"{dealing.name}.block" if dealing.blocks else f"{dealing.name}.turn"
    ranges[turn] = (0, turns - 1)
    item = scale(variable(turn), width) if turns > 1 else number(0)
    rest = width
    for var, size, _ in threads:
        rest //= size
        ranges[var] = (0, size - 1)
        item = add(item, scale(variable(var), rest)) if size > 1 else item
    active: tuple[Expr, ...] = ()
    if turns * width > total:
        active = (below(item, total, ranges),)
        item = Call("min", (item, number(total - 1)), dtype=I32)
    inner = list(body(active))
    step = 1
    for loop, size in reversed(list(zip(dealing.loops, sizes, strict=True))):
        if size > 1:
            inner = [Let(loop, _digit(item, step, size, total, ranges), tuple(inner))]
        step *= size
    for var, size, mark in reversed(threads):
        inner = [Loop(var, size, tuple(inner), Kind.DATA, mark)]
    if dealing.blocks:
        return [Loop(turn, turns, tuple(inner), Kind.DATA, Mark.BLOCK_X)]
    return [Loop(turn, turns, tuple(inner))] if turns > 1 else inner


def _digit(item: Expr, step: int, size: int, total: int, ranges: Ranges) -> Expr:
    """Give the value of one loop from the number of the combination."""
    value = floordiv(item, step, ranges)
    return value if step * size >= total else modulo(value, size, ranges)
