"""The thirty texts, as written and with compute alone, through every compiler."""

import pytest
from tests.compiler.running import COMPILERS, assert_right, check, plain, run
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile

WIDER = {"conv2d": 128, "matmul_tensorcore": 128, "decode_attention": 128}
"""16-bit results of sums that are kept wider by a compiler than by the interpreter."""


@pytest.mark.needs_tvm
@pytest.mark.parametrize("name", SMALL)
def test_compute_alone_compiles_and_is_right(name: str) -> None:
    facts = plain(facts_of(name))
    check(facts, random_inputs(facts.kernel), ulps=WIDER.get(name, 64))


@pytest.mark.needs_tvm
@pytest.mark.parametrize("name", SMALL)
def test_scheduled_texts_are_right(name: str) -> None:
    facts = facts_of(name)
    check(facts, random_inputs(facts.kernel), ulps=WIDER.get(name, 64))


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"matmul", "matmul_tensorcore"}))
@pytest.mark.parametrize("device", ["opencl", "cuda-sm87"])
def test_nests_of_gpus_run_serially_through_c(name: str, device: str) -> None:
    facts, profile = facts_of(name), load_profile(device)
    inputs = random_inputs(facts.kernel)
    nest = build_nest(facts, profile.target, profile)
    assert_right(run(COMPILERS[0], nest, inputs, profile), evaluate(facts, inputs, "declared"))
