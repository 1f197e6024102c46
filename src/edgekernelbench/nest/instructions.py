"""`tensorize`: whether marked loops are the formula of an instruction."""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Expr, Read
from edgekernelbench.ir.schedule import Tensorize
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.linear import linear
from edgekernelbench.nest.marks import BOUND
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.scene import names_in
from edgekernelbench.nest.tree import Kind, Mark
from edgekernelbench.nest.work import WorkStage
from edgekernelbench.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class Instruction:
    """A matrix instruction: `sum` of products.

    Attributes:
        extents: Iterations of its loops, outermost first; None for as many as there are lanes.
        kinds: What each loop enumerates.
        inputs: Element types of the factors, with the type that they are summed in.
        left: Which of its loops the left factor is indexed by, by number.
        right: The same of the right factor.
        lanes: Threads along `threadIdx.x` that run it together; 0 when one does.
    """

    extents: tuple[int | None, ...]
    kinds: tuple[Kind, ...]
    inputs: Mapping[DType, DType]
    left: frozenset[int]
    right: frozenset[int]
    lanes: int = 0


DATA, REDUCTION = Kind.DATA, Kind.REDUCTION
INSTRUCTIONS: Mapping[str, Instruction] = {
    "wmma.16x16x16": Instruction(
        (16, 16, 16), (DATA, DATA, REDUCTION),
        {DType.F16: DType.F32, DType.BF16: DType.F32, DType.I8: DType.I32},
        frozenset({0, 2}), frozenset({1, 2}), lanes=32,
    ),
    "dot4": Instruction(
        (None, 4), (DATA, REDUCTION),
        {DType.I8: DType.I32, DType.U8: DType.I32},
        frozenset({1}), frozenset({0, 1}),
    ),
}  # fmt: skip
"""The instructions of A9. `dot4`: one factor is the same for all lanes."""


def check_instructions(boxes: Boxes, profile: Profile, problems: Problems) -> None:
    """Check every `tensorize` [S29]."""
    structure = boxes.structure
    seen: dict[Tensorize, list[str]] = {}
    for loop, marked in structure.plan.marks.items():
        if isinstance(marked.directive, Tensorize):
            seen.setdefault(marked.directive, []).append(loop)
    for directive in seen:
        reason = _mismatch(boxes, directive, profile)
        if reason:
            problems.add("S29", reason, directive)


def _mismatch(boxes: Boxes, directive: Tensorize, profile: Profile) -> str:
    """Say why loops are not an instruction; empty when they are."""
    instruction = INSTRUCTIONS.get(directive.name)
    if instruction is None or directive.name not in profile.instructions:
        there = ", ".join(profile.instructions) or "none"
        return f"{profile.name} has no instruction {directive.name!r}; it has {there}"
    structure, loops = boxes.structure, list(directive.loops)
    stages = {structure.plan.refs[loop].stage for loop in loops if loop in structure.plan.refs}
    if len(stages) != 1 or len(loops) != len(instruction.extents):
        return f"{directive.name} takes {len(instruction.extents)} loops of one stage"
    stage = structure.program.stages[stages.pop()]
    sequence = structure.sequence(stage.name)
    if sequence[-len(loops) :] != loops:
        return f"{', '.join(loops)} must be the innermost loops of {stage.name}, in this order"
    for loop, extent, kind in zip(loops, instruction.extents, instruction.kinds, strict=True):
        found = boxes.ranges[loop][1] + 1
        if structure.plan.tables[stage.name].kinds[loop] is not kind:
            return f"{loop} must be a {kind} loop"
        if extent is not None and found != extent:
            return f"{loop} has {found} iterations, {directive.name} has {extent}"
    tailed = {name for tail in boxes.tails(stage) for name in names_in(tail)}
    if tailed & set(loops):
        return f"{', '.join(sorted(tailed & set(loops)))} does not divide its axis"
    if instruction.lanes:
        bound = [one for one in structure.path(stage.name) if structure.mark(one) in BOUND]
        if any(structure.mark(one) is Mark.THREAD_X for one in bound):
            return f"threadIdx.x is the {instruction.lanes} lanes of {directive.name}: bind other axes"
    return _formula(boxes, stage, instruction, loops, directive.name)


def _formula(boxes: Boxes, stage: WorkStage, instruction: Instruction, loops: list[str], name: str) -> str:
    types = " or ".join(f"{dtype}" for dtype in instruction.inputs)
    wanted = f"{stage.name} must be a sum of products of two {types} reads, in the wide type"
    reducing = stage.reducing
    if reducing is None or reducing.kind != "sum" or reducing.conditions or stage.scattered:
        return wanted
    product = reducing.element
    if not isinstance(product, Binary) or product.op != "*":
        return wanted
    factors = [_factor(product.left), _factor(product.right)]
    reads = [read for read in factors if read is not None]
    if len(reads) != 2 or any(read.dtype not in instruction.inputs for read in reads):
        return wanted
    first = reads[0].dtype
    if first is None or product.dtype is not instruction.inputs[first] or stage.dtype is not product.dtype:
        return wanted
    values = boxes.axis_values(stage)
    used = [_numbers(read, values, loops) for read in reads]
    if used not in ([instruction.left, instruction.right], [instruction.right, instruction.left]):
        return f"the factors of {stage.name} do not follow the loops of {name} as its operands do"
    return ""


def _factor(node: Expr) -> Read | None:
    """Find the read under the casts of a factor."""
    while isinstance(node, Cast) and not node.saturate:
        node = node.operand
    return node if isinstance(node, Read) else None


def _numbers(read: Read, values: Mapping[str, Expr], loops: list[str]) -> frozenset[int]:
    """Number the loops that a read moves with."""
    names: set[str] = set()
    for index in read.indices:
        for term, _ in linear(index).terms:
            if isinstance(term, Axis) and term.name in values:
                names |= names_in(values[term.name])
            else:
                names |= {n for inner in names_in(term) if inner in values for n in names_in(values[inner])}
    return frozenset(place for place, loop in enumerate(loops) if loop in names)
