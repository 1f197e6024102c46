"""A search and its deadline: after it nothing is measured, and no model is asked."""

import time
from contextlib import ExitStack

import pytest

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.bench.own import own_workload
from edgekernelbench.bench.searching import Terms, open_searcher, search_kernel
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import load_profile

GEMV = """def gemv(w: const[f32[8, 16]], x: f32[16]):
    with compute:
        y[n]: f32[8] = sum(w[n, k] * x[k] for k in range(16))
        return y
"""


@pytest.mark.parametrize("asks", [True, False], ids=["leka", "policy"])
def test_after_the_deadline_nothing_is_measured_and_nobody_asked(*, asks: bool) -> None:
    profile, kernel = load_profile("llvm"), parse(GEMV)
    model = ScriptedModel(["bandwidth"]) if asks else None
    with ExitStack() as stack, Judge(profile, compiler="c") as judge:
        searcher = open_searcher(model, profile, stack)
        terms = Terms(Budget(), deadline_ns=time.monotonic_ns() - 1)
        found = search_kernel(searcher, kernel, own_workload(kernel), terms, judge)
    assert found.submissions <= 1
    assert found.speedup == 1.0
    assert model is None or model.asked == []
