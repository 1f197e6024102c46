"""Corner schedules of GPUs as cubins without a GPU, and on one where there is one."""

import shutil
from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, run
from tests.interp.texts import random_inputs
from tests.nest.test_corners import CORNERS, Corner

from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

ORIN = load_profile("cuda-sm87")
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
DEVICE_CORNERS = [corner for corner in CORNERS if corner.target != "llvm"]
NAMES = [corner.name.replace(" ", "_") for corner in DEVICE_CORNERS]


def facts_of(corner: Corner) -> Facts:
    return verify_compute(read(replace(corner, target="cuda").source).bind())


@NVCC
@pytest.mark.needs_tvm
@pytest.mark.parametrize("corner", DEVICE_CORNERS, ids=NAMES)
def test_a_corner_becomes_a_cubin(corner: Corner) -> None:
    made = CudaCompiler().compile(build_nest(facts_of(corner), "cuda", ORIN), ORIN)
    assert made.cost.code_bytes


@pytest.mark.needs_cuda
@pytest.mark.parametrize("corner", DEVICE_CORNERS, ids=NAMES)
def test_a_gpu_computes_a_corner(corner: Corner) -> None:
    facts, profile = facts_of(corner), load_profile("cuda")
    inputs = random_inputs(facts.kernel)
    found = run(CudaCompiler(), build_nest(facts, "cuda", profile), inputs, profile)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)
