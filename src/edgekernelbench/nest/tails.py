"""Which tails need no guard: the last turn begins earlier, and computes some elements once more.

A guard inside a vector or unrolled loop can cost ten times what the loop does. Moving the last turn back is
allowed where the second computation of an element gives the same value and disturbs nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from edgekernelbench.nest.loops import SplitLoop
from edgekernelbench.nest.packing import Packing
from edgekernelbench.nest.plan import Hoisted
from edgekernelbench.nest.structure import Structure
from edgekernelbench.nest.tree import Kind, Mark
from edgekernelbench.nest.work import WorkGroup, WorkStage


@dataclass(frozen=True, slots=True)
class Tails:
    """What the memory layer says about tails.

    Attributes:
        accumulated: Stages whose sums are held apart, so that each turn has its own.
        overwriting: Stages that are stored where what they read was, so that nothing can be read twice.
        folded: Stages of which only some steps are stored.
    """

    accumulated: frozenset[str] = frozenset()
    overwriting: frozenset[str] = frozenset()
    folded: frozenset[str] = frozenset()


NO_TAILS = Tails()


def moved_back(
    structure: Structure, stage: WorkStage, extents: Mapping[str, int], tails: Tails, packing: Packing
) -> frozenset[str]:
    """Choose the split loops of a stage whose last turn begins earlier.

    Args:
        structure: The tree.
        stage: The stage.
        extents: Iterations of all its loops.
        tails: What the memory layer says.
        packing: Tensors that are stored in pieces, inside which no turn should begin.
    """
    if structure.plan.is_gpu() or stage.scattered or stage.name in tails.overwriting:
        return frozenset()
    table = structure.plan.tables[stage.name]
    found = set()
    for change in table.changes:
        if isinstance(change, SplitLoop) and _may_move(structure, stage, change, extents, tails):
            readers = {s for loop in table.leaves(change.loop) for s in structure.inside(loop)}
            inside = [structure.program.stages[name] for name in sorted(readers)]
            axis = table.axis_of.get(change.loop)
            if axis is None or not packing.cuts(inside, axis):
                found.add(change.loop)
    return frozenset(found)


def _may_move(
    structure: Structure, stage: WorkStage, change: SplitLoop, extents: Mapping[str, int], tails: Tails
) -> bool:
    table, sequence = structure.plan.tables[stage.name], structure.sequence(stage.name)
    size, whole = extents[change.loop], prod(change.sizes)
    if table.kinds[change.loop] is not Kind.DATA or size < whole or size % whole == 0:
        return False
    inner = [structure.mark(leaf) for out in change.outs[1:] for leaf in table.leaves(out)]
    if Mark.VECTOR not in inner and Mark.UNROLL not in inner:
        return False
    turns = table.leaves(change.outs[0])
    if stage.reducing is not None:
        # A sum must begin and end in one turn, and no other core may work on the same one.
        complete = sequence[: table.first_reduction(sequence)]
        apart = stage.name in tails.accumulated
        parallel = any(structure.mark(turn) is Mark.PARALLEL for turn in turns)
        if not turns.issubset(complete) or (parallel and not apart):
            return False
    return not _keeps_inside(structure, table.leaves(change.loop), {stage.name})


def _keeps_inside(structure: Structure, loops: frozenset[str], own: set[str]) -> bool:
    """Whether something that is stored whole is computed inside loops, besides their own stages."""
    inside = {stage for loop in loops for stage in structure.inside(loop)} - own
    return any(structure.kept(stage) for stage in inside)


def hoist_moves_back(
    structure: Structure, group: WorkGroup, hoisted: Hoisted, count: int, tails: Tails
) -> bool:
    """Choose whether the last turn of a hoisted loop begins earlier.

    Args:
        structure: The tree.
        group: The group.
        hoisted: The loop.
        count: Positions that it enumerates in blocks.
        tails: What the memory layer says.
    """
    if structure.plan.is_gpu() or count < hoisted.block or count % hoisted.block == 0:
        return False
    stages = [structure.program.stages[name] for name in group.stages]
    loops = {
        loop for s in stages for loop in structure.plan.tables[s.name].leaves(f"{s.name}.{hoisted.axis}")
    }
    if not any(structure.mark(loop) in (Mark.VECTOR, Mark.UNROLL) for loop in loops):
        return False
    if any(s.scattered for s in stages) or _keeps_inside(
        structure, frozenset({hoisted.loop}), set(group.stages)
    ):
        return False
    if structure.mark(hoisted.loop) is not Mark.PARALLEL:
        return True
    # Two cores may then compute one element together: only single stores of one value can bear that.
    members = set(group.stages)
    shared = [
        s for s in stages if s.returned or structure.kept(s.name) or structure.readers(s.name) - members
    ]
    return all(s.reducing is None and s.name not in tails.folded for s in shared)
