"""Kernels over TVM's blocks: right without a schedule, refused with one that does not fit."""

from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, plain
from tests.compiler.tvm.metaschedule.support import run_traced, traced_of
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.printing import print_kernel

pytestmark = pytest.mark.needs_tvm

FREE = sorted(name for name in SMALL if not facts_of(name).groups)
"""Texts without a `for`."""


@pytest.mark.parametrize("name", FREE)
def test_blocks_without_a_schedule_are_right(name: str) -> None:
    facts = plain(facts_of(name))
    inputs = random_inputs(facts.kernel)
    assert_right(run_traced(traced_of(facts), inputs), evaluate(facts, inputs, "declared"), ulps=128)


def test_a_trace_that_does_not_fit_is_refused() -> None:
    facts = plain(facts_of("softmax"))
    traced = traced_of(facts)
    wrong = '[[["GetSBlock", [], ["nothing", "main"], ["b0"]]], []]'
    broken = replace(traced, parts=(replace(traced.parts[0], trace=wrong), *traced.parts[1:]))
    with pytest.raises(CompileError, match="TVM refused a trace"):
        run_traced(broken, random_inputs(facts.kernel))


def test_a_stage_inside_a_for_is_refused() -> None:
    facts = plain(facts_of("cumsum"))
    traced = Traced(print_kernel(facts.kernel), (Part((facts.groups[0].stages[0],)),))
    with pytest.raises(CompileError, match="outside every `for`"):
        run_traced(traced, random_inputs(facts.kernel))
