"""Kernels over TVM's blocks: right without a schedule, right after one that TVM made."""

from dataclasses import replace

import pytest
from tests.compiler.hand import HOST
from tests.compiler.running import assert_right, plain
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.interface import Array
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.cuts import cut
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_tvm

FREE = sorted(name for name in SMALL if not facts_of(name).groups)
"""Texts without a `for`."""


def traced_of(facts: Facts) -> Traced:
    cuts = cut(facts, default_lowering(facts, "llvm", HOST).schedule_for("llvm"))
    text = print_kernel(replace(facts.kernel, schedules=(), memories=()))
    return Traced(text, tuple(Part(p) for p in cuts.parts), cuts.prepared)


def run(traced: Traced, facts: Facts) -> list[Array]:
    # Importing it imports TVM, which tests that are not run must not.
    from edgekernelbench.compiler.tvm.metaschedule.replay import compile_traced  # noqa: PLC0415

    artifact = compile_traced(traced, HOST)
    assert artifact.executable is not None
    inputs = random_inputs(facts.kernel)
    params = [place_array(b, inputs[b.name]) for b in artifact.nest.params]
    outputs = [allocate_buffer(b) for b in artifact.nest.outputs]
    artifact.executable.prepare(params)
    artifact.executable.run(params, outputs)
    return outputs


@pytest.mark.parametrize("name", FREE)
def test_blocks_without_a_schedule_are_right(name: str) -> None:
    facts = plain(facts_of(name))
    expected = evaluate(facts, random_inputs(facts.kernel), "declared")
    assert_right(run(traced_of(facts), facts), expected, ulps=128)


def test_a_trace_that_does_not_fit_is_refused() -> None:
    facts = plain(facts_of("softmax"))
    traced = traced_of(facts)
    wrong = '[[["GetSBlock", [], ["nothing", "main"], ["b0"]]], []]'
    broken = replace(traced, parts=(replace(traced.parts[0], trace=wrong), *traced.parts[1:]))
    with pytest.raises(CompileError, match="TVM refused a trace"):
        run(broken, facts)


def test_a_stage_inside_a_for_is_refused() -> None:
    facts = plain(facts_of("cumsum"))
    stage = facts.groups[0].stages[0]
    with pytest.raises(CompileError, match="outside every `for`"):
        run(Traced(print_kernel(facts.kernel), (Part((stage,)),)), facts)
