"""Corner schedules of GPUs on PoCL: virtual threads, unequal counts, groups on a block or run by the host."""

from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, run
from tests.interp.texts import random_inputs
from tests.nest.test_corners import CORNERS, Corner

from edgekernelbench.compiler.opencl.compiler import OpenClCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

pytestmark = pytest.mark.needs_opencl

PROFILE = load_profile("opencl")
DEVICE_CORNERS = [corner for corner in CORNERS if corner.target != "llvm"]


@pytest.mark.parametrize("corner", DEVICE_CORNERS, ids=[c.name.replace(" ", "_") for c in DEVICE_CORNERS])
def test_work_groups_compute_a_corner(corner: Corner) -> None:
    facts = verify_compute(read(replace(corner, target="opencl").source).bind())
    inputs = random_inputs(facts.kernel)
    found = run(OpenClCompiler(), build_nest(facts, "opencl", PROFILE), inputs, PROFILE)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)


def test_the_corners_are_those_of_gpus() -> None:
    assert {"virtual threads", "a group in one block", "the host runs the steps"} <= {
        c.name for c in DEVICE_CORNERS
    }
