"""Moves of the policy on GPUs: other tiles and threads, fetching ahead; every text is legal."""

import pytest
from tests.agents.policy.device import DENSE8, facts_of

from edgekernelbench.agents.policy.genome import Genome
from edgekernelbench.agents.policy.proposals import propose
from edgekernelbench.agents.policy.writing import Desk
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

PRODUCT = """def product(a: f32[64, 96], b: f32[96, 64]):
    with compute:
        c[i, j]: f32[64, 64] = sum(a[i, k] * b[k, j] for k in range(96))
        return c
"""
DEVICES = ["cuda-h200", "cuda-sm87", "opencl"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("text", [PRODUCT, DENSE8], ids=["product", "dense"])
def test_every_text_is_legal(text: str, device: str) -> None:
    profile = load_profile(device)
    moves = propose(Desk(facts_of(text), profile), Genome())
    assert moves
    for one in moves:
        build_nest(verify_compute(parse(one.text)), profile.target, profile)
    assert {one.move.kind for one in moves} <= {"rules", "double", "layout"}


@pytest.mark.parametrize("device", DEVICES)
def test_a_block_can_fetch_ahead(device: str) -> None:
    moves = propose(Desk(facts_of(PRODUCT), load_profile(device)), Genome())
    (ahead,) = (one for one in moves if one.move.kind == "double")
    assert ahead.text.count("buffers=2") == 2


@pytest.mark.needs_tvm
def test_what_is_fetched_ahead_is_copied_beside_the_work() -> None:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415 - imports TVM

    profile = load_profile("cuda-sm87")
    moves = propose(Desk(facts_of(PRODUCT), profile), Genome())
    (ahead,) = (one for one in moves if one.move.kind == "double")
    nest = build_nest(verify_compute(parse(ahead.text)), "cuda", profile)
    assert "by asynchronous copies" in write_device_code(nest, profile).notes[0]
