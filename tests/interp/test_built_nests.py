"""Nests of kernels have the values of their compute layer, and marked loops may run backwards."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interp.comparing import assert_same
from tests.interp.texts import SMALL, facts_of, random_inputs, verified
from tests.strategies import computes, inputs_for

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.facts import Facts

PROFILES = {"llvm": "llvm", "cuda": "cuda-sm87", "opencl": "opencl"}

LARGE = {
    ("matmul", "cuda"),
    ("matmul", "opencl"),
    ("matmul_tensorcore", "cuda"),
    ("matmul_tensorcore", "opencl"),
}
"""Their tiles are thousands of elements, whatever the sizes."""

CASES = [(name, target) for name in SMALL for target in PROFILES if (name, target) not in LARGE]


def assert_nest_agrees(facts: Facts, target: str, *, ulps: float = 64) -> None:
    inputs = inputs_for(facts.kernel) if not facts.kernel.schedules else random_inputs(facts.kernel)
    nest = build_nest(facts, target, load_profile(PROFILES[target]))
    expected = evaluate(facts, inputs, "declared")
    for backwards in (False, True):
        outputs = run_nest(nest, [inputs[p.name] for p in facts.kernel.params], backwards=backwards)
        for found, right in zip(outputs, expected, strict=True):
            assert_same(found.reshape(right.shape), right, ulps=ulps)


@pytest.mark.parametrize(("name", "target"), CASES)
def test_the_nest_of_a_text_has_the_values_of_its_compute(name: str, target: str) -> None:
    assert_nest_agrees(facts_of(name), target)


@settings(max_examples=40, deadline=None)
@given(computes(), st.sampled_from(list(PROFILES)))
def test_the_plain_nest_of_a_random_compute_has_its_values(source: str, target: str) -> None:
    assert_nest_agrees(verified(source), target)
