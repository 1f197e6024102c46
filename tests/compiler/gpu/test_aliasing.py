"""Launches that read what they write get pointers that may be the same."""

import pytest
from tests.interp.texts import verified

from edgekernelbench.compiler.gpu.aliasing import reads_back
from edgekernelbench.compiler.gpu.plan import plan_run, walk_launches
from edgekernelbench.compiler.tvm.gpu.build import write_device_code
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile

OPENCL, CUDA = load_profile("opencl"), load_profile("cuda-sm87")
MEAN = """
def k(x: f32[8, 512], m: f32[512]):
    with compute:
        for t in range(8):
            avg[t, i]: f32[8, 512] = 0.5 * x[t, i] + 0.5 * (avg[t - 1, i] if t > 0 else m[i])
        return avg
"""
SHARED = """
def k(x: f32[8, 512]):
    with compute:
        for t in range(8):
            top[t]: f32[8] = max(x[t, i] + (s[t - 1, i] if t > 0 else 0.0) for i in range(512))
            s[t, i]: f32[8, 512] = x[t, i] - top[t]
        return s
"""
SUM = """
def k(x: f32[512, 64]):
    with compute:
        s[i]: f32[512] = sum(x[i, j] for j in range(64))
        return s
"""


@pytest.mark.parametrize(("text", "back"), [(MEAN, True), (SHARED, True), (SUM, False)])
def test_a_launch_reads_back_what_another_iteration_or_thread_wrote(text: str, *, back: bool) -> None:
    plan = plan_run(build_nest(verified(text), "opencl", OPENCL))
    assert [reads_back(launch) for launch in walk_launches(plan.steps)] == [back]


@pytest.mark.needs_tvm
@pytest.mark.parametrize(("profile", "word"), [(OPENCL, " restrict "), (CUDA, "__restrict__")])
def test_only_pointers_of_other_launches_are_restrict(profile: Profile, word: str) -> None:
    for text, restrict in ((MEAN, False), (SUM, True)):
        nest = build_nest(verified(text), profile.target, profile)
        assert (word in write_device_code(nest, profile).source) is restrict
