"""The default lowering: legal, right, and the text that a person would expect."""

import re
from dataclasses import replace

import pytest
from tests.conftest import Golden
from tests.interp.texts import SMALL
from tests.nest.running import CASES, assert_right, text_at

from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

CATALOGUE = load_catalogue()


def lowered(facts: Facts) -> Facts:
    device = replace(load_profile("llvm"), threads=2, vector_bytes=64, vector_registers=32)
    return replace(facts, kernel=default_lowering(facts, "llvm", device))


@pytest.mark.parametrize(("name", "size"), CASES, ids="-".join)
def test_texts_keep_their_values(name: str, size: str) -> None:
    facts = lowered(text_at(name, size))
    assert_right(facts, build_nest(facts, "llvm", load_profile("llvm")))


@pytest.mark.parametrize("workload", CATALOGUE.workloads, ids=lambda w: w.id)
def test_every_workload_gets_directives_that_are_legal_at_its_size(workload: Workload) -> None:
    facts = verify_compute(workload.kernel())
    kernel = default_lowering(facts, "llvm", load_profile("llvm"))
    build_nest(replace(facts, kernel=kernel), "llvm", load_profile("llvm"))
    assert kernel.schedule_for("llvm").directives


@pytest.mark.parametrize("target", ["cuda-sm87", "opencl"])
@pytest.mark.parametrize("name", SMALL)
def test_gpus_get_a_legal_text(name: str, target: str) -> None:
    facts = text_at(name, "small")
    profile = load_profile(target)
    kernel = default_lowering(facts, profile.target, profile)
    build_nest(replace(facts, kernel=kernel), profile.target, profile)


@pytest.mark.parametrize("name", ["conv3x3_bias_relu", "softmax", "lstm", "histogram", "depthwise5x5_s2"])
def test_the_text_reads_as_written(name: str, golden: Golden) -> None:
    golden(schedule_of(lowered(text_at(name, "tails" if name != "histogram" else "small"))))


def schedule_of(facts: Facts) -> str:
    text = print_kernel(facts.kernel)
    return text[text.index("    with schedule") :].rstrip()


def test_the_text_parses_again() -> None:
    facts = lowered(text_at("softmax", "tails"))
    assert parse(print_kernel(facts.kernel)) == facts.kernel


def test_weights_are_packed_in_panels_only_when_these_divide() -> None:
    text = """def f(x: f32[40], w: const[f32[N, 40]]):
    with compute:
        y[n]: f32[N] = sum(x[k] * w[n, k] for k in range(40))
        return y
"""
    even = schedule_of(lowered(verify_compute(parse(text.replace("N", "64")))))
    odd = schedule_of(lowered(verify_compute(parse(text.replace("N", "65")))))
    assert re.search(r'layout\(w, "a0 a1 -> a0/\d+ a1 a0%\d+"\)', even)
    assert 'layout(w, "a0 a1 -> a1 a0")' in odd
