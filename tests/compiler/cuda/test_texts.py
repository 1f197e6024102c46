"""The thirty texts on an NVIDIA GPU, through CUDA and through its OpenCL driver."""

import pytest
from tests.compiler.cuda.test_nvcc import matmul
from tests.compiler.running import assert_right, plain, run
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_cuda

DEVICES = ["cuda", "opencl-nvidia"]
UNSUITABLE = {"matmul", "matmul_tensorcore"}
"""Their tiles do not divide the small sizes."""


def check(facts: Facts, device: str) -> None:
    """The GPU gives what the interpreter gives."""
    profile = load_profile(device)
    inputs = random_inputs(facts.kernel)
    found = run(TvmCompiler(), build_nest(facts, profile.target, profile), inputs, profile)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", SMALL)
def test_compute_alone_is_right(name: str, device: str) -> None:
    check(plain(facts_of(name)), device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", sorted(set(SMALL) - UNSUITABLE))
def test_scheduled_texts_are_right(name: str, device: str) -> None:
    check(facts_of(name), device)


def test_tiles_in_shared_memory_are_right() -> None:
    check(matmul(), "cuda")
