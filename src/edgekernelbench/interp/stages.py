"""How a stage is computed: the fastest way that fits it."""

from collections.abc import Mapping

from edgekernelbench.interp.closures import Environment
from edgekernelbench.interp.contracting import contraction_run
from edgekernelbench.interp.expressions import Expressions
from edgekernelbench.interp.frame import Block, Frame, Run, enter, make_frame, walk_blocks, within
from edgekernelbench.interp.grid import cut
from edgekernelbench.interp.memory import Memory
from edgekernelbench.interp.reducing import reduction_run
from edgekernelbench.interp.scattering import scatter_run
from edgekernelbench.interp.sparse import sparse_run
from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.expr import Expr, Reduction


def stage_run(stage: Stage, outer: Mapping[str, int], memory: Memory, *, guarded: bool = False) -> Run:
    """Give what computes a stage.

    Args:
        stage: The stage; what it reads is in memory, complete or growing.
        outer: Slots of the ordered axes round it.
        memory: All arrays; the stage is declared.
        guarded: Whether it is computed also where its value will not be used.

    Returns:
        A function that fills the stage; inside a group, the step that the environment says.
    """
    frame = make_frame(stage, outer, memory)
    if isinstance(stage.value, Reduction):
        return _reduction_run(frame, stage.value)
    return _elementwise_run(frame, stage.value, guarded=guarded)


def _reduction_run(frame: Frame, reduction: Reduction) -> Run:
    run = scatter_run(frame, reduction) or contraction_run(frame, reduction)
    return run or sparse_run(frame, reduction) or reduction_run(frame, reduction)


def _elementwise_run(frame: Frame, value: Expr, *, guarded: bool) -> Run:
    block = cut(frame.extents, frame.memory.block)
    walk = list(walk_blocks(frame.extents, block))
    target = frame.target()
    if len(walk) == 1:
        grid = frame.grid(dict(zip(frame.axes, frame.extents, strict=True)), only=True)
        closure = Expressions(grid, frame.memory).closure(value, guarded=guarded)
        where = within(walk[0])

        def run_once(env: Environment) -> None:
            # closures first: a step may read what an earlier step stored
            found = closure(env)
            target(env)[where] = found

        return run_once
    by_shape = {
        shape: Expressions(frame.grid(dict(zip(frame.axes, shape, strict=True))), frame.memory).closure(
            value, guarded=guarded
        )
        for shape in {_shape(block) for block in walk}
    }

    def run(env: Environment) -> None:
        out = target(env)
        for block in walk:
            enter(frame, frame.axes, block, env)
            out[within(block)] = by_shape[_shape(block)](env)

    return run


def _shape(block: Block) -> tuple[int, ...]:
    return tuple(n for _, n in block)
