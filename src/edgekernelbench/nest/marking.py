"""Checks marks against the nest: where parallel loops stand, vectors, unrolled sizes, instructions."""

from math import prod

from edgekernelbench.ir.schedule import Bind, Parallel
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.instructions import check_instructions
from edgekernelbench.nest.marks import MarkDirective
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.scene import names_in
from edgekernelbench.nest.structure import ROOT, Structure
from edgekernelbench.nest.tree import Kind, Mark
from edgekernelbench.profiles.profile import Profile

GPU_VECTORS = (1, 2, 4, 8, 16)
"""Iterations that a vector loop can have on a GPU."""


def check_marks(boxes: Boxes, profile: Profile, problems: Problems) -> None:
    """Check all marks [S01, S20, S29, L04, L06]."""
    structure = boxes.structure
    together: dict[MarkDirective, list[str]] = {}
    for loop, marked in structure.plan.marks.items():
        if isinstance(marked.directive, Parallel | Bind):
            together.setdefault(marked.directive, []).append(loop)
    for directive, loops in together.items():
        owners = {_owner(structure, loop) for loop in loops}
        word = "parallel" if isinstance(directive, Parallel) else "bind"
        if len(owners) > 1:
            message = (
                f"{word} makes one loop of {', '.join(loops)}, which belong to {', '.join(sorted(owners))}"
            )
            problems.add("S01", message, directive, "a line for each")
        elif isinstance(directive, Parallel):
            _check_parallel(boxes, directive, loops, problems)
    _check_vectors(boxes, problems)
    _check_unrolled(boxes, profile, problems)
    check_instructions(boxes, profile, problems)


def _owner(structure: Structure, loop: str) -> str:
    ref = structure.plan.refs[loop]
    return f"the group of {ref.group}" if ref.group else ref.stage


def _check_parallel(boxes: Boxes, directive: Parallel, loops: list[str], problems: Problems) -> None:
    structure = boxes.structure
    ref = structure.plan.refs[loops[0]]
    unit = structure.owner(loops[0])
    mine = [h.loop for h in structure.hoisted(ref.group)] if ref.group else structure.sequence(ref.stage)
    running = [loop for loop in mine if boxes.ranges[loop][1] > 0]
    wanted = [loop for loop in running if loop in loops]
    outer = structure.path_to(mine[0])[:-1]
    others = [one for one in outer if structure.mark(one) is Mark.PARALLEL]
    in_group = bool(structure.program.stages[ref.stage].group)
    if others:
        problems.add("S20", f"{loops[0]} stands inside {others[0]}, which is parallel already", directive)
    elif structure.place_of(unit) != ROOT and not (ref.hoisted or in_group):
        where = structure.place_of(unit)
        message = f"{ref.stage} is computed inside {where}: parallel loops are the outermost of a root nest"
        problems.add("S20", message, directive)
    elif ref.hoisted:
        place = running.index(wanted[0]) if wanted else 0
        if running[place : place + len(wanted)] != wanted:
            problems.add("S20", f"other loops stand between {', '.join(wanted)}", directive)
    elif running[: len(wanted)] != wanted:
        first = next(loop for loop in running if loop not in wanted)
        names = ", ".join([*wanted, *(one for one in running if one not in wanted)])
        what = (
            "a reduction loop"
            if structure.plan.tables[ref.stage].kinds[first] is Kind.REDUCTION
            else "a loop"
        )
        message = f"{first}, {what}, stands outside {wanted[-1]}: parallel loops are the outermost"
        problems.add("S20", message, directive, f"order({names})")


def _check_vectors(boxes: Boxes, problems: Problems) -> None:
    """On GPUs a vector has 2, 4, 8 or 16 iterations and no tail."""
    structure = boxes.structure
    if not structure.plan.is_gpu():
        return
    for loop, marked in structure.plan.marks.items():
        if marked.mark is not Mark.VECTOR:
            continue
        extent = boxes.ranges[loop][1] + 1
        if extent not in GPU_VECTORS:
            message = f"{loop} has {extent} iterations, a vector has 2, 4, 8 or 16"
            problems.add("L06", message, marked.directive)
        elif loop in _with_tails(boxes, structure.plan.refs[loop].stage):
            problems.add(
                "L06", f"{loop} does not divide its axis, a vector has no tail here", marked.directive
            )


def _with_tails(boxes: Boxes, stage: str) -> set[str]:
    """Name the loops that a tail condition hangs on."""
    return {name for tail in boxes.tails(boxes.structure.program.stages[stage]) for name in names_in(tail)}


def _check_unrolled(boxes: Boxes, profile: Profile, problems: Problems) -> None:
    structure = boxes.structure
    for stage in structure.program.stages:
        loops = [one for one in structure.path(stage) if structure.mark(one) is Mark.UNROLL]
        own = [one for one in loops if structure.plan.refs[one].stage == stage]
        total = prod(boxes.ranges[one][1] + 1 for one in own)
        if total > profile.unroll_limit:
            names = " * ".join(f"{one} {boxes.ranges[one][1] + 1}" for one in own)
            message = f"{total:,} unrolled iterations ({names}), {profile.name} has {profile.unroll_limit:,}"
            problems.add("L04", message, structure.plan.marks[own[-1]].directive)
