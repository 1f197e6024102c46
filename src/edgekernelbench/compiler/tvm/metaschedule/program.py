"""A kernel as TIR for TVM's scheduler: one function a part, over buffers that all parts share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import elements
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.compiler.tvm.metaschedule.blocks import declare, work_buffers, write_block
from edgekernelbench.compiler.tvm.scope import Stored
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.cuts import Cuts, crossing
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.nest.work import BEST, Program, make_program
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute

_LARGEST = 2**31 - 1
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Whole:
    """All that the parts of a kernel share.

    Attributes:
        program: The stages.
        nest: Who takes part in a run: `prepared` are the buffers that are kept, without statements.
        stored: TIR buffers of all that is stored outside parts, by name.
    """

    program: Program
    nest: Nest
    stored: Mapping[str, Stored]

    def outside(self) -> tuple[Stored, ...]:
        """List the buffers that every function of the kernel takes, in the order of an executable."""
        held = (*self.nest.params, *self.nest.outputs, *self.nest.prepared, *self.nest.tables)
        return tuple(self.stored[b.name] for b in held)


def open_program(traced: Traced, profile: Profile) -> Whole:
    """Lay out a kernel.

    Args:
        traced: The kernel, whose parts say what is stored where.
        profile: The device.

    Raises:
        CompileError: When a part names a stage that is not there, stands inside a `for`, or has too many
            elements for TVM's indices.
        SourceError: When the text is wrong.
    """
    facts = verify_compute(parse(traced.text))
    program = make_program(facts)
    for part in (*traced.parts, Part(traced.prepared)):
        for name in part.stages:
            if name not in program.stages or program.stages[name].group:
                raise CompileError(f"expected a stage outside every `for`, found {name!r}")
    plain = build_nest(facts, profile.target, profile)
    cuts = Cuts(tuple(p.stages for p in traced.parts), traced.prepared, ())
    outputs = {b.name for b in plain.outputs}
    kept = sorted((crossing(cuts, program) | set(traced.prepared)) - outputs)
    prepared = tuple(b for name in kept for b in work_buffers(program.stages[name])[:1])
    beside = (b for name in traced.prepared for b in work_buffers(program.stages[name])[1:])
    nest = Nest(
        plain.name, plain.target, plain.params, plain.outputs, (*prepared, *beside), plain.tables, (), ()
    )
    held = (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)
    for buffer in held:
        if elements(buffer) > _LARGEST:
            raise CompileError(f"TVM takes buffers of at most {_LARGEST:,} elements, {buffer.name} has more")
    return Whole(program, nest, {b.name: declare(b) for b in held})


def part_function(whole: Whole, stages: Sequence[str]) -> Any:
    """Write a part as one function of blocks, which a schedule can take.

    Args:
        whole: The kernel.
        stages: The stages of the part, in text order.

    Returns:
        The function; it takes the buffers that the part shares with others.
    """
    inside: dict[str, Stored] = {}
    for name in stages:
        for buffer in work_buffers(whole.program.stages[name]):
            if buffer.name not in whole.stored:
                inside[buffer.name] = declare(buffer)
    buffers = {**whole.stored, **inside}
    body = sequence([write_block(whole.program.stages[name], buffers) for name in stages])
    used = shared_buffers(whole, stages)
    function = tirx.PrimFunc([s.tir for s in used], body)
    function = function.with_attr({"global_symbol": MAIN, "tirx.noalias": True, "s_tir": True})
    return tvm.get_global_func("script.Complete")(function, [s.tir for s in inside.values()], True)  # noqa: FBT003


def shared_buffers(whole: Whole, stages: Sequence[str]) -> tuple[Stored, ...]:
    """List the buffers outside a part that it reads or writes, in the order of `outside`."""
    named = set(stages) | {name + BEST for name in stages}
    for name in stages:
        named |= whole.program.stages[name].tensors()
    return tuple(s for s in whole.outside() if s.buffer.name in named)
