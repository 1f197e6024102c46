"""The thirty texts on an NVIDIA GPU, through CUDA and through its OpenCL driver."""

import pytest
from tests.compiler.cuda.test_nvcc import matmul
from tests.compiler.running import assert_right, plain, run
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs

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


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "name", ["audio/nlms_echo@t800-l512-f32", "detection/background_subtract@n8-h120-w160-u8"]
)
def test_a_state_that_is_read_back_is_what_was_written(name: str, device: str) -> None:
    """NVIDIA's compilers loaded it too early while the pointers were `restrict`."""
    workload = load_catalogue().workload(name)
    kernel, profile = workload.kernel(), load_profile(device)
    inputs = dict(zip((p.name for p in kernel.params), make_inputs(workload, 1, "typical"), strict=True))
    facts = verify_compute(kernel)
    found = run(TvmCompiler(), build_nest(facts, profile.target, profile), inputs, profile)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=1 << 12)
