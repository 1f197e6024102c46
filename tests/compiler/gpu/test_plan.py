"""Launches of a nest, and workspace that they share."""

from tests.interp.texts import bound, facts_of, verified

from edgekernelbench.compiler.gpu.plan import HostLoop, Plan, plan_prepare, plan_run, walk_launches
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

PROFILE = load_profile("opencl")
CHAIN = """
def k(x: f32[64, 64]):
    with compute:
        a[i, j]: f32[64, 64] = sum(x[i, k] * x[k, j] for k in range(64))
        b[i, j]: f32[64, 64] = sum(a[i, k] * x[k, j] for k in range(64))
        c[i, j]: f32[64, 64] = sum(b[i, k] * x[k, j] for k in range(64))
        d[i, j]: f32[64, 64] = sum(c[i, k] * x[k, j] for k in range(64))
        return d
"""
STEPS = """
def k(x: f32[8, 64]):
    with compute:
        for t in range(8):
            s[t, i]: f32[8, 64] = x[t, i] + (0.5 * s[t - 1, 63 - i] if t > 0 else 0.0)
        return s

    with schedule("opencl"):
        io, ii = split(s.i, 32)
        bind(io, "blockIdx.x")
        bind(ii, "threadIdx.x")
"""


def planned(text: str) -> Plan:
    return plan_run(build_nest(verified(text), "opencl", PROFILE))


def test_each_root_nest_is_a_launch_with_what_it_uses() -> None:
    plan = planned(CHAIN)
    assert [[b.name for b in launch.buffers] for launch in walk_launches(plan.steps)] == [
        ["x", "a"],
        ["x", "a", "b"],
        ["x", "b", "c"],
        ["x", "d", "c"],
    ]


def test_workspace_that_no_launch_uses_together_shares_memory() -> None:
    plan = planned(CHAIN)
    assert plan.slots["a"] == plan.slots["c"]
    assert plan.slots["a"] != plan.slots["b"]
    assert len(plan.slot_bytes) == 2


def test_within_a_launch_nothing_shares_memory() -> None:
    for launch in walk_launches(planned(CHAIN).steps):
        held = [planned(CHAIN).slots[b.name] for b in launch.buffers if b.name in planned(CHAIN).slots]
        assert len(held) == len(set(held))


def test_steps_that_threads_wait_for_across_blocks_are_run_by_the_host() -> None:
    (loop,) = planned(STEPS).steps
    assert isinstance(loop, HostLoop)
    assert loop.extent == 8
    (launch,) = walk_launches((loop,))
    assert launch.scalars == (loop.var,)


def test_weights_are_packed_by_blocks_of_threads() -> None:
    facts = verify_compute(bound("lstm", {"T": 3, "I": 32, "H": 32}))
    plan = plan_prepare(build_nest(facts, "cuda", load_profile("cuda-sm87")))
    assert {launch.threads for launch in walk_launches(plan.steps)} == {(256, 1, 1)}


def test_a_plan_without_weights_is_empty() -> None:
    assert plan_prepare(build_nest(facts_of("softmax"), "opencl", PROFILE)).steps == ()
