"""Budgets of workspace: what is out of proportion is refused, what comes with the product fits."""

import pytest

from edgekernelbench.base.errors import SourceError
from edgekernelbench.evaluator.acceptance import accept
from edgekernelbench.evaluator.budgets import check_budget
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.budgets import MIB, RULES, data_bytes, workspace_budget
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

CATALOGUE = load_catalogue()
SUITE = CATALOGUE.select((), suite="quick")
SOFTMAX = "norm/softmax@r591-n197-f32"
HUNGRY = """
def softmax(x: f32[591, 197]):
    with compute:
        copies[c, i, j]: f32[12, 591, 197] = x[i, j] * (1.0 if c == 0 else 0.0)
        y[i, j]: f32[591, 197] = sum(copies[c, i, j] for c in range(12))
        top[i]: f32[591] = max(y[i, j] for j in range(197))
        e[i, j]: f32[591, 197] = exp(y[i, j] - top[i])
        total[i]: f32[591] = sum(e[i, j] for j in range(197))
        out[i, j]: f32[591, 197] = e[i, j] / total[i]
        return out
"""


def test_a_budget_is_a_floor_and_a_multiple_of_the_data() -> None:
    workload, board = CATALOGUE.workload(SOFTMAX), load_profile("raspberry-pi-5")
    data = data_bytes(workload)

    assert data >= 3 * 591 * 197 * 4
    assert workspace_budget(workload, board) == MIB + 2 * data
    assert workspace_budget(workload, load_profile("llvm")) == 64 * MIB + 8 * data


def test_a_budget_is_never_more_than_the_device_has() -> None:
    workload, board = CATALOGUE.workload(SOFTMAX), load_profile("cortex-a7")
    for other in SUITE:
        assert workspace_budget(other, board) <= board.workspace_bytes
    assert set(RULES) == {load_profile(n).device_class for n in ("llvm", "opencl", "cortex-a7")}
    assert workload.id == SOFTMAX


def test_copies_that_a_board_has_no_room_for_are_refused_with_their_bytes() -> None:
    workload = CATALOGUE.workload(SOFTMAX)
    with pytest.raises(SourceError) as caught:
        accept(workload, HUNGRY, load_profile("raspberry-pi-5"))
    (found,) = caught.value.diagnostics

    assert found.code == "L05"
    assert f"copies {12 * 591 * 197 * 4:,}" in found.message
    assert "on devices of class edge" in found.message
    assert found.hint


def test_the_same_text_is_accepted_where_memory_is_plenty() -> None:
    accept(CATALOGUE.workload(SOFTMAX), HUNGRY, load_profile("llvm"))


@pytest.mark.parametrize("name", ["raspberry-pi-5", "llvm"])
@pytest.mark.parametrize("workload", SUITE, ids=lambda w: w.id)
def test_plain_texts_and_the_default_lowering_fit(workload: Workload, name: str) -> None:
    profile = load_profile(name)
    plain = workload.kernel()
    for kernel in (plain, default_lowering(verify_compute(plain), profile.target, profile)):
        nest = build_nest(verify_compute(kernel), profile.target, profile)
        assert check_budget(nest, workload, profile) == ()
