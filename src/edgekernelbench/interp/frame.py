"""What the ways to compute a stage have in common: its axes, slots, blocks and where the result goes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.interp.closures import Closure, Environment
from edgekernelbench.interp.expressions import Expressions
from edgekernelbench.interp.grid import POINTS, Grid, blocks
from edgekernelbench.interp.memory import Memory
from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.expr import Expr, Over, Reduction

Array = NDArray[Any]
Run = Callable[[Environment], None]
Block = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A stage about to be computed.

    Attributes:
        stage: The stage.
        memory: All arrays.
        outer: Slots of the ordered axes round it, which are fixed in each step.
        slots: Slots of all axes in scope.
    """

    stage: Stage
    memory: Memory
    outer: Mapping[str, int]
    slots: Mapping[str, int]

    @property
    def axes(self) -> tuple[str, ...]:
        """Its own axes, without the ordered ones."""
        return tuple(axis for axis in self.stage.axes if axis not in self.outer)

    @property
    def extents(self) -> tuple[int, ...]:
        """The sizes of its own axes."""
        return tuple(
            n for axis, n in zip(self.stage.axes, self.stage.shape, strict=True) if axis in self.axes
        )

    def grid(self, extents: Mapping[str, int], *, only: bool = False) -> Grid:
        """Give the grid of a block; axes of one position are fixed.

        Args:
            extents: Numbers of positions.
            only: Whether it is the only block, so that nothing but steps moves.
        """
        varying = {axis: n for axis, n in extents.items() if n > 1}
        moving = frozenset(self.outer) if only else None
        return Grid(self.slots, varying, self.memory.precision, moving)

    def points(
        self, before: Mapping[str, int], count: int, behind: Mapping[str, int], axes: Iterable[str]
    ) -> Grid:
        """Give the grid of scattered positions along some axes, and of all positions along others.

        Args:
            before: The axes whose dimensions stand before the one of the points.
            count: Number of points.
            behind: The axes whose dimensions stand behind it.
            axes: The axes along which positions are scattered.
        """
        extents = {**before, POINTS: count, **behind}
        varying = {axis: n for axis, n in extents.items() if n > 1 or axis == POINTS}
        return Grid(self.slots, varying, self.memory.precision, points=frozenset(axes))

    def target(self) -> Callable[[Environment], Array]:
        """Give what finds the part of the stage's array that a step fills, one dimension an own axis."""
        array = self.memory.array(self.stage.name)
        steps = [axis for axis in self.stage.axes if axis in self.outer]
        if not steps:
            return lambda env: array
        turned = np.moveaxis(array, [self.stage.axes.index(axis) for axis in steps], range(len(steps)))
        slots = tuple(self.outer[axis] for axis in steps)
        return lambda env: _at(turned, tuple([env[slot] for slot in slots]))


def _at(array: Array, where: tuple[int, ...]) -> Array:
    index: Any = (*where, ...)  # always a view, also of a single element
    found: Array = array[index]
    return found


def make_frame(stage: Stage, outer: Mapping[str, int], memory: Memory) -> Frame:
    """Give the axes of a stage their slots.

    Args:
        stage: The stage.
        outer: Slots of the ordered axes round it.
        memory: All arrays.

    Returns:
        The frame.
    """
    own = tuple(axis for axis in stage.axes if axis not in outer)
    over = tuple(o.axis for o in stage.value.over) if isinstance(stage.value, Reduction) else ()
    return Frame(stage, memory, outer, {**outer, **memory.new_slots((*own, *over))})


def enter(
    frame: Frame, axes: tuple[str, ...], block: Block, env: Environment, first: tuple[int, ...] = ()
) -> None:
    """Put the first positions of a block into the environment.

    Args:
        frame: Whose slots.
        axes: The axes of the block.
        block: First position and number of positions along each, counted from 0.
        env: The environment.
        first: Where the ranges of the axes start; 0 when left out.
    """
    for place, (axis, (start, _)) in enumerate(zip(axes, block, strict=True)):
        env[frame.slots[axis]] = start + (first[place] if first else 0)


def within(block: Block) -> tuple[int | slice, ...]:
    """Give the index of a block in an array, without the dimensions of one position."""
    return tuple(slice(start, start + n) if n > 1 else start for start, n in block)


def walk_blocks(extents: tuple[int, ...], block: tuple[int, ...]) -> Iterator[Block]:
    """Walk the blocks of a space in row-major order."""
    yield from blocks(extents, block)


@dataclass(frozen=True, slots=True)
class Guarded:
    """Closures of expressions and of the conditions in front of them."""

    conditions: tuple[Closure, ...]
    elements: tuple[Closure, ...]

    def mask(self, env: Environment) -> Any:
        """Say where all conditions hold: one truth value, or an array over the grid."""
        result: Any = True
        for condition in self.conditions:
            value = condition(env)
            if np.ndim(value) == 0:
                if not value:
                    return False
                continue
            result = value if result is True else np.logical_and(result, value)
            if not result.any():
                return False
        return True if result is True or result.all() else result


def guarded_elements(
    elements: Sequence[Expr], over: tuple[Over, ...], grid: Grid, memory: Memory, *, guarded: bool = False
) -> Guarded:
    """Build the closures of what a reduction reduces.

    Args:
        elements: The expression, or its factors.
        over: The reduction axes with their conditions.
        grid: The block.
        memory: All arrays.
        guarded: Whether even the first condition is computed where its value will not be used.

    Returns:
        Closures; what stands behind a varying condition is computed with clipped indices.
    """
    expressions = Expressions(grid, memory)
    closures = []
    for condition in (c for o in over for c in o.conditions):
        closures.append(expressions.closure(condition, guarded=guarded))
        guarded = guarded or bool(grid.varying(condition))
    return Guarded(tuple(closures), tuple(expressions.closure(e, guarded=guarded) for e in elements))
