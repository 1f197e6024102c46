"""The thirty texts, as written and with compute alone, on PoCL: real work-groups and barriers."""

from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, plain, run
from tests.interp.texts import FOLDER, SMALL, facts_of, random_inputs

from edgekernelbench.compiler.opencl.compiler import OpenClCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import read
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_opencl

PROFILE = load_profile("opencl")


def check(facts: Facts) -> None:
    """OpenCL gives what the interpreter gives."""
    inputs = random_inputs(facts.kernel)
    found = run(OpenClCompiler(), build_nest(facts, "opencl", PROFILE), inputs, PROFILE)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)


def has_schedule(kernel: Kernel) -> bool:
    return any("opencl" in schedule.targets for schedule in kernel.schedules)


@pytest.mark.parametrize("name", SMALL)
def test_compute_alone_is_right(name: str) -> None:
    check(plain(facts_of(name)))


@pytest.mark.parametrize("name", [name for name in SMALL if has_schedule(facts_of(name).kernel)])
def test_scheduled_texts_are_right(name: str) -> None:
    check(facts_of(name))


@pytest.mark.parametrize(
    "name", ["softmax", "conv3x3_bias_relu", "decode_attention", "histogram", "winograd"]
)
def test_the_default_lowering_is_right(name: str) -> None:
    facts = facts_of(name)
    check(replace(facts, kernel=default_lowering(facts, "opencl", PROFILE)))


@pytest.mark.parametrize("name", ["row_norms", "lstm"])
def test_schedules_of_cuda_are_right_here_too(name: str) -> None:
    """On an H200 sums of threads with steps of their own were wrong: they never met."""
    source = (FOLDER / f"{name}.kir").read_text(encoding="utf-8").replace('"cuda"', '"opencl"')
    check(verify_compute(read(source).bind(SMALL[name])))
